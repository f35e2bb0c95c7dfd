// SPDX-License-Identifier: Apache-2.0
#include "slot/slot.h"

#include "backend/capture_lock.h"
#include "backend/staging.h"
#include "backward/gradient_pattern.h"
#include "backward/leaf_gradients.h"
#include "report/log.h"
#include "report/pages.h"
#include "report/remedy.h"
#include "report/text.h"
#include "slot/function_state.h"
#include "slot/padding.h"

#include <graphed/backward_here.h>
#include <graphed/error.h>

#include <c10/core/GradMode.h>
#include <c10/util/strides.h>
#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/engine.h>

#include <algorithm>
#include <optional>

namespace graphed {

namespace {

// Of which operators compute other bits than of zeros in memory.
bool is_zerotensor(const at::Tensor& gradient) { return gradient.defined() && gradient._is_zerotensor(); }

}  // namespace

void slot::give_back(std::vector<saved_tensor>&& saved) {
  const auto alone = lock_backward();  // another thread may be going back through the same node
  saved.clear();
  spare_ = std::move(saved);
}

void slot::remember_versions(const inputs& inputs, const tensor_list& results, function& node) {
  auto& saved = node.state_->saved;
  saved.swap(spare_);
  saved.reserve(static_inputs_.size() + closure_.members().size() + results.size());
  const bool is_padded = node.state_->details->is_padded();
  const auto remember = [&](const at::Tensor& tensor, const at::Tensor& captured) {
    if (tensor.is_inference()) {
      return;
    }
    auto counter = tensor.unsafeGetTensorImpl()->version_counter();
    const uint32_t version = counter.current_version();
    saved.push_back({std::move(counter), version, &captured, is_padded ? tensor.sizes().vec() : std::vector<int64_t>()});
  };
  for (std::size_t i = 0; i < static_inputs_.size(); ++i) {
    if (input_saved_[i]) {
      remember(inputs.tensors()[i], arguments_[i]);
    }
  }
  for (const auto& member : closure_.members()) {
    if (member.saved) {
      remember(member.tensor, member.tensor);
    }
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (result_saved_[i] && results_.plans()[i].from == result_plan::source::memory) {
      remember(results[i], results_.plans()[i].captured);
    }
  }
}

void slot::check_versions(const std::vector<saved_tensor>& needed, backward_variant* variant) const {
  for (const auto& saved : needed) {
    const uint32_t version = saved.counter.current_version();
    if (version == saved.version) {
      continue;
    }
    if (variant != nullptr && !variant->is_whole &&
        (!saved.captured->has_storage() || variant->needed.count(saved.captured->storage().unsafeGetStorageImpl()) == 0)) {
      continue;
    }
    if (variant != nullptr) {
      variant->recorded_now = false;  // this backward does not take place
    }
    const std::string shape = text(saved.sizes.empty() ? saved.captured->sizes() : at::IntArrayRef(saved.sizes));
    TORCH_CHECK(false, "one of the variables needed for gradient computation has been modified by an inplace operation: [",
                saved.captured->toString(), " ", shape, "] is at version ", version, "; expected version ", saved.version, " instead.",
                torch::autograd::AnomalyMode::is_enabled()
                    ? ""
                    : " Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
                      "torch.autograd.set_detect_anomaly(True, check_nan=False).");
  }
}

backward_variant* slot::backward(const tensor_list& gradients, const call_details& details, std::shared_ptr<gradients_in_graph>& leaves) {
  if (inside_capture() || backend_.capturing(device_) || std::any_of(gradients.begin(), gradients.end(), is_zerotensor)) {
    return nullptr;
  }
  const std::string incoming = choose_pattern(gradients, details);
  std::optional<capture_lock> one_at_a_time;
  if (leaves && variants_.count(incoming + leaves->pattern()) == 0) {
    one_at_a_time.emplace(std::try_to_lock);  // whoever captures may be waiting for these leaves
    if (!*one_at_a_time || !are_worth_a_graph(incoming + leaves->pattern(), *leaves)) {
      leaves.reset();
      one_at_a_time.reset();
    }
  }
  const std::string pattern = leaves ? incoming + leaves->pattern() : incoming;
  if (const std::size_t moved = leaves ? leaves->make_way(backend_) : 0) {
    ledger_->update([&](statistics& stats) { stats.kept_outputs += moved; });
  }
  auto found = variants_.find(pattern);
  if (found == variants_.end()) {
    if (variants_.size() >= patterns_of_a_slot) {
      warn_of_patterns();
      return nullptr;
    }
    if (!one_at_a_time) {
      one_at_a_time.emplace(std::try_to_lock);
    }
    if (!*one_at_a_time) {
      return nullptr;
    }
    found = variants_.emplace(pattern, capture_backward(incoming, gradients, details, leaves.get())).first;
  }
  backward_variant& variant = *found->second;
  return variant.work && may_replay(variant) ? &variant : nullptr;
}

// A gradient that another graph of the pool has left is read in place, where no graph is there that would read a copy, and its address is
// not another one again and again. Weights that are delayed may need it for longer than it is there.
std::string slot::choose_pattern(const tensor_list& gradients, const call_details& details) const {
  std::string copied = pattern_of(gradients, details.is_padded());
  if (details.is_padded() || spec_.delay_weights || variants_.count(copied) != 0) {
    return copied;
  }
  std::string in_place = pattern_in_place(gradients, pool_->number());
  return variants_.count(in_place) != 0 || variants_.size() < patterns_of_a_slot / 2 ? in_place : copied;
}

void slot::warn_of_patterns() const {
  const std::string message = message_prefix(spec_) + std::to_string(patterns_of_a_slot) +
                              " backwards are captured for other patterns and strides of incoming gradients, and no more: eager autograd "
                              "computes the others";
  if (ledger_->first(message)) {
    warn(message + see(pages::calls_in_flight));
  }
}

// A variant without work: these gradients are computed by eager autograd from now on.
std::unique_ptr<backward_variant> slot::failed_backward(const recording& seen, const std::string& what, bool required) {
  ledger_->update([](statistics& stats) { ++stats.failed_captures; });
  backend_.check_usable(device_, message_prefix(spec_));
  const std::string at = seen.last_operator().empty() ? "" : " at operator " + with_remedy(seen.last_operator());
  const std::string message = message_prefix(spec_) + "the capture of the backward failed" + at + ": " + what;
  if (required || is_strict(spec_)) {
    throw capture_error(message + see(pages::failure));
  }
  if (ledger_->first(message)) {
    warn(message + "; eager autograd computes its gradients instead" + see(pages::failure));
  }
  return std::make_unique<backward_variant>();
}

std::unique_ptr<backward_variant> slot::capture_backward(const std::string& pattern, const tensor_list& gradients,
                                                         const call_details& details, gradients_in_graph* leaves, bool required) {
  auto variant = std::make_unique<backward_variant>();
  const auto seen = backend_.make_recording(/*host_tensors_allowed=*/true, branches());
  const bool in_place = pattern != pattern_of(gradients, details.is_padded());
  tensor_list results;
  const auto captured = [&](open_capture& capture) {
    seen->watch_random_numbers(device_);
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      at::Tensor& gradient = variant->static_gradients.emplace_back();
      if (!gradients[i].defined()) {
        continue;
      }
      gradient = in_place ? memory_in_place(gradients[i], pool_->number()) : at::Tensor();
      if (!gradient.defined()) {
        gradient = make_static_gradient(gradients[i], i, details);
      }
      seen->add_input(gradient, "gradient", /*writable=*/true);
    }
    for (const auto& target : leaves != nullptr ? leaves->targets() : tensor_list()) {
      seen->add_input(target, "gradient", /*writable=*/true);
    }
    capture.begin_with(variant->static_gradients);
    if (backend_.capture_executes()) {
      stage_gradients(*variant, gradients);
    }
    const recording_scope scope(*seen);
    results = spec_.delay_weights ? begin_backward(*variant) : execute_backward(variant->static_gradients);
    if (leaves != nullptr) {
      variant->given = leaves->give(results);
    }
    variant->copied_for_leaves = find_copied_for_leaves(results, *seen);
    if (seen->sets_random_state()) {
      throw random_state_error();
    }
    // A padded call's incoming gradients are smaller than the static ones: no result can be a view of them.
    const c10::AutoGradMode no_history(false);
    variant->results.plan(results, details.is_padded() ? tensor_list() : variant->static_gradients, closure_.captured_tensors(),
                          pool_->number());
  };
  try {
    variant->work = capture_into_pool("backward", seen, captured);
    const c10::AutoGradMode no_history(false);
    if (variant->weights) {
      capture_weights(*variant);
    }
  } catch (const unordered_work&) {
    forbid_branches();
    return capture_backward(pattern, gradients, details, leaves, required);
  } catch (const c10::OutOfMemoryError& error) {
    if (branches() == 1) {
      return failed_backward(*seen, message_of(error), required);
    }
    forbid_branches();  // they take more
    return capture_backward(pattern, gradients, details, leaves, required);
  } catch (const random_state_error& error) {
    is_tied_to_a_call_ = true;
    return failed_backward(*seen, message_of(error), required || served_ != 1 || !backend_.capture_executes());
  } catch (const std::exception& error) {
    return failed_backward(*seen, message_of(error), required);
  } catch (...) {
    return failed_backward(*seen, "an exception that is no std::exception", required);
  }
  variant->work->pin(variant->static_gradients);
  variant->work->pin(variant->results.captured_memory());
  variant->recorded_now = backend_.capture_executes();
  variant->needed = seen->used_storages();
  variant->is_whole = reach_all_nodes(gradients);
  ledger_->update([](statistics& stats) { ++stats.backward_captures; });
  return variant;
}

