// SPDX-License-Identifier: Apache-2.0
#include "slot/static_arguments.h"

#include "backend/staging.h"
#include "backward/gradient_home.h"
#include "capture/static_memory.h"
#include "slot/input_layout.h"
#include "slot/padding.h"
#include "torch/history.h"
#include "torch/modes.h"
#include "torch/node.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/SmallVector.h>
#include <torch/csrc/autograd/functions/basic_ops.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <unordered_set>
#include <utility>

namespace graphed::impl {
namespace {

at::Tensor with_history(const at::Tensor& leaf) {
  const at::Tensor made = alias_of(leaf);
  const auto node = make_node<torch::autograd::Identity>();
  node->set_next_edges({edge_to(leaf)});
  give_history(made, node);
  return made;
}

// A capture that executes has no replay to leave it to.
uint64_t copy_in(executable* work, std::size_t place, const at::Tensor& to, const at::Tensor& from) {
  return work != nullptr ? work->copy_in(place, to, from) : copy_value(to, from);
}

uint64_t fill_in(executable* work, std::size_t place, const at::Tensor& to, const c10::Scalar& value) {
  if (work != nullptr) {
    return work->fill_in(place, to, value);
  }
  fill_value(to, value);
  return to.nbytes();
}

// The largest tensor that LibTorch's allocator puts beside others in segments of 2 MiB: a capture's pool has one anyway.
constexpr std::size_t largest_small = std::size_t{1} << 20;
// That of the allocator's own memory, for the same bits as on it.
constexpr std::size_t alignment = 512;

// None for those that cost nothing where they are.
std::size_t room_for(const TensorSpec& spec, at::IntArrayRef strides) {
  const std::size_t bytes = at::detail::computeStorageNbytes(spec.shape, strides, c10::elementSize(spec.dtype));
  return bytes > largest_small ? (bytes + alignment - 1) / alignment * alignment : 0;
}

// With a storage of its own, by which the parts are distinguished.
at::Tensor tensor_at(void* place, const TensorSpec& spec, at::IntArrayRef strides, const std::shared_ptr<c10::DataPtr>& memory) {
  const c10::InferenceMode normal_tensor(false);
  return at::for_blob(place, spec.shape)
      .strides(strides)
      .deleter([memory](void* /*place*/) {})
      .options(at::TensorOptions(spec.dtype).device(memory->device()))
      .target_device(memory->device())
      .make_tensor();
}

}  // namespace

std::size_t first_of_same(const SampleSpec& sample, const Inputs& inputs, std::size_t argument) {
  const at::TensorList given = inputs.tensors();
  const bool gets_gradient = (sample.tensors[argument].flags & flags::grad) != 0 && c10::GradMode::is_enabled();
  for (std::size_t i = 0; i < argument && gets_gradient; ++i) {
    if (given[i].is_same(given[argument]) && given[i].defined() && sample.tensors[i].shape == sample.tensors[argument].shape) {
      return i;
    }
  }
  return argument;
}

// Whether nothing reads it after the replay that has written it: no backward is to come, and it is not copied back. The replay writes it in
// the same use of its order.
bool static_arguments::may_share(std::size_t input) const {
  const bool has_no_backward = !c10::GradMode::is_enabled() || site_.spec.step;
  return has_no_backward && site_.sample.padded.empty() && !site_.has(input, flags::static_address | flags::inplace | flags::host);
}

std::vector<at::Tensor> static_arguments::make_shared(const Inputs& inputs) {
  const auto& specs = site_.sample.tensors;
  std::vector<at::Tensor> made(specs.size());
  std::vector<std::size_t> rooms(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (inputs.tensors()[i].defined() && first_of_same(site_.sample, inputs, i) == i && may_share(i)) {
      rooms[i] = room_for(specs[i], *input_strides(specs[i], inputs.tensors()[i]));
    }
  }
  const std::size_t room = std::accumulate(rooms.begin(), rooms.end(), std::size_t{0});
  const auto memory = room == 0 ? nullptr : site_.order.memory_of_replays(room);
  if (!memory) {
    return made;
  }
  site_.hold(memory.use_count() == 1 ? room : 0);  // else another capture holds it already
  auto* place = static_cast<char*>(memory->get());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (rooms[i] != 0) {
      made[i] = tensor_at(place, specs[i], *input_strides(specs[i], inputs.tensors()[i]), memory);
      place += rooms[i];
      shared_.push_back({i, 0});
    }
  }
  return made;
}

