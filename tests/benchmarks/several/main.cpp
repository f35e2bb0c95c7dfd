// SPDX-License-Identifier: Apache-2.0
//
// several_gpus NETWORKS PLANS [FOLDER]: one rank, which measures each network with each plan (trainer.h), "wide,deep own,25t". Rank 0
// prints a line of JSON for each: milliseconds of a step. With FOLDER each rank writes there what its device did in some steps, as Chrome
// traces.
#include "trainer.h"

#include <graphed/capture.h>

#include <torch/csrc/autograd/profiler_kineto.h>
#include <torch/torch.h>

#include "trainer.graphed.h"  // written by graphgen

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <sstream>

namespace {

using namespace several;
using torch::Tensor;

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream text(list);
  for (std::string word; std::getline(text, word, ',');) {
    words.push_back(word);
  }
  return words;
}

void synchronize(const graphed::ProcessGroup& group) {
  if (group.device().is_cuda()) {
    torch::cuda::synchronize();
  }
}

/// Milliseconds: the median of some rounds, after warm-ups.
double time_of(graphed::ProcessGroup& group, const std::function<void()>& action) {
  constexpr std::size_t rounds = 5;
  const int calls = group.device().is_cuda() ? 40 : 1;
  for (int call = 0; call < 10; ++call) {
    action();
  }
  std::vector<double> found;
  while (found.size() < rounds) {
    synchronize(group);
    group.barrier();
    const auto start = std::chrono::steady_clock::now();
    for (int call = 0; call < calls; ++call) {
      action();
    }
    synchronize(group);
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    found.push_back(elapsed.count() / calls);
  }
  std::sort(found.begin(), found.end());
  return found[rounds / 2];
}

/// What the device does, node by node, is written to a file.
void trace(graphed::ProcessGroup& group, const std::string& path, const std::function<void()>& action) {
  namespace profiler = torch::autograd::profiler;
  using namespace torch::profiler::impl;
  const ProfilerConfig config(ProfilerState::KINETO);
  const std::set<ActivityType> activities{ActivityType::CUDA};
  profiler::prepareProfiler(config, activities);
  profiler::enableProfiler(config, activities);
  for (int call = 0; call < 8; ++call) {
    synchronize(group);
    group.barrier();
    action();
  }
  synchronize(group);
  profiler::disableProfiler()->save(path);
}

struct Batch {
  Tensor x, y;
};

Batch batch_of(const Network& network, const graphed::ProcessGroup& group) {
  torch::manual_seed(static_cast<uint64_t>(group.rank()));
  return {torch::randn({network.rows, network.width}).to(group.device()), torch::randn({network.rows, network.width}).to(group.device())};
}

Trainer trainer_of(const std::string& name, graphed::ProcessGroup& group, bool averages, const Plan& plan) {
  torch::manual_seed(1);
  return {make_network(name, group.device()), averages ? &group : nullptr, plan};
}

/// The average alone, as a graph.
double time_of_average(const std::string& name, graphed::ProcessGroup& group, const Plan& plan, const Batch& batch) {
  Trainer trainer = trainer_of(name, group, true, plan);
  trainer.fit(batch.x, batch.y);
  graphed::Graph graph(group.device());
  {
    const graphed::CaptureGuard scope(graph);
    trainer.average();
  }
  auto average = graph.instantiate();
  return time_of(group, [&] { average.replay(); });
}

double time_of_eager(const std::string& name, graphed::ProcessGroup& group, const Batch& batch) {
  Trainer eager = trainer_of(name, group, true, Plan("own"));
  return time_of(group, [&] { eager.fit(batch.x, batch.y); });
}

void measure(const std::string& name, const std::vector<std::string>& plans, const std::string& folder, graphed::ProcessGroup& group) {
  const Batch batch = batch_of(make_network(name, group.device()), group);
  const double eager = time_of_eager(name, group, batch);
  for (const std::string& words : plans) {
    const Plan plan(words);
    Trainer averaging = trainer_of(name, group, true, plan), silent = trainer_of(name, group, false, plan);
    graphed::callable<&Trainer::fit> fit(averaging), fit_silently(silent);
    const double graphed = time_of(group, [&] { fit(batch.x, batch.y); });
    const double without = time_of(group, [&] { fit_silently(batch.x, batch.y); });
    if (!folder.empty()) {
      const std::string path = folder + "/" + name + "-" + words, rank = "-" + std::to_string(group.rank()) + ".json";
      trace(group, path + rank, [&] { fit(batch.x, batch.y); });
      trace(group, path + "-without" + rank, [&] { fit_silently(batch.x, batch.y); });
    }
    const double alone = time_of_average(name, group, plan, batch);
    if (group.rank() == 0) {
      std::cout << R"({"network": ")" << name << R"(", "plan": ")" << words << R"(", "eager": )" << eager << R"(, "graphed": )" << graphed
                << R"(, "without": )" << without << R"(, "alone": )" << alone << R"(, "replays": )" << fit.stats().replays << "}"
                << std::endl;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    TORCH_CHECK(argc == 3 || argc == 4, "several_gpus NETWORKS PLANS [FOLDER]");
    const char* const here = std::getenv("LOCAL_WORLD_SIZE");
    const bool has_gpus = static_cast<int>(torch::cuda::device_count()) >= (here == nullptr ? 1 : std::atoi(here));
    auto group = graphed::ProcessGroup::from_environment(has_gpus ? torch::kCUDA : torch::kCPU);
    const std::string folder = argc == 4 ? argv[3] : "";
    if (!folder.empty()) {  // CUPTI begins before there is a graph
      trace(group, folder + "/begin-" + std::to_string(group.rank()) + ".json", [] {});
    }
    for (const std::string& name : words_of(argv[1])) {
      measure(name, words_of(argv[2]), folder, group);
    }
    group.shutdown();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "several_gpus: " << error.what() << '\n';
    return 1;
  }
}
