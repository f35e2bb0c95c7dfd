// SPDX-License-Identifier: Apache-2.0
#include "slot/slot.h"

#include "backend/dump.h"
#include "backend/staging.h"
#include "report/log.h"
#include "report/units.h"
#include "slot/function_state.h"
#include "slot/padding.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace graphed {

using torch::autograd::Edge;

slot::slot(std::shared_ptr<const callable_spec> description, const sample_spec& sample, backend& backend, std::shared_ptr<pool> pool,
           c10::Device device, std::shared_ptr<ledger> ledger)
    : description_(std::move(description)),
      spec_(*description_),
      sample_(sample),
      backend_(backend),
      device_(device),
      ledger_(std::move(ledger)),
      pool_(std::move(pool)),
      backward_name_(std::string(spec_.name) + " backward") {}

slot::~slot() {
  pool_->remove(*this);
  ledger_->update([&](statistics& stats) { stats.bytes_held -= bytes_held_; });
}

std::vector<at::Tensor> slot::outside_of(const result_set& results) const {
  return results.shows_outside() ? closure_.tensors() : std::vector<at::Tensor>();
}

slot_lease slot::lease() {
  int nobody = 0;
  if (!holders_.compare_exchange_strong(nobody, 1)) {
    return {};
  }
  slot_lease reserved(shared_from_this());
  if (const auto caller = std::this_thread::get_id(); caller != user_) {
    const auto alone = try_lock_backward();
    if (!alone || shows_results()) {
      return {};
    }
    user_ = caller;
  }
  return reserved;
}

bool slot::can_serve(const call_details& details) const {
  if (!details.is_padded()) {
    return true;
  }
  const auto& plans = results_.plans();
  if (returned_ != details.results.size()) {
    return false;
  }
  for (std::size_t i = 0; i < returned_; ++i) {
    using source = result_plan::source;
    const at::IntArrayRef own = details.results[i].sizes;
    const at::IntArrayRef captured = plans[i].captured.defined() ? plans[i].captured.sizes() : at::IntArrayRef();
    const bool is_cut = plans[i].from == source::memory || plans[i].from == source::input || plans[i].from == source::undefined;
    if (own.size() != captured.size() || (!is_cut && own != captured)) {
      return false;
    }
    for (std::size_t dim = 0; dim < own.size(); ++dim) {
      if (own[dim] > captured[dim]) {
        return false;
      }
    }
  }
  return true;
}

// What was captured after `capture` may lie where it has temporaries: results, and what a call that awaits its backward has saved.
bool slot::make_way(uint64_t capture, std::thread::id thread) {
  const uint64_t next = capture + 1;
  const bool is_others = user_ != thread;
  if (holders_ != 0 && (is_others || work_->number() > capture)) {
    return false;
  }
  const auto alone = try_lock_backward();
  if (!alone || (is_others && shows_results(next))) {
    return false;
  }
  keep_results(next);
  return true;
}

std::size_t backward_variant::keep(backend& backend, uint64_t first_capture) {
  const std::size_t moved = work && work->number() >= first_capture ? results.keep(backend) : 0;
  return moved + (weights ? weights->keep(backend, first_capture) : 0);
}

bool backward_variant::shows_results(uint64_t first_capture) const {
  return (results.alive() && work->number() >= first_capture) || (weights && weights->shows_results(first_capture));
}

bool slot::shows_results(uint64_t first_capture) const {
  return (results_.alive() && work_->number() >= first_capture) ||
         std::any_of(variants_.begin(), variants_.end(), [&](const auto& variant) { return variant.second->shows_results(first_capture); });
}

void slot::stage(const inputs& inputs, const call_details& details) {
  if (recorded_now_) {
    return;
  }
  gradients_.drop();
  if (!sources_.empty()) {
    backend_.begin_use(device_);
    sources_.refresh();
  }
  if (details.copied.outputs) {
    keep_results(work_->number());
  }
  if (details.copied.inputs || !is_staged_) {
    stage_inputs(inputs, details);
  }
  if (details.copied.outputs) {
    stage_write_back(inputs);
  }
}

// A capture that executes has no replay to leave it to.
uint64_t slot::copy_in(std::size_t place, const at::Tensor& to, const at::Tensor& from) {
  return work_ ? work_->copy_in(place, to, from) : copy_value(to, from);
}

uint64_t slot::fill_in(std::size_t place, const at::Tensor& to, const c10::Scalar& value) {
  if (work_) {
    return work_->fill_in(place, to, value);
  }
  fill_value(to, value);
  return to.nbytes();
}

void slot::stage_inputs(const inputs& inputs, const call_details& details) {
  is_staged_ = shared_inputs_.empty();  // others overwrite what is shared
  if (details.is_padded()) {
    backend_.begin_use(device_);
  }
  uint64_t bytes = 0;
  for (std::size_t i = 0; i < static_inputs_.size(); ++i) {
    const at::Tensor& input = static_inputs_[i];
    if (!input.defined() || has(i, flags::static_address)) {
      continue;
    }
    const at::Tensor& argument = inputs.tensors()[i];
    bytes +=
        details.is_padded() && argument.sizes() != input.sizes() ? copy_filled(sample_, i, input, argument) : copy_in(i, input, argument);
  }
  for (std::size_t i = 0; i < static_live_.size(); ++i) {
    bytes += fill_in(static_inputs_.size() + i, static_live_[i], details.live[i].value.value());
  }
  ledger::add(ledger_->each_call.bytes_staged, bytes);
}