void static_arguments::make_gradient(const at::Tensor& leaf, bool in_place) {
  const at::Tensor& gradient = leaf.grad();
  if (!gradient.defined() || !can_be_copied(gradient)) {
    return;
  }
  if (auto home = in_place ? gradient_home::shown_by_grad_of(leaf) : nullptr; home && home->memory().strides() == gradient.strides()) {
    gradients_.push_back({leaf, alias_of(home->memory()), std::move(home)});
    return;
  }
  gradients_.push_back({leaf, make_static(gradient.sizes(), gradient.strides(), gradient.scalar_type(), gradient.device())});
  site_.hold(site_.backend.capture_executes() ? gradient.nbytes() : 0);  // a pool counts it otherwise
}

// From the host to a device, as by to(): without gaps.
at::DimVector static_arguments::strides_for(std::size_t input, const at::Tensor& argument, bool is_padded) const {
  const TensorSpec& spec = site_.sample.tensors[input];
  if (is_padded) {
    return strides_of(spec, spec.shape);
  }
  const bool comes_from_host = site_.has(input, flags::host) && !site_.backend.capture_executes();
  return comes_from_host ? at::DimVector(at::infer_dense_strides(argument.sizes(), argument.strides())) : *input_strides(spec, argument);
}

void static_arguments::make(const Inputs& inputs, const call_details& details, std::vector<at::Tensor>&& shared,
                            const std::vector<at::Tensor>& leaves, bool in_place) {
  for (std::size_t i = 0; i < site_.sample.tensors.size(); ++i) {
    const auto& tensor = site_.sample.tensors[i];
    const at::Tensor& argument = inputs.tensors()[i];
    const std::size_t first = first_of_same(site_.sample, inputs, i);
    repeats_.push_back(first != i);
    if (!argument.defined() || repeats_[i]) {
      tensors_.push_back(repeats_[i] ? tensors_[first] : at::Tensor());
      continue;
    }
    const bool is_callers = site_.has(i, flags::static_address);
    const at::DimVector strides = strides_for(i, argument, details.is_padded());
    tensors_.push_back(is_callers            ? corner(argument, argument.sizes())
                       : shared[i].defined() ? std::move(shared[i])
                                             : make_static(tensor.shape, strides, tensor.dtype, site_.device));
    if (!is_callers && site_.backend.capture_executes()) {
      site_.hold(tensors_.back().nbytes());  // a pool counts it otherwise
    }
    tensors_.back().set_requires_grad(c10::GradMode::is_enabled() ? site_.has(i, flags::grad) : argument.requires_grad());
  }
  for (const auto& live : details.live) {
    live_.push_back(make_static({}, {}, live.value.dtype(), site_.device));
  }
  for (const auto& leaf : leaves) {
    make_gradient(leaf, in_place);
  }
}

const at::Tensor& static_arguments::written_at(std::size_t place) const {
  return place < passed_.size() ? passed_[place] : gradients_[place - passed_.size()].copy;
}

at::Tensor static_arguments::callers_at(std::size_t place, const Inputs& inputs) const {
  return place < passed_.size() ? inputs.tensors()[place] : gradients_[place - passed_.size()].of.grad();
}

std::vector<at::Tensor> static_arguments::staged() const {
  std::vector<at::Tensor> targets;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    targets.push_back(tensors_[i].defined() && !repeats_[i] ? alias_of(tensors_[i]) : at::Tensor());
  }
  for (const auto& live : live_) {
    targets.push_back(alias_of(live));
  }
  for (const auto& gradient : gradients_) {
    targets.push_back(gradient.place ? at::Tensor() : alias_of(gradient.copy));
  }
  return targets;
}

void static_arguments::check_shared(const std::vector<bool>& saved, const tensor_list& results) const {
  for (const auto& shared : shared_) {
    const at::Tensor& input = tensors_[shared.input];
    std::unordered_set<const c10::TensorImpl*> returned;
    for (const auto& result : results) {
      if (result.defined() && result.has_storage() && result.is_alias_of(input) && !result.is_same(input)) {
        returned.insert(result.unsafeGetTensorImpl());
      }
    }
    if (saved[shared.input] || input.storage().use_count() > shared.holders + returned.size()) {
      throw kept_inputs();
    }
  }
}

