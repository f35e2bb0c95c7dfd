// SPDX-License-Identifier: Apache-2.0
#include "compare.h"

#include "draws.h"
#include "interpreter.h"
#include "training/interpreter.h"

#include "runtime/support/warnings.h"

namespace graphed::fuzz {

void add(Statistics& total, const Statistics& more) {
  total.calls += more.calls;
  total.warmups += more.warmups;
  total.replays += more.replays;
  total.backward_replays += more.backward_replays;
  total.captures += more.captures;
  total.backward_captures += more.backward_captures;
  total.failed_captures += more.failed_captures;
  total.kept_outputs += more.kept_outputs;
  total.verified += more.verified;
  total.differences += more.differences;
  total.bytes_staged += more.bytes_staged;
  for (std::size_t i = 0; i < total.misses.size(); ++i) {
    total.misses[i] += more.misses[i];
  }
}

// Programs that run side by side share the default generators, whose states say nothing of one run.
static std::vector<testing::observation> observe(c10::Device device, bool graphed, const std::function<void(testing::scenario&)>& program) {
  if (!draws_are_apart()) {
    return testing::observe(device, graphed, program);
  }
  testing::scenario run(device, graphed);
  program(run);
  return run.observations();
}

template <class Interpreter, class Program>
static comparison compare_runs(const Program& program, c10::Device device, const conditions& on) {
  const testing::collected_warnings unprinted;
  comparison result;
  const auto run = [&](testing::scenario& scenario) {
    if (on.is_ahead) {
      scenario.look_at_the_end();
    }
    Interpreter interpreter(program, scenario);
    interpreter.run();
    if (scenario.graphed()) {
      for (const auto& stats : interpreter.stats()) {
        add(result.stats, stats);
      }
    }
  };
  const auto plain = observe(device, false, run);
  result.difference = testing::first_difference(plain, observe(device, true, run));
  if (!result.difference && result.stats.differences != 0) {
    result.difference = "GRAPHED_VERIFY found what the runs do not show:\n" + unprinted.all();
  }
  return result;
}

comparison compare(const program& program, c10::Device device, const conditions& on) {
  return compare_runs<interpreter>(program, device, on);
}

comparison compare(const training::program& program, c10::Device device, const conditions& on) {
  return compare_runs<training::interpreter>(program, device, on);
}

}  // namespace graphed::fuzz
