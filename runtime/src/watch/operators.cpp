// SPDX-License-Identifier: Apache-2.0
#include "watch/operators.h"

#include <algorithm>
#include <initializer_list>
#include <unordered_map>
#include <vector>

namespace graphed::impl {
namespace {

constexpr std::string_view own_namespace = "aten::";

constexpr std::string_view fixed_shape = "keep the shape: torch::where, masked_fill, or topk with a fixed size";
constexpr std::string_view without_variant = "it waits for the device: compute it outside of the callable";

// Remedies stand only beside operators that no capture can hold: the last operator of a failed capture may be innocent, these never are.
std::vector<operator_row> make_table() {
  std::vector<operator_row> table = {
      {"_local_scalar_dense", trait::reads_value | trait::reads_number,
       "it is item(): keep the value in a tensor, or pass it as a parameter marked 'key', 'const' or 'live'"},
      {"equal", trait::reads_value,
       "compare on the device, (a == b).all(); torch::nn::MultiheadAttention and the Transformer modules call it: "
       "samples/attention has an attention that can be captured"},
      {"allclose", trait::reads_value, "compare on the device, torch::isclose(a, b).all()"},
      {"_linalg_check_errors", trait::reads_error,
       "call the variant that returns its error code, such as linalg_cholesky_ex or linalg_inv_ex"},
      {"_linalg_eigh", trait::none, without_variant},
      {"_linalg_eigvals", trait::none, without_variant},
      {"_linalg_svd", trait::none, without_variant},
      {"linalg_eig", trait::none, without_variant},
      {"linalg_ldl_factor_ex", trait::none, without_variant},
      {"_ctc_loss", trait::none, "it reads the lengths on the host: compute the loss outside of the callable"},
      {"bincount", trait::none, "scatter_add_ ones into a tensor of a fixed size"},
      {"masked_select", trait::none, fixed_shape},
      {"nonzero", trait::none, fixed_shape},
      {"_unique", trait::shaped_by_values, fixed_shape},  // from 2.15 on LibTorch tags it
      {"_unique2", trait::none, fixed_shape},
      {"unique_consecutive", trait::none, fixed_shape},
      {"unique_dim", trait::none, fixed_shape},
  };
  const auto add = [&table](trait traits, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      table.push_back({name, traits});
    }
  };
  add(trait::allocates, {"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided"});
  add(trait::lets_go, {"detach"});
  add(trait::lets_go | trait::of_autograd, {"detach_"});
  add(trait::has_kernel, {"max_pool1d", "one_hot"});
  add(trait::shaped_by_values, {"_pack_padded_sequence"});  // as many rows as the lengths add up to
  add(trait::reads_by_pointer, {"tensor_split.tensor_indices_or_sections", "_pad_packed_sequence"});
  add(trait::reads_by_pointer, {"lstm.data", "gru.data", "rnn_tanh.data", "rnn_relu.data"});
  add(trait::replaces_memory, {"resize*", "set_"});
  add(trait::takes_strides, {"as_strided*"});
  add(trait::moves_operands | trait::shaped_by_mask, {"index", "index_put_", "_index_put_impl_"});
  add(trait::moves_operands, {"where"});
  add(trait::calculates, {"add.Tensor", "add.Scalar", "add_.Scalar", "sub.Tensor", "sub.Scalar", "sub_.Tensor", "sub_.Scalar"});
  add(trait::calculates,
      {"mul.Tensor", "mul.Scalar", "mul_.Tensor", "mul_.Scalar", "div.Tensor", "div.Scalar", "div_.Tensor", "div_.Scalar"});
  add(trait::calculates | trait::steps, {"add_.Tensor"});
  add(trait::steps, {"addcdiv_"});
  add(trait::rectifies, {"relu"});
  add(trait::fills | trait::stays_on_stream, {"fill_", "zero_", "bernoulli_", "normal_", "uniform_"});
  add(trait::fills | trait::copies | trait::stays_on_stream, {"copy_"});
  add(trait::clones | trait::copies | trait::stays_on_stream, {"_to_copy"});
  add(trait::clones | trait::stays_on_stream, {"clone"});
  add(trait::copies, {"_foreach_copy_"});
  add(trait::multiplies, {"mm", "addmm", "_addmm_activation", "bmm", "baddbmm", "mv", "addmv", "addr", "dot", "vdot"});
  add(trait::resizes_result | trait::stays_on_stream, {"mse_loss", "smooth_l1_loss"});
  add(trait::stays_on_stream, {"mse_loss_backward", "smooth_l1_loss_backward"});
  add(trait::stays_on_stream, {"_foreach_*", "_fused_*"});
  add(trait::stays_on_stream, {"zeros", "zeros_like", "ones", "ones_like", "full", "full_like"});
  add(trait::stays_on_stream,
      {"cat", "stack", "sum", "mean", "var", "embedding", "gather", "index_select", "slice_backward", "select_backward"});
  add(trait::stays_on_stream, {"_softmax", "_softmax_backward_data", "_log_softmax", "_log_softmax_backward_data"});
  add(trait::stays_on_stream, {"native_layer_norm", "native_layer_norm_backward", "native_dropout"});
  return table;
}

bool begins_with(std::string_view text, std::string_view beginning) { return text.substr(0, beginning.size()) == beginning; }

using traits_by_operator = std::unordered_map<c10::OperatorHandle, trait>;

// Operators of LibTorch are all registered before anything runs, and never taken back.
traits_by_operator find_all() {
  traits_by_operator found;
  for (const auto& name : c10::Dispatcher::singleton().getAllOpNames()) {
    trait traits = trait::none;
    if (is_of_libtorch(name)) {
      for (const auto& row : operator_rows()) {
        traits = is_about(row, name) ? traits | row.traits : traits;
      }
    }
    const auto op = traits == trait::none ? std::nullopt : c10::Dispatcher::singleton().findOp(name);
    if (op) {
      found.emplace(*op, traits);
    }
  }
  return found;
}

}  // namespace

