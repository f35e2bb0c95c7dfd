// SPDX-License-Identifier: Apache-2.0
//
// An annotated callable in a program that runs twice: eager in one run, graphed in the other.
#pragma once

#include "support/device_test.h"

#include <graphed/callable.h>

#include <functional>
#include <type_traits>
#include <utility>

namespace programs {

using at::Tensor;
using graphed::testing::scenario;

namespace detail {

struct no_object {};
template <class Callable>
struct object_of {
  using type = no_object;
};
template <class Member, class Object>
struct object_of<Member Object::*> {
  using type = Object;
};

}  // namespace detail

template <auto Callable>
class program {
  using object = typename detail::object_of<decltype(Callable)>::type;

 public:
  explicit program(const scenario& run) : graphed_(run.graphed()) {}
  /// Of a method. `on` outlives the program.
  program(const scenario& run, object& on) : graphed_(run.graphed()), object_(&on), fast_(on) {}
  program(const program&) = delete;

  template <class... Arguments>
  decltype(auto) operator()(Arguments&&... arguments) {
    if (graphed_) {
      return fast_(std::forward<Arguments>(arguments)...);
    }
    if constexpr (std::is_same_v<object, detail::no_object>) {
      return Callable(std::forward<Arguments>(arguments)...);
    } else {
      return std::invoke(Callable, *object_, std::forward<Arguments>(arguments)...);
    }
  }

  /// Captures ahead, in the graphed run.
  template <class... Arguments>
  void prepare(Arguments&&... arguments) {
    if (graphed_) {
      fast_.prepare(std::forward<Arguments>(arguments)...);
    }
  }

  /// In the graphed run every call but the warm-ups was a replay, and none ran eagerly for another reason.
  void expect(uint64_t warmups, uint64_t replays, uint64_t captures = 1) const {
    if (graphed_) {
      EXPECT_EQ(stats().warmups, warmups) << fast_.explain();
      EXPECT_EQ(stats().replays, replays) << fast_.explain();
      EXPECT_EQ(stats().captures, captures) << fast_.explain();
      EXPECT_EQ(stats().miss_count(), 0U) << fast_.explain();
      EXPECT_EQ(stats().differences, 0U) << fast_.explain();  // of GRAPHED_VERIFY, where it is set
    }
  }
  graphed::Statistics stats() const { return fast_.stats(); }
  std::string explain() const { return fast_.explain(); }
  bool graphed() const { return graphed_; }

 private:
  const bool graphed_;
  object* object_ = nullptr;
  graphed::callable<Callable> fast_;
};

inline void see_parameters(scenario& run, const torch::nn::Module& net) {
  for (const auto& parameter : net.named_parameters()) {
    run.see(parameter.key(), parameter.value());
  }
}

}  // namespace programs
