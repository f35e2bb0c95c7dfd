// SPDX-License-Identifier: Apache-2.0
#include "modes.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>

namespace graphed {

void append_mode_key(key_bytes& key, c10::Device device) {
  const auto add = [&key](auto value) { key.push_back(static_cast<char>(value)); };
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
  for (const auto backend : {at::Float32Backend::CUDA, at::Float32Backend::MKLDNN}) {
    for (const auto op : {at::Float32Op::CONV, at::Float32Op::RNN, at::Float32Op::MATMUL}) {
      add(context.float32Precision(backend, op));
    }
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
}

}  // namespace graphed
