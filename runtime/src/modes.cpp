// SPDX-License-Identifier: Apache-2.0
#include "modes.h"

#include "private_member.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>

#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

namespace graphed {

using precisions = std::unordered_map<std::pair<at::Float32Backend, at::Float32Op>, at::Float32Precision,
                                      c10::hash<std::pair<at::Float32Backend, at::Float32Op>>>;

// Its accessor looks up each of them, and what each falls back to.
struct float32_precisions : member_of<at::Context, precisions> {
  friend pointer pointer_to(float32_precisions);
};

template struct opened<float32_precisions, &at::Context::fp32_precision>;

namespace {

// The settings themselves, in the order of the map, which never loses one.
std::vector<const at::Float32Precision*> precisions_of(const at::Context& context) {
  std::vector<const at::Float32Precision*> found;
  for (const auto& [key, precision] : context.*pointer_to(float32_precisions())) {
    found.push_back(&precision);
  }
  return found;
}

}  // namespace

void append_mode_key(key_bytes& key, c10::Device device) {
  std::array<char, 64> modes;
  std::size_t count = 0;
  const auto add = [&](auto value) { modes.at(count++) = static_cast<char>(value); };
  add(device.type());
  add(device.index());
  add(c10::GradMode::is_enabled());
  add(c10::InferenceMode::is_enabled());
  add(c10::get_default_dtype().toScalarType());
  const bool autocast = at::autocast::is_autocast_enabled(device.type());
  add(autocast);
  if (autocast) {
    add(at::autocast::get_autocast_dtype(device.type()));
    add(at::autocast::is_autocast_cache_enabled());
  }
  at::Context& context = at::globalContext();
  add(context.userEnabledMkldnn());
  add(context.deterministicMkldnn());
  add(context.deterministicAlgorithms());
  add(context.deterministicFillUninitializedMemory());
  static const std::vector<const at::Float32Precision*> precisions = precisions_of(context);
  for (const auto* precision : precisions) {
    add(*precision);
  }
  add(context.linalgPreferredBackend());
  add(context.userEnabledFlashSDP());
  add(context.userEnabledMemEfficientSDP());
  add(context.userEnabledMathSDP());
  add(context.userEnabledOverrideableSDP());
  for (const auto sdp : context.sDPPriorityOrder()) {
    add(sdp);
  }
  if (device.is_cuda()) {
    add(context.userEnabledCuDNN());
    add(context.userEnabledCuDNNSDP());
    add(context.benchmarkCuDNN());
    add(context.deterministicCuDNN());
    add(context.userEnabledFA3SDP());
    add(context.allowFP16ReductionCuBLAS());
    add(context.allowBF16ReductionCuBLAS());
    add(context.allowFP16AccumulationCuBLAS());
    add(context.allowFP16BF16ReductionMathSDP());
    add(context.blasPreferredBackend());
  }
  key.append(modes.begin(), modes.begin() + count);
}

}  // namespace graphed
