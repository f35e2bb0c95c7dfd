// SPDX-License-Identifier: Apache-2.0
//
// Whether a graph may serve a call, and under which key.
#include "call_state.h"
#include "log.h"
#include "modes.h"
#include "text.h"
#include "verification.h"

#include <graphed/disable.h>
#include <graphed/error.h>

#include <c10/core/GradMode.h>

namespace graphed {
namespace {

// Of the first tensor that the call is known to use; where there is none, of what the last warm-up returned or used.
c10::Device device_of(engine_state& engine, const inputs& inputs) {
  for (const auto& tensor : inputs.tensors()) {
    if (tensor.defined()) {
      return tensor.device();
    }
  }
  if (const auto device = engine.module.device()) {
    return *device;
  }
  const std::lock_guard lock(engine.mutex);
  return engine.result_device;
}

key_bytes key_of(const engine_state& engine, std::size_t sample, const inputs& inputs, const scalars& scalars, c10::Device device) {
  key_bytes key;
  key.append(reinterpret_cast<const char*>(&sample), reinterpret_cast<const char*>(&sample + 1));
  append_mode_key(key, device);
  key.append(scalars.key_bytes().begin(), scalars.key_bytes().end());
  engine.module.append_key(key);
  for (const auto& tensor : inputs.tensors()) {
    key.push_back(!tensor.defined() ? '0' : !c10::GradMode::is_enabled() && tensor.requires_grad() ? 'g' : '-');
  }
  for (const auto& live : scalars.live_values()) {
    key.push_back(static_cast<char>(live.value.dtype()));
  }
  return key;
}

}  // namespace

call::state::state(engine_state& engine, const inputs& inputs, scalars&& scalars, call_purpose purpose)
    : engine(engine),
      purpose(purpose),
      arguments(inputs),
      values(std::move(scalars)),
      device(device_of(engine, inputs)),
      details(std::make_shared<call_details>()),
      profiled(engine.spec.name) {
  admit();
}

void call::state::admit() {
  if (verification::is_running()) {
    return;
  }
  if (purpose == call_purpose::call) {
    engine.counts->update([](statistics& stats) { ++stats.calls; });
  }
  if (is_disabled()) {
    return count_miss(miss::disabled);
  }
  implementation = backend_for(device.type());
  if (active_recording() != nullptr || (implementation != nullptr && implementation->capturing(device))) {
    if (purpose == call_purpose::prepare) {
      throw error(message_prefix(engine.spec) + "prepare() inside a capture or a graphed callable");
    }
    return count_miss(miss::nested);
  }
  engine.check_constants(values);
  if (!admit_sample()) {
    return;
  }
  captures = entry_on(device);
  details->live = values.live_values();
  details->copied = copying::of_this_thread();
  if (details->is_padded()) {
    const std::lock_guard lock(engine.mutex);
    if (const auto known = captures->result_shapes.find(details->sizes); known != captures->result_shapes.end()) {
      details->result_shapes = known->second;
    }
  }
}

std::shared_ptr<entry> call::state::entry_on(c10::Device device) {
  return engine.find(key_of(engine, served.index, arguments, values, device));
}

bool call::state::admit_sample() {
  if (implementation == nullptr) {
    const auto tensors = engine.spec.samples.front().tensors;
    refuse({{miss::device, tensors.empty() ? "" : tensors[0].name, "a device that can capture", device.str()}});
    return false;
  }
  const placement place{device, implementation->alignment()};
  auto found = find_sample(engine.spec, arguments, place);
  if (!found) {
    refuse(explain(engine.spec, arguments, place));
    return false;
  }
  served = std::move(*found);
  auto mismatch = check_overlap(sample(), arguments);
  if (!mismatch) {
    mismatch = engine.check_addresses(served.index, arguments);
  }
  if (mismatch) {
    refuse({*mismatch});
    return false;
  }
  details->sizes = served.sizes;
  return true;
}

void call::state::count_miss(miss reason, const std::string& parameter) {
  engine.counts->update([&](statistics& stats) {
    ++stats.misses[static_cast<std::size_t>(reason)];
    if (!parameter.empty()) {
      ++stats.misses_by_parameter[parameter + ": " + to_string(reason)];
    }
  });
  if (is_logged(log_level::calls)) {
    log(engine.spec, std::string("runs plainly: ") + to_string(reason) + (parameter.empty() ? "" : " of '" + parameter + "'"));
  }
}

void call::state::refuse(const std::vector<mismatch>& found) {
  std::string message = message_prefix(engine.spec);
  bool is_new = false;
  for (const auto& each : found) {
    message += std::string(&each == &found.front() ? "" : "; ") + "parameter '" + each.parameter + "': expected " + each.expected +
               ", got " + each.got;
    is_new |= engine.counts->first(each.parameter + ": " + to_string(each.reason));
  }
  if (purpose == call_purpose::prepare) {
    throw guard_error(message);
  }
  count_miss(found.front().reason, found.front().parameter);
  if (is_strict(engine.spec)) {
    throw guard_error(message);
  }
  if (is_new) {
    warn(message + "; the plain callable runs for such calls");
  }
}

void call::state::turn_away(miss reason, const std::string& why) {
  count_miss(reason);
  if (is_strict(engine.spec)) {
    throw guard_error(message_prefix(engine.spec) + why);
  }
  if (engine.counts->first(why)) {
    warn(message_prefix(engine.spec) + why + "; the plain callable runs for such calls");
  }
}

bool call::state::overlaps_outside() {
  std::optional<mismatch> found;
  {
    const std::lock_guard lock(engine.mutex);
    for (std::size_t i = 0; i < arguments.tensors().size() && !found; ++i) {
      const at::Tensor& argument = arguments.tensors()[i];
      const bool is_written = (sample().tensors[i].flags & flags::inplace) != 0;
      for (const auto& outside : captures->seen_outside) {
        if (argument.defined() && (is_written || outside.changed) && argument.is_alias_of(outside.tensor)) {
          found = {miss::overlap, sample().tensors[i].name, "memory of its own",
                   "memory shared with a tensor of shape " + text(outside.tensor.sizes()) + " that the callable closes over"};
        }
      }
    }
  }
  if (found) {
    refuse({*found});
  }
  return found.has_value();
}

}  // namespace graphed
