// SPDX-License-Identifier: Apache-2.0
//
// The callables of make_graphed_callables in a scenario.
#pragma once

#include "scenario.h"

#include <graphed/make_graphed_callables.h>

#include <gtest/gtest.h>

#include <vector>

namespace graphed::testing {

/// The callables of a run: graphed or eager as it is.
class group {
 public:
  group(const scenario& run, std::vector<OriginalCallable> callables, const std::vector<tensor_list>& samples,
        const GraphedOptions& options = {})
      : plain_(std::move(callables)) {
    if (run.graphed()) {
      graphed_ = make_graphed_callables(plain_, samples, options);
    }
  }
  group(const group&) = delete;
  /// Expects that GRAPHED_VERIFY, where it is set, found no difference.
  ~group() {
    for (const auto& callable : graphed_) {
      EXPECT_EQ(callable.stats().differences, 0U) << callable.stats();
    }
  }
  tensor_list operator()(std::size_t index, const tensor_list& arguments) const {
    return graphed_.empty() ? plain_[index](arguments) : graphed_[index](arguments);
  }
  /// Nothing in an eager run.
  void expect_replays(std::size_t index, uint64_t forward, uint64_t backward) const {
    if (!graphed_.empty()) {
      const Statistics stats = graphed_[index].stats();
      EXPECT_EQ(stats.replays, forward) << stats;
      EXPECT_EQ(stats.backward_replays, backward) << stats;
    }
  }
  void expect_captures(std::size_t index, uint64_t each_way) const {
    if (!graphed_.empty()) {
      const Statistics stats = graphed_[index].stats();
      EXPECT_EQ(stats.captures, each_way) << stats;
      EXPECT_EQ(stats.backward_captures, each_way) << stats;
    }
  }

 private:
  std::vector<OriginalCallable> plain_;
  std::vector<GraphedCallable> graphed_;
};

/// `net`, moved to the device.
template <class Net>
Net on(c10::Device device, Net net) {
  net->to(device);
  return net;
}

/// A layer without a module.
inline OriginalCallable product(const at::Tensor& w) {
  return {[w](const tensor_list& in) { return tensor_list{in[0].matmul(w).tanh()}; }};
}

}  // namespace graphed::testing
