// SPDX-License-Identifier: Apache-2.0
#include "slot/backward_capture.h"

#include "backend/capture_lock.h"
#include "backend/staging.h"
#include "backend/stream_hook.h"
#include "backward/gradient_pattern.h"
#include "report/log.h"
#include "report/pages.h"
#include "slot/padding.h"
#include "slot/versions.h"
#include "watch/recorder.h"

#include <graphed/error.h>

#include <c10/core/GradMode.h>
#include <c10/util/ScopeExit.h>
#include <c10/util/strides.h>
#include <torch/csrc/autograd/engine.h>

#include <algorithm>
#include <optional>

namespace graphed::impl {
namespace {

uint64_t stage_gradient(executable* work, std::size_t place, const at::Tensor& to, const at::Tensor& from) {
  if (to.const_data_ptr() == from.const_data_ptr()) {
    return 0;
  }
  if (to.sizes() != from.sizes()) {
    const auto write = [to, from] { copy_filled(to, from); };
    work != nullptr ? work->write_ahead(write) : write();
    return bytes_of_copy(corner(to, from.sizes()));
  }
  return work != nullptr ? work->copy_in(place, to, from) : copy_value(to, from);
}

tensor_list execute(captured_callable& callable, const tensor_list& gradients, const std::vector<saved_tensor>& saved = {}) {
  const isolated_closure alone(callable.closed_over, callable.tensors);
  const modified_in_graph modified(saved);
  torch::autograd::edge_list roots, targets;
  tensor_list incoming;
  for (std::size_t i = 0; i < callable.outputs.size(); ++i) {
    if (gradients[i].defined()) {
      roots.push_back(callable.outputs[i].inner);
      incoming.push_back(gradients[i]);
    }
  }
  for (const auto& target : callable.targets) {
    targets.push_back(target.inner);
  }
  if (roots.empty() || targets.empty()) {
    return tensor_list(targets.size());
  }
  try {
    return torch::autograd::Engine::get_default_engine().execute(roots, incoming, /*keep_graph=*/true, /*create_graph=*/false,
                                                                 /*accumulate_grad=*/false, targets);
  } catch (const std::exception& error) {
    modified.throw_as_eager(error);
    throw;
  }
}

// What other nodes got as well when it came to its leaf, eager copies. The difference shows only where another gradient shows its memory.
std::vector<bool> find_copied_for_leaves(const tensor_list& gradients, const recording& seen) {
  std::vector<bool> copied;
  for (const auto& gradient : gradients) {
    copied.push_back(gradient.defined() && seen.tensors()->goes_on_from(gradient) &&
                     std::any_of(gradients.begin(), gradients.end(), [&](const at::Tensor& other) {
                       return other.defined() && !other.is_same(gradient) && other.is_alias_of(gradient);
                     }));
  }
  return copied;
}

// The nodes belong to the capture stream, so no capture may run there meanwhile, unless it is the one that asks for the gradients. Over
// originals, no other thread may set the same tensors' state aside.
class kept_out_captures {
 public:
  explicit kept_out_captures(const captured_forward& forward) {
    if (inside_capture()) {
      return;
    }
    const std::string prefix = message_prefix(forward.site.spec) + "in its backward ";
    if (forward.callable.tensors == captured_on::originals) {
      state_.emplace(forward.callable.closed_over.identities());
    }
    if ((state_ && !*state_) || !lane_.emplace(forward.site.order.lane(forward.callable.lane()))) {
      throw CaptureError(prefix + waited_in_vain("capture") + see(pages::streams_and_threads));
    }
  }

 private:
  std::optional<state_claim> state_;
  std::optional<lane_lock> lane_;
};

}  // namespace

at::Tensor captured_forward::make_static_gradient(const at::Tensor& gradient, std::size_t output, const call_details& details) const {
  if (!details.is_padded()) {
    return static_like(gradient);
  }
  const node_output& target = callable.outputs[output];
  const at::Tensor& whole = target.is_input ? arguments.passed()[target.index] : callable.results.plans()[target.index].captured;
  return make_static(whole.sizes(), c10::contiguous_strides(whole.sizes()), gradient.scalar_type(), gradient.device());
}

tensor_list captured_forward::own_gradients(tensor_list gradients, const call_details& details) const {
  for (std::size_t i = 0; i < gradients.size() && details.is_padded(); ++i) {
    if (gradients[i].defined() && callable.targets[i].is_input) {
      gradients[i] = corner(gradients[i], own_shape(site.sample, callable.targets[i].index, details.sizes));
    }
  }
  return gradients;
}

void stage_gradients(const capture_site& site, backward_variant& variant, const tensor_list& gradients, executable* work) {
  uint64_t bytes = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i].defined()) {
      bytes += stage_gradient(work, i, variant.static_gradients[i], gradients[i]);
    }
  }
  ledger::add(site.counts->each_call.bytes_staged, bytes);
}

