// SPDX-License-Identifier: Apache-2.0
#include "slot/verification.h"

#include "backend/staging.h"
#include "capture/restored_state.h"
#include "capture/step_gradients.h"
#include "report/log.h"
#include "report/pages.h"
#include "report/text.h"
#include "slot/static_arguments.h"
#include "torch/bytes.h"
#include "torch/history.h"
#include "torch/hooks.h"
#include "torch/modes.h"
#include "torch/random_state.h"
#include "watch/recorder.h"

#include <graphed/error.h>

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/graph_task.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <sstream>

namespace graphed::impl {
namespace {

thread_local int running_now = 0;

struct running_scope {
  running_scope() { ++running_now; }
  ~running_scope() { --running_now; }
  running_scope(const running_scope&) = delete;
  running_scope& operator=(const running_scope&) = delete;
};

/// Of the eager run, whose arguments are copies. What it writes outside need not be what earlier runs wrote.
class comparison_watch final : public change_watch {
 public:
  comparison_watch(restored_state& state, const tensor_list& copies, bool is_step)
      : change_watch(state), copies_(copies), is_step_(is_step) {}

 private:
  void before_write(const at::Tensor& tensor) override {
    const auto is_it = [&](const at::Tensor& copy) { return copy.defined() && copy.is_alias_of(tensor); };
    if (std::none_of(copies_.begin(), copies_.end(), is_it)) {
      change_watch::before_write(tensor);
    }
  }
  // While another callable runs, other threads may add to its leaves' gradients.
  void before_use(const at::Tensor& outside) override {
    if (is_step_) {
      change_watch::before_use(outside);
    }
  }
  const tensor_list& copies_;
  const bool is_step_;
};

/// While it lives, tensors that the callable changes have these versions, and leaves no hooks but in a step. Leaves keep their
/// accumulators, and whatever is not changed its version: other threads may go back to them.
class unseen_by_the_caller {
 public:
  unseen_by_the_caller(const std::vector<compared_outside>& outside, bool is_step) {
    for (const auto& each : outside) {
      const at::Tensor& tensor = each.before.tensor;
      if (each.before.changed && !tensor.is_inference()) {
        versions_.emplace_back(tensor, tensor.unsafeGetTensorImpl()->version_counter());
        tensor.unsafeGetTensorImpl()->set_version_counter(each.version);
      }
      if (!is_step && tensor.requires_grad() && tensor.is_leaf() && has_tensor_hooks(tensor)) {
        hooks_.emplace_back(tensor);
      }
    }
  }
  ~unseen_by_the_caller() {
    for (auto& [tensor, version] : versions_) {
      tensor.unsafeGetTensorImpl()->set_version_counter(std::move(version));
    }
  }
  unseen_by_the_caller(const unseen_by_the_caller&) = delete;
  unseen_by_the_caller& operator=(const unseen_by_the_caller&) = delete;

