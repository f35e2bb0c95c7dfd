// SPDX-License-Identifier: Apache-2.0
#include "call/key_words.h"

#include "report/annotated.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>

#include <string_view>

namespace graphed {
namespace {

void add(std::string& words, const std::string& more, const char* separator) {
  if (!more.empty()) {
    words += (words.empty() ? "" : separator) + more;
  }
}

std::string sample_words(const sample_spec& sample, const inputs& inputs) {
  std::string words;
  for (std::size_t i = 0; i < sample.tensors.size(); ++i) {
    const bool is_absent = i < inputs.tensors().size() && !inputs.tensors()[i].defined();
    add(words, annotated(sample.tensors[i]) + (is_absent ? " (absent)" : ""), ", ");
  }
  return words.empty() ? "no tensors" : words;
}

std::string mode_words(c10::Device device) {
  std::string words = device.str();
  if (c10::InferenceMode::is_enabled()) {
    words += ", inference mode";
  } else if (!c10::GradMode::is_enabled()) {
    words += ", no grad";
  }
  if (at::autocast::is_autocast_enabled(device.type())) {
    words += ", autocast " + annotated(at::autocast::get_autocast_dtype(device.type()));
  }
  if (const auto dtype = c10::get_default_dtype().toScalarType(); dtype != at::kFloat) {
    words += ", default dtype " + annotated(dtype);
  }
  if (at::globalContext().deterministicAlgorithms()) {
    words += ", deterministic algorithms";
  }
  return words;
}

}  // namespace

std::string key_words(const sample_spec& sample, const inputs& inputs, const scalars& scalars, c10::Device device,
                      const watched_module& module) {
  std::string words = sample_words(sample, inputs);
  for (const auto& each : scalars.key_values()) {
    words += std::string("; ") + each.name + " = " + each.value.text(scalars.key_bytes());
  }
  words += "; " + mode_words(device);
  add(words, module.training_words(), "; ");
  return words;
}

std::string member_words(const watched_members& members, const assigned_members& assigned, c10::ArrayRef<const char*> names) {
  const std::string_view bytes(members.bytes().data(), members.bytes().size());
  std::string words;
  watched_members::ends begin{};
  for (std::size_t i = 0; i < members.members().size(); ++i) {
    const auto& end = members.members()[i];
    const bool is_assigned = i < assigned.size() && assigned[i] != assignment::none;
    std::string held;
    for (std::size_t j = begin.values; j < end.values && !is_assigned; ++j) {
      add(held, members.values()[j].text(bytes), ", ");
    }
    for (std::size_t j = begin.modules; j < end.modules && !is_assigned; ++j) {
      add(held, watched_module(members.modules()[j]).training_words(), ", ");
    }
    add(words, held.empty() ? "" : std::string(names[i]) + " = " + held, ", ");
    begin = end;
  }
  return words;
}

}  // namespace graphed
