// SPDX-License-Identifier: Apache-2.0
#include "torch/modes.h"

#include "torch/private_member.h"

#include <ATen/Context.h>
#include <c10/core/AutogradState.h>
#include <c10/core/DefaultDtype.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/Exception.h>
#include <torch/csrc/autograd/anomaly_mode.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

namespace graphed::impl {

using precisions = std::unordered_map<std::pair<at::Float32Backend, at::Float32Op>, at::Float32Precision,
                                      c10::hash<std::pair<at::Float32Backend, at::Float32Op>>>;

// Its accessor looks up each of them, and what each falls back to.
struct float32_precisions : member_of<at::Context, precisions> {
  friend pointer pointer_to(float32_precisions);
};

// Its first setting. All others follow, as far as the precisions.
struct first_setting : member_of<at::Context, bool> {
  friend pointer pointer_to(first_setting);
};

// Two that have accessors, one of them the last.
struct benchmark_limit : member_of<at::Context, int> {
  friend pointer pointer_to(benchmark_limit);
};
struct last_setting : member_of<at::Context, bool> {
  friend pointer pointer_to(last_setting);
};

template struct opened<benchmark_limit, &at::Context::benchmark_limit_cudnn>;
template struct opened<last_setting, &at::Context::allow_fp16_reduction_cpu>;
template struct opened<float32_precisions, &at::Context::fp32_precision>;
template struct opened<first_setting, &at::Context::enabled_cudnn>;

namespace {

// The settings themselves, in the order of the map, which never loses one.
std::vector<const at::Float32Precision*> precisions_of(const at::Context& context) {
  std::vector<const at::Float32Precision*> found;
  for (const auto& [key, precision] : context.*pointer_to(float32_precisions())) {
    found.push_back(&precision);
  }
  return found;
}

c10::ArrayRef<char> settings_of(const at::Context& context) {
  const auto* first = reinterpret_cast<const char*>(&(context.*pointer_to(first_setting())));
  const auto* end = reinterpret_cast<const char*>(&(context.*pointer_to(float32_precisions())));
  return {first, end};
}

}  // namespace

void append_mode_key(key_bytes& key, c10::Device device) {
  static at::Context& context = at::globalContext();
  static const c10::ArrayRef<char> settings = settings_of(context);
  static const std::vector<const at::Float32Precision*> precisions = precisions_of(context);
  if (device.is_cuda()) {
    context.blasPreferredBackend();  // it chooses when it is first asked, else in the middle of the first call
  }
  const c10::AutogradState& state = c10::AutogradState::get_tls_state();
  const bool autocast = at::autocast::is_autocast_enabled(device.type());
  const std::array<char, 8> modes = {
      static_cast<char>(device.type()),
      static_cast<char>(device.index()),
      static_cast<char>(state.get_grad_mode()),
      static_cast<char>(state.get_inference_mode()),
      static_cast<char>(c10::get_default_dtype().toScalarType()),
      static_cast<char>(autocast),
      static_cast<char>(autocast ? at::autocast::get_autocast_dtype(device.type()) : at::ScalarType::Undefined),
      static_cast<char>(autocast && at::autocast::is_autocast_cache_enabled())};
  key.append(modes.begin(), modes.end());
  key.append(settings.begin(), settings.end());
  const std::size_t end = key.size();
  key.resize_for_overwrite(end + precisions.size());
  std::transform(precisions.begin(), precisions.end(), key.begin() + end,
                 [](const auto* precision) { return static_cast<char>(*precision); });
}

bool caches_casts(c10::Device device) {
  return at::autocast::is_autocast_enabled(device.type()) && at::autocast::is_autocast_cache_enabled();
}

// As at::autocast::cached_cast decides.
bool is_cast_anew(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kFloat && tensor.requires_grad() && (!tensor.is_leaf() || tensor.is_view());
}

bool looks_for_nan() { return torch::autograd::AnomalyMode::is_enabled() && torch::autograd::AnomalyMode::should_check_nan(); }

bool are_settings_in_place() {
  const at::Context& context = at::globalContext();
  const bool& first = context.*pointer_to(first_setting());
  const int& limit = context.*pointer_to(benchmark_limit());
  const bool& last = context.*pointer_to(last_setting());
  const std::array<const void*, 4> order = {&first, &limit, &last, &(context.*pointer_to(float32_precisions()))};
  return std::is_sorted(order.begin(), order.end()) && first == context.userEnabledCuDNN() && limit == context.benchmarkLimitCuDNN() &&
         last == context.allowFP16ReductionCPU();
}

}  // namespace graphed::impl