 private:
  std::vector<std::pair<at::Tensor, c10::VariableVersion>> versions_;
  std::deque<hooks_aside> hooks_;
};

// Of the numbers that two of a type can be apart at 1.
double precision_of(c10::ScalarType dtype) {
  switch (c10::toRealValueType(dtype)) {
    case at::kDouble:
      return std::numeric_limits<double>::epsilon();
    case at::kFloat:
      return std::numeric_limits<float>::epsilon();
    case at::kHalf:
      return std::numeric_limits<c10::Half>::epsilon();
    case at::kBFloat16:
      return std::numeric_limits<c10::BFloat16>::epsilon();
    default:
      return 0;
  }
}

// With as many digits as distinguish two numbers of the type.
std::string exact_text(const at::Tensor& element) {
  std::ostringstream out;
  const double precision = precision_of(element.scalar_type());
  out.precision(precision == 0 ? out.precision() : static_cast<int>(std::ceil(1 + (1 - std::log2(precision)) * std::log10(2))));
  out << element.item();
  return out.str();
}

at::Tensor real_numbers(const at::Tensor& tensor) {
  const at::Tensor values = tensor.detach().resolve_conj();
  return (values.is_complex() ? at::view_as_real(values) : values).to(at::kDouble);
}

// None where a number on one side alone is infinite or NaN.
std::optional<double> largest_difference(const at::Tensor& plain, const at::Tensor& graphed) {
  const at::Tensor one = real_numbers(plain), other = real_numbers(graphed);
  const at::Tensor equal = one.eq(other).logical_or(one.isnan().logical_and(other.isnan()));
  const auto largest = (one - other).abs().masked_fill(equal, 0).max().item<double>();
  return std::isfinite(largest) ? std::optional(largest) : std::nullopt;
}

// Whether other kernels, which sum in another order, may be the cause: a few last bits beside the largest number. Most kernels of types of
// 16 bits compute in 32.
bool is_rounding(double largest, const at::Tensor& plain) {
  const double last_bits = c10::elementSize(c10::toRealValueType(plain.scalar_type())) > 2 ? 128 : 4;
  const auto scale = real_numbers(plain).nan_to_num(0, 0, 0).abs().max().item<double>();
  return largest <= last_bits * precision_of(plain.scalar_type()) * scale;
}

std::optional<difference> find_difference(const std::string& what, const at::Tensor& plain, const at::Tensor& graphed,
                                          bool may_be_rounded = false) {
  if (plain.defined() != graphed.defined()) {
    return difference{what, what + " is " + (plain.defined() ? "" : "un") + "defined in the original function"};
  }
  if (!plain.defined()) {
    return std::nullopt;
  }
  if (plain.sizes() != graphed.sizes() || plain.scalar_type() != graphed.scalar_type() || plain.device() != graphed.device()) {
    return difference{what, what + ": eager " + describe(plain) + ", graphed " + describe(graphed)};
  }
  if (plain.layout() != at::kStrided || plain.numel() == 0) {
    return std::nullopt;
  }
  const c10::NoGradGuard no_history;
  const at::Tensor same = bytes_of(plain).eq(bytes_of(graphed));
  if (same.all().item<bool>()) {
    return std::nullopt;
  }
  const auto largest = precision_of(plain.scalar_type()) == 0 ? std::nullopt : largest_difference(plain, graphed);
  if (may_be_rounded && largest && is_rounding(*largest, plain)) {
    return std::nullopt;
  }
  const int64_t first = same.logical_not().nonzero().min().item<int64_t>() / static_cast<int64_t>(plain.element_size());
  return difference{what, what + " differs at element " + std::to_string(first) + " of shape " + text(plain.sizes()) + ": eager " +
                              exact_text(plain.reshape({-1})[first]) + ", graphed " + exact_text(graphed.reshape({-1})[first]) +
                              (largest ? "; the largest difference is " + text(*largest) : "")};
}

void report(const capture_site& site, const char* where, const std::optional<difference>& found) {
  site.counts->update([&](Statistics& stats) {
    ++stats.verified;
    stats.differences += found ? 1 : 0;
  });
  if (!found) {
    return;
  }
  const std::string prefix = message_prefix(site.spec) + "GRAPHED_VERIFY: " + where;
  const std::string message = prefix + found->message + see(pages::environment);
  if (is_strict(site.spec)) {
    throw VerifyError(message);
  }
  if (site.counts->first(prefix + found->place)) {
    warn(message);
  }
}

}  // namespace

bool verification::is_running() { return running_now != 0; }

verification::verification(std::shared_ptr<const CallableSpec> description, const SampleSpec& sample, const Inputs& inputs,
                           const call_details& details, const std::vector<outside_tensor>& outside, c10::Device device,
                           c10::function_ref<tensor_list(tensor_list&)> body)
    : description_(std::move(description)), spec_(*description_), sample_(sample), is_padded_(details.is_padded()), device_(device) {
  draws_.emplace(device_);
  restored_state before(device_);
  closure leaves;
  for (const auto& each : outside) {
    outside_.push_back({each});
    if (each.changed) {
      before.save(each.tensor);
    }
    if (spec_.step) {
      leaves.add(each.tensor);
    }
  }
  const gradient_scope gradients(leaves, spec_.step);
  try {
    const auto watched = std::make_shared<recording>(recording::purpose::warmup, /*host_tensors_allowed=*/true);
    if (spec_.host_values) {
      watched->take_host_reads(placeholders::none);
    }
    watched->add(std::make_shared<comparison_watch>(before, arguments_, spec_.step));
    run(inputs, details, body, watched);
  } catch (const std::exception& error) {
    thrown_ = error.what();
  } catch (...) {
    thrown_ = "an exception that is not a std::exception";
  }
  for (const auto& each : gradients.gradients()) {
    if (gradients.is_replaced(each)) {
      gradients_after_.push_back({gradients.leaf(each), gradients.leaf(each).grad()});
    }
  }
  random_ = random_state(device_);
  for (auto& each : outside_) {
    each.after = each.before.changed ? copy_of(each.before.tensor) : at::Tensor();
  }
}

void verification::run(const Inputs& inputs, const call_details& details, c10::function_ref<tensor_list(tensor_list&)> body,
                       const std::shared_ptr<recording>& watched) {
  const no_cached_casts forget;
  const unseen_by_the_caller hidden(outside_, spec_.step);
  const running_scope running;
  for (std::size_t i = 0; i < inputs.tensors().size(); ++i) {
    const at::Tensor& argument = inputs.tensors()[i];
    if (const std::size_t first = first_of_same(sample_, inputs, i); first != i) {
      leaves_.push_back(leaves_[first]);
      arguments_.push_back(arguments_[first]);
      continue;
    }
    const auto copied = [&] { return argument.device() == device_ ? copy_of(argument) : argument.detach().to(device_); };
    leaves_.push_back(argument.defined() ? copied().set_requires_grad(argument.requires_grad()) : argument);
    const c10::AutoGradMode with_history(true);
    arguments_.push_back(argument.defined() && !argument.is_leaf() ? leaves_[i].clone() : leaves_[i]);
  }
  tensor_list all = arguments_;
  for (const auto& live : details.live) {
    all.push_back(live.value.tensor(device_));
  }
  for (const auto& tensor : all) {
    if (tensor.defined()) {
      watched->tensors()->add_input(tensor, "", /*writable=*/true);
    }
  }
  const recording_scope scope(watched);
  results_ = body(all);
  has_host_parts_ = !watched->host_parts().all().empty();
  has_choices_ = watched->has_choices();
}

std::optional<difference> verification::compare_forward(const Inputs& inputs, const tensor_list& results) const {
  if (thrown_) {
    return difference{"exception", "the original function throws: " + *thrown_};
  }
  if (results.size() != results_.size()) {
    return difference{"results", "the original function returns " + std::to_string(results_.size()) + " tensors, the graphed one " +
                                     std::to_string(results.size())};
  }
  std::optional<difference> found;
  const auto compare = [&](const std::string& what, const at::Tensor& plain, const at::Tensor& graphed) {
    const bool is_on_host = plain.defined() && graphed.defined() && graphed.is_cpu() && !device_.is_cpu();
    const bool may_be_rounded = is_padded_ || (spec_.step && has_choices_);
    found = found ? found : find_difference(what, is_on_host ? plain.cpu() : plain, graphed, may_be_rounded);
  };
  for (std::size_t i = 0; i < results.size(); ++i) {
    compare("result " + std::to_string(i), results_[i], results[i]);
  }
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    compare(std::string("argument '") + sample_.tensors[i].name + "'", arguments_[i], inputs.tensors()[i]);
  }
  for (const auto& each : outside_) {
    if (each.before.changed) {
      compare("a tensor from outside that it writes, of shape " + text(each.after.sizes()), each.after, each.before.tensor);
    }
  }
  for (const auto& each : gradients_after_) {
    compare("the .grad of a tensor of shape " + text(each.of.sizes()), each.copy, each.of.grad());
  }
  if (const at::Tensor random_now = random_state(device_); !draws_->of_others() && random_.defined() && random_now.defined()) {
    compare("the random state", random_, random_now);
  }
  if (found && has_host_parts_) {
    found->message += "; its host parts have run twice for the comparison: what they count or draw has changed";
  }
  return found;
}