std::unique_ptr<backward_variant> capture_backward(const captured_forward& forward, const std::string& pattern,
                                                   const tensor_list& gradients, const call_details& details, leaf_gradients* leaves,
                                                   const std::shared_ptr<recording>& seen) {
  capture_site& site = forward.site;
  captured_callable& callable = forward.callable;
  auto variant = std::make_unique<backward_variant>();
  const bool in_place = pattern != pattern_of(gradients, details.is_padded());
  const auto make_static_gradients = [&] {
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      at::Tensor& gradient = variant->static_gradients.emplace_back();
      if (!gradients[i].defined()) {
        continue;
      }
      gradient = in_place ? memory_in_place(gradients[i], site.pool->number()) : at::Tensor();
      if (!gradient.defined()) {
        gradient = forward.make_static_gradient(gradients[i], i, details);
      }
      seen->tensors()->add_input(gradient, "gradient", /*writable=*/true);
    }
  };
  variant->work = site.capture("backward", callable.lane(), seen, [&](open_capture& capture) {
    make_static_gradients();
    for (const auto& target : leaves != nullptr ? leaves->targets() : tensor_list()) {
      seen->tensors()->add_input(target, "gradient", /*writable=*/true);
    }
    capture.begin_with(variant->static_gradients);
    seen->watch_random_numbers(site.device);
    if (site.backend.capture_executes()) {
      stage_gradients(site, *variant, gradients, /*work=*/nullptr);
    }
    const recording_scope scope(seen);
    tensor_list results = execute(callable, variant->static_gradients);
    if (leaves != nullptr) {
      variant->given = leaves->write(results);
    }
    seen->check_complete();
    if (!seen->groups().empty()) {
      throw CaptureError("its backward runs a collective, which ranks agree on within a `step` alone");
    }
    capture.end_with({});
    variant->copied_for_leaves = find_copied_for_leaves(results, *seen);
    // A padded call's incoming gradients are smaller than the static ones: no result can be a view of them.
    const c10::AutoGradMode no_history(false);
    variant->results.plan(results, details.is_padded() ? tensor_list() : variant->static_gradients, callable.closed_over.captured_tensors(),
                          site.pool->number());
  });
  variant->work->pin(variant->static_gradients);
  variant->work->pin(variant->results.captured_memory());
  variant->needed = seen->tensors()->used_storages();
  variant->comes_to = callable.reach_of(gradients);
  site.counts->update([](Statistics& stats) { ++stats.backward_captures; });
  return variant;
}

tensor_list run_backward(const captured_forward& forward, const tensor_list& gradients, const call_details& details,
                         const std::vector<saved_tensor>& saved) {
  const kept_out_captures none(forward);
  pool_order& order = forward.site.order;
  order.begin_use();
  const auto ends = c10::make_scope_exit([&order] { order.end_use(); });
  const auto eager = order.begin_eager(forward.callable.lane());
  tensor_list incoming = gradients;
  for (std::size_t i = 0; i < incoming.size() && details.is_padded(); ++i) {
    if (incoming[i].defined()) {
      incoming[i] = forward.make_static_gradient(gradients[i], i, details);
      copy_filled(incoming[i], gradients[i]);
    }
  }
  tell_use(StreamUse::Backward, forward.callable.outputs.front().inner.function->stream());
  tensor_list results = forward.own_gradients(execute(forward.callable, incoming, saved), details);
  for (auto& result : results) {
    if (result.defined()) {
      forward.site.backend.record_use(result);
      result = copy_of(result);  // it may show what the next call is staged into
    }
  }
  return results;
}

}  // namespace graphed::impl
