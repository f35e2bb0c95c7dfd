// SPDX-License-Identifier: Apache-2.0
//
// graphed::future: the result of a call whose graph writes it into the memory of the host, `outputs = host` of an annotation.
//
//   graphed::future<torch::Tensor> action = fast.async(observation);  // the graph is launched
//   prepare_the_next();
//   send(action.get());                                               // waits for the graph
//
// Python: torch.cuda.make_graphed_callables has no counterpart; its results are on the device.
#pragma once

#include <graphed/error.h>
#include <graphed/impl/host_results.h>
#include <graphed/impl/packed.h>
#include <graphed/results.h>

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace graphed {

/// One call's result, which get() gives once. A future may outlive the callable, and other calls of it; a result that is never asked
/// for is dropped.
/// Thread safety: one thread at a time, any one.
template <class Result>
class future {
 public:
  /// As which it is held.
  using value_type = std::conditional_t<std::is_void_v<Result>, std::monostate, Result>;

  /// Of no call: not valid().
  future() = default;
  /// Of a result that is there, as generated code makes it.
  explicit future(value_type there) : there_(std::move(there)) {}
  /// Of a result of tensors.
  explicit future(impl::HostResults tensors) : tensors_(std::move(tensors)), finish_(&of_tensors) {}
  /// Of a result of this form, which `visit` visits, a function object that lives as long as the program.
  template <class Form, class Visit>
  future(impl::HostResults tensors, std::shared_ptr<const Form> form, const Visit& visit)
      : tensors_(std::move(tensors)), form_(std::move(form)), visit_(&visit), finish_(&of_form<Form, Visit>) {}

  /// The other one is then no longer valid().
  future(future&& other) noexcept
      : there_(std::exchange(other.there_, std::nullopt)),
        tensors_(std::exchange(other.tensors_, std::nullopt)),
        form_(std::move(other.form_)),
        visit_(other.visit_),
        finish_(other.finish_) {}
  future& operator=(future&& other) noexcept {
    there_ = std::exchange(other.there_, std::nullopt);
    tensors_ = std::exchange(other.tensors_, std::nullopt);
    form_ = std::move(other.form_);
    visit_ = other.visit_;
    finish_ = other.finish_;
    return *this;
  }

  /// Whether get() is still to come.
  bool valid() const { return there_ || tensors_; }
  /// Whether get() would not wait. Does not wait itself.
  bool ready() const { return there_ || (tensors_ && tensors_->are_there()); }
  /// Waits for the result: for some 50 microseconds it polls, then the thread sleeps. Once only, else it throws graphed::Error. Throws
  /// DeviceError where the device can no longer be used, as after an assertion in a kernel.
  Result get() {
    if (!valid()) {
      throw Error("graphed: future::get: the result was taken before");
    }
    if (tensors_) {
      auto tensors = *std::exchange(tensors_, std::nullopt);
      return finish_(form_.get(), visit_, tensors.take());
    }
    if constexpr (std::is_void_v<Result>) {
      there_.reset();
    } else {
      return *std::exchange(there_, std::nullopt);
    }
  }

 private:
  using finish = Result (*)(const void* form, const void* visit, tensor_list&& tensors);

  static Result of_tensors(const void* /*form*/, const void* /*visit*/, tensor_list&& tensors) {
    return unpack<Result>(std::move(tensors));
  }
  template <class Form, class Visit>
  static Result of_form(const void* form, const void* visit, tensor_list&& tensors) {
    return impl::unpack(*static_cast<const Form*>(form), *static_cast<const Visit*>(visit), tensors);
  }

  std::optional<value_type> there_;
  std::optional<impl::HostResults> tensors_;
  std::shared_ptr<const void> form_;
  const void* visit_ = nullptr;
  finish finish_ = nullptr;
};

namespace impl {

/// What `f` returns, in the memory of the host: of a call that no graph serves. `visit`: nothing, or what visits its tensors.
template <class F, class... Visit>
auto future_of(F&& f, const Visit&... visit) {
  using Result = decltype(f());
  if constexpr (std::is_void_v<Result>) {
    f();
    return future<void>(std::monostate());
  } else {
    return future<Result>(to_host(f(), visit...));
  }
}

}  // namespace impl

}  // namespace graphed
