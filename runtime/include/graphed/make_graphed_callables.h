// SPDX-License-Identifier: Apache-2.0
//
// Graphed callables that sample arguments describe, at run time, and that are captured before the first call.
//
//   auto graphed = graphed::make_graphed_callables({encoder, decoder}, {{x}, {code}});
//   torch::Tensor y = graphed[1](graphed[0](x)[0])[0];
//   y.sum().backward();
//
// Python: torch.cuda.make_graphed_callables, and TransformerEngine's, for `order`. Differences: a call that does not match runs the
// original function, with a warning. Results stay valid, and several calls may be in flight. Train and eval, grad and autocast modes are
// captured each. Unused inputs are always allowed (`allow_unused_input`). Buffers may require grad, and parameters may be replaced. Modules
// are not changed. Writes, random draws and gradients of the warm-ups and captures are undone. Warm-ups run the forward only. Callables
// share memory only if you give a pool: see GraphedOptions::pool. C++ modules have no hooks. A callable that writes its arguments cannot be
// captured. On a CPU the operators are recorded onto a tape.
#pragma once

#include <graphed/export.h>
#include <graphed/impl/packed.h>
#include <graphed/output_policy.h>
#include <graphed/pool.h>
#include <graphed/results.h>
#include <graphed/stats.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace torch::nn {
class Module;
}

namespace graphed {

class OriginalCallable;

namespace impl {
/// Whether a OriginalCallable is made of it as a function. Asking a module holder whether it can be called may be a compile error.
template <class F, class = void>
struct is_function : std::conjunction<std::negation<std::is_same<std::decay_t<F>, OriginalCallable>>,
                                      std::is_constructible<std::function<tensor_list(const tensor_list&)>, F>> {};
template <class F>
struct is_function<F, std::void_t<typename std::decay_t<F>::ContainedType>> : std::false_type {};
}  // namespace impl

/// What is to be graphed: a function from tensors to tensors and, where it is a module's, the module, which is kept.
class OriginalCallable {
 public:
  using Function = std::function<tensor_list(const tensor_list&)>;

  /// `module`: whose parameters, buffers and train/eval state are watched. With a torch::nn::Sequential or AnyModule, whose forward is a
  /// template, give a lambda that calls it, and the module.
  template <class F, class = std::enable_if_t<impl::is_function<F>::value>>
  OriginalCallable(F&& function, std::shared_ptr<const torch::nn::Module> module = nullptr)
      : function_(std::forward<F>(function)), module_(std::move(module)) {}
  /// A module whose forward is neither a template nor overloaded, takes tensors and returns what graphed::pack takes.
  template <class Module, class = decltype(&Module::forward), class = std::enable_if_t<std::is_base_of_v<torch::nn::Module, Module>>>
  OriginalCallable(const std::shared_ptr<Module>& module) : OriginalCallable(forward_of(module, &Module::forward), module) {}
  /// The same of a module holder (TORCH_MODULE).
  template <class Holder, class Module = typename Holder::ContainedType, class = decltype(&Module::forward)>
  OriginalCallable(const Holder& holder) : OriginalCallable(holder.ptr()) {}

  tensor_list operator()(const tensor_list& arguments) const { return function_(arguments); }
  const torch::nn::Module* module() const { return module_.get(); }

 private:
  template <class Module, class Base, class Result, class... Arguments>
  static Function forward_of(const std::shared_ptr<Module>& module, Result (Base::*forward)(Arguments...)) {
    static_assert((std::is_same_v<std::decay_t<Arguments>, at::Tensor> && ...), "forward takes something else than tensors");
    return [module, forward](const tensor_list& arguments) {
      check_count(arguments.size(), sizeof...(Arguments));
      return call_forward(*module, forward, arguments, std::index_sequence_for<Arguments...>());
    };
  }
  template <class Module, class Forward, std::size_t... I>
  static tensor_list call_forward(Module& module, Forward forward, tensor_list arguments, std::index_sequence<I...>) {
    return impl::packed([&] { return (module.*forward)(std::move(arguments[I])...); });
  }
  GRAPHED_API static void check_count(std::size_t got, std::size_t expected);

