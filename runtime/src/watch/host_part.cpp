// SPDX-License-Identifier: Apache-2.0
#include "watch/host_part.h"

#include "report/text.h"
#include "torch/bytes.h"
#include "torch/modes.h"
#include "watch/live_source.h"
#include "watch/recorder.h"

#include <graphed/error.h>
#include <graphed/host.h>

#include <ATen/Context.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/scalar_tensor.h>
#include <torch/custom_class.h>
#include <torch/library.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace graphed::impl {
namespace {

// Work that takes over the state of the callable's thread may outlive the run.
std::vector<at::Tensor> run_part(const c10::intrusive_ptr<host_part>& part) {
  const auto seen = own_recording();
  if (seen == nullptr) {
    if (const auto outlived = active_recording(); outlived != nullptr && outlived->is_capture()) {
      outlived->refuse("a host part runs on another thread than the callable: run it on the callable's own");
    }
    return part->run();
  }
  const std::shared_ptr<device_allocations> allocations = seen->tensors()->allocations();
  const device_allocations::pause not_of_the_graph(*allocations);
  return seen->host_parts().pass(part);
}

// Below autograd, which has nothing to do with it.
std::vector<at::Tensor> call_operator(const c10::intrusive_ptr<host_part>& part) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("graphed::host_part", "")
                             .typed<std::vector<at::Tensor>(const c10::intrusive_ptr<host_part>&)>();
  return op.call(part);
}

/// While it lives, leaves have these gradients.
class shown_gradients {
 public:
  explicit shown_gradients(const gradients_by_leaf& shown) : shown_(shown) {
    for (const auto& [leaf, gradient] : shown) {
      after_.push_back(leaf.grad());
      leaf.mutable_grad() = gradient;
    }
  }
  ~shown_gradients() {
    for (std::size_t i = 0; i < after_.size(); ++i) {
      shown_[i].first.mutable_grad() = after_[i];
    }
  }
  shown_gradients& operator=(shown_gradients&&) = delete;

  /// Leaves keep copies: the next replay overwrites the gradients.
  void leave_copies() {
    for (std::size_t i = 0; i < after_.size(); ++i) {
      const at::Tensor& gradient = shown_[i].second;
      after_[i] = gradient.defined() ? gradient.clone() : gradient;
    }
  }

 private:
  const gradients_by_leaf& shown_;
  std::vector<at::Tensor> after_;
};

// Nothing else holds their memory.
void make_own(std::vector<at::Tensor>& results) {
  for (auto& result : results) {
    if (!result.defined() || result.layout() != at::kStrided) {
      throw Error(std::string("graphed::host: it returned a tensor that is ") + (result.defined() ? "not strided" : "undefined"));
    }
    const bool is_its_own = result.use_count() == 1 && result.storage().use_count() == 1 && result.storage().resizable();
    result = is_its_own ? result.detach() : result.detach().clone();
    result = result.resolve_conj().resolve_neg();  // a layout has no such bits
  }
}

}  // namespace

std::vector<at::Tensor> host_part::run() const {
  const unrecorded_scope not_of_the_graph;
  const hidden_recording unseen;
  const host_modes modes;
  shown_gradients gradients(gradients_);
  try {
    std::vector<at::Tensor> results = std::function(run_)();  // a mutable lambda begins again, as in an eager call
    make_own(results);
    replay_of_sources::look_again();
    return results;
  } catch (...) {
    gradients.leave_copies();
    throw;
  }
}

host_result::host_result(const at::Tensor& tensor)
    : sizes(tensor.sizes().vec()), strides(tensor.strides().vec()), dtype(tensor.scalar_type()), device(tensor.device()) {}

bool host_result::operator==(const host_result& other) const {
  return sizes == other.sizes && strides == other.strides && dtype == other.dtype && device == other.device;
}

std::string host_result::words() const { return annotated(dtype) + text(c10::IntArrayRef(sizes)) + " on " + device.str(); }

host_results results_of(const std::vector<at::Tensor>& tensors) { return {tensors.begin(), tensors.end()}; }

