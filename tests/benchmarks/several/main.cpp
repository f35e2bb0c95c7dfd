// SPDX-License-Identifier: Apache-2.0
//
// several_gpus [FOLDER]: one rank, which measures the networks of networks.h. Rank 0 prints milliseconds of a step, a line of JSON for each
// network. With FOLDER nothing is measured: each rank writes there what its device does in some replays, NETWORK-RANK.json, a Chrome trace.
#include "trainer.h"

#include <graphed/capture.h>

#include <torch/csrc/autograd/profiler_kineto.h>
#include <torch/torch.h>

#include "trainer.graphed.h"  // written by graphgen

#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace several;
using torch::Tensor;

constexpr int warm_ups = 10;

void synchronize(const graphed::ProcessGroup& group) {
  if (group.device().is_cuda()) {
    torch::cuda::synchronize();
  }
}

void run(graphed::ProcessGroup& group, int calls, const std::function<void()>& action) {
  for (int call = 0; call < calls; ++call) {
    action();
  }
  synchronize(group);
}

/// Milliseconds.
double time_of(graphed::ProcessGroup& group, const std::function<void()>& action) {
  const int calls = group.device().is_cuda() ? 100 : 5;
  run(group, warm_ups, action);
  group.barrier();
  const auto start = std::chrono::steady_clock::now();
  run(group, calls, action);
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / calls;
}

/// What the device does, node by node, is written to a file.
void trace(graphed::ProcessGroup& group, const std::string& path, int calls, const std::function<void()>& action) {
  namespace profiler = torch::autograd::profiler;
  using namespace torch::profiler::impl;
  const ProfilerConfig config(ProfilerState::KINETO);
  const std::set<ActivityType> activities{ActivityType::CUDA};
  profiler::prepareProfiler(config, activities);
  profiler::enableProfiler(config, activities);
  group.barrier();
  run(group, calls, action);
  profiler::disableProfiler()->save(path);
}

struct Batch {
  Tensor x, y;
};

Batch batch_of(const Network& network, const graphed::ProcessGroup& group) {
  torch::manual_seed(static_cast<uint64_t>(group.rank()));
  const std::vector<int64_t> shape{network.rows, network.width};
  return {torch::randn(shape).to(group.device()), torch::randn(shape).to(group.device())};
}

Trainer trainer_of(const std::string& name, graphed::ProcessGroup& group, bool averages = true) {
  torch::manual_seed(1);
  return {make_network(name, group.device()), averages ? &group : nullptr};
}

double time_of_eager(const std::string& name, graphed::ProcessGroup& group, const Batch& batch) {
  Trainer trainer = trainer_of(name, group);
  return time_of(group, [&] { trainer.fit(batch.x, batch.y); });
}

double time_of_graphed(const std::string& name, graphed::ProcessGroup& group, const Batch& batch, bool averages) {
  Trainer trainer = trainer_of(name, group, averages);
  graphed::callable<&Trainer::fit> fit(trainer);
  const double found = time_of(group, [&] { fit(batch.x, batch.y); });
  TORCH_CHECK(fit.stats().replays > 0, name, " was not captured");
  return found;
}

/// The average alone, as a graph.
double time_of_average(const std::string& name, graphed::ProcessGroup& group, const Batch& batch) {
  Trainer trainer = trainer_of(name, group);
  trainer.fit(batch.x, batch.y);
  graphed::Graph graph(group.device());
  {
    const graphed::CaptureGuard scope(graph);
    group.average_gradients(*trainer.net);
  }
  auto average = graph.instantiate();
  return time_of(group, [&] { average.replay(); });
}

void measure(const std::string& name, graphed::ProcessGroup& group) {
  const Batch batch = batch_of(make_network(name, group.device()), group);
  const double eager = time_of_eager(name, group, batch);
  const double graphed = time_of_graphed(name, group, batch, /*averages=*/true);
  const double without = time_of_graphed(name, group, batch, /*averages=*/false);
  const double alone = time_of_average(name, group, batch);
  if (group.rank() == 0) {
    std::cout << "{\"" << name << " cpp\": " << eager << ", \"" << name << " graphed\": " << graphed << ", \"" << name
              << " without\": " << without << ", \"" << name << " alone\": " << alone << "}" << std::endl;
  }
}

void write_traces(graphed::ProcessGroup& group, const std::string& folder) {
  const std::string end = "-" + std::to_string(group.rank()) + ".json";
  trace(group, folder + "/begin" + end, 0, [] {});  // CUPTI has to begin before there is a graph
  for (const std::string name : names) {
    const Batch batch = batch_of(make_network(name, group.device()), group);
    Trainer trainer = trainer_of(name, group);
    graphed::callable<&Trainer::fit> fit(trainer);
    const auto step = [&] { fit(batch.x, batch.y); };
    run(group, warm_ups, step);
    trace(group, folder + "/" + name + end, 20, step);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const char* const here = std::getenv("LOCAL_WORLD_SIZE");
    const bool has_gpus = static_cast<int>(torch::cuda::device_count()) >= (here == nullptr ? 1 : std::atoi(here));
    auto group = graphed::ProcessGroup::from_environment(has_gpus ? torch::kCUDA : torch::kCPU);
    if (argc > 1) {
      write_traces(group, argv[1]);
    } else {
      for (const char* const name : names) {
        measure(name, group);
      }
    }
    group.shutdown();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "several_gpus: " << error.what() << '\n';
    return 1;
  }
}
