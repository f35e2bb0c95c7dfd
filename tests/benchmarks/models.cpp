// SPDX-License-Identifier: Apache-2.0
#include "models.graphed.h"
#include "training.graphed.h"

#include <torch/script.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

namespace benchmarks {

Script::Script(const std::string& file, const tensor_list& inputs) : module_(torch::jit::load(file, inputs.front().device())) {
  for (int call = 0; call < 5; ++call) {
    of_many(inputs);
  }
}

namespace {

/// `One` on a tensor, `Many` on several.
template <auto One, auto Many, class Model>
workload workload_of(batch_pair batches, const std::shared_ptr<Model>& model) {
  workload made{std::move(batches), {}, {}, {}, {}};
  if (made.batches.front().inputs.size() == 1) {
    const auto fast = std::make_shared<graphed::callable<One>>(model);
    made.plain = {[model](const tensor_list& in) { return (*model.*One)(in[0]); }};
    made.graphed = {[fast](const tensor_list& in) { return (*fast)(in[0]); }};
    made.statistics = [fast] { return fast->stats(); };
  } else {
    const auto fast = std::make_shared<graphed::callable<Many>>(model);
    made.plain = {[model](const tensor_list& in) { return (*model.*Many)(in); }};
    made.graphed = {[fast](const tensor_list& in) { return (*fast)(in); }};
    made.statistics = [fast] { return fast->stats(); };
  }
  return made;
}

/// The inputs are those of the workload itself.
entry entry_of(const std::string& name, const std::filesystem::path& file) {
  const bool is_package = file.extension() == ".pt2";
  return {name + (is_package ? "-aoti" : "-script"), unit::inference, /*small=*/false, /*further=*/{},
          [name, file, is_package](c10::Device device, optimizers whose) {
            batch_pair batches = find_workload(name).make(device, whose).batches;
            if (is_package) {
              return workload_of<&CompiledModel::forward, &CompiledModel::of_many>(std::move(batches),
                                                                                   std::make_shared<CompiledModel>(file.string()));
            }
            const tensor_list inputs = batches.front().inputs;
            return workload_of<&Script::forward, &Script::of_many>(std::move(batches), std::make_shared<Script>(file.string(), inputs));
          }};
}

/// Six layers of a transformer's encoder, without dropout.
workload encoder(c10::Device device, optimizers /*whose*/) {
  const Encoder net(6);
  net.ptr()->to(device);
  net.ptr()->eval();
  const auto fast = std::make_shared<graphed::callable<&EncoderImpl::forward>>(net);
  return {draw_batches([&] { return batch{{at::randn({128, 8, 512}, device)}}; }),
          {[net](const tensor_list& in) { return net.ptr()->forward(in[0]); }},
          {[net, fast](const tensor_list& in) { return (*fast)(in[0]); }},
          [fast] { return fast->stats(); },
          state_of(net)};
}

}  // namespace

std::vector<entry> model_workloads() {
  std::vector<entry> found{{"encoder-6", unit::inference, /*small=*/false, /*further=*/{}, encoder}};
  const char* const folder = std::getenv("GRAPHED_BENCHMARK_MODELS");
  const char* const names[] = {"chain-0", "chain-1", "chain-10",      "chain-100", "chain-500",  "memsets-24", "mlp-1",
                               "mlp-8",   "mlp-32",  "mlp-1-dropout", "policy-1",  "policy-256", "resnet18",   "encoder-6"};
  for (const std::string name : names) {
    for (const char* const extension : {".pt2", ".pt"}) {
      if (const auto file = std::filesystem::path(folder == nullptr ? "" : folder) / (name + extension);
          folder != nullptr && std::filesystem::exists(file)) {
        found.push_back(entry_of(name, file));
      }
    }
  }
  return found;
}

}  // namespace benchmarks
