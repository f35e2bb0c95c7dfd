// SPDX-License-Identifier: Apache-2.0
#include "optim/algorithm.h"

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>
#include <torch/optim/serialize.h>
#include <torch/serialize/archive.h>

#include <cmath>
#include <string_view>

namespace graphed::optim {
namespace {

using torch::serialize::InputArchive;
using torch::serialize::OutputArchive;

bool is_step(const char* name) { return std::string_view(name) == "step"; }

// Waits for the device of a step count.
c10::IValue value_of(const char* name, const at::Tensor& tensor) {
  return is_step(name) ? c10::IValue(static_cast<int64_t>(std::lround(tensor.item<double>()))) : c10::IValue(tensor);
}

// Puts `value` where the state's tensor is, if it matches.
void assign(at::Tensor& into, const at::Tensor& value) {
  const c10::NoGradGuard no_grad;
  if (into.defined() && value.defined() && into.sizes() == value.sizes()) {
    into.copy_(value);
  } else {
    into = value.defined() ? value.clone() : at::Tensor();
  }
}

OutputArchive saved_state(ParamState& state, const algorithm& rules, const OutputArchive& parent) {
  OutputArchive archive(parent.compilation_unit());
  const auto names = rules.archived();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (const at::Tensor& tensor = *state.tensors()[i]; tensor.defined()) {
      archive.write(names[i], value_of(names[i], tensor));
    }
  }
  return archive;
}

// What the archive does not hold is as at the beginning.
void load_state(ParamState& state, const algorithm& rules, InputArchive* archive, const at::Tensor& parameter,
                const torch::optim::OptimizerOptions& options) {
  const auto wanted = rules.make_state();
  const auto names = rules.archived();
  for (std::size_t i = 0; i < names.size(); ++i) {
    c10::IValue value;
    if (archive == nullptr || !archive->try_read(names[i], value)) {
      continue;
    }
    if (is_step(names[i])) {
      complete_number(*wanted->tensors()[i], parameter, static_cast<double>(value.toInt()));
    } else {
      *wanted->tensors()[i] = value.toTensor();
    }
  }
  rules.complete(*wanted, parameter, options);
  for (std::size_t i = 0; i < wanted->tensors().size(); ++i) {
    assign(*state.tensors()[i], *wanted->tensors()[i]);
  }
}

int64_t read_count(InputArchive& archive, const char* name) {
  at::Tensor count;
  archive.read(name, count);
  return count.item<int64_t>();
}

bool read_flag(InputArchive& archive, const char* name) {
  c10::IValue value;
  return archive.try_read(name, value) && value.toBool();
}

}  // namespace

void AddedOptions::read_added(InputArchive& archive) { maximize(read_flag(archive, "maximize")).live(read_flag(archive, "live")); }

void AddedOptions::write_added(OutputArchive& archive) const {
  archive.write("maximize", c10::IValue(maximize()));
  archive.write("live", c10::IValue(live()));
}

void save(const Optimizer& from, const algorithm& rules, OutputArchive& archive) {
  archive.write("pytorch_version", c10::IValue("1.5.0"));  // of the form
  OutputArchive states(archive.compilation_unit()), groups(archive.compilation_unit());
  for (const auto& [parameter, state] : from.state()) {
    auto& own = static_cast<ParamState&>(*state);
    if (!rules.is_fresh(own)) {
      OutputArchive saved = saved_state(own, rules, archive);
      states.write(std::to_string(reinterpret_cast<std::size_t>(parameter)), saved);
    }
  }
  archive.write("state", states);
  torch::optim::detail::serialize<torch::optim::OptimizerOptions>(groups, from.param_groups());
  archive.write("param_groups", groups);
}

void load(Optimizer& into, const algorithm& rules, InputArchive& archive) {
  c10::IValue version;
  TORCH_CHECK(archive.try_read("pytorch_version", version), "graphed::optim::", rules.name(), ": the archive is older than LibTorch 1.5");
  InputArchive states, groups;
  archive.read("state", states);
  archive.read("param_groups", groups);
  const auto count = static_cast<std::size_t>(read_count(groups, "param_groups/size"));
  TORCH_CHECK(count == into.param_groups().size(), "graphed::optim::", rules.name(), ": the archive has ", count,
              " parameter groups, the optimizer ", into.param_groups().size());
  for (std::size_t i = 0; i < count; ++i) {
    auto& group = into.param_groups()[i];
    InputArchive saved_group, options;
    groups.read("param_groups/" + std::to_string(i), saved_group);
    const auto parameters = static_cast<std::size_t>(read_count(saved_group, "params/size"));
    TORCH_CHECK(parameters == group.params().size(), "graphed::optim::", rules.name(), ": group ", i, " of the archive has ", parameters,
                " parameters, that of the optimizer ", group.params().size());
    saved_group.read("options", options);
    group.options().serialize(options);
    for (std::size_t p = 0; p < parameters; ++p) {
      c10::IValue key;
      InputArchive saved;
      saved_group.read("params/" + std::to_string(p), key);
      const bool is_saved = states.try_read(key.toStringRef(), saved);
      auto& state = into.state()[group.params()[p].unsafeGetTensorImpl()];
      if (!state) {
        state = rules.make_state();
      }
      load_state(static_cast<ParamState&>(*state), rules, is_saved ? &saved : nullptr, group.params()[p], group.options());
    }
  }
}

}  // namespace graphed::optim
