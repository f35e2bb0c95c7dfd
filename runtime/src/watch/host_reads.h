// SPDX-License-Identifier: Apache-2.0
//
// Numbers that a callable reads of tensors and returns. A capture cannot know them: it gives placeholders, and is made once for each kind
// of them. Where the numbers of the result are placeholders each time, and the operators are the same, nothing else has used the numbers.
#pragma once

#include "watch/operator_trace.h"

#include <graphed/impl/host_values.h>

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace graphed::impl {

/// What a read gives instead of the tensor's number.
enum class placeholders {
  none,  ///< the number itself
  zero,
  not_a_number,
  infinite,
  positive,
  large,  ///< 64-bit integers that no `int` can hold: left out where none is read, or where the callable refuses them as `item<int>()` does
  negative,
};
constexpr placeholders first_placeholders = placeholders::zero, last_placeholders = placeholders::negative;

class host_reads_of_run {
 public:
  /// `narrows`: the callable has taken large integers for narrower ones.
  explicit host_reads_of_run(placeholders given, bool narrows = false) : given_(given), narrows_(narrows) {}

  bool gives_placeholders() const { return given_ != placeholders::none; }
  /// Whether numbers of the dtype have placeholders.
  static bool can_read(at::ScalarType dtype);
  /// Reads `number` of the tensor of which `copy` was made; gives that, or a placeholder. Throws CaptureError where placeholders could no
  /// longer be distinguished.
  c10::Scalar read(at::Tensor copy, const c10::Scalar& number);
  const std::vector<HostRead>& all() const { return all_; }
  /// Notes one of the result that is none of these; false where one of these may be a truth value.
  bool note_truth_value(bool value);
  const std::vector<bool>& truth_values() const { return truth_values_; }
  bool narrows() const { return narrows_; }

 private:
  c10::Scalar placeholder_of(at::ScalarType dtype) const;

  const placeholders given_;
  const bool narrows_;
  std::vector<HostRead> all_;
  std::vector<bool> truth_values_;
};

/// What a capture with one kind of placeholders has shown.
struct rehearsal {
  /// `results`: as flattened.
  rehearsal(placeholders given, operator_trace trace, const std::vector<at::Tensor>& results, const host_reads_of_run& reads);
  /// Throws CaptureError where the callable does something else with the numbers of `other` than to return them.
  void check_same(const rehearsal& other) const;

  /// Of the next capture.
  placeholders next() const;

  placeholders given;
  bool narrows = false;  ///< this capture, or one before it, was given large integers
  bool has_wide_integers = false;
  operator_trace trace;
  std::vector<std::size_t> sources;  ///< of each result that was read, which read
  std::vector<bool> truth_values;    ///< of the result, that no tensor has given
};

}  // namespace graphed::impl