void check_results(const std::vector<at::Tensor>& now, const std::vector<at::Tensor>& at_capture) {
  if (now.size() != at_capture.size()) {
    throw changed_host_results("a host part returned " + counted(now.size(), "tensor") + ", and " + std::to_string(at_capture.size()) +
                               " at the capture");
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    host_result is(now[i]), was(at_capture[i]);
    if (now[i].dim() == 0 && now[i].is_cpu()) {
      is.device = was.device;
    }
    if (is != was) {
      throw changed_host_results("result " + std::to_string(i) + " of a host part is " + is.words() + ", and was " + was.words() +
                                 " at the capture");
    }
  }
}

void between_pieces::run() const {
  const std::vector<at::Tensor> now = part->run();
  check_results(now, results);
  const below_autograd_and_autocast values_alone;
  for (std::size_t i = 0; i < now.size(); ++i) {
    results[i].copy_(now[i]);
  }
}

void host_parts_of_run::guard(c10::ArrayRef<at::Tensor> arguments, c10::Device device) {
  device_ = device;
  std::copy_if(arguments.begin(), arguments.end(), std::back_inserter(arguments_), [](const at::Tensor& each) { return each.defined(); });
}

host_parts_of_run::argument_states host_parts_of_run::states() const {
  const unrecorded_scope not_of_the_graph;
  const hidden_recording unseen;
  argument_states all;
  for (const at::Tensor& each : arguments_) {
    const bool has_version = !each.is_inference(), shows_writes = has_version && !each.is_cpu();
    const bool has_bytes = each.layout() == at::kStrided && !each.is_quantized();
    all.push_back({has_version ? each._version() : 0, has_bytes && !shows_writes ? bytes_of(each).clone() : at::Tensor()});
  }
  return all;
}

bool host_parts_of_run::writes_argument(const argument_states& before) const {
  const unrecorded_scope not_of_the_graph;
  const hidden_recording unseen;
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const at::Tensor& now = arguments_[i];
    const bool is_other = (!now.is_inference() && now._version() != before[i].version) ||
                          (before[i].bytes.defined() && !before[i].bytes.equal(bytes_of(now)));
    if (is_other) {
      return true;
    }
  }
  return false;
}

uint64_t host_parts_of_run::drawn() const { return device_.is_cuda() ? at::globalContext().defaultGenerator(device_).get_offset() : 0; }

void host_parts_of_run::end_pieces_of(piecewise_capture& capture, c10::Device device) {
  capture_ = &capture;
  device_ = device;
}

void host_parts_of_run::skip(c10::Device device) {
  skips_ = true;
  device_ = device;
}

// A callable that catches what this throws goes on, as no replay can.
std::vector<at::Tensor> host_parts_of_run::pass(const c10::intrusive_ptr<host_part>& part) {
  try {
    auto results = results_of(part);
    parts_.push_back(part);
    if (const auto seen = active_recording(); seen != nullptr && seen->is_capture()) {
      part->show_gradients(seen->tensors()->made_gradients());
    }
    return results;
  } catch (const CaptureError& refusal) {
    objection_ = refusal.what();
    throw;
  } catch (...) {
    objection_ = "a host part throws, and the callable catches it, which a replay cannot do: catch it within the host part";
    throw;
  }
}

std::vector<at::Tensor> host_parts_of_run::results_of(const c10::intrusive_ptr<host_part>& part) {
  if (!refusal_.empty()) {
    is_refused_ = true;
    throw CaptureError(refusal_);
  }
  if (capture_ != nullptr) {
    return end_piece(part);
  }
  if (skips_) {
    auto zeros = expect_next(*part);
    std::for_each(zeros.begin(), zeros.end(), [](at::Tensor& each) { each.zero_(); });
    return zeros;
  }
  const argument_states before = states();
  const uint64_t drawn_before = drawn();
  const auto seen = active_recording();
  const gradients_by_leaf gradients = seen != nullptr ? seen->tensors()->gradients_of_leaves() : gradients_by_leaf();
  auto results = run(*part);
  if (const at::Tensor leaf = first_changed(gradients); leaf.defined()) {
    objection_ = "a host part gives a tensor of shape " + text(leaf.sizes()) +
                 " another .grad, or none: write the values of the .grad, as zero_grad(/*set_to_none=*/false) does, or do it outside of "
                 "the host part";
  } else if (writes_argument(before)) {
    objection_ =
        "a host part writes an argument of the callable: return a tensor from it instead, and copy that into the argument after it";
  } else if (drawn() != drawn_before) {
    objection_ = "a host part draws from the GPU's random generator: draw in the callable, before it";
  }
  passed_.push_back(impl::results_of(results));
  return results;
}

