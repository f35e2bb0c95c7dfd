// SPDX-License-Identifier: Apache-2.0
//
// Calls a program eagerly, and through its graphed callable on the tape, and says whether a caller could distinguish them.
#pragma once

#include "program.h"

#include <graphed/callable.h>
#include <graphed/results.h>
#include <graphed/scalar.h>
#include <graphed/stats.h>

#include <memory>
#include <string>
#include <tuple>
#include <type_traits>

namespace judged {

constexpr int kCalls = 7;  // the warm-ups, the capture and replays

/// The arguments of one call, the same in both runs.
class Arguments {
 public:
  explicit Arguments(int call, bool grad = false) : call_(call), grad_(grad) {}

  int call() const { return call_; }
  Tensor normal(at::IntArrayRef sizes);
  Tensor wanting_grad(at::IntArrayRef sizes) { return normal(sizes).requires_grad_(); }
  /// Between 0 and 1.
  Tensor uniform(at::IntArrayRef sizes);
  /// Integers from 0 on.
  Tensor below(int64_t end, at::IntArrayRef sizes);
  Tensor mask(at::IntArrayRef sizes) { return kept(below(2, sizes).to(torch::kBool)); }
  Tensor bytes(at::IntArrayRef sizes) { return kept(below(256, sizes).to(torch::kByte)); }

  /// Of a method of a `Program`.
  template <class T>
  T make() {
    if constexpr (std::is_same_v<T, Tensor>) {
      return normal({4}).set_requires_grad(grad_);
    } else if constexpr (std::is_same_v<T, Tensors>) {
      return {normal({4}), normal({4})};
    } else if constexpr (std::is_same_v<T, graphed::Scalar>) {
      return graphed::Scalar(0.5 * call_);
    } else {
      return static_cast<T>(call_ % 2);
    }
  }
  const Tensors& tensors() const { return tensors_; }

 private:
  at::Generator generator() const;
  Tensor kept(Tensor made);

  int call_;
  bool grad_;
  Tensors tensors_;
};

/// Why graphgen and the tape may say different things: program.h.
struct Reasons {
  std::string harmless_on_a_tape, not_found;
};

/// A function that makes one call of a program and returns its tensors. What it refers to outlives it.
class Call {
 public:
  template <class Function>
  explicit Call(const Function& function)
      : function_(&function), run_([](const void* of, Arguments& arguments) { return (*static_cast<const Function*>(of))(arguments); }) {}
  Tensors operator()(Arguments& arguments) const { return run_(function_, arguments); }

 private:
  const void* function_;
  Tensors (*run_)(const void*, Arguments&);
};

/// One of the two runs: `object` is what the method belongs to, as the caller sees it.
struct Run {
  Program& object;
  Call call;
};

/// What is seen of both runs.
struct Runs {
  std::string difference;
  graphed::Statistics stats;
  std::string explained;  ///< by the graphed callable
};

/// The same begin for the object of each run.
void seed();
/// The first thing that is another one, of results, gradients, arguments, the object and the world, in each call; or nothing.
std::string first_difference(const Run& plain, const Run& graphed, int calls, bool grad = false);
/// One line for `judged.py`.
void tell(const Runs& runs, const Reasons& reasons);

/// Of a module, its parameters and buffers can be seen.
struct Seen : Program {
  explicit Seen(torch::nn::Module& module) : module(module) {}
  Tensors state() const override;
  torch::nn::Module& module;
};

/// Of a result; a struct of the program's has one of its own.
template <class Result>
Tensors tensors_of(const Result& result) {
  const graphed::tensor_list all = graphed::pack(result);
  return {all.begin(), all.end()};
}

/// `given` makes the arguments, a tuple.
template <class Function, class Given>
auto with(const Function& function, const Given& given) {
  return [&](Arguments& arguments) {
    auto made = given(arguments);
    if constexpr (std::is_void_v<decltype(std::apply(function, made))>) {
      std::apply(function, made);
      return Tensors();
    } else {
      return tensors_of(std::apply(function, made));
    }
  };
}

template <auto Callable>
struct Judge;

template <class Result, class... Types, Result (*Function)(Types...)>
struct Judge<Function> {
  template <class Given>
  static void judge(const Given& given, const Reasons& reasons) {
    graphed::callable<Function> fast;
    const auto graphed = [&](auto&... each) -> Result { return fast(each...); };
    const auto call = with(Function, given);
    const auto call_graphed = with(graphed, given);
    Program nothing;
    tell({first_difference({nothing, Call(call)}, {nothing, Call(call_graphed)}, kCalls), fast.stats(), fast.explain()}, reasons);
  }
};

template <class Class, class Result, class... Types, Result (Class::*Method)(Types...)>
struct Judge<Method> {
  /// The object is made of `made`.
  template <class Given, class... Made>
  static void judge(const Given& given, const Reasons& reasons, const Made&... made) {
    seed();
    if constexpr (is_module) {
      const auto plain = std::make_shared<Class>(made...);
      seed();
      const auto object = std::make_shared<Class>(made...);
      graphed::callable<Method> fast(object);
      judge(*plain, *object, fast, given, reasons);
    } else {
      Class plain(made...);
      seed();
      Class object(made...);
      graphed::callable<Method> fast(object);
      judge(plain, object, fast, given, reasons);
    }
  }
  static void judge() {
    judge([](Arguments& arguments) { return std::tuple<std::decay_t<Types>...>{arguments.make<std::decay_t<Types>>()...}; },
          {Class::harmless_on_a_tape, Class::not_found});
  }

 private:
  static constexpr bool is_module = std::is_base_of_v<torch::nn::Module, Class>;

  template <class Given>
  static void judge(Class& plain, Class& object, graphed::callable<Method>& fast, const Given& given, const Reasons& reasons) {
    const auto by_method = [&](auto&... each) -> Result { return (plain.*Method)(each...); };
    const auto graphed = [&](auto&... each) -> Result { return fast(each...); };
    const auto call = with(by_method, given);
    const auto call_graphed = with(graphed, given);
    std::string difference;
    if constexpr (std::is_base_of_v<Program, Class>) {
      difference = first_difference({plain, Call(call)}, {object, Call(call_graphed)}, Class::number_of_calls, Class::grad);
    } else if constexpr (is_module) {
      Seen of_plain(plain), of_graphed(object);
      difference = first_difference({of_plain, Call(call)}, {of_graphed, Call(call_graphed)}, kCalls);
    } else {
      Program nothing;
      difference = first_difference({nothing, Call(call)}, {nothing, Call(call_graphed)}, kCalls);
    }
    tell({difference, fast.stats(), fast.explain()}, reasons);
  }
};

/// The methods of one file.
template <auto... Methods>
void judge() {
  (Judge<Methods>::judge(), ...);
}

}  // namespace judged