  Function function_;
  std::shared_ptr<const torch::nn::Module> module_;
};

struct GraphedOptions {
  int warmup = 3;                             ///< runs of each callable before its capture, at least one; Python's num_warmup_iters
  OutputPolicy outputs = OutputPolicy::Keep;  ///< not OutputPolicy::Host
  bool strict = false;                        ///< a call that does not match throws GuardError
  /// Calls of each callable that have their own capture, and so forwards that may come before their backwards: one more runs the original
  /// function. `order`, if given, decides instead.
  int slots = 1;
  /// The order of the captures: n for the forward of the n-th callable, counted from 1, -n for the backward of its oldest forward without
  /// one. Each forward needs a backward. Empty: all forwards, then all backwards from the last callable to the first, `slots` times each. A
  /// callable gets as many slots as it has forwards without a backward at any place: [1,2,1,2,-2,-1,1,2,-2,-1,-2,-1] gives two.
  /// TransformerEngine's _order, of chunks of one layer.
  std::vector<int> order{};
  /// All captures share this memory. Calls should then come in the order of the captures: one that would overwrite what another call still
  /// needs runs the original function. One slot a callable is allowed, and OutputPolicy::Keep acts as Clone. None: each slot has its own
  /// memory, and calls may come in any order.
  PoolHandle pool{};
  /// A backward graph writes leaves' `.grad` itself, or adds to it: docs/explanation/same-results.md#gradients-that-add-up-in-the-graph.
  bool grads_in_graph = false;
  /// Of messages and statistics: several callables are called name[0], name[1] and so on.
  std::string name = "graphed";
};

/// A copy is the same callable. Each member throws Error where the callable was moved from. Thread safety: any thread may call, as far as
/// the original function allows.
class GRAPHED_API GraphedCallable {
 public:
  /// The flattened results, in the original function's order; graphed::unpack makes a tuple of them. Calls with tensors of the sample
  /// arguments' dtypes and shapes, on the device of the captures, are replays; others run the original function.
  tensor_list operator()(const tensor_list& arguments) const;
  template <class... Tensors, class = std::enable_if_t<(std::is_convertible_v<const Tensors&, at::Tensor> && ...)>>
  tensor_list operator()(const at::Tensor& first, const Tensors&... more) const {
    return (*this)(tensor_list{first, more...});
  }

  Statistics stats() const;
  /// Some lines for people, in no format that lasts: docs/reference/report.md. Neither waits nor uses the device. Any thread, at any time.
  std::string explain() const;
  /// Drops every capture: later calls warm up and capture again. Calls in flight keep theirs until their backward ran. The counts start
  /// again, except `bytes_held`.
  void reset();

 private:
  friend GRAPHED_API std::vector<GraphedCallable> make_graphed_callables(std::vector<OriginalCallable>, const std::vector<tensor_list>&,
                                                                         const GraphedOptions&);
  struct state;
  explicit GraphedCallable(std::shared_ptr<state> state);
  state& require_state() const;
  std::shared_ptr<state> state_;
};

/// Captures every callable for its sample arguments, in the current modes, and its backward for dense gradients of all results. Other
/// backwards, as those of sum(), are captured when they first come. The samples are not written. Their dtypes, shapes, requires_grad and
/// channels_last count, and which of those with a gradient are one tensor. They must be defined, dense, and on one device. Either all are
/// captured or nothing stays behind. Throws graphed::Error for invalid samples, order or pool. Throws GuardError and CaptureError, which
/// name the callable, and the operator if one failed. Exceptions of a callable in a warm-up pass through. If graphs are disabled, nothing
/// is captured.
GRAPHED_API std::vector<GraphedCallable> make_graphed_callables(std::vector<OriginalCallable> callables,
                                                                const std::vector<tensor_list>& sample_arguments,
                                                                const GraphedOptions& options = {});
/// The same of one callable, which has the name as it is.
GRAPHED_API GraphedCallable make_graphed_callable(OriginalCallable callable, const tensor_list& sample_arguments,
                                                  const GraphedOptions& options = {});

}  // namespace graphed
