// SPDX-License-Identifier: Apache-2.0
#include "capture_lock.h"
#include "engine_state.h"
#include "guards.h"
#include "modes.h"

#include <graphed/disable.h>
#include <graphed/error.h>

#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <optional>
#include <sstream>

namespace graphed {
namespace {

constexpr std::size_t slots_of_a_key = 2;
constexpr int attempts_of_a_key = 3;

// Of the first tensor that the call is known to use; where there is none, of what the last warm-up returned.
c10::Device device_of(engine_state& engine, const inputs& inputs) {
  for (const auto& tensor : inputs.tensors()) {
    if (tensor.defined()) {
      return tensor.device();
    }
  }
  const auto tensors = engine.module.tensors();
  if (!tensors.empty()) {
    return tensors.front().device();
  }
  const std::lock_guard lock(engine.mutex);
  return engine.result_device;
}

std::string key_of(const engine_state& engine, const inputs& inputs, const scalars& scalars, c10::Device device) {
  std::string key = mode_key(device) + scalars.key_bytes();
  engine.module.append_key(key);
  if (!c10::GradMode::is_enabled()) {
    for (const auto& tensor : inputs.tensors()) {
      key.push_back(tensor.requires_grad() ? 'g' : '-');
    }
  }
  return key;
}

}  // namespace

struct call::state {
  state(engine_state& engine, const inputs& inputs) : engine(engine), arguments(inputs), device(device_of(engine, inputs)) {}

  void admit(const scalars& scalars);
  void count_miss(miss reason, const std::string& parameter = {});
  void refuse(const mismatch& found);
  std::shared_ptr<slot> free_slot();
  std::shared_ptr<slot> capture(c10::function_ref<tensor_list(tensor_list&)> body);
  std::optional<miss> no_capture();
  void fail(const recording* watched, const std::string& what);
  void refuse_unstable();
  std::vector<at::Tensor> known_tensors();
  void check_stable(const recording& watched, const unseen_tensors& unseen);

  engine_state& engine;
  const inputs& arguments;
  const c10::Device device;
  backend* implementation = nullptr;
  std::shared_ptr<entry> captures;  // null: the plain callable runs
  bool warmup = false;
  std::optional<graph> serving;

