// SPDX-License-Identifier: Apache-2.0
#include "watch/operators.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace graphed {
namespace {

constexpr std::string_view own_namespace = "aten::";

constexpr std::string_view fixed_shape = "keep the shape: torch::where, masked_fill, or topk with a fixed size";
constexpr std::string_view without_variant = "it waits for the device: compute it outside of the callable";

// Remedies stand only beside operators that no capture can hold: the last operator of a failed capture may be innocent, these never are.
constexpr std::array table{
    operator_row{"empty", trait::allocates},
    operator_row{"empty_like", trait::allocates},
    operator_row{"empty_strided", trait::allocates},
    operator_row{"new_empty", trait::allocates},
    operator_row{"new_empty_strided", trait::allocates},

    operator_row{"detach", trait::lets_go},
    operator_row{"detach_", trait::lets_go | trait::of_autograd},
    operator_row{"max_pool1d", trait::has_kernel},
    operator_row{"resize*", trait::replaces_memory},
    operator_row{"set_", trait::replaces_memory},

    operator_row{"_local_scalar_dense", trait::reads_value,
                 "it is item(): keep the value in a tensor, or pass it as a parameter marked 'key', 'const' or 'live'"},
    operator_row{"equal", trait::reads_value,
                 "compare on the device, (a == b).all(); torch::nn::MultiheadAttention and the Transformer modules call it: "
                 "samples/attention has an attention that can be captured"},
    operator_row{"_linalg_check_errors", trait::reads_error,
                 "call the variant that returns its error code, as linalg_cholesky_ex or linalg_inv_ex"},
    operator_row{"_linalg_eigh", trait::none, without_variant},
    operator_row{"_linalg_eigvals", trait::none, without_variant},
    operator_row{"_linalg_svd", trait::none, without_variant},
    operator_row{"linalg_eig", trait::none, without_variant},
    operator_row{"linalg_ldl_factor_ex", trait::none, without_variant},
    operator_row{"_ctc_loss", trait::none, "it reads the lengths on the host: compute the loss outside of the callable"},
    operator_row{"bincount", trait::none, "scatter_add_ ones into a tensor of a fixed size"},
    operator_row{"masked_select", trait::none, fixed_shape},
    operator_row{"nonzero", trait::none, fixed_shape},
    operator_row{"_unique", trait::shaped_by_values, fixed_shape},  // from 2.15 on LibTorch tags it
    operator_row{"_unique2", trait::none, fixed_shape},
    operator_row{"unique_consecutive", trait::none, fixed_shape},
    operator_row{"unique_dim", trait::none, fixed_shape},
    operator_row{"index", trait::shaped_by_mask},
    operator_row{"index_put_", trait::shaped_by_mask},
    operator_row{"_index_put_impl_", trait::shaped_by_mask},

    operator_row{"add.Tensor", trait::calculates},
    operator_row{"add.Scalar", trait::calculates},
    operator_row{"add_.Tensor", trait::calculates | trait::steps},
    operator_row{"add_.Scalar", trait::calculates},
    operator_row{"sub.Tensor", trait::calculates},
    operator_row{"sub.Scalar", trait::calculates},
    operator_row{"sub_.Tensor", trait::calculates},
    operator_row{"sub_.Scalar", trait::calculates},
    operator_row{"mul.Tensor", trait::calculates},
    operator_row{"mul.Scalar", trait::calculates},
    operator_row{"mul_.Tensor", trait::calculates},
    operator_row{"mul_.Scalar", trait::calculates},
    operator_row{"div.Tensor", trait::calculates},
    operator_row{"div.Scalar", trait::calculates},
    operator_row{"div_.Tensor", trait::calculates},
    operator_row{"div_.Scalar", trait::calculates},
    operator_row{"addcdiv_", trait::steps},
    operator_row{"relu", trait::rectifies},

    operator_row{"fill_", trait::fills | trait::stays_on_stream},
    operator_row{"zero_", trait::fills | trait::stays_on_stream},
    operator_row{"bernoulli_", trait::fills | trait::stays_on_stream},
    operator_row{"normal_", trait::fills | trait::stays_on_stream},
    operator_row{"uniform_", trait::fills | trait::stays_on_stream},
    operator_row{"copy_", trait::fills | trait::copies | trait::stays_on_stream},
    operator_row{"_to_copy", trait::clones | trait::copies | trait::stays_on_stream},
    operator_row{"clone", trait::clones | trait::stays_on_stream},
    operator_row{"_foreach_copy_", trait::copies},

    operator_row{"mm", trait::multiplies},
    operator_row{"addmm", trait::multiplies},
    operator_row{"_addmm_activation", trait::multiplies},
    operator_row{"bmm", trait::multiplies},
    operator_row{"baddbmm", trait::multiplies},
    operator_row{"mv", trait::multiplies},
    operator_row{"addmv", trait::multiplies},
    operator_row{"addr", trait::multiplies},
    operator_row{"dot", trait::multiplies},
    operator_row{"vdot", trait::multiplies},

    operator_row{"_foreach_*", trait::stays_on_stream},
    operator_row{"_fused_*", trait::stays_on_stream},
    operator_row{"zeros", trait::stays_on_stream},
    operator_row{"zeros_like", trait::stays_on_stream},
    operator_row{"ones", trait::stays_on_stream},
    operator_row{"ones_like", trait::stays_on_stream},
    operator_row{"full", trait::stays_on_stream},
    operator_row{"full_like", trait::stays_on_stream},
    operator_row{"cat", trait::stays_on_stream},
    operator_row{"stack", trait::stays_on_stream},
    operator_row{"sum", trait::stays_on_stream},
    operator_row{"mean", trait::stays_on_stream},
    operator_row{"var", trait::stays_on_stream},
    operator_row{"embedding", trait::stays_on_stream},
    operator_row{"gather", trait::stays_on_stream},
    operator_row{"index_select", trait::stays_on_stream},
    operator_row{"slice_backward", trait::stays_on_stream},
    operator_row{"select_backward", trait::stays_on_stream},
    operator_row{"_softmax", trait::stays_on_stream},
    operator_row{"_softmax_backward_data", trait::stays_on_stream},
    operator_row{"_log_softmax", trait::stays_on_stream},
    operator_row{"_log_softmax_backward_data", trait::stays_on_stream},
    operator_row{"mse_loss", trait::resizes_result | trait::stays_on_stream},
    operator_row{"mse_loss_backward", trait::stays_on_stream},
    operator_row{"smooth_l1_loss", trait::resizes_result | trait::stays_on_stream},
    operator_row{"smooth_l1_loss_backward", trait::stays_on_stream},
    operator_row{"native_layer_norm", trait::stays_on_stream},
    operator_row{"native_layer_norm_backward", trait::stays_on_stream},
    operator_row{"native_dropout", trait::stays_on_stream},
};

bool begins_with(std::string_view text, std::string_view beginning) { return text.substr(0, beginning.size()) == beginning; }

using traits_by_operator = std::unordered_map<c10::OperatorHandle, trait>;

// Operators of LibTorch are all registered before anything runs, and never taken back.
traits_by_operator find_all() {
  traits_by_operator found;
  for (const auto& name : c10::Dispatcher::singleton().getAllOpNames()) {
    trait traits = trait::none;
    if (is_of_libtorch(name)) {
      for (const auto& row : table) {
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

c10::ArrayRef<operator_row> operator_rows() { return table; }

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
  static const auto& all = *new traits_by_operator(find_all());  // threads may need it until the process has ended
  const auto found = all.find(op);
  return found == all.end() ? trait::none : found->second;
}

bool is_of_libtorch(const c10::OperatorName& name) { return begins_with(name.name, own_namespace); }

std::string full_name(const c10::OperatorHandle& op) {
  const auto& name = op.operator_name();
  return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}

std::string with_remedy(const std::string& full_name) {
  const std::size_t dot = full_name.find('.');
  const c10::OperatorName name(full_name.substr(0, dot), dot == std::string::npos ? "" : full_name.substr(dot + 1));
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const operator_row& row) { return !row.remedy.empty() && is_about(row, name); });
  return found == table.end() ? full_name : full_name + " (" + std::string(found->remedy) + ")";
}

}  // namespace graphed
