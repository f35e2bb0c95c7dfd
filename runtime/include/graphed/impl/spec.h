// SPDX-License-Identifier: Apache-2.0
//
// What generated code says of a callable, laid out at compile time: the tables that every call is checked against.
#pragma once

#include <graphed/impl/extent.h>
#include <graphed/output_policy.h>

#include <c10/core/ScalarType.h>
#include <c10/util/ArrayRef.h>

#include <cstdint>

namespace graphed::impl {

/// What an annotation says of a tensor besides its dtype and shape; several are joined by `|`.
namespace flags {
inline constexpr unsigned grad = 1U << 0;            ///< requires grad
inline constexpr unsigned inplace = 1U << 1;         ///< the callable writes it; the caller's tensor gets the result
inline constexpr unsigned channels_last = 1U << 2;   ///< of four or five dimensions, the channels innermost
inline constexpr unsigned static_address = 1U << 3;  ///< each call gives the same memory: checked, never copied
inline constexpr unsigned optional = 1U << 4;        ///< may be absent; with and without it are different captures
inline constexpr unsigned host = 1U << 5;            ///< each call gives it in the memory of the host, wherever the callable computes
}  // namespace flags

/// One tensor of a call.
struct TensorSpec {
  const char* name;  ///< "obs", "hs[1]" for a list's element, "batch.obs" for a member
  c10::ScalarType dtype;
  c10::ArrayRef<int64_t> shape;  ///< in elements
  unsigned flags = 0;            ///< of graphed::impl::flags
};

/// A list or a map, whose length a call decides.
struct ListSpec {
  const char* name;  ///< "hs", "batch.layers"
  int64_t count;     ///< of elements
};

/// How a batch that is smaller than a capture's is filled up.
enum class PadFill {
  Zero,    ///< with zeros
  Repeat,  ///< with copies of the last row; with zeros where there is none
};

/// A dimension variable that is rounded up.
struct PaddedVariable {
  const char* name;
  int64_t size;  ///< the sample's
  PadFill fill;
};

/// Where it stands.
struct PaddedDim {
  int64_t tensor;  ///< index into SampleSpec::tensors
  int64_t dim;
  int64_t variable;  ///< index into SampleSpec::padded
};

/// In a TensorSpec's shape, an extent that depends on open variables.
inline constexpr int64_t open_extent = -1;

/// A dimension variable whose values are those that calls provide, `B in any 4`.
struct OpenVariable {
  const char* name;
  int64_t number;   ///< the same in samples that share its values
  int64_t at_most;  ///< of them
  int64_t tensor;   ///< index into SampleSpec::tensors: the value is the size of its dimension `dim`
  int64_t dim;
};

/// An extent that depends on them.
struct OpenDim {
  int64_t tensor;  ///< index into SampleSpec::tensors
  int64_t dim;
  const char* text;                        ///< "2 * B", for messages
  Extent (*extent)(const Extent* values);  ///< where SampleSpec::open have these
};

/// Shapes that the callable is captured for: those of one annotation, at one value of each of its dimension variables. With open ones, each
/// of their values makes a sample of its own.
struct SampleSpec {
  c10::ArrayRef<TensorSpec> tensors = {};  ///< in the order in which a call's arguments are flattened
  c10::ArrayRef<ListSpec> lists = {};      ///< the same
  c10::ArrayRef<PaddedVariable> padded = {};
  c10::ArrayRef<PaddedDim> padded_dims = {};
  c10::ArrayRef<OpenVariable> open = {};
  c10::ArrayRef<OpenDim> open_dims = {};
};

struct CallableSpec {
  const char* name;        ///< "app::policy"
  const char* file;        ///< the file of the annotation, as given to graphgen
  int line;                ///< 0: there is no such file
  const char* annotation;  ///< as its source spells it; several are lines; null where there is none
  /// A call is served by the first sample that it matches; where none matches, by the smallest that it matches when it is padded. Never
  /// empty.
  c10::ArrayRef<SampleSpec> samples;
  int warmup = 3;  ///< calls of each key (sample, modes, the values of `key` scalars) that run eagerly before its first capture
  OutputPolicy outputs = OutputPolicy::Keep;
  bool strict = false;         ///< a guard's miss or a failed capture throws instead of running the original function
  int slots = 2;               ///< captures of each key, and so forwards of it that may come before their backwards
  const char* pool = nullptr;  ///< callables that name the same pool share memory; null: a pool for each capture
  /// A whole training step: it calls backward() itself, leaves gradients in `.grad`, and returns results without a history.
  bool step = false;
  /// A backward graph writes or adds to the `.grad` of leaves itself, those that a callable closes over and those among its arguments.
  bool grads_in_graph = false;
  /// The result has numbers that the callable reads of tensors by `item()`: ResultTensors takes those tensors.
  bool host_values = false;
};

}  // namespace graphed::impl