  std::unique_ptr<stream_scope> stream;
  std::optional<recording> seen;
  std::optional<recording_scope> watching;
};

void call::state::admit(const scalars& scalars) {
  engine.counts->update([](statistics& stats) { ++stats.calls; });
  if (is_disabled()) {
    return count_miss(miss::disabled);
  }
  implementation = backend_for(device.type());
  if (active_recording() != nullptr || (implementation != nullptr && implementation->capturing(device))) {
    return count_miss(miss::nested);
  }
  engine.check_constants(scalars);
  if (implementation == nullptr) {
    const auto tensors = engine.spec.tensors;
    return refuse({miss::device, tensors.empty() ? "" : tensors[0].name, "a device that can capture", device.str()});
  }
  if (const auto found = check(engine.spec, arguments, device, implementation->alignment())) {
    return refuse(*found);
  }
  captures = engine.find(key_of(engine, arguments, scalars, device));
}

void call::state::count_miss(miss reason, const std::string& parameter) {
  engine.counts->update([&](statistics& stats) {
    ++stats.misses[static_cast<std::size_t>(reason)];
    if (!parameter.empty()) {
      ++stats.misses_by_parameter[parameter + ": " + to_string(reason)];
    }
  });
}

void call::state::refuse(const mismatch& found) {
  const std::string message =
      message_prefix(engine.spec) + "parameter '" + found.parameter + "': expected " + found.expected + ", got " + found.got;
  count_miss(found.reason, found.parameter);
  if (engine.spec.strict) {
    throw guard_error(message);
  }
  if (engine.counts->first(found.parameter + ": " + to_string(found.reason))) {
    warn(message + "; the plain callable runs for such calls");
  }
}

std::shared_ptr<slot> call::state::free_slot() {
  const std::lock_guard lock(engine.mutex);
  auto& slots = captures->slots;
  for (auto candidate = slots.begin(); candidate != slots.end();) {
    if (!candidate->serving->reserve()) {
      ++candidate;
    } else if (candidate->serving->overlaps(arguments)) {
      candidate->serving->release();
      ++candidate;
    } else if (candidate->serving->valid() && engine.module.has_exactly(candidate->module_tensors)) {
      return candidate->serving;
    } else {
      candidate = slots.erase(candidate);
    }
  }
  return nullptr;
}

std::vector<at::Tensor> call::state::known_tensors() {
  std::vector<at::Tensor> known = engine.module.tensors();
  const std::lock_guard lock(engine.mutex);
  known.insert(known.end(), captures->seen_outside.begin(), captures->seen_outside.end());
  return known;
}

// A capture that misses a tensor which the last warm-up used, and uses one that it did not, would freeze a tensor that changes from call to
// call.
void call::state::check_stable(const recording& watched, const unseen_tensors& unseen) {
  const auto used = watched.outside_tensors();
  const auto is_used = [&](const at::Tensor& tensor) {
    return std::any_of(used.begin(), used.end(), [&](const outside_tensor& outside) { return outside.tensor.is_same(tensor); });
  };
  const std::lock_guard lock(engine.mutex);
  const auto& expected = captures->seen_outside;
  if (std::all_of(expected.begin(), expected.end(), is_used)) {
    return;
  }
  std::ostringstream sizes;
  sizes << unseen.tensors.front().sizes();
  throw capture_error("it uses a tensor of shape " + sizes.str() +
                      " from outside that is another one on each call: pass it as an argument");
}

void call::state::fail(const recording* watched, const std::string& what) {
  engine.counts->update([](statistics& stats) { ++stats.failed_captures; });
  count_miss(miss::capture_failed);
  bool last = false;
  {
    const std::lock_guard lock(engine.mutex);
    last = ++captures->failures == attempts_of_a_key;
  }
  const std::string at = watched == nullptr || watched->last_operator().empty() ? "" : " at operator " + watched->last_operator();
  const std::string message = message_prefix(engine.spec) + "the capture failed" + at + ": " + what;
  if (engine.spec.strict) {
    throw capture_error(message);
  }
  if (engine.counts->first(message)) {
    warn(message + "; the plain callable runs instead");
  }
  if (last) {
    warn(message_prefix(engine.spec) + "captures failed " + std::to_string(attempts_of_a_key) + " times: no more are tried");
  }
}

// A callable that changes what it will read cannot be captured, and a try would change it once more.
void call::state::refuse_unstable() {
  const auto abandoned = seen->abandoned_outside();
  if (abandoned.empty()) {
    return;
  }
  {
    const std::lock_guard lock(engine.mutex);
    if (captures->failures >= attempts_of_a_key) {
      return;
    }
    captures->failures = attempts_of_a_key;
  }
  const std::string message = message_prefix(engine.spec) + "no capture is tried: " + abandoned_text(abandoned.front());
  if (engine.spec.strict) {
    throw capture_error(message);
  }
  if (engine.counts->first(message)) {
    warn(message + "; the plain callable runs");
  }
}

std::shared_ptr<slot> call::state::capture(c10::function_ref<tensor_list(tensor_list&)> body) {
  if (const auto reason = no_capture()) {
    return count_miss(*reason), nullptr;
  }
  const capture_lock one_at_a_time(std::try_to_lock);
  if (!one_at_a_time) {
    return count_miss(miss::capture_busy), nullptr;
  }
  std::shared_ptr<slot> made;
  std::shared_ptr<recording> watched;
  std::vector<const c10::TensorImpl*> module_tensors;
  for (const auto& tensor : engine.module.tensors()) {
    module_tensors.push_back(tensor.unsafeGetTensorImpl());
  }
  auto known = known_tensors();
  const auto attempt = [&] {
    made = std::make_shared<slot>(engine.spec, *implementation, device, engine.counts);
    made->capture(arguments, known, body, watched);
  };
  try {
    try {
      attempt();
    } catch (const unseen_tensors& unseen) {
      check_stable(*watched, unseen);
      known.insert(known.end(), unseen.tensors.begin(), unseen.tensors.end());
      attempt();
    }
  } catch (const unseen_tensors&) {
    return fail(watched.get(), "it makes tensors on each call that are kept outside: return them, or pass them as arguments"), nullptr;
  } catch (const std::exception& error) {
    return fail(watched.get(), error.what()), nullptr;
  } catch (...) {
    return fail(watched.get(), "an exception that is no std::exception"), nullptr;
  }
  made->reserve();
  const std::lock_guard lock(engine.mutex);
  captures->slots.push_back({made, std::move(module_tensors)});
  captures->seen_outside = watched->held_outside();
  return made;
}

std::optional<miss> call::state::no_capture() {
  const std::lock_guard lock(engine.mutex);
  if (captures->failures >= attempts_of_a_key) {
    return miss::capture_failed;
  }
  if (captures->slots.size() >= slots_of_a_key) {
    return miss::slots;
  }
  return std::nullopt;
}

call::call(engine& engine, const inputs& inputs, scalars scalars) : state_(std::make_unique<state>(*engine.state_, inputs)) {
  state_->admit(scalars);
}

call::~call() = default;

graph* call::captured(c10::function_ref<tensor_list(tensor_list&)> body) {
  if (!state_->captures) {
    return nullptr;
  }
  {
    const std::lock_guard lock(state_->engine.mutex);
    if (state_->captures->warmups < state_->engine.spec.warmup) {
      ++state_->captures->warmups;
      state_->warmup = true;
      return nullptr;
    }
  }
  auto slot = state_->free_slot();
  if (!slot) {
    slot = state_->capture(body);
  }
  return slot ? &state_->serving.emplace(std::move(slot)) : nullptr;
}

void call::begin_plain() {
  if (!state_->warmup) {
    return;
  }
  state_->engine.counts->update([](statistics& stats) { ++stats.warmups; });
  at::autocast::clear_cache();  // a cast that is there already would hide the weight that it is made of
  state_->stream = state_->implementation->enter_side_stream(state_->device);
  auto& seen = state_->seen.emplace(recording::purpose::warmup, /*host_tensors_allowed=*/true);
  for (const auto& tensor : state_->arguments.tensors()) {
    seen.add_input(tensor, "", /*writable=*/true);
  }
  state_->watching.emplace(seen);
}

void call::end_plain(const tensor_list& results) {
  if (!state_->warmup) {
    return;
  }
  state_->watching.reset();
  state_->refuse_unstable();
  {
    const std::lock_guard lock(state_->engine.mutex);
    state_->captures->seen_outside = state_->seen->held_outside();
    if (!results.empty() && results.front().defined()) {
      state_->engine.result_device = results.front().device();
    }
  }
  for (const auto& result : results) {
    if (result.defined()) {
      state_->stream->hand_over(result);
    }
  }
  state_->stream.reset();
}

}  // namespace graphed
