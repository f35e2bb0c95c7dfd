// SPDX-License-Identifier: Apache-2.0
//
// Captures ahead of the first call.
#include "backend/staging.h"
#include "call/warm_up.h"
#include "report/range.h"
#include "slot/padding.h"
#include "slot/verification.h"

#include <graphed/disable.h>
#include <graphed/error.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace graphed::impl {
namespace {

struct planned_sample {
  std::size_t index;                          ///< of CallableSpec::samples
  std::shared_ptr<const sized_sample> sized;  ///< of an open one, at the values that the arguments have
  const SampleSpec* spec;
};

// Nothing where the arguments show no values, or none that every shape has an extent for.
std::shared_ptr<const sized_sample> sized_by(const CallableSpec& spec, std::size_t index, const Inputs& given) {
  const SampleSpec& open = spec.samples[index];
  const auto values = lengths_fit(open, given) ? open_values_of(open, given) : std::nullopt;
  if (!values) {
    return nullptr;
  }
  auto made = std::make_shared<sized_sample>(spec, index, *values, spec.samples.size());
  const auto tensors = made->spec().tensors;
  const bool has_shapes = std::none_of(tensors.begin(), tensors.end(), [](const TensorSpec& tensor) {
    return std::find(tensor.shape.begin(), tensor.shape.end(), open_extent) != tensor.shape.end();
  });
  return has_shapes ? made : nullptr;
}

// By decreasing size, so that a shared pool's memory suffices for the later ones.
std::vector<planned_sample> largest_first(const CallableSpec& spec, const Inputs& given) {
  std::vector<planned_sample> order;
  for (std::size_t i = 0; i < spec.samples.size(); ++i) {
    if (spec.samples[i].open.empty()) {
      order.push_back({i, nullptr, &spec.samples[i]});
    } else if (auto sized = sized_by(spec, i, given)) {
      const SampleSpec* const its = &sized->spec();
      order.push_back({i, std::move(sized), its});
    }
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return elements_of(*a.spec) > elements_of(*b.spec); });
  return order;
}

// Arguments for a sample, of the given ones where they match and zeros where they do not; nothing where that cannot be. That is so for
// lists of another length and for a `static` tensor of another shape.
std::optional<Inputs> arguments_for(const SampleSpec& sample, const Inputs& given, c10::Device device) {
  if (!lengths_fit(sample, given)) {
    return std::nullopt;
  }
  Inputs made;
  for (std::size_t i = 0; i < sample.tensors.size(); ++i) {
    const TensorSpec& spec = sample.tensors[i];
    const at::Tensor& tensor = given.tensors()[i];
    const bool is_on_host = (spec.flags & flags::host) != 0;
    const auto add = [&](const at::Tensor& argument) { is_on_host ? made.on_host(argument) : made(argument); };
    if (!tensor.defined() || tensor.sizes() == spec.shape) {
      add(tensor);
      continue;
    }
    if ((spec.flags & flags::static_address) != 0) {
      return std::nullopt;
    }
    const at::Tensor zeros =
        make_static(spec.shape, strides_of(spec, spec.shape), spec.dtype, is_on_host ? c10::Device(c10::kCPU) : device);
    fill_value(zeros, 0);
    add(zeros.set_requires_grad((spec.flags & flags::grad) != 0));
  }
  for (const auto& list : sample.lists) {
    made.length(static_cast<std::size_t>(list.count));
  }
  return made;
}

// As the first such call will.
void prepare(admission& call, c10::function_ref<tensor_list(tensor_list&)> body, c10::function_ref<std::shared_ptr<const void>()> form) {
  restored_state before(call.device);
  for (std::size_t i = 0; i < call.arguments().tensors().size(); ++i) {
    const unsigned flags = call.sample().tensors[i].flags;
    if ((flags & flags::static_address) != 0 && (flags & flags::inplace) != 0 && call.arguments().tensors()[i].defined()) {
      before.save(call.arguments().tensors()[i]);
    }
  }
  for (int run = 0; run < std::max(call.engine.spec.warmup, 1); ++run) {
    run_tracelessly(call, body, before);
    before.put_back_gradients();
  }
  auto made = capture(call, body);
  if (!made) {
    return;
  }
  made->prepare_backward();
  end_warmups(call);
  made->keep_form(form());
}

}  // namespace

void Call::prepare(const Engine& engine, const Inputs& inputs, c10::function_ref<tensor_list(tensor_list&)> body,
                   c10::function_ref<std::shared_ptr<const void>()> form, const Scalars& scalars, const WatchedObject& objects) {
  if (is_disabled() || verification::is_running()) {
    return;
  }
  engine_state& owner = require_state(engine.state_);
  const range profiled(owner.spec.name);
  const c10::Device device = admission(owner, inputs, Scalars(scalars), WatchedObject(objects), call_purpose::prepare).device;
  for (const planned_sample& planned : largest_first(owner.spec, inputs)) {
    const auto arguments = arguments_for(*planned.spec, inputs, device);
    if (!arguments) {
      continue;
    }
    admission one(owner, *arguments, Scalars(scalars), WatchedObject(objects), call_purpose::prepare);
    std::unique_lock lock(owner.mutex);
    const bool is_there = one.sample_index != planned.index || !one.key->slots.empty();
    lock.unlock();
    if (!is_there) {
      impl::prepare(one, body, form);
    }
  }
}

}  // namespace graphed::impl
