// SPDX-License-Identifier: Apache-2.0
#include "digits.h"

#include <zlib.h>

#include <memory>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace digits {
namespace {

constexpr size_t rows_in_file = 1797;
constexpr size_t pixels = 64;
constexpr size_t held_out_every = 6;

std::string unzip(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) {
    throw std::runtime_error("cannot open " + path);
  }
  std::string text;
  char chunk[1 << 16];
  int got = 0;
  while ((got = gzread(file.get(), chunk, sizeof chunk)) > 0) {
    text.append(chunk, static_cast<size_t>(got));
  }
  if (got < 0) {
    throw std::runtime_error("cannot unzip " + path);
  }
  return text;
}

}  // namespace

Dataset::Dataset(const std::string& path, Part part) {
  std::istringstream lines(unzip(path));
  std::vector<float> images;
  std::vector<int64_t> labels;
  std::string line;
  size_t row = 0;
  for (; std::getline(lines, line); ++row) {
    const bool held_out = row % held_out_every == 0;
    if (held_out != (part == Part::held_out)) {
      continue;
    }
    std::istringstream cells(line);
    std::string cell;
    std::vector<float> values;
    while (std::getline(cells, cell, ',')) {
      values.push_back(std::stof(cell));
    }
    if (values.size() != pixels + 1) {
      throw std::runtime_error(path + ": row " + std::to_string(row + 1) + " has not 65 cells");
    }
    for (size_t i = 0; i < pixels; ++i) {
      images.push_back(values[i] / 16);
    }
    labels.push_back(static_cast<int64_t>(values[pixels]));
  }
  if (row != rows_in_file) {
    throw std::runtime_error(path + ": expected 1797 rows, got " + std::to_string(row));
  }
  const auto count = static_cast<int64_t>(labels.size());
  images_ = torch::tensor(images).view({count, 1, 8, 8});
  labels_ = torch::tensor(labels);
}

}  // namespace digits
