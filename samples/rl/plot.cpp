// SPDX-License-Identifier: Apache-2.0
#include "plot.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

namespace rl {
namespace {

constexpr double width = 720, height = 420;
constexpr double left = 80, right = 20, top = 40, bottom = 50;
constexpr double tick = 250;

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) {
    throw std::runtime_error("cannot write " + path.string());
  }
}

/// From returns and environment steps to the picture's coordinates.
struct Axes {
  explicit Axes(const std::vector<Point>& points) : steps(static_cast<double>(points.back().environment_steps)) {
    for (const Point& point : points) {
      lowest = std::min({lowest, tick * std::floor(point.eager / tick), tick * std::floor(point.graphed / tick)});
    }
  }
  double x(int64_t environment_steps) const { return left + (width - left - right) * static_cast<double>(environment_steps) / steps; }
  double y(double mean_return) const { return top + (height - top - bottom) * mean_return / lowest; }

  double steps;
  double lowest = -tick;
};

void line(std::ostream& out, const Axes& axes, double mean_return, const char* style) {
  out << "<path d='M" << left << ' ' << axes.y(mean_return) << 'H' << width - right << "' " << style << "/>\n";
}

void text(std::ostream& out, double x, double y, const char* anchor, const std::string& words) {
  out << "<text x='" << x << "' y='" << y << "' text-anchor='" << anchor << "'>" << words << "</text>\n";
}

void curve(std::ostream& out, const Axes& axes, const std::vector<Point>& points, double Point::* mean_return, const char* style) {
  out << "<polyline points='";
  for (const Point& point : points) {
    out << axes.x(point.environment_steps) << ',' << axes.y(point.*mean_return) << ' ';
  }
  out << "' " << style << "/>\n";
}

}  // namespace

void write_csv(const std::filesystem::path& path, const std::vector<Point>& points) {
  std::ostringstream out;
  out.precision(std::numeric_limits<double>::max_digits10);
  out << "environment_steps,updates,eager,graphed\n";
  for (const Point& point : points) {
    out << point.environment_steps << ',' << point.updates << ',' << point.eager << ',' << point.graphed << '\n';
  }
  write(path, out.str());
}

void write_svg(const std::filesystem::path& path, const std::vector<Point>& points, double wanted) {
  const Axes axes(points);
  std::ostringstream out;
  out << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " << width << ' ' << height
      << "' font-family='sans-serif' font-size='13' fill='none'>\n<rect width='100%' height='100%' fill='white'/>\n<g fill='black'>\n";
  for (double mean_return = 0; mean_return >= axes.lowest; mean_return -= tick) {
    text(out, left - 8, axes.y(mean_return) + 4, "end", std::to_string(std::lround(mean_return)));
  }
  text(out, left - 8, top - 18, "end", "return");
  text(out, left, height - bottom + 20, "middle", "0");
  text(out, width - right, height - bottom + 20, "end", std::to_string(points.back().environment_steps));
  text(out, (left + width - right) / 2, height - 10, "middle", "environment steps");
  text(out, left + 8, axes.y(wanted) - 6, "start", "return wanted: " + std::to_string(std::lround(wanted)));
  text(out, width - right - 8, height - bottom - 20, "end", "eager: wide and grey, graphed: narrow and blue");
  out << "</g>\n";
  for (double mean_return = 0; mean_return >= axes.lowest; mean_return -= tick) {
    line(out, axes, mean_return, "stroke='#ddd'");
  }
  line(out, axes, wanted, "stroke='green' stroke-dasharray='5'");
  curve(out, axes, points, &Point::eager, "stroke='#bbb' stroke-width='7'");
  curve(out, axes, points, &Point::graphed, "stroke='#1f6fb2' stroke-width='2'");
  out << "</svg>\n";
  write(path, out.str());
}

}  // namespace rl
