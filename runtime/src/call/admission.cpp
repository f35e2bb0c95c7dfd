// SPDX-License-Identifier: Apache-2.0
#include "call/admission.h"

#include "call/agreement.h"
#include "report/text.h"
#include "slot/input_layout.h"
#include "slot/static_arguments.h"
#include "slot/verification.h"
#include "torch/modes.h"
#include "watch/recorder.h"

#include <graphed/disable.h>
#include <graphed/error.h>

#include <ATen/Context.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/SmallVector.h>

#include <algorithm>
#include <utility>

namespace graphed::impl {
namespace {

bool contains(c10::ArrayRef<std::size_t> numbers, std::size_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

// For a callable of which only arguments in the memory of the host are known.
c10::Device device_for_host_arguments() {
  static const bool has_cuda = at::hasCUDA();  // a thread may call while the process ends
  return has_cuda ? c10::impl::VirtualGuardImpl(c10::kCUDA).getDevice() : c10::Device(c10::kCPU);
}

// Of the first tensor that the call is known to use; where there is none, of what the last warm-up returned or used.
c10::Device device_of(engine_state& engine, const Inputs& inputs, const object_members& members) {
  const auto tensors = inputs.tensors();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].defined() && !contains(inputs.given_on_host(), i)) {
      return tensors[i].device();
    }
  }
  if (const auto device = engine.module.device()) {
    return *device;
  }
  if (const auto device = members.accelerator()) {
    return *device;
  }
  if (!inputs.given_on_host().empty()) {
    return members.hold_tensors() ? c10::Device(c10::kCPU) : device_for_host_arguments();
  }
  const std::lock_guard lock(engine.mutex);
  return engine.past.result_device;
}

char key_of(const at::Tensor& argument, bool caches_casts) {
  if (!argument.defined()) {
    return '0';
  }
  if (caches_casts && is_cast_anew(argument)) {
    return 'a';
  }
  return argument.requires_grad() && !c10::GradMode::is_enabled() ? 'g' : '-';
}

// Of one whose memory layout is not the annotated one: a static input's is not either.
void append_layout(key_bytes& key, const TensorSpec& spec, const at::Tensor& argument) {
  if (!argument.defined() || has_declared_strides(spec, argument)) {
    return;
  }
  const at::DimVector strides = *input_strides(spec, argument);
  key.push_back(has_smaller_gaps(strides, argument) ? '<' : '=');
  key.append(reinterpret_cast<const char*>(strides.begin()), reinterpret_cast<const char*>(strides.end()));
}

key_bytes key_of(const engine_state& engine, const SampleSpec& sample, std::size_t sample_key, const Inputs& inputs, const Scalars& scalars,
                 c10::Device device, bool is_padded, tensor_identities& module_tensors, met_modules& met) {
  key_bytes key;
  key.append(reinterpret_cast<const char*>(&sample_key), reinterpret_cast<const char*>(&sample_key + 1));
  append_mode_key(key, device);
  key.append(scalars.key_bytes().begin(), scalars.key_bytes().end());
  engine.module.append_key(key, module_tensors, met);
  const bool has_cached_casts = caches_casts(device);
  for (std::size_t i = 0; i < inputs.tensors().size(); ++i) {
    const at::Tensor& argument = inputs.tensors()[i];
    key.push_back(key_of(argument, has_cached_casts));
    if (!is_padded) {
      append_layout(key, sample.tensors[i], argument);
    }
    if (const std::size_t first = argument.requires_grad() ? first_of_same(sample, inputs, i) : i; first != i) {
      key.append(reinterpret_cast<const char*>(&first), reinterpret_cast<const char*>(&first + 1));
    }
  }
  for (const auto& live : scalars.live_values()) {
    key.push_back(static_cast<char>(live.value.dtype()));
  }
  return key;
}

mismatch overlap_of(const char* parameter, const std::string& other) {
  return {Miss::Overlap, parameter, "memory of its own", "memory shared with " + other};
}

}  // namespace

admission::admission(engine_state& engine, const Inputs& inputs, Scalars&& scalars, WatchedObject&& objects, call_purpose purpose)
    : engine(engine),
      purpose(purpose),
      given(inputs),
      values(std::move(scalars)),
      objects(std::move(objects)),
      members(engine.object, this->objects, engine.module),
      device(device_of(engine, inputs, members)),
      implementation(backend_for(device.type())) {
  if (!verification::is_running()) {
    carry_members();
    admit();
  }
}

void admission::admit() {
  if (purpose == call_purpose::call) {
    ledger::add(engine.counts->each_call.calls, 1);
  }
  if (is_disabled()) {
    count_miss(Miss::Disabled);
    return agreement(*this).leave_out("a DisableGuard is alive");
  }
  if (active_recording() != nullptr || (implementation != nullptr && implementation->capturing(device))) {
    if (purpose == call_purpose::prepare) {
      throw Error(message_prefix(engine.spec) + "prepare() inside a capture or a graphed callable" + see(pages::warm_up));
    }
    return count_miss(Miss::Nested);
  }
  if (!values.constants().empty()) {
    engine.check_constants(values);
  }
  if (!admit_sample()) {
    return;
  }
  key = entry_on(device);
  if (!values.live_values().empty()) {
    own_details().live = values.live_values();
  }
  if (details->is_padded()) {
    const std::lock_guard lock(engine.mutex);
    if (const auto known = key->seen.results.find(padded_form()); known != key->seen.results.end()) {
      own_details().results = known->second;
    }
  }
}

