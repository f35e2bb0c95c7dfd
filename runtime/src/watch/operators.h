// SPDX-License-Identifier: Apache-2.0
//
// The one table of LibTorch's operators: what the runtime must know of them that neither their schemas nor their tags show. Its names are
// those of LibTorch 2.11 to 2.15; a unit test holds each against the dispatcher.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/ArrayRef.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace graphed::impl {

enum class trait : uint32_t {
  none = 0,
  // For the recorder.
  allocates = 1u << 0,    ///< its results are memory without values
  lets_go = 1u << 1,      ///< zero_grad calls it on what it drops
  steps = 1u << 2,        ///< adds to its first argument, times the number that is its last
  has_kernel = 1u << 3,   ///< computes by itself, although LibTorch declares it as made of others
  of_autograd = 1u << 4,  ///< autograd does all of it: below, nothing meets it
  // Against captures.
  reads_value = 1u << 5,        ///< a tensor's, on the host
  reads_error = 1u << 6,        ///< a code that says whether it worked, on the host
  shaped_by_mask = 1u << 7,     ///< by the values of a mask among the indices, its second argument
  shaped_by_values = 1u << 8,   ///< without LibTorch's tag for that
  reads_by_pointer = 1u << 21,  ///< reads a tensor's values in host memory, and is made of others: nothing meets it below autograd
  // For the tape.
  fills = 1u << 9,            ///< writes each element of its first argument, which it does not read
  calculates = 1u << 10,      ///< its two operands get a common dtype from TensorIterator
  rectifies = 1u << 11,       ///< is clamp_min by zero
  clones = 1u << 12,          ///< makes a tensor, then copies to it
  resizes_result = 1u << 13,  ///< a given one: to what it reduces, and back, with a warning
  // For branches of a graph.
  copies = 1u << 14,           ///< maybe between the host's memory and the device's
  multiplies = 1u << 15,       ///< by cuBLAS, in a workspace
  stays_on_stream = 1u << 16,  ///< its kernels run on the current stream alone, and its schema names all that they use
  replaces_memory = 1u << 17,  ///< of an argument
  takes_strides = 1u << 18,    ///< as numbers, for the memory of its first argument
  moves_operands = 1u << 19,   ///< from host memory to the device of the others
  // For numbers in results.
  reads_number = 1u << 20,  ///< the one of a tensor with one element: it is item()
};

constexpr trait operator|(trait one, trait other) { return static_cast<trait>(static_cast<uint32_t>(one) | static_cast<uint32_t>(other)); }
constexpr bool includes(trait all, trait wanted) { return (static_cast<uint32_t>(all) & static_cast<uint32_t>(wanted)) != 0; }

struct operator_row {
  /// Without "aten::". "add.Tensor" is one overload, "add" every one; "resize*" is every operator that begins so.
  std::string_view name;
  trait traits;
  /// What a user can write instead of an operator that no capture can hold. docs/explanation/failure.md lists the remedies.
  std::string_view remedy = {};
};

/// The table.
c10::ArrayRef<operator_row> operator_rows();
/// Whether the row is about this operator.
bool is_about(const operator_row& row, const c10::OperatorName& name);
/// What the table says of an operator; nothing of those of other libraries. Fast, from any thread.
trait traits_of(const c10::OperatorHandle& op);
inline bool has_trait(const c10::OperatorHandle& op, trait wanted) { return includes(traits_of(op), wanted); }

/// Whether the operator is LibTorch's own.
bool is_of_libtorch(const c10::OperatorName& name);
/// Whether it is a collective of ours: on a GPU its kernels run on the current stream alone, and its schema names all that they use.
bool is_collective(const c10::OperatorName& name);
/// Whether it is what graphed::host runs (watch/host_part.h).
bool is_host_part(const c10::OperatorName& name);
/// Whether another library has registered it, so that nothing but its schema says what it does, and that may be wrong.
bool is_of_another_library(const c10::OperatorName& name);
/// "aten::add.Tensor".
std::string full_name(const c10::OperatorHandle& op);
/// "aten::equal (what to write instead)", or the full name alone where nothing is known.
std::string with_remedy(const std::string& full_name);

}  // namespace graphed::impl
