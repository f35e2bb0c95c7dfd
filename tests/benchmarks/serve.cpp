// SPDX-License-Identifier: Apache-2.0
#include "serve.h"

#include "json.h"
#include "measure.h"

#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

namespace benchmarks {
namespace {

std::vector<std::string> split(const std::string& names) {
  std::vector<std::string> all;
  std::istringstream in(names);
  for (std::string name; std::getline(in, name, ',');) {
    all.push_back(name);
  }
  return all;
}

struct outcome {
  std::string peer;
  std::optional<beginning> begun{};
  timings times{};
  std::string failure{};  ///< a member of JSON
};

std::string failure_of(const char* word, const std::exception& thrown) { return quoted(word) + ": " + quoted(thrown.what()); }

void begin(outcome& made, const entry& entry, c10::Device device) {
  try {
    made.begun = measure_alone(entry, made.peer, device);
  } catch (const std::invalid_argument& absent) {
    made.failure = failure_of("absent", absent);
  } catch (const std::exception& error) {
    made.failure = failure_of("error", error);
  }
}

/// Those that have begun.
void time_all(std::vector<outcome>& outcomes, const entry& entry, c10::Device device, double seconds) {
  std::vector<outcome*> begun;
  std::vector<std::string> peers;
  for (outcome& each : outcomes) {
    if (each.begun) {
      begun.push_back(&each);
      peers.push_back(each.peer);
    }
  }
  try {
    auto times = time_together(entry, peers, device, seconds);
    for (std::size_t i = 0; i < begun.size(); ++i) {
      begun[i]->times = std::move(times[i]);
    }
  } catch (const std::exception& error) {
    for (outcome* const each : begun) {
      each->failure = failure_of("error", error);
    }
  }
}

std::string figures_of(const beginning& begun, const timings& times) {
  std::optional<int64_t> peak, reserved;
  if (begun.peaks) {
    peak = begun.peaks->allocated;
    reserved = begun.peaks->reserved;
  }
  return "\"host_us\": " + numbers_or_null(times.host) + ", \"wall_us\": " + numbers_or_null(times.wall) +
         ", \"gpu_us\": " + numbers_or_null(times.gpu) + ", \"ready_us\": " + number_or_null(std::optional(begun.ready)) +
         ", \"capture_us\": " + number_or_null(begun.capture) + ", \"peak_bytes\": " + number_or_null(peak) +
         ", \"reserved_bytes\": " + number_or_null(reserved);
}

std::string members(const outcome& made) { return made.begun && made.failure.empty() ? figures_of(*made.begun, made.times) : made.failure; }

}  // namespace

std::string answer(const std::string& request, c10::Device device) {
  std::istringstream in(request);
  std::string workload, peers;
  double seconds = 0;
  if (!(in >> workload >> peers >> seconds)) {
    throw std::invalid_argument("benchmarks: not WORKLOAD PEER[,PEER...] SECONDS: " + request);
  }
  const entry& entry = find_workload(workload);
  std::vector<outcome> outcomes;
  for (const std::string& peer : split(peers)) {
    begin(outcomes.emplace_back(outcome{peer}), entry, device);
  }
  time_all(outcomes, entry, device, seconds);
  std::string text;
  for (const outcome& each : outcomes) {
    text += (text.empty() ? "" : ", ") + quoted(each.peer) + ": {" + members(each) + "}";
  }
  return "{" + text + "}";
}

}  // namespace benchmarks
