// SPDX-License-Identifier: Apache-2.0
//
// Which operators a callable ran, with which numbers and which tensors from outside: what a capture freezes. Where the call before had
// others, they change from call to call, and a graph would be wrong.
#pragma once

#include "watch/observer.h"

#include <c10/core/StorageImpl.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace graphed::impl {

class outside_watch;
struct body_place;

/// While it lives, this thread's operators are not traced: a capture does something else, on purpose.
class untraced {
 public:
  untraced();
  ~untraced();
  untraced& operator=(untraced&&) = delete;

  static bool is_alive();
};

/// How a call's operators differ from those of the call before: in words, empty where they do not.
struct trace_difference {
  std::string text;
  bool is_of_outside = false;  ///< a tensor from outside is another one
  bool is_of_number = false;   ///< an operator takes another number
};

/// A result of an operator of the run, or an argument.
struct made_by {
  std::string path;          ///< of the body that ran the operator; empty outside of bodies
  std::size_t index = 0;     ///< of the operator there, or of the argument
  std::size_t result = 0;    ///< of its tensors
  bool is_argument = false;  ///< of which each run may have another part of some memory
  bool operator==(const made_by& other) const {
    return path == other.path && index == other.index && result == other.result && is_argument == other.is_argument;
  }
};

/// Which operator has made which memory.
class makers {
 public:
  void note(const at::Tensor& result, made_by by);
  /// Before the run. Memory that several arguments show is none's.
  void note_argument(const at::Tensor& argument, std::size_t index);
  /// Null where none has, or one in a body that is not around `path`.
  const made_by* of(const at::Tensor& tensor, const std::string& path) const;

 private:
  struct maker {
    c10::weak_intrusive_ptr<c10::StorageImpl> keeps_address;  ///< no other memory gets it
    made_by by;
    bool is_shared = false;
  };
  std::unordered_map<const c10::StorageImpl*, maker> by_memory_;
};

class operator_trace {
 public:
  /// Keeps the arguments; of tensors, where they are, and who has made them. A number that LibTorch wraps as a tensor is one, and so are
  /// tensors from outside without dimensions in host memory. Returns which one it is; nothing where it is not kept.
  std::optional<made_by> add(const operator_call& call, const outside_watch& outside, const makers& known);
  /// A branch or loop gets these tensors, or a body of it returns them; a loop makes so many iterations at most.
  void add_choice(const char* name, at::TensorList tensors, const makers& known, std::optional<int64_t> at_most = std::nullopt);
  /// What the callable returns.
  void note_results(at::TensorList results, const makers& known);
  /// Of memory that runs have in common, what stands for it: itself; of a gradient, which may be another tensor each time, its leaf's.
  using known_memory = std::unordered_map<const c10::StorageImpl*, const c10::StorageImpl*>;
  /// The same without the places of tensors in other memory than this, which are another run's to choose, and without numbers in it, which
  /// are read when an operator runs.
  operator_trace with_places_in(const known_memory& known) const;
  bool empty() const { return steps_.empty() && bodies_.empty(); }
  /// Adds what an earlier call did in bodies that this one did not come to.
  void add_bodies_of(const operator_trace& earlier);
  /// What another iteration of a loop's body, or another visit of a branch in it, did otherwise than the first one, in words, or empty.
  const std::string& changes_in_loop() const { return changes_in_loop_; }
  /// The first difference of the call that came after.
  trace_difference first_difference(const operator_trace& later) const;
  /// The first difference of a capture that ran all bodies, in words, or empty: outside of bodies, in the results, or in a body. A capture
  /// may have more operators at its end, or fewer.
  std::string difference_by_bodies(const operator_trace& of_capture) const;
  /// The first number that a body takes in the capture, and took a different one in this run, in words, or empty.
  std::string other_number_in_body(const operator_trace& of_capture) const;

 private:
  struct place {
    const c10::StorageImpl* memory;  ///< null: of no matter
    int64_t offset;
    std::vector<int64_t> shape;
    std::optional<made_by> maker = std::nullopt;
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
  static void add_tensor(step& to, const at::Tensor& tensor, const makers& known, const std::string& path);
  step step_of(const operator_call& call, const outside_watch& outside, const makers& known, const std::string& path) const;
  std::optional<made_by> add(step made);
  void compare_with_first_visit(const body_place& body, step made);
  /// `earlier`: "the call before", in which `before` ran.
  static trace_difference difference(const step& before, const step& now, const std::string& earlier);
  static trace_difference difference_at_begin(const steps& before, const steps& now);
  static trace_difference other_number(const steps& before, const steps& now);
  static std::string difference_of_numbers(const step& before, const step& now, const std::string& earlier);
  static trace_difference difference(const steps& before, const steps& now);
  trace_difference difference_of_results(const operator_trace& later) const;
  /// What `compare` finds first in a body that the other one has, too.
  template <class Compare>
  trace_difference first_in_bodies(const operator_trace& other, Compare compare) const;
  static void keep_places_in(const known_memory& known, steps& all);

  steps steps_;
  std::optional<step> results_;
  struct body_steps {
    steps of_first_visit;
    uint64_t first_visit, visit;  ///< the latter is under way
    std::size_t count = 0;        ///< of its operators so far
  };
  std::map<std::string, body_steps> bodies_;  ///< by path
  std::string changes_in_loop_;               ///< the first difference of a later visit, or empty
};

class trace_watch final : public observer {
 public:
  /// Keeps a reference.
  explicit trace_watch(const outside_watch& outside) : outside_(outside) {}
  void before(const operator_call& call) override;
  void after(const operator_call& call, c10::ArrayRef<c10::IValue> results) override;
  void note_argument(const at::Tensor& argument, std::size_t index) { makers_.note_argument(argument, index); }
  void note_choice(const char* name, at::TensorList tensors, std::optional<int64_t> at_most);
  void note_results(at::TensorList results) { trace_.note_results(results, makers_); }
  /// A branch decides which operators a backward runs: from now on those are left out.
  void leave_out_backwards() { leaves_out_backwards_ = true; }
  const operator_trace& trace() const { return trace_; }

 private:
  bool leaves_out_now() const;

  const outside_watch& outside_;
  operator_trace trace_;
  makers makers_;
  std::unordered_map<const operator_call*, made_by> under_way_;
  bool leaves_out_backwards_ = false;
};

}  // namespace graphed::impl