void slot::prepare_backward(bool required) {
  recorded_now_ = false;
  ++served_;  // the state that it was captured in is gone
  if (node_outputs_.empty()) {
    return;
  }
  tensor_list gradients;
  for (const auto& output : node_outputs_) {
    const at::Tensor& like = output.is_input ? arguments_[output.index] : results_.plans()[output.index].captured;
    gradients.push_back(make_static(like.sizes(), c10::contiguous_strides(like.sizes()), like.scalar_type(), like.device()));
    fill_value(gradients.back(), 0);
  }
  const std::string pattern = pattern_of(gradients, /*is_padded=*/false);
  const capture_lock one_at_a_time;
  const BackwardHere no_other_thread;  // that of the device may be waiting for this capture's stream
  auto captured = capture_backward(pattern, gradients, {}, /*leaves=*/nullptr, required);
  const auto alone = lock_backward();
  const auto made = variants_.emplace(pattern, std::move(captured)).first;
  made->second->recorded_now = false;
  if (made->second->weights) {
    made->second->weights->recorded_now = false;
  }
}

tensor_list slot::execute_backward(const tensor_list& gradients) {
  const isolated_closure alone(closure_, captured_on_);
  torch::autograd::edge_list roots;
  tensor_list incoming;
  for (std::size_t i = 0; i < node_outputs_.size(); ++i) {
    if (!gradients[i].defined()) {
      continue;
    }
    roots.push_back(node_outputs_[i].inner);
    incoming.push_back(gradients[i]);
  }
  torch::autograd::edge_list targets;
  for (const auto& target : targets_) {
    targets.push_back(target.inner);
  }
  if (roots.empty() || targets.empty()) {
    return tensor_list(targets.size());
  }
  return torch::autograd::Engine::get_default_engine().execute(roots, incoming, /*keep_graph=*/true, /*create_graph=*/false,
                                                               /*accumulate_grad=*/false, targets);
}