// A callable cannot write a leaf that requires grad: it writes a copy of it. Of a leaf autocast keeps one cast for all uses.
void static_arguments::make_passed(const Inputs& inputs, recording& seen) {
  for (auto& shared : shared_) {
    shared.holders = tensors_[shared.input].storage().use_count();
  }
  passed_ = tensors_;
  const bool has_cached_casts = caches_casts(site_.device);
  for (std::size_t i = 0; i < passed_.size(); ++i) {
    if (!passed_[i].defined()) {
      continue;
    }
    if (repeats_[i]) {
      passed_[i] = passed_[first_of_same(site_.sample, inputs, i)];
      continue;
    }
    const char* const name = site_.sample.tensors[i].name;
    const bool is_inplace = site_.has(i, flags::inplace);
    seen.tensors()->add_input(tensors_[i], name, is_inplace);
    if (tensors_[i].sizes() == inputs.tensors()[i].sizes() && has_smaller_gaps(tensors_[i].strides(), inputs.tensors()[i])) {
      seen.tensors()->note_smaller_gaps(tensors_[i]);
    }
    if (tensors_[i].requires_grad() && is_inplace && c10::GradMode::is_enabled()) {
      passed_[i] = tensors_[i].clone();
      seen.tensors()->add_input(passed_[i], name, /*writable=*/true);
    } else if (tensors_[i].requires_grad() && has_cached_casts && is_cast_anew(inputs.tensors()[i])) {
      passed_[i] = with_history(tensors_[i]);
      seen.tensors()->add_input(passed_[i], name, is_inplace);
    }
  }
  for (const auto& live : live_) {
    seen.tensors()->add_input(live, "a live scalar", /*writable=*/false);
  }
  for (const auto& gradient : gradients_) {
    seen.tensors()->add_input(gradient.copy, "a gradient", /*writable=*/true);
  }
}

void static_arguments::find_written(const recording& seen) {
  for (std::size_t place = 0; place < passed_.size() + gradients_.size(); ++place) {
    written_.push_back(written_at(place).defined() && seen.tensors()->writes(written_at(place)));
  }
}

std::vector<at::Tensor> static_arguments::find_copied_back() {
  std::vector<at::Tensor> sources;
  for (std::size_t place = 0; place < written_.size(); ++place) {
    const bool is_callers =
        place < passed_.size() ? site_.has(place, flags::static_address) : gradients_[place - passed_.size()].place != nullptr;
    if (written_[place] && !is_callers) {
      copied_back_.push_back({place, false});
      sources.push_back(alias_of(written_at(place)));
    }
  }
  return sources;
}

void static_arguments::pin(executable& work) const {
  work.pin(tensors_);
  work.pin(passed_);
  work.pin(live_);
  for (const auto& gradient : gradients_) {
    work.pin({gradient.copy});
  }
}

// A padded call's argument fills a part of the static input.
uint64_t static_arguments::stage_smaller(std::size_t input, const at::Tensor& argument, executable* work) {
  const at::Tensor& to = tensors_[input];
  const auto write = [this, to, input, argument] { copy_filled(site_.sample, input, to, argument); };
  work != nullptr ? work->write_ahead(write) : write();
  return bytes_of_copy(corner(to, argument.sizes()));
}

void static_arguments::stage(const Inputs& inputs, const call_details& details, executable* work, const host_transfer* host) {
  uint64_t bytes = 0;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const at::Tensor& input = tensors_[i];
    if (!input.defined() || site_.has(i, flags::static_address) || repeats_[i]) {
      continue;
    }
    const at::Tensor& argument = inputs.tensors()[i];
    const bool is_smaller = details.is_padded() && argument.sizes() != input.sizes();
    if (host != nullptr && site_.has(i, flags::host)) {
      const at::Tensor& pinned = host->input(i);
      is_smaller ? copy_filled(site_.sample, i, pinned, argument) : copy_value(pinned, argument);
      bytes += work->copy_in_from_host(i, input, pinned);
      continue;
    }
    bytes += is_smaller ? stage_smaller(i, argument, work) : copy_in(work, i, input, argument);
  }
  for (std::size_t i = 0; i < live_.size(); ++i) {
    bytes += fill_in(work, tensors_.size() + i, live_[i], details.live[i].value.value());
  }
  for (std::size_t i = 0; i < gradients_.size(); ++i) {
    bytes += gradients_[i].place ? 0 : copy_in(work, tensors_.size() + live_.size() + i, gradients_[i].copy, gradients_[i].of.grad());
  }
  ledger::add(site_.counts->each_call.bytes_staged, bytes);
}

