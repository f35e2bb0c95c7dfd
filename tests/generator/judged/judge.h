// SPDX-License-Identifier: Apache-2.0
//
// Calls a program through its graphed callable, on the tape, and plainly, and says whether a caller could tell one from the other.
#pragma once

#include "program.h"
#include "world.h"

#include <graphed/callable.h>
#include <graphed/impl/packed.h>
#include <graphed/results.h>
#include <graphed/scalar.h>
#include <graphed/stats.h>

#include <exception>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace judged {

constexpr int kCalls = 12;  // two values of a key: the warm-ups, the capture and replays of each

/// The arguments of one run, the same in each.
class Arguments {
 public:
  Arguments(int call, bool grad) : call_(call), grad_(grad) {}

  template <class T>
  T make() {
    if constexpr (std::is_same_v<T, Tensor>) {
      return add(tensor());
    } else if constexpr (std::is_same_v<T, Tensors>) {
      return {add(tensor()), add(tensor())};
    } else if constexpr (std::is_same_v<T, graphed::Scalar>) {
      return graphed::Scalar(0.5 * call_);
    } else {
      return static_cast<T>(call_ % 2);
    }
  }
  const Tensors& tensors() const { return tensors_; }

 private:
  Tensor tensor() const;
  Tensor add(Tensor made) {
    tensors_.push_back(made);
    return made;
  }

  int call_;
  bool grad_;
  Tensors tensors_;
};

/// What a caller sees of one run, a line for each thing.
class Sight {
 public:
  void see(const std::string& label, const Tensor& tensor);
  void see(const std::string& label, const Tensors& tensors);
  void see(const std::string& label, const std::string& text) { lines_.push_back({label, text}); }
  /// The first thing that is another one there, or nothing.
  std::string first_difference(const Sight& other) const;

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
};

struct Verdict {
  std::string explained;  ///< by the callable, whose first line names it
  graphed::Statistics stats;
  std::string difference;
  const char* harmless_on_a_tape;
  const char* not_found;
};

/// One line for judged.py.
void tell(const Verdict& verdict);
void go_back(const Tensors& results);

template <class Class, class Call>
Sight observed(Class& object, const Call& call) {
  World world;
  Sight sight;
  Tensors former;
  for (int i = 0; i < kCalls; ++i) {
    world.before_call(i);
    object.between(i);
    Arguments arguments(i, Class::grad);
    try {
      const Tensors results = call(arguments);
      sight.see("result", results);
      go_back(results);
      for (const Tensor& result : results) {
        sight.see("retained gradient", result.defined() && result.retains_grad() ? result.grad() : Tensor());
      }
    } catch (const std::exception& error) {
      sight.see("exception", first_line(error));
    }
    sight.see("argument", arguments.tensors());
    for (const Tensor& tensor : arguments.tensors()) {
      sight.see("gradient", tensor.is_leaf() ? tensor.grad() : Tensor());
    }
    sight.see("state", object.state());
    sight.see("state of the call before", former);
    former = object.state();
    sight.see("world", world.after_call());
  }
  return sight;
}

template <auto Method>
struct Judge;

template <class Class, class Result, class... Types, Result (Class::*Method)(Types...)>
struct Judge<Method> {
  static void judge() {
    const auto plain = std::make_shared<Class>();
    const Sight expected = observed(*plain, [&](Arguments& arguments) {
      return with(arguments, [&](Types... each) -> Result { return ((*plain).*Method)(static_cast<Types>(each)...); });
    });
    const auto object = std::make_shared<Class>();
    graphed::callable<Method> fast = [&] {
      if constexpr (std::is_base_of_v<torch::nn::Module, Class>) {
        return graphed::callable<Method>(object);
      } else {
        return graphed::callable<Method>(*object);
      }
    }();
    const Sight got = observed(*object, [&](Arguments& arguments) {
      return with(arguments, [&](Types... each) -> Result { return fast(static_cast<Types>(each)...); });
    });
    tell({fast.explain(), fast.stats(), expected.first_difference(got), Class::harmless_on_a_tape, Class::not_found});
  }

 private:
  template <class Call>
  static Tensors with(Arguments& arguments, const Call& call) {
    std::tuple<std::decay_t<Types>...> made{arguments.make<std::decay_t<Types>>()...};
    const graphed::tensor_list results =
        graphed::impl::packed([&] { return std::apply([&](auto&... each) -> Result { return call(each...); }, made); });
    return {results.begin(), results.end()};
  }
};

/// Of one file.
template <auto... Methods>
void judge() {
  (Judge<Methods>::judge(), ...);
}

}  // namespace judged
