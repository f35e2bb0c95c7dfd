// SPDX-License-Identifier: Apache-2.0
//
// A program that runs twice from one seed, with original functions and with graphed ones, and must leave the same bits behind.
#pragma once

#include "test_callable.h"

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace graphed::testing {

/// What a program saw at one place: a tensor's properties and bytes, or a text.
struct observation {
  std::string label;
  std::string properties;
  std::string bytes;
};

/// The first line of an exception's text, without what only one of the two runs can know: which node made a saved tensor.
std::string message_of(const std::exception& error);

/// One of the two runs.
class scenario {
 public:
  scenario(c10::Device device, bool graphed) : device_(device), graphed_(graphed) {}
  scenario(const scenario&) = delete;

  bool graphed() const { return graphed_; }
  c10::Device device() const { return device_; }
  at::TensorOptions options(c10::ScalarType dtype = at::kFloat) const { return at::TensorOptions(dtype).device(device_); }

  /// From the eager random stream.
  at::Tensor random(at::IntArrayRef sizes, c10::ScalarType dtype = at::kFloat) const { return at::randn(sizes, options(dtype)); }
  at::Tensor leaf(at::IntArrayRef sizes, c10::ScalarType dtype = at::kFloat) const { return random(sizes, dtype).requires_grad_(); }

  /// From now on values are copied on the device, and looked at when the program has ended: the host waits for none of them.
  void look_at_the_end() { looks_at_the_end_ = true; }
  void see(const std::string& label, const at::Tensor& tensor);
  void see(const std::string& label, const tensor_list& tensors);
  /// A gradient, and takes it away.
  void see_grad(const std::string& label, const at::Tensor& leaf);
  void see(const std::string& label, const std::string& text) { observations_.push_back({label, text, ""}); }
  void see(const std::string& label, const char* text) { see(label, std::string(text)); }
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  void see(const std::string& label, T value) {
    see(label, std::to_string(value));
  }
  /// Whether `action` throws, and what it says.
  template <class F>
  bool see_error(const std::string& label, F&& action) {
    try {
      action();
    } catch (const std::exception& error) {
      see(label, message_of(error));
      return true;
    }
    see(label, "no error");
    return false;
  }

  /// Once the program has ended.
  const std::vector<observation>& observations();

 private:
  const c10::Device device_;
  const bool graphed_;
  bool looks_at_the_end_ = false;
  std::vector<observation> observations_;
  std::vector<std::pair<std::size_t, at::Tensor>> copies_;  ///< of values that are still to be looked at
};

/// A callable of a scenario: graphed or eager as the run is.
class subject {
 public:
  subject(const scenario& run, std::vector<argument> arguments, test_callable::body body, settings settings = {},
          const torch::nn::Module* module = nullptr, WatchedObject object = {})
      : graphed_(run.graphed()), callable_(std::move(arguments), std::move(body), settings, module, std::move(object)) {}
  /// Expects that GRAPHED_VERIFY, where it is set, found no difference.
  ~subject();

  tensor_list operator()(const tensor_list& arguments, Scalars scalars = {}) {
    return graphed_ ? callable_(arguments, std::move(scalars)) : callable_.plain(arguments);
  }
  std::string explain() const { return callable_.explain(); }
  void reset() { callable_.reset(); }
  void prepare(const tensor_list& arguments, const Scalars& scalars = {}) {
    if (graphed_) {
      callable_.prepare(arguments, scalars);
    }
  }

  Statistics stats() const { return callable_.stats(); }
  uint64_t captures() const { return stats().captures; }
  /// The counts of the graphed run; the eager run expects nothing.
  void expect_replays(uint64_t forward, uint64_t backward = 0) const;
  void expect_captures(uint64_t forward) const;
  void expect_misses(Miss reason, uint64_t count) const;

 private:
  const bool graphed_;
  test_callable callable_;
};

/// What `program` sees in one run from a fixed seed, and the state of the generators after it.
std::vector<observation> observe(c10::Device device, bool graphed, const std::function<void(scenario&)>& program);

/// The first observation in which an eager and a graphed run differ, as text.
std::optional<std::string> first_difference(const std::vector<observation>& plain, const std::vector<observation>& graphed);

/// Runs `program` eagerly and graphed, each from the same seed, and expects the same observations and the same state of the generators.
void expect_same(c10::Device device, const std::function<void(scenario&)>& program);

/// Whether two tensors have the same properties and the same bits.
bool same_bits(const at::Tensor& a, const at::Tensor& b);

}  // namespace graphed::testing
