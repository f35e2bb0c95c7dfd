// SPDX-License-Identifier: Apache-2.0
//
// `differential [--steps] [--seed FIRST] [--count PROGRAMS] [--device cpu|cuda] [--print] [--keep-going]`
//
// Runs random programs with original functions and with graphed ones, and compares what a caller could see, bit for bit. A program that
// shows a difference is made smaller and printed. With --steps the callables are training steps. With --print it prints programs and runs
// none. With --keep-going it does not end at the first difference. The exit code is 0 for no difference. It is 1 for a difference or too
// few replays to show one, and 2 for wrong usage.
#include "compare.h"
#include "generate.h"
#include "shrink.h"
#include "training/program.h"
#include "training/shrink.h"

#include <ATen/Context.h>
#include <ATen/SequenceNumber.h>
#include <torch/cuda.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>

namespace {

using namespace graphed::fuzz;

struct options {
  uint64_t seed = 1;
  uint64_t count = 100;
  c10::Device device{at::kCPU};
  bool steps = false;
  bool print = false;
  bool keep_going = false;
};

bool parse_number(const char* text, uint64_t& number) {
  const char* end = text + std::strlen(text);
  const auto [stopped, error] = std::from_chars(text, end, number);
  return error == std::errc() && stopped == end;
}

bool parse(int count, char** words, options& options) {
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const char* next = i + 1 < count ? words[i + 1] : "";
    if (word == "--print") {
      options.print = true;
    } else if (word == "--steps") {
      options.steps = true;
    } else if (word == "--keep-going") {
      options.keep_going = true;
    } else if (word == "--seed" && parse_number(next, options.seed)) {
      ++i;
    } else if (word == "--count" && parse_number(next, options.count)) {
      ++i;
    } else if (word == "--device" && (next == std::string_view("cpu") || next == std::string_view("cuda"))) {
      options.device = next == std::string_view("cpu") ? c10::Device(at::kCPU) : c10::Device(at::kCUDA, 0);
      ++i;
    } else {
      std::cerr << "differential: '" << word << "' is no option, or lacks its value\n"
                << "usage: differential [--steps] [--seed FIRST] [--count PROGRAMS] [--device cpu|cuda] [--print] [--keep-going]\n";
      return false;
    }
  }
  return true;
}

// What kind of difference it is: its text without the place and the numbers. A smaller program must show the same kind.
std::string kind_of(const std::string& difference) {
  std::string kind = difference.substr(difference.find('\n') + 1);
  if (kind.rfind("the values differ", 0) == 0) {
    return "values";
  }
  kind.erase(std::remove_if(kind.begin(), kind.end(), [](char letter) { return std::strchr("0123456789[], ", letter) != nullptr; }),
             kind.end());
  return kind;
}

template <class Program>
void report(const Program& program, c10::Device device, const std::string& difference) {
  std::cout << "seed " << program.seed << ": " << difference << "\nshrinking\n" << std::flush;
  const auto small = shrink(program, [&](const auto& candidate) {
    const auto found = compare(candidate, device).difference;
    return found && kind_of(*found) == kind_of(difference);
  });
  std::cout << print(small) << "// " << compare(small, device).difference.value_or("no difference any more") << "\n\n" << std::flush;
}

// Whether enough calls were replayed to show anything. A recording on the tape is the call itself: only later ones replay.
bool tells(const graphed::Statistics& total, const options& options) {
  const bool has_backwards = (total.backward_replays - total.backward_captures) * 50 >= total.calls;
  return (total.replays - total.captures) * 10 >= total.calls && (options.steps || has_backwards);
}

// Autograd runs first what was made last, by counts that each thread keeps; on a GPU its device's thread numbers the nodes of a backward's
// operators. Gradients of gradients are summed in that order: this thread stays ahead, in each program.
void stay_ahead() {
  constexpr uint64_t more_than_any_backward = 100'000'000;
  while (at::sequence_number::get_and_increment() < more_than_any_backward) {
  }
}

template <class Generate>
int run(const options& options, const Generate& generate) {
  graphed::Statistics total;
  uint64_t differences = 0;
  for (uint64_t seed = options.seed; seed < options.seed + options.count; ++seed) {
    const auto program = generate(seed);
    if (options.print) {
      std::cout << print(program) << "\n";
      continue;
    }
    const auto result = compare(program, options.device);
    add(total, result.stats);
    if (result.difference) {
      ++differences;
      report(program, options.device, *result.difference);
      if (!options.keep_going) {
        break;
      }
    }
  }
  if (options.print) {
    return 0;
  }
  std::cout << "seeds " << options.seed << " to " << options.seed + options.count - 1 << ": " << differences << " programs differ\n"
            << total << "\n";
  if (!tells(total, options)) {
    std::cout << "too few of the calls were replayed for a test\n";
  }
  return differences == 0 && tells(total, options) ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  options options;
  if (!parse(count, words, options)) {
    return 2;
  }
  if (options.device.is_cuda() && !torch::cuda::is_available()) {
    std::cout << "there is no GPU\n";
    return 0;
  }
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/true);
  at::globalContext().setDeterministicCuDNN(true);
  at::globalContext().setBenchmarkCuDNN(false);
  if (options.device.is_cuda()) {
    stay_ahead();
  }
  return options.steps ? run(options, training::generate) : run(options, generate);
}
