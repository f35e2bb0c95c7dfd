// SPDX-License-Identifier: Apache-2.0
//
// `differential [--steps | --in-flight] [--ahead] [--threads THREADS] [--seed FIRST] [--count PROGRAMS] [--device cpu|cuda] [--print]
// [--keep-going]`
//
// Runs random programs with original functions and with graphed ones, and compares what a caller could see, bit for bit. A program that
// shows a difference is made smaller and printed. With --steps the callables are training steps. With --in-flight several calls come before
// their backwards, and tensors are dropped and others made between calls. With --ahead the host runs ahead of the device: values are
// compared when a program has ended. With --threads so many programs run side by side, each on a thread and a stream of its own; none draws
// random numbers in its callables. With --print it prints programs and runs none. With --keep-going it does not end at the first
// difference. The exit code is 0 for no difference. It is 1 for a difference or too few replays to show one, and 2 for wrong usage.
#include "compare.h"
#include "conditions.h"
#include "draws.h"
#include "generate.h"
#include "shrink.h"
#include "training/program.h"
#include "training/shrink.h"

#include "runtime/support/streams.h"

#include <ATen/Context.h>
#include <ATen/SequenceNumber.h>
#include <c10/util/signal_handler.h>
#include <torch/cuda.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <iostream>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace graphed::fuzz;

struct options {
  uint64_t seed = 1;
  uint64_t count = 100;
  uint64_t threads = 1;
  c10::Device device{at::kCPU};
  bool steps = false;
  conditions on;
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
    } else if (word == "--in-flight") {
      options.on.in_flight = true;
    } else if (word == "--ahead") {
      options.on.is_ahead = true;
    } else if (word == "--keep-going") {
      options.keep_going = true;
    } else if (word == "--seed" && parse_number(next, options.seed)) {
      ++i;
    } else if (word == "--count" && parse_number(next, options.count)) {
      ++i;
    } else if (word == "--threads" && parse_number(next, options.threads) && options.threads > 0) {
      options.on.has_threads = true;
      ++i;
    } else if (word == "--device" && (next == std::string_view("cpu") || next == std::string_view("cuda"))) {
      options.device = next == std::string_view("cpu") ? c10::Device(at::kCPU) : c10::Device(at::kCUDA, 0);
      ++i;
    } else {
      std::cerr << "differential: '" << word << "' is no option, or lacks its value\n"
                << "usage: differential [--steps | --in-flight] [--ahead] [--threads THREADS] [--seed FIRST] [--count PROGRAMS] "
                   "[--device cpu|cuda] [--print] [--keep-going]\n";
      return false;
    }
  }
  if (options.steps && options.on.in_flight) {
    std::cerr << "differential: a step goes back within itself: --in-flight is without --steps\n";
    return false;
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

// What depends on how far the device is, or on what runs beside the program, does not show each time.
template <class Program>
void report(const Program& program, const options& options, const std::string& difference) {
  const int times = options.on.is_ahead || options.on.has_threads ? 8 : 1;
  std::string last = "no difference any more";
  const auto fails = [&](const Program& candidate) {
    for (int i = 0; i < times; ++i) {
      const auto found = compare(candidate, options.device, options.on).difference;
      if (found && kind_of(*found) == kind_of(difference)) {
        last = *found;
        return true;
      }
    }
    return false;
  };
  std::cout << "seed " << program.seed << ": " << difference << "\nshrinking\n" << std::flush;
  const Program small = fails(program) ? shrink(program, fails) : program;
  std::cout << print(small) << "// " << last << "\n\n" << std::flush;
}

// Whether enough calls were replayed to show anything. A recording on the tape is the call itself: only later ones replay. Where programs
// run side by side, most calls find another one's capture under way.
bool tells(const graphed::Statistics& total, const options& options) {
  const uint64_t often = options.on.has_threads ? 8 : 1;
  const bool has_backwards = (total.backward_replays - total.backward_captures) * 100 * often >= total.calls;
  return (total.replays - total.captures) * 10 * often >= total.calls && (options.steps || has_backwards);
}

// Autograd runs first what was made last, by counts that each thread keeps; on a GPU its device's thread numbers the nodes of a backward's
// operators. Gradients of gradients are summed in that order: this thread stays ahead, in each program.
void stay_ahead() {
  constexpr uint64_t more_than_any_backward = 100'000'000;
  while (at::sequence_number::get_and_increment() < more_than_any_backward) {
  }
}

/// What the programs of all threads have shown.
struct tally {
  std::mutex mutex;
  graphed::Statistics total;
  uint64_t differences = 0;
};

// Programs, one after the other, until there are no more. The streams of several threads are not the default one, which waits for others.
template <class Generate>
void run_programs(const options& options, const Generate& generate, std::atomic<uint64_t>& next, tally& tally) {
  if (options.device.is_cuda()) {
    stay_ahead();
  }
  while (true) {
    const uint64_t seed = next++;
    if (seed >= options.seed + options.count) {
      return;
    }
    const auto program = generate(seed, options.on);
    if (options.print) {
      std::cout << print(program) << "\n";
      continue;
    }
    const auto result = compare(program, options.device, options.on);
    const std::lock_guard lock(tally.mutex);
    add(tally.total, result.stats);
    if (result.difference) {
      ++tally.differences;
      report(program, options, *result.difference);
      next = options.keep_going ? next.load() : options.seed + options.count;
    }
  }
}

template <class Generate>
int run(const options& options, const Generate& generate) {
  tally tally;
  std::atomic<uint64_t> next{options.seed};
  if (options.on.has_threads && !options.print) {
    std::vector<std::thread> threads;
    for (uint64_t i = 0; i < options.threads; ++i) {
      threads.emplace_back([&] {
        const graphed::testing::test_stream stream(options.device);
        const auto current = stream.make_current();
        draw_apart(options.device);
        run_programs(options, generate, next, tally);
      });
    }
    for (auto& thread : threads) {
      thread.join();
    }
  } else {
    run_programs(options, generate, next, tally);
  }
  if (options.print) {
    return 0;
  }
  const auto& [mutex, total, differences] = tally;
  std::cout << "seeds " << options.seed << " to " << options.seed + options.count - 1 << ": " << differences << " programs differ\n"
            << total << "\n";
  if (!tells(total, options)) {
    std::cout << "too few of the calls were replayed for a test\n";
  }
  return differences == 0 && tells(total, options) ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  c10::FatalSignalHandler::getInstance().setPrintStackTracesOnFatalSignal(true);
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
  return options.steps ? run(options, training::generate) : run(options, generate);
}
