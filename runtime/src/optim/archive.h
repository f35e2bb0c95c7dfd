// SPDX-License-Identifier: Apache-2.0
//
// Archives in the form of torch::optim (torch/optim/serialize.h): parameters by the addresses that they had when saved.
#pragma once

#include "optim/algorithm.h"

#include <torch/optim/serialize.h>
#include <torch/serialize/archive.h>

#include <string>
#include <unordered_map>
#include <utility>

namespace graphed::optim {

/// Puts `value` into a state's tensor, where it is if it fits.
void assign(at::Tensor& into, const at::Tensor& value);
/// A step count for an archive: waits for the device.
int64_t count_of(const at::Tensor& step);

/// Reads a flag that torch::optim's archives do not have.
void read_flag(torch::serialize::InputArchive& archive, const char* name, bool& flag);

template <class Options, class TorchOptions, class State, class TorchState>
void typed_algorithm<Options, TorchOptions, State, TorchState>::save(const Optimizer& from,
                                                                     torch::serialize::OutputArchive& archive) const {
  ska::flat_hash_map<void*, std::unique_ptr<torch::optim::OptimizerParamState>> states;
  for (const auto& [parameter, state] : from.state()) {
    if (auto converted = to_torch(static_cast<const State&>(*state))) {
      states[parameter] = std::move(converted);
    }
  }
  archive.write("pytorch_version", c10::IValue("1.5.0"));  // of the form
  torch::serialize::OutputArchive state_archive(archive.compilation_unit());
  torch::optim::detail::serialize<TorchState>(state_archive, states);
  archive.write("state", state_archive);
  torch::serialize::OutputArchive group_archive(archive.compilation_unit());
  torch::optim::detail::serialize<Options>(group_archive, from.param_groups());
  archive.write("param_groups", group_archive);
}

template <class Options, class TorchOptions, class State, class TorchState>
void typed_algorithm<Options, TorchOptions, State, TorchState>::load(Optimizer& into, torch::serialize::InputArchive& archive) const {
  c10::IValue version;
  TORCH_CHECK(archive.try_read("pytorch_version", version), "graphed::optim::", name(), ": the archive is older than LibTorch 1.5");
  torch::serialize::InputArchive state_archive, group_archive;
  archive.read("state", state_archive);
  ska::flat_hash_map<void*, std::unique_ptr<torch::optim::OptimizerParamState>> states;
  torch::optim::detail::serialize<TorchState>(state_archive, states);
  archive.read("param_groups", group_archive);
  std::vector<std::pair<std::vector<std::string>, std::unique_ptr<torch::optim::OptimizerOptions>>> groups;
  torch::optim::detail::serialize<Options>(group_archive, groups);
  TORCH_CHECK(groups.size() == into.param_groups().size(), "graphed::optim::", name(), ": the archive has ", groups.size(),
              " parameter groups, the optimizer ", into.param_groups().size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    auto& group = into.param_groups()[i];
    const auto& keys = groups[i].first;
    TORCH_CHECK(keys.size() == group.params().size(), "graphed::optim::", name(), ": group ", i, " of the archive has ", keys.size(),
                " parameters, that of the optimizer ", group.params().size());
    static_cast<Options&>(group.options()) = static_cast<const Options&>(*groups[i].second);
    for (std::size_t p = 0; p < keys.size(); ++p) {
      const at::Tensor& parameter = group.params()[p];
      auto& state = into.state()[parameter.unsafeGetTensorImpl()];
      if (!state) {
        state = make_state();
      }
      const auto saved = states.find(reinterpret_cast<void*>(std::stoull(keys[p])));
      const TorchState none;
      from_torch(saved == states.end() ? none : static_cast<const TorchState&>(*saved->second), parameter, static_cast<State&>(*state));
    }
  }
}

}  // namespace graphed::optim

/// The functions that each optimizer's options need besides TORCH_ARG.
#define GRAPHED_DEFINE_OPTIONS(Options)                                                                               \
  std::unique_ptr<torch::optim::OptimizerOptions> Options::clone() const { return std::make_unique<Options>(*this); } \
  void Options::serialize(torch::serialize::InputArchive& archive) {                                                  \
    torch::optim::Options::serialize(archive);                                                                        \
    read_flag(archive, "maximize", maximize());                                                                       \
    read_flag(archive, "live", live());                                                                               \
  }                                                                                                                   \
  void Options::serialize(torch::serialize::OutputArchive& archive) const {                                           \
    torch::optim::Options::serialize(archive);                                                                        \
    archive.write("maximize", c10::IValue(maximize()));                                                               \
    archive.write("live", c10::IValue(live()));                                                                       \
  }