std::vector<at::Tensor> host_parts_of_run::run(const host_part& part) {
  const host_part_turn turn = turns_.next(part);
  try {
    return part.run();
  } catch (...) {
    thrown_.emplace(turn, std::current_exception());
    throw;
  }
}

std::vector<at::Tensor> host_parts_of_run::expect_next(const host_part& part) {
  const std::size_t number = passed_.size();
  if (part.has_results() && number >= expected_.size()) {
    lacks_results_ = true;
    throw CaptureError(
        "no warm-up has shown what this host part returns: let it write into a tensor that was made before it, and return nothing");
  }
  const host_results shown = part.has_results() ? expected_[number] : host_results();
  std::vector<at::Tensor> room;
  for (const host_result& each : shown) {
    const bool is_number = each.sizes.empty() && each.device.is_cpu();
    if (!is_number && each.device != device_) {
      throw CaptureError("a host part returns " + each.words() + ", and the graph is on " + device_.str() +
                         ": move it there within the host part");
    }
    room.push_back(at::empty_strided(each.sizes, each.strides, at::TensorOptions(each.dtype).device(device_)));
  }
  passed_.push_back(shown);
  return room;
}

std::vector<at::Tensor> host_parts_of_run::end_piece(const c10::intrusive_ptr<host_part>& part) {
  const std::vector<at::Tensor> filled = expect_next(*part);
  capture_->end_piece({part, filled});
  std::vector<at::Tensor> results;
  std::transform(filled.begin(), filled.end(), std::back_inserter(results), [](const at::Tensor& each) { return each.clone(); });
  capture_->begin_operators();
  return results;
}

static thread_local exceptions_again* current_exceptions = nullptr;

exceptions_again::exceptions_again(thrown_by_host_parts thrown)
    : outer_(std::exchange(current_exceptions, this)), thrown_(std::move(thrown)) {}
exceptions_again::~exceptions_again() { current_exceptions = outer_; }

void exceptions_again::come_to(const host_part& part) {
  if (const auto found = thrown_.find(turns_.next(part)); found != thrown_.end()) {
    std::rethrow_exception(found->second);
  }
}

static thread_local host_results_watch* results_watch = nullptr;

host_results_watch::host_results_watch() : outer_(std::exchange(results_watch, this)) {}
host_results_watch::~host_results_watch() { results_watch = outer_; }

std::vector<at::Tensor> run_unrecorded(const host_part& part) {
  host_results_watch* const watch = results_watch;
  if (watch == nullptr) {
    return part.run();
  }
  const host_results_watch of_what_it_calls;
  auto results = part.run();
  watch->passed_.push_back(results_of(results));
  return results;
}

tensor_list run_host_part(std::function<tensor_list()> part, bool has_results) {
  const auto made = c10::make_intrusive<host_part>(std::move(part), has_results);
  if (current_exceptions != nullptr) {
    current_exceptions->come_to(*made);
  }
  return active_recording() == nullptr ? run_unrecorded(*made) : call_operator(made);
}

Scalar run_host_part(std::function<c10::Scalar()> part) {
  const bool is_for_a_graph = inside_capture();
  const auto as_tensor = [part = std::move(part)] {
    const c10::Scalar value = part();
    return tensor_list{at::scalar_tensor(value, at::TensorOptions(value.type()))};
  };
  const at::Tensor number = run_host_part(as_tensor, /*has_results=*/true).front();
  if (is_for_a_graph) {
    return Scalar::over(number);
  }
  const unrecorded_scope not_of_the_graph;
  const auto value = number.item();
  return value.isBoolean() ? Scalar(value.toBool()) : value.isFloatingPoint() ? Scalar(value.toDouble()) : Scalar(value.toLong());
}

}  // namespace graphed::impl

TORCH_LIBRARY_FRAGMENT(graphed, m) {
  m.class_<graphed::impl::host_part>("HostPart");
  m.def("host_part(__torch__.torch.classes.graphed.HostPart part) -> Tensor[]");
}

TORCH_LIBRARY_IMPL(graphed, CompositeExplicitAutograd, m) { m.impl("host_part", &graphed::impl::run_part); }