std::vector<int64_t> admission::captured_sizes() const {
  std::vector<int64_t> sizes;
  for (const auto& variable : sample().padded) {
    sizes.push_back(variable.size);
  }
  return sizes;
}

std::vector<int64_t> admission::padded_form() const {
  std::vector<int64_t> form = details->sizes;
  for (std::size_t i = 0; i < arguments().tensors().size(); ++i) {
    const at::Tensor& argument = arguments().tensors()[i];
    if (argument.defined() && !has_declared_strides(sample().tensors[i], argument)) {
      form.push_back(static_cast<int64_t>(i));
      form.insert(form.end(), argument.strides().begin(), argument.strides().end());
    }
  }
  return form;
}

call_details& admission::own_details() {
  if (!own_details_) {
    own_details_ = std::make_shared<call_details>(*details);
    details = own_details_;
  }
  return *own_details_;
}

std::shared_ptr<entry> admission::entry_on(c10::Device device) {
  module_tensors.clear();
  met_modules met;
  key_bytes bytes = key_of(engine, sample(), key_of_sample(), arguments(), values, device, details->is_padded(), module_tensors, met);
  if (with_members_) {
    with_members_->append_key(bytes);
  }
  if (members || engine.has_keys_by_gradients) {
    const std::lock_guard lock(engine.mutex);
    if (members) {
      members.append_key(engine.past.assigned, bytes, module_tensors, met);
    }
    for (const auto& leaf : engine.past.leaves_with_gradients) {
      bytes.push_back(leaf.grad().defined() ? '+' : '-');
    }
  }
  return engine.find(bytes, members.owners(), [&] { return words_on(device, *this); });
}

bool admission::admit_sample() {
  if (implementation == nullptr) {
    const auto tensors = engine.spec.samples.front().tensors;
    refuse({{Miss::Device, tensors.empty() ? "" : tensors[0].name, "a device that can capture", device.str()}});
    return false;
  }
  const auto found = serve(place());
  if (!found) {
    return false;
  }
  auto mismatch = add_members();
  if (!mismatch) {
    mismatch = check_overlap(sample(), arguments());
  }
  if (!mismatch && purpose == call_purpose::prepare) {
    mismatch = check_views(sample(), arguments());
  }
  if (!mismatch) {
    mismatch = engine.check_addresses(sample(), key_of_sample(), arguments());
  }
  if (mismatch) {
    refuse({*mismatch});
    return false;
  }
  if (!found->sizes.empty()) {
    own_details().sizes = found->sizes;
  }
  return true;
}

placement admission::place() const {
  placement found{device, implementation->alignment()};
  found.in_step = engine.spec.step;
  return found;
}

std::optional<served_sample> admission::serve(const placement& place) {
  std::optional<mismatch> too_many;
  std::size_t first = 0;
  while (auto found = find_sample(engine.spec, given, place, first)) {
    sample_index = found->index;
    if (engine.spec.samples[sample_index].open.empty()) {
      return found;
    }
    sized = engine.size_sample(sample_index, found->open);
    if (sized) {
      return found;
    }
    if (!too_many) {
      too_many = engine.too_many_sizes(sample_index, found->open);
    }
    first = sample_index + 1;
  }
  refuse(too_many ? std::vector<mismatch>{*too_many} : explain(engine.spec, given, place));
  return std::nullopt;
}

std::shared_ptr<const CallableSpec> admission::description() const {
  const std::shared_ptr<const void> held = with_members_ ? std::shared_ptr<const void>(with_members_) : sized;
  if (!held) {
    return engine.description;
  }
  auto both = std::make_shared<std::pair<std::shared_ptr<const CallableSpec>, std::shared_ptr<const void>>>(engine.description, held);
  return {std::move(both), engine.description.get()};
}

void admission::count_miss(Miss reason, const std::string& parameter, const std::string& why) {
  missed = reason;
  {
    const std::lock_guard lock(engine.mutex);
    counted_misses& counted = (key ? key->service.misses : engine.past.misses_without_key)[reason];
    ++counted.calls;
    counted.why = why;
  }
  engine.counts->update([&](Statistics& stats) {
    ++stats.misses[static_cast<std::size_t>(reason)];
    if (!parameter.empty()) {
      ++stats.misses_by_parameter[parameter + ": " + to_string(reason)];
    }
  });
  if (is_logged(LogLevel::Calls)) {
    log(LogLevel::Calls, engine.spec,
        std::string("runs the original function: ") + to_string(reason) + (parameter.empty() ? "" : " of '" + parameter + "'"));
  }
}

