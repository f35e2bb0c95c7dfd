// SPDX-License-Identifier: Apache-2.0
#include "play.h"

#include "runtime/support/scenario.h"

#include <graphed/log.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <regex>
#include <string_view>

namespace hunt {

namespace {

// The values of a call and the argument's gradient, or what the call throws.
struct outcome {
  std::vector<at::Tensor> tensors;
  std::string error;
};

outcome call(const function& function, const at::Tensor& values, bool has_gradient) {
  torch::manual_seed(7);
  outcome result;
  try {
    const at::Tensor x = values.clone().requires_grad_(has_gradient);
    result.tensors = function(x);
    if (has_gradient) {
      result.tensors.front().square().sum().backward();
      result.tensors.push_back(x.grad());
    }
  } catch (const std::exception& error) {
    result.error = graphed::testing::message_of(error);
  }
  return result;
}

std::string text_of(const outcome& outcome) {
  if (!outcome.error.empty()) {
    return outcome.error;
  }
  std::string text;
  for (const auto& tensor : outcome.tensors) {
    text += std::to_string(tensor.detach().to(at::kDouble).sum().item<double>()) + " ";
  }
  return text;
}

bool is_same(const outcome& a, const outcome& b) {
  return a.error == b.error &&
         std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(), b.tensors.end(), graphed::testing::same_bits);
}

// Whether a warning is about one of the names; but not one that only says what a change costs.
bool says(const std::string& line, const std::string& names) {
  return line.find("it is captured again") == std::string::npos &&
         std::regex_search(line, std::regex("\\b(" + std::regex_replace(names, std::regex(" "), "|") + ")\\b"));
}

}  // namespace

std::vector<entry>& entries() {
  static std::vector<entry> all;
  return all;
}

player::player(bool says_all) : says_all_(says_all) {
  graphed::set_log_handler([this](graphed::LogLevel, std::string_view line) { lines_.emplace_back(line); });
}

player::~player() { graphed::set_log_handler({}); }

std::string player::difference(const program& program, int calls) {
  for (int i = 0; i < calls; ++i) {
    ++calls_;
    const at::Tensor x = at::linspace(-1, 1, 12, at::TensorOptions(values::device)).view({4, 3}) + 0.01 * (++calls_of_program_ % 7);
    const outcome expected = call(program.plain, x, program.has_gradient);
    const outcome got = call(program.graphed, x, program.has_gradient);
    if (!expected.error.empty()) {
      return "eager throws: " + expected.error;
    }
    if (!is_same(expected, got)) {
      return "call " + std::to_string(i + 1) + " gives " + text_of(got) + "and eager " + text_of(expected);
    }
  }
  return "";
}

void player::play(const program& program) {
  ++programs_;
  lines_.clear();
  calls_of_program_ = 0;
  const std::string unchanged = difference(program, 4);
  if (!unchanged.empty()) {
    const change about_all{"nothing", "no change", "", "run"};
    report(program, program.changes.size() == 1 ? program.changes.front() : about_all, unchanged);
    return;
  }
  for (std::size_t which = 0; which < program.changes.size(); ++which) {
    make(program, which);
    begin_anew(program);
    if (!difference(program, 3).empty()) {
      break;  // what the callable leaves behind is not eager's any more
    }
  }
  begin_anew(program);
}

// The last value is one that a capture was made for.
void player::make(const program& program, std::size_t which) {
  ++changes_;
  for (const int k : {1, 2, 0, 1}) {
    program.make(which, k);
    const std::string found = difference(program, 3);
    if (!found.empty()) {
      report(program, program.changes[which], found);
      return;
    }
  }
}

void player::begin_anew(const program& program) {
  replays_ += program.stats().replays - program.stats().captures;
  program.reset();
}

void player::report(const program& program, const change& change, const std::string& difference) {
  ++differences_;
  const auto warning = std::find_if(lines_.begin(), lines_.end(), [&](const std::string& line) { return says(line, change.names); });
  const std::string said = warning != lines_.end() ? *warning : change.said;
  if (said.empty()) {
    ++unreported_;
    ++unreported_forms_[change.form];
  }
  if (said.empty() || says_all_) {
    std::cout << "seed " << program.seed << ": " << change.names << ", " << change.form << ", " << change.what << ": " << difference
              << (said.empty() ? " without a report" : " after " + said) << "\n";
  }
}

bool player::conclude() const {
  for (const auto& [form, count] : unreported_forms_) {
    std::cout << count << " without a report: " << form << "\n";
  }
  std::cout << programs_ << " programs, " << changes_ << " changes, " << calls_ << " calls, " << replays_ << " replays, " << differences_
            << " differences, " << unreported_ << " of them without a report\n";
  const bool tells = programs_ == 1 || replays_ * 5 >= calls_;
  if (!tells) {
    std::cout << "too few of the calls were replayed for a test\n";
  }
  return unreported_ == 0 && tells;
}

}  // namespace hunt