// One whose whole memory has the layout of the static input's, which the callable only reads and no other capture writes.
bool static_arguments::can_show(std::size_t input, const at::Tensor& argument) const {
  const at::Tensor& own = tensors_[input];
  const auto is_it = [&](const shared_input& shared) { return shared.input == input; };
  return own.defined() && !repeats_[input] && !site_.has(input, flags::static_address) && !written_[input] &&
         std::none_of(shared_.begin(), shared_.end(), is_it) && argument.storage_offset() == 0 &&
         argument.storage().nbytes() == own.storage().nbytes() && argument.sizes() == own.sizes() && argument.strides() == own.strides();
}

std::vector<std::size_t> static_arguments::find_going_round(const Inputs& inputs, const call_details& details,
                                                            const result_set& results) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < tensors_.size() && !details.is_padded(); ++i) {
    const at::Tensor& argument = inputs.tensors()[i];
    const static_memory* const shown = argument.defined() ? results.shown_by(argument) : nullptr;
    if (shown != nullptr && !shown->has_readers(overwrite(site_.order)) && can_show(i, argument)) {
      found.push_back(i);
    }
  }
  return found;
}

void static_arguments::give_places(const std::vector<std::size_t>& going_round, const Inputs& inputs, result_set& results) {
  given_now_.clear();
  for (const std::size_t i : going_round) {
    const at::Tensor& argument = inputs.tensors()[i];
    if (static_memory* const from = results.shown_by(argument)) {  // null where it is given twice
      from->let_go();
      auto& place = given_places_.try_emplace(i, tensors_[i], site_.pool->number()).first->second;
      place.give_place(*argument.storage().unsafeGetStorageImpl());
      given_now_.push_back({from, &place});
    }
  }
}

void static_arguments::take_back_places() {
  for (const auto& [from, to] : std::exchange(given_now_, {})) {
    to->move_to(*from);
  }
}

moved_storages static_arguments::keep(overwrite& next) {
  moved_storages moved;
  for (auto& [input, place] : given_places_) {
    moved += place.keep(next);
  }
  return moved;
}

bool static_arguments::alive() const {
  return std::any_of(given_places_.begin(), given_places_.end(), [](const auto& each) { return each.second.alive(); });
}

// Copies of one launch run side by side; what overlaps is copied by operators, one after another.
void static_arguments::stage_write_back(const Inputs& inputs, executable& work) {
  if (copied_back_.empty()) {
    return;
  }
  c10::SmallVector<at::Tensor, 8> targets;
  for (const auto& each : copied_back_) {
    targets.push_back(callers_at(each.place, inputs));
  }
  const bool is_apart = !overlap(targets);
  for (std::size_t i = 0; i < copied_back_.size(); ++i) {
    copied_back_[i].in_launch = is_apart && work.copy_out(i, targets[i]);
  }
}

void static_arguments::write_back_partly(const Inputs& inputs) {
  std::for_each(copied_back_.begin(), copied_back_.end(),
                [](copied_back& each) { each.in_launch = false; });  // the last launch did not come
  write_back(inputs);
}

bool static_arguments::write_back(const Inputs& inputs) {
  bool is_copied = false;
  for (auto& each : copied_back_) {
    if (!each.in_launch) {
      const at::Tensor target = callers_at(each.place, inputs);
      copy_value(target, corner(written_at(each.place), target.sizes()));
      is_copied = true;
    }
    each.in_launch = false;
  }
  for (std::size_t place = 0; place < written_.size(); ++place) {
    if (written_[place] && !callers_at(place, inputs).is_inference()) {
      callers_at(place, inputs).unsafeGetTensorImpl()->bump_version();
    }
  }
  return is_copied;
}

}  // namespace graphed::impl
