// SPDX-License-Identifier: Apache-2.0
//
// What an operator of another library has done in a capture. Its kernel may do what its schema does not say, and something different in
// each call. So each replay checks that it has done the same again: left tensors of the same layout, in the same memory, and the same
// numbers.
#pragma once

#include "torch/modes.h"
#include "watch/observer.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphed::impl {

class outside_watch;

class library_operator {
 public:
  /// Notes what the operator has just done on this thread, in a capture with these inputs. Throws CaptureError for what no replay could
  /// compare.
  library_operator(const operator_call& call, c10::ArrayRef<c10::IValue> results, const outside_watch& inputs);
  /// Before it runs: throws CaptureError for an argument whose tensors nothing finds, such as those of a dictionary.
  static void check_arguments(const operator_call& call);

  /// The capture's, for the operators that its kernel calls.
  const dispatch_modes& modes() const { return modes_; }
  /// Calls `f` with each memory of others that it holds.
  template <class F>
  void for_each_memory(F&& f) const {
    for (const read_input& each : read_inputs_) {
      f(each.memory);
    }
  }
  /// Before a replay calls it.
  void begin() const;
  /// After the replay has called it with the same arguments. Throws changed_results.
  void check(c10::ArrayRef<c10::IValue> arguments, c10::ArrayRef<c10::IValue> results) const;

 private:
  /// How a tensor is stored.
  struct layout {
    explicit layout(const at::Tensor& tensor);
    bool operator==(const layout& other) const;
    std::string words() const;

    bool is_defined, is_strided, is_conj = false, is_neg = false;
    c10::ScalarType dtype = c10::ScalarType::Undefined;
    std::vector<int64_t> sizes, strides;
  };
  /// Which memory it shows, among several tensors.
  struct place {
    std::size_t first;  ///< of those that show it
    const c10::StorageImpl* memory;
    int64_t offset;  ///< from the first one, or where that is itself, into the memory
  };
  struct tensor {
    std::string name;  ///< "argument 'x'", "result 0"
    layout stored;
    place shows;
    bool is_kept;  ///< others hold the memory; else each call makes another
  };
  struct result {
    std::optional<std::size_t> tensors;  ///< so many; none: it is the value
    c10::IValue value;
  };
  /// The memory of an input that it only reads: what it wrote there would not reach the caller.
  struct read_input {
    std::string name;
    at::Tensor memory, before;
  };
  void find_read_inputs(const operator_call& call, const outside_watch& inputs);
  static std::vector<place> places_of(const std::vector<at::Tensor>& tensors);
  bool shows_the_same(std::size_t index, const place& now) const;
  void check_result(std::size_t index, const c10::IValue& now, std::size_t count) const;
  [[noreturn]] void refuse(const std::string& what) const;

  const std::string op_;
  const dispatch_modes modes_ = dispatch_modes::of_this_thread();
  std::vector<tensor> tensors_;  ///< of the arguments, as the operator has left them, then of the results
  std::vector<result> results_;
  std::vector<read_input> read_inputs_;
};

}  // namespace graphed::impl