void admission::refuse(const std::vector<mismatch>& found) {
  std::string message;
  bool is_new = false;
  agreement with_ranks(*this);
  for (const auto& each : found) {
    const std::string what = each.parameter + ": " + to_string(each.reason), values = "expected " + each.expected + ", got " + each.got;
    message += (message.empty() ? "parameter '" : "; parameter '") + each.parameter + "': " + values;
    is_new |= engine.counts->first(with_ranks ? what + ", with other ranks" : what);
    const std::lock_guard lock(engine.mutex);
    engine.past.last_mismatches[what] = values;
  }
  if (purpose == call_purpose::prepare) {
    throw GuardError(message_prefix(engine.spec) + message + see(pages::guards));
  }
  count_miss(found.front().reason, found.front().parameter);
  with_ranks.turn_away(message);
  std::string consequence = "the original function runs for such calls";
  if (with_ranks) {
    consequence += std::string(" until all ranks have captured it; then they throw") + with_ranks.remedy();
  }
  engine.object_to<GuardError>(message, is_new, consequence.c_str(), with_ranks ? pages::distributed : pages::guards);
}

void admission::turn_away(Miss reason, const std::string& why, std::string_view page) {
  count_miss(reason, {}, why);
  agreement(*this).turn_away(why);
  engine.object_to<GuardError>(why, engine.counts->first_message(why), "the original function runs for such calls", page);
}

std::optional<mismatch> admission::overlap_with_outside() const {
  const auto tensors = sample().tensors;
  const auto& outside = key->seen.outside;
  const auto is_written = [](const TensorSpec& tensor) { return (tensor.flags & flags::inplace) != 0; };
  const auto is_changed = [](const outside_tensor& each) { return each.changed; };
  if (const auto& replaced = key->seen.leaves_of_replaced_gradients; !replaced.empty()) {
    if (auto found = overlap_of_gradients(replaced, outside)) {
      return found;
    }
  }
  if (std::none_of(tensors.begin(), tensors.end(), is_written) && std::none_of(outside.begin(), outside.end(), is_changed)) {
    return std::nullopt;
  }
  if (auto found = key->seen.writes_have_history ? check_views(sample(), arguments()) : std::nullopt) {
    return found;
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const at::Tensor& argument = arguments().tensors()[i];
    for (const auto& each : outside) {
      if ((is_written(tensors[i]) || each.changed) && argument.defined() && each.tensor.has_storage() &&
          argument.is_alias_of(each.tensor)) {
        return overlap_of(tensors[i].name, "a tensor of shape " + text(each.tensor.sizes()) + " that the callable closes over");
      }
    }
  }
  return std::nullopt;
}

// A graph works on copies of them: nothing else that the callable uses may show their memory.
std::optional<mismatch> admission::overlap_of_gradients(const std::vector<at::Tensor>& leaves,
                                                        const std::vector<outside_tensor>& outside) const {
  c10::SmallVector<const c10::StorageImpl*, 8> copied;
  for (const auto& leaf : leaves) {
    if (leaf.grad().defined() && leaf.grad().has_storage()) {
      copied.push_back(storage_of(leaf.grad()));
    }
  }
  std::sort(copied.begin(), copied.end());
  const auto is_copied = [&](const at::Tensor& tensor) {
    return tensor.defined() && tensor.has_storage() && std::binary_search(copied.begin(), copied.end(), storage_of(tensor));
  };
  for (std::size_t i = 0; i < arguments().tensors().size(); ++i) {
    if (is_copied(arguments().tensors()[i])) {
      return overlap_of(sample().tensors[i].name, "a gradient that the callable closes over");
    }
  }
  for (const auto& each : outside) {
    const auto is_its_leaf = [&](const at::Tensor& leaf) { return each.leaf.is_same(leaf); };
    if (is_copied(each.tensor) && std::none_of(leaves.begin(), leaves.end(), is_its_leaf)) {
      return overlap_of(".grad", "a tensor of shape " + text(each.tensor.sizes()) + " that the callable closes over");
    }
  }
  const bool is_of_two = std::adjacent_find(copied.begin(), copied.end()) != copied.end();
  return is_of_two ? std::optional(overlap_of(".grad", "another gradient")) : std::nullopt;
}

bool admission::guesses_device() const {
  const auto& tensors = arguments().tensors();
  return std::none_of(tensors.begin(), tensors.end(), [](const at::Tensor& each) { return each.defined(); }) && !engine.module.device() &&
         !members.accelerator();
}

std::vector<at::Tensor> admission::known_tensors() const {
  std::vector<at::Tensor> known = engine.module.tensors();
  const std::lock_guard lock(engine.mutex);
  const auto held = members.tensors(engine.past.assigned);
  known.insert(known.end(), held.begin(), held.end());
  for (const auto& outside : key->seen.outside) {
    known.push_back(outside.tensor);
  }
  const auto& leaves = key->seen.leaves_of_replaced_gradients;
  known.insert(known.end(), leaves.begin(), leaves.end());
  return known;
}

}  // namespace graphed::impl
