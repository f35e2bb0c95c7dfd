// SPDX-License-Identifier: Apache-2.0
#include "world.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <ATen/ops/rand.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <stdexcept>

namespace {

std::time_t hours = 0;

}  // namespace

/// A clock that goes on by an hour whenever it is read, instead of the C library's.
extern "C" std::time_t time(std::time_t* to) noexcept {
  hours += 3600;
  if (to != nullptr) {
    *to = hours;
  }
  return hours;
}

namespace judged {

World::World() : input_("1 2 3 4 5 6 7 8 9 10 11 12"), output_(std::tmpfile()), standard_input_(std::cin.rdbuf(input_.rdbuf())) {
  if (output_ == nullptr) {
    throw std::runtime_error("no file for the output");
  }
  std::cout.flush();
  std::fflush(stdout);
  standard_output_ = dup(STDOUT_FILENO);
  dup2(fileno(output_), STDOUT_FILENO);
  at::manual_seed(1);
  std::srand(1);
  hours = 0;
}

World::~World() {
  dup2(standard_output_, STDOUT_FILENO);
  close(standard_output_);
  std::fclose(output_);
  std::cin.rdbuf(standard_input_);
}

void World::before_call(int call) {
  c10::GradMode::set_enabled(true);
  c10::set_default_dtype(caffe2::TypeMeta::Make<float>());
  at::autocast::set_autocast_enabled(at::kCPU, false);
  at::set_num_threads(1);
  at::globalContext().setDeterministicAlgorithms(false, false);
  setenv("JUDGED_CALL", call % 3 == 0 ? "3" : "1", 1);
}

// Their length is not a measure: a time may be printed.
long World::lines_of_output() const {
  std::string text(static_cast<std::size_t>(lseek(fileno(output_), 0, SEEK_END)), '\0');
  const ssize_t count = pread(fileno(output_), text.data(), text.size(), 0);
  return std::count(text.begin(), text.begin() + count, '\n');
}

std::string World::after_call() {
  std::cout.flush();
  std::fflush(stdout);
  std::ostringstream seen;
  seen << "grad mode " << c10::GradMode::is_enabled() << ", default dtype " << c10::get_default_dtype().name() << ", autocast "
       << at::autocast::is_autocast_enabled(at::kCPU) << ", threads " << at::get_num_threads() << ", deterministic "
       << at::globalContext().deterministicAlgorithms() << ", random " << at::rand({}).item<float>() << ' ' << std::rand() << ", input at "
       << input_.tellg() << ", lines of output " << lines_of_output();
  return seen.str();
}

}  // namespace judged