// The nodes belong to the capture stream, so no capture may run there meanwhile, unless it is the one that asks for the gradients.
tensor_list slot::plain_backward(const tensor_list& gradients, const call_details& details) {
  tensor_list results = computed_plainly(gradients, details);
  if (spec_.delay_weights) {
    accumulate(results);  // it is not delayed
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i] = targets_[i].is_input ? results[i] : at::Tensor();
    }
  }
  return results;
}

// Over stand-ins only those of its stream matter; over originals, also those that set the same tensors' state aside.
slot::capture_free slot::keep_out_captures() const {
  capture_free free;
  if (inside_capture()) {
    return free;
  }
  if (captured_on_ == captured_on::originals) {
    free.process = std::make_unique<capture_lock>(longest_wait);
    if (!*free.process) {
      throw capture_error(message_prefix(spec_) + "its backward has waited " + std::to_string(longest_wait.count()) +
                          " seconds for another thread's capture, which may be waiting for it" + see(pages::streams_and_threads));
    }
  }
  free.lane = std::make_unique<lane_lock>(lane());
  return free;
}

tensor_list slot::computed_plainly(const tensor_list& gradients, const call_details& details) {
  const auto alone = lock_backward();
  const auto no_capture = keep_out_captures();
  backend_.begin_use(device_);
  tensor_list incoming = gradients;
  if (details.is_padded()) {
    for (std::size_t i = 0; i < incoming.size(); ++i) {
      if (incoming[i].defined()) {
        incoming[i] = make_static_gradient(gradients[i], i, details);
        copy_filled(incoming[i], gradients[i]);
      }
    }
  }
  tensor_list results = own_gradients(execute_backward(incoming), details);
  for (auto& result : results) {
    if (result.defined()) {
      result = result.clone();  // it may show what the next call is staged into
      backend_.hand_over(result);
    }
  }
  backend_.end_use(device_);
  return results;
}

}  // namespace graphed
