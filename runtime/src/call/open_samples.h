// SPDX-License-Identifier: Apache-2.0
//
// The samples that calls make of an annotation with open variables, `B in any 4`: one for each value that they provide.
#pragma once

#include <graphed/impl/inputs.h>
#include <graphed/impl/spec.h>

#include <c10/util/SmallVector.h>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphed::impl {

/// Of a sample's open variables, in their order.
using open_values = c10::SmallVector<int64_t, 4>;

/// What the call provides; nothing where one of their dimensions is missing. The sample's lengths must be the call's.
std::optional<open_values> open_values_of(const SampleSpec& sample, const Inputs& inputs);
/// Whether the call's extents that depend on open variables are those for these values.
bool has_open_extents(const SampleSpec& sample, const Inputs& inputs, const open_values& values);
/// Whether all others of the tensor are the sample's.
bool has_other_extents(const SampleSpec& sample, std::size_t tensor, at::IntArrayRef sizes);
/// The shape at these values; extents without a value are open_extent.
std::vector<int64_t> shape_at(const SampleSpec& sample, std::size_t tensor, const open_values& values);
/// "[2 * B, 8]"
std::string shape_words(const SampleSpec& sample, std::size_t tensor);
/// "B = 3, T = 8"
std::string words_of(const SampleSpec& sample, const open_values& values);

/// An open sample at one value of each variable, which is like any other sample.
class sized_sample {
 public:
  /// `index`: unlike that of any other sample. The shapes must have values.
  sized_sample(const CallableSpec& callable, std::size_t open_index, open_values values, std::size_t index);
  sized_sample& operator=(sized_sample&&) = delete;

  const std::size_t open_index;  ///< into CallableSpec::samples
  const open_values values;
  const std::size_t index;
  const SampleSpec& spec() const { return spec_; }

 private:
  std::vector<std::vector<int64_t>> shapes_;
  std::vector<TensorSpec> tensors_;
  SampleSpec spec_;
};

/// The sized samples of one callable. Thread safety: none.
class sized_samples {
 public:
  std::shared_ptr<const sized_sample> find(std::size_t open_index, const open_values& values) const;
  /// A new one; null where a variable has as many values as it may.
  std::shared_ptr<const sized_sample> add(const CallableSpec& callable, std::size_t open_index, const open_values& values);

  std::size_t count() const { return all_.size(); }
  /// That calls have provided so far, in their order.
  const std::vector<int64_t>& values_of(const OpenVariable& variable) const;
  /// Whether another value of it would be too many.
  bool refuses(const OpenVariable& variable, int64_t value) const;

 private:
  std::vector<std::shared_ptr<const sized_sample>> all_;
  std::map<int64_t, std::vector<int64_t>> values_;  // by OpenVariable::number
};

}  // namespace graphed::impl