void slot::replay() {
  ++served_;
  if (!recorded_now_) {
    work_->replay();
  }
  recorded_now_ = false;
  ledger::add(ledger_->each_call.replays, 1);
}

void slot::keep_results(uint64_t first_capture) {
  std::size_t moved = work_->number() >= first_capture ? results_.keep(backend_) : 0;
  for (auto& [pattern, variant] : variants_) {
    moved += variant->keep(backend_, first_capture);
  }
  if (moved != 0) {
    ledger_->update([&](statistics& stats) { stats.kept_outputs += moved; });
  }
}

tensor_list slot::outputs(const inputs& inputs, const std::shared_ptr<const call_details>& details, const owned_node<function>& node) {
  const bool is_written_back = write_back(inputs, details->copied.outputs);
  for (auto& member : closure_.members()) {
    if (member.written && !member.tensor.is_inference()) {
      member.tensor.unsafeGetTensorImpl()->bump_version();
    }
  }
  if (node) {
    connect_arguments(inputs, node);
  }
  const auto outside = outside_of(results_);
  const std::size_t aliased = spec_.outputs == output_policy::alias ? returned_ : 0;  // gradients are kept all the same
  tensor_list results =
      details->copied.outputs ? results_.hand_out(inputs.tensors(), outside, aliased) : results_.alias(inputs.tensors(), outside);
  gradients_.install({results.begin() + static_cast<std::ptrdiff_t>(returned_), results.end()});
  results.resize(returned_);
  const bool is_cut_down = details->is_padded() && cut_down(results, *details);
  if (details->copied.outputs && spec_.outputs == output_policy::clone) {
    results_.keep(backend_);
  } else if (!node && !details->is_padded()) {
    retain(results);
  }
  if (is_written_back || is_cut_down) {
    backend_.end_use(device_);
  }
  if (node) {
    connect_results(results, node);
    node->state_->served_by = shared_from_this();
    node->state_->details = details;
    remember_versions(inputs, results, *node);
  }
  return results;
}

bool slot::cut_down(tensor_list& results, const call_details& details) const {
  bool is_copied = false;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results_.plans()[i].from == result_plan::source::memory) {
      is_copied |= graphed::cut_down(results[i], details.results[i]);
    }
  }
  return is_copied;
}

// Most are let go of before the next call, which then hands out the same tensors.
void slot::retain(const tensor_list& results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    results_.retain(i, results[i]);
  }
}

// Makes `node` the history of what it changed, between that and what it depends on.
void slot::connect_arguments(const inputs& inputs, const owned_node<function>& node) {
  torch::autograd::edge_list edges = parked_.take_list();
  edges.reserve(targets_.size());
  const c10::Stream current = c10::impl::VirtualGuardImpl(device_.type()).getStream(device_);
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const auto& target = targets_[i];
    if (target.is_input) {
      edges.push_back(torch::autograd::impl::gradient_edge(inputs.tensors()[target.index]));
    } else {
      edges.push_back(spec_.delay_weights ? Edge() : parked_.edge_of(i, closure_.members()[target.index].tensor, current));
    }
  }
  node->set_next_edges(std::move(edges));
  for (const auto& output : node_outputs_) {
    if (!output.is_input) {
      continue;
    }
    const at::Tensor& argument = inputs.tensors()[output.index];
    torch::autograd::impl::rebase_history(argument, Edge(node, node->add_input_metadata(argument)));
  }
}

void slot::connect_results(const tensor_list& results, const owned_node<function>& node) {
  for (const auto& output : node_outputs_) {
    if (output.is_input) {
      continue;
    }
    const at::Tensor& result = results[output.index];
    torch::autograd::impl::set_gradient_edge(result, Edge(node, node->add_input_metadata(result)));
  }
}

std::unique_ptr<executable> slot::capture_into_pool(const char* direction, const std::shared_ptr<recording>& seen,
                                                    c10::function_ref<void(open_capture&)> body) {
  const uint64_t before = pool_->bytes();
  const auto start = std::chrono::steady_clock::now();
  auto work = backend_.capture(device_, *pool_, seen, body, [&](const captured_graph& graph) { dump(spec_, direction, graph); }, lane());
  const auto elapsed = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start);
  bytes_in_pool_ += pool_->bytes() - before;
  ledger_->update([&](statistics& stats) { stats.capture_microseconds += elapsed.count(); });
  update_bytes_held();
  if (is_logged(log_level::captures)) {
    log(log_level::captures, spec_,
        std::string("captured the ") + direction + " in " + human_time(elapsed.count()) + ", holds " + human_bytes(bytes_held_));
  }
  return work;
}

void slot::update_bytes_held() {
  uint64_t held = bytes_in_pool_;
  if (backend_.capture_executes()) {
    for (std::size_t i = 0; i < static_inputs_.size(); ++i) {
      held += static_inputs_[i].defined() && !has(i, flags::static_address) ? static_inputs_[i].nbytes() : 0;
    }
  }
  ledger_->update([&](statistics& stats) { stats.bytes_held += held - bytes_held_; });
  bytes_held_ = held;
}

}  // namespace graphed