// Numbers of its own that came between those of other threads are others in the second run.
bool verification::end_of_draws() {
  const bool are_the_same = !draws_->of_run() || !draws_->of_others();
  draws_.reset();
  return are_the_same;
}

void verification::check_forward(const capture_site& site, const Inputs& inputs, const tensor_list& results) {
  const auto found = compare_forward(inputs, results);
  if (end_of_draws()) {
    report(site, "", found);
  } else {
    end();
  }
}

void verification::end() {
  results_.clear();  // with them, the leaves' accumulators are the node's alone
  is_over_ = true;
}

void verification::begin_backward() {
  if (!is_over_) {
    draws_.emplace(device_);
    random_ = random_state(device_);
  }
}

void verification::check_backward(const capture_site& site, const captured_callable& callable, const tensor_list& incoming,
                                  const tensor_list& gradients) {
  if (is_over_) {
    return;
  }
  const auto found = thrown_ ? std::nullopt : compare_backward(callable, incoming, gradients);
  if (end_of_draws()) {
    report(site, "in the backward, ", found);
  }
}

std::optional<difference> verification::compare_backward(const captured_callable& callable, const tensor_list& incoming,
                                                         const tensor_list& gradients) {
  const unseen_by_the_caller hidden(outside_, spec_.step);
  const bool is_last = !torch::autograd::get_current_graph_task_keep_graph();
  const at::Tensor random_now = random_state(device_);
  draws_->set_back(random_);
  torch::autograd::edge_list from, to;
  tensor_list given;
  std::vector<std::size_t> compared;  // a target that was frozen since the forward has no edge
  for (std::size_t i = 0; i < incoming.size(); ++i) {
    if (incoming[i].defined()) {
      const node_output& root = callable.outputs[i];
      const at::Tensor& result = root.is_input ? arguments_[root.index] : results_[root.index];
      if (result.requires_grad()) {  // a graph's does where it does in the body that has not run
        from.push_back(edge_to(result));
        given.push_back(incoming[i].detach());
      }
    }
  }
  const auto& targets = callable.targets;
  const auto closed_over = [&](const gradient_target& target) { return callable.closed_over.members()[target.index].tensor; };
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const at::Tensor of = targets[i].is_input ? leaves_[targets[i].index] : closed_over(targets[i]);
    if (of.requires_grad()) {
      to.push_back(edge_to(of));
      compared.push_back(i);
    }
  }
  tensor_list plain(to.size());
  if (!from.empty() && !to.empty()) {
    plain = torch::autograd::Engine::get_default_engine().execute(from, given, /*keep_graph=*/true, /*create_graph=*/false,
                                                                  /*accumulate_grad=*/false, to);
  }
  for (std::size_t i = 0; i < plain.size() && callable.has_branches; ++i) {
    const at::Tensor& ours = gradients[compared[i]];
    plain[i] = plain[i].defined() || !ours.defined() ? plain[i] : at::zeros_like(ours);
  }
  const at::Tensor random_of_plain = random_state(device_);
  const bool are_known = random_of_plain.defined() && random_now.defined();
  auto found = draws_->of_others() || !are_known ? std::nullopt : find_difference("the random state", random_of_plain, random_now);
  draws_->set_back(random_now);
  if (is_last) {
    end();
  }
  for (std::size_t i = 0; i < compared.size() && !found; ++i) {
    const gradient_target& target = targets[compared[i]];
    const std::string of = target.is_input ? std::string("argument '") + sample_.tensors[target.index].name + "'"
                                           : "a closed-over tensor of shape " + text(closed_over(target).sizes());
    found = find_difference("the gradient of " + of, plain[i], gradients[compared[i]], is_padded_ || callable.has_branches);
  }
  return found;
}

}  // namespace graphed::impl
