// SPDX-License-Identifier: Apache-2.0
//
// Captures ahead of the first call.
#include "backend/staging.h"
#include "call/call_state.h"
#include "capture/restored_state.h"
#include "report/log.h"
#include "report/pages.h"
#include "slot/padding.h"
#include "torch/modes.h"
#include "watch/recorder.h"

#include <graphed/disable.h>
#include <graphed/error.h>

#include <algorithm>
#include <numeric>

namespace graphed::impl {
namespace {

// By decreasing size, so that a shared pool's memory fits the later ones.
std::vector<std::size_t> largest_first(const CallableSpec& spec) {
  std::vector<std::size_t> order(spec.samples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto elements = [&](std::size_t sample) { return elements_of(spec.samples[sample]); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return elements(a) > elements(b); });
  return order;
}

// Arguments for a sample, of the given ones where they fit and zeros where they do not; nothing where that cannot be: lists of another
// length, or a `static` tensor of another shape.
std::optional<Inputs> arguments_for(const SampleSpec& sample, const Inputs& given, c10::Device device) {
  if (!lengths_fit(sample, given)) {
    return std::nullopt;
  }
  Inputs made;
  for (std::size_t i = 0; i < sample.tensors.size(); ++i) {
    const TensorSpec& spec = sample.tensors[i];
    const at::Tensor& tensor = given.tensors()[i];
    if (!tensor.defined() || tensor.sizes() == spec.shape) {
      made(tensor);
      continue;
    }
    if ((spec.flags & flags::static_address) != 0) {
      return std::nullopt;
    }
    const at::Tensor zeros = make_static(spec.shape, strides_of(spec, spec.shape), spec.dtype, device);
    fill_value(zeros, 0);
    made(zeros.set_requires_grad((spec.flags & flags::grad) != 0));
  }
  for (const auto& list : sample.lists) {
    made.length(static_cast<std::size_t>(list.count));
  }
  return made;
}

// An argument for a run that must not change it: a copy where the callable may write it, else another handle, with a history and versions
// of its own for what the callable does all the same.
at::Tensor stand_in(const at::Tensor& argument, bool is_written) {
  if (!argument.defined()) {
    return argument;
  }
  return is_written ? argument.detach().clone() : argument.variable_data().set_requires_grad(argument.requires_grad());
}

}  // namespace

void Call::state::run_tracelessly(c10::function_ref<tensor_list(tensor_list&)> body, restored_state& before) {
  closure known;
  for (const auto& tensors : {known_tensors(), engine.seen_outside()}) {
    for (const auto& tensor : tensors) {
      before.save_gradient(tensor);
      known.add(tensor);
    }
  }
  const auto side = implementation->enter_side_stream(device);
  const no_cached_casts forget;
  recording watched(recording::purpose::warmup, /*host_tensors_allowed=*/true);
  watched.add(std::make_shared<change_watch>(before));
  if (!device.is_cpu()) {
    watched.watch_random_numbers(device);
  }
  tensor_list copies;
  for (std::size_t i = 0; i < arguments.tensors().size(); ++i) {
    copies.push_back(stand_in(arguments.tensors()[i], (sample().tensors[i].flags & flags::inplace) != 0));
  }
  for (const auto& live : details->live) {
    copies.push_back(live.value.tensor(device));
  }
  for (const auto& copy : copies) {
    if (copy.defined()) {
      watched.tensors()->add_input(copy, "", /*writable=*/true);
    }
  }
  remember_members();
  {
    const private_autograd_state unseen_by_the_caller(known, engine.spec.step ? leaf_hooks::run : leaf_hooks::set_aside);
    const recording_scope scope(watched);
    body(copies);
  }
  if (watched.sets_random_state()) {
    throw CaptureError(message_prefix(engine.spec) + "no capture is tried: " + random_state_error().what() + see(pages::failure));
  }
  if (members) {
    note_assigned_members();
    captures = entry_on(device);  // that of the next call
  }
  const std::lock_guard lock(engine.mutex);
  note_warmup(watched);
}

std::shared_ptr<slot> Call::state::prepare(c10::function_ref<tensor_list(tensor_list&)> body) {
  restored_state before(device);
  for (std::size_t i = 0; i < arguments.tensors().size(); ++i) {
    const unsigned flags = sample().tensors[i].flags;
    if ((flags & flags::static_address) != 0 && (flags & flags::inplace) != 0 && arguments.tensors()[i].defined()) {
      before.save(arguments.tensors()[i]);
    }
  }
  for (int run = 0; run < std::max(engine.spec.warmup, 1); ++run) {
    run_tracelessly(body, before);
    before.put_back_gradients();
  }
  auto made = capture(body);
  made->prepare_backward();
  const std::lock_guard lock(engine.mutex);
  captures->warmups = std::max(captures->warmups, engine.spec.warmup);
  return made.leased();
}

void Call::prepare(Engine& engine, const Inputs& inputs, c10::function_ref<tensor_list(tensor_list&)> body,
                   c10::function_ref<std::shared_ptr<const void>()> form, const Scalars& scalars) {
  if (is_disabled()) {
    return;
  }
  engine_state& owner = *engine.state_;
  const c10::Device device = state(owner, inputs, Scalars(scalars), call_purpose::prepare).device;
  for (const std::size_t index : largest_first(owner.spec)) {
    const auto arguments = arguments_for(owner.spec.samples[index], inputs, device);
    if (!arguments) {
      continue;
    }
    state one(owner, *arguments, Scalars(scalars), call_purpose::prepare);
    const bool is_there = one.served.index != index || !one.captures->slots.empty();
    if (!is_there) {
      one.prepare(body)->keep_form(form());
    }
  }
}

}  // namespace graphed::impl
