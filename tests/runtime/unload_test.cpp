// SPDX-License-Identifier: Apache-2.0
//
// Results with a history that outlive the library of their callable.
#include "support/device_test.h"

#include <dlfcn.h>

#include <cstdint>

namespace unload_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Unload);

class plugin {
 public:
  plugin() : library_(dlopen(UNLOAD_PLUGIN, RTLD_NOW | RTLD_LOCAL)) { EXPECT_NE(library_, nullptr) << dlerror(); }
  ~plugin() { dlclose(library_); }
  plugin& operator=(plugin&&) = delete;

  Tensor operator()(const Tensor& x, const Tensor& w) const {
    Tensor result;
    reinterpret_cast<void (*)(const Tensor&, const Tensor&, Tensor&)>(dlsym(library_, "call_plugin"))(x, w, result);
    return result;
  }
  uint64_t replays() const { return reinterpret_cast<uint64_t (*)()>(dlsym(library_, "replays_of_plugin"))(); }

  static bool is_loaded() {
    void* const library = dlopen(UNLOAD_PLUGIN, RTLD_LAZY | RTLD_NOLOAD);
    if (library != nullptr) {
      dlclose(library);
    }
    return library != nullptr;
  }

 private:
  void* const library_;
};

/// Of replays.
tensor_list results_of_a_plugin(const scenario& run, const Tensor& x, const Tensor& w, bool goes_back) {
  const plugin loaded;
  for (int call = 0; call < 4; ++call) {
    const Tensor y = loaded(run.random({4}), w);
    if (goes_back) {
      y.sum().backward();
    }
  }
  w.mutable_grad().reset();
  tensor_list results{loaded(x, w), loaded(x * 2, w)};
  EXPECT_EQ(loaded.replays(), 4U);
  return results;
}

TEST_P(Unload, ResultsAreDroppedAfterwards) {
  const scenario run(device(), true);
  const Tensor w = run.leaf({4}), x = run.random({4});
  tensor_list results = results_of_a_plugin(run, x, w, /*goes_back=*/true);
  ASSERT_FALSE(plugin::is_loaded());
  EXPECT_TRUE(at::equal(results[0], (x * w).sin()));
  results.clear();
  EXPECT_FALSE(w.grad().defined());
}

// By a graph that was captured before, and by one that is captured now.
TEST_P(Unload, BackwardsComeAfterwards) {
  for (const bool is_captured : {true, false}) {
    const scenario run(device(), true);
    const Tensor w = run.leaf({4}), same = w.detach().clone().requires_grad_(), x = run.random({4});
    tensor_list results = results_of_a_plugin(run, x, w, is_captured);
    ASSERT_FALSE(plugin::is_loaded());
    for (Tensor& result : results) {
      result.sum().backward();
      result.reset();
    }
    for (const Tensor& each : {x, x * 2}) {
      (each * same).sin().sum().backward();
    }
    EXPECT_TRUE(at::equal(w.grad(), same.grad()));
  }
}

TEST_P(Unload, TheLibraryIsLoadedAgain) {
  const scenario run(device(), true);
  const Tensor w = run.leaf({4}), x = run.random({4});
  const tensor_list held = results_of_a_plugin(run, x, w, /*goes_back=*/true);
  ASSERT_FALSE(plugin::is_loaded());
  const tensor_list others = results_of_a_plugin(run, x, w, /*goes_back=*/true);
  EXPECT_TRUE(at::equal(held[0], others[0]));
}

}  // namespace unload_test
