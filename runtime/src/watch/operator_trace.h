// SPDX-License-Identifier: Apache-2.0
//
// Which operators a callable ran, with which numbers and which tensors from outside: what a capture freezes. Where the call before had
// others, they change from call to call, and a graph would be wrong.
#pragma once

#include "watch/observer.h"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace graphed::impl {

class outside_watch;

/// While it lives, this thread's operators are not traced: a capture does something else, on purpose.
class untraced {
 public:
  untraced();
  ~untraced();
  untraced& operator=(untraced&&) = delete;
};

/// How a call's operators differ from those of the call before: in words, empty where they do not.
struct trace_difference {
  std::string text;
  bool is_of_outside = false;  ///< a tensor from outside is another one
};

class operator_trace {
 public:
  /// Keeps the arguments; of tensors, where they are. A number that LibTorch wraps as a tensor is one, and so are tensors from outside
  /// without dimensions in host memory.
  void add(const operator_call& call, const outside_watch& outside);
  /// Of memory that runs have in common, what stands for it: itself; of a gradient, which may be another tensor each time, its leaf's.
  using known_memory = std::unordered_map<const c10::StorageImpl*, const c10::StorageImpl*>;
  /// The same without the places of tensors in other memory than this, which are another run's to choose, and without numbers in it, which
  /// are read when an operator runs.
  operator_trace with_places_in(const known_memory& known) const;
  bool empty() const { return steps_.empty() && bodies_.empty(); }
  /// Adds what an earlier call did in bodies that this one did not come to.
  void add_bodies_of(const operator_trace& earlier) { bodies_.insert(earlier.bodies_.begin(), earlier.bodies_.end()); }
  /// The first difference of the call that came after.
  trace_difference first_difference(const operator_trace& later) const;

 private:
  struct place {
    const c10::StorageImpl* memory;  ///< null: of no matter
    int64_t offset;
    std::vector<int64_t> shape;
  };
  struct number {
    c10::IValue value;
    const c10::StorageImpl* memory = nullptr;  ///< of the tensor that holds it
  };
  struct step {
    c10::OperatorName name;
    std::vector<number> numbers;  ///< as many as there are arguments; none in a tensor's place
    std::vector<place> tensors;
  };
  static number number_of(const c10::IValue& argument, const outside_watch& outside);
  static place place_of(const at::Tensor& tensor);
  using steps = std::vector<step>;
  /// Where the operator belongs that comes next; null: nowhere.
  steps* steps_here();
  static trace_difference difference(const step& before, const step& now);
  static trace_difference difference(const steps& before, const steps& now);
  static void keep_places_in(const known_memory& known, steps& all);

  steps steps_;
  std::map<std::string, std::pair<uint64_t, steps>> bodies_;  ///< by path, of the first visit
};

class trace_watch final : public observer {
 public:
  /// Keeps a reference.
  explicit trace_watch(const outside_watch& outside) : outside_(outside) {}
  void before(const operator_call& call) override;
  /// A branch decides which operators a backward runs: from now on those are left out.
  void leave_out_backwards() { leaves_out_backwards_ = true; }
  const operator_trace& trace() const { return trace_; }

 private:
  const outside_watch& outside_;
  operator_trace trace_;
  bool leaves_out_backwards_ = false;
};

}  // namespace graphed::impl