c10::ArrayRef<operator_row> operator_rows() {
  static const auto& made = *new std::vector<operator_row>(make_table());  // threads may need it until the process has ended
  return made;
}

bool is_about(const operator_row& row, const c10::OperatorName& name) {
  if (!is_of_libtorch(name)) {
    return false;
  }
  const std::string_view known = std::string_view(name.name).substr(own_namespace.size());
  if (row.name.back() == '*') {
    return begins_with(known, row.name.substr(0, row.name.size() - 1));
  }
  const std::size_t dot = row.name.find('.');
  return known == row.name.substr(0, dot) && (dot == std::string_view::npos || name.overload_name == row.name.substr(dot + 1));
}

trait traits_of(const c10::OperatorHandle& op) {
  static const auto& all = *new traits_by_operator(find_all());  // the same
  const auto found = all.find(op);
  return found == all.end() ? trait::none : found->second;
}

bool is_of_libtorch(const c10::OperatorName& name) { return begins_with(name.name, own_namespace); }

bool is_collective(const c10::OperatorName& name) { return begins_with(name.name, "graphed::") && !is_host_part(name); }

bool is_host_part(const c10::OperatorName& name) { return name.name == "graphed::host_part"; }

bool is_of_another_library(const c10::OperatorName& name) { return !is_of_libtorch(name) && !begins_with(name.name, "graphed::"); }

std::string full_name(const c10::OperatorHandle& op) {
  const auto& name = op.operator_name();
  return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}

std::string with_remedy(const std::string& full_name) {
  const std::size_t dot = full_name.find('.');
  const c10::OperatorName name(full_name.substr(0, dot), dot == std::string::npos ? "" : full_name.substr(dot + 1));
  const auto rows = operator_rows();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const operator_row& row) { return !row.remedy.empty() && is_about(row, name); });
  return found == rows.end() ? full_name : full_name + " (" + std::string(found->remedy) + ")";
}

}  // namespace graphed::impl
