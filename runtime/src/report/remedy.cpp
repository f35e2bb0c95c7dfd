// SPDX-License-Identifier: Apache-2.0
#include "report/remedy.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace graphed {
namespace {

struct remedy_of {
  std::string_view operator_name;  ///< without the overload's name
  std::string_view remedy;
};

constexpr std::string_view fixed_shape = "keep the shape: torch::where, masked_fill, or topk with a fixed size";
constexpr std::string_view without_variant = "it waits for the device: compute it outside of the callable";

// Only operators that no capture can hold: the last operator of a failed capture may be innocent, these never are.
constexpr std::array table{
    remedy_of{"aten::_local_scalar_dense",
              "it is item(): keep the value in a tensor, or pass it as a parameter marked 'key', 'const' or 'live'"},
    remedy_of{
        "aten::equal",
        "compare on the device, (a == b).all(); torch::nn::MultiheadAttention and the Transformer modules call it: samples/attention has "
        "an "
        "attention that can be captured"},
    remedy_of{"aten::_linalg_check_errors", "call the variant that returns its error code, as linalg_cholesky_ex or linalg_inv_ex"},
    remedy_of{"aten::_linalg_eigh", without_variant},
    remedy_of{"aten::_linalg_eigvals", without_variant},
    remedy_of{"aten::_linalg_svd", without_variant},
    remedy_of{"aten::linalg_eig", without_variant},
    remedy_of{"aten::linalg_ldl_factor_ex", without_variant},
    remedy_of{"aten::_ctc_loss", "it reads the lengths on the host: compute the loss outside of the callable"},
    remedy_of{"aten::bincount", "scatter_add_ ones into a tensor of a fixed size"},
    remedy_of{"aten::masked_select", fixed_shape},
    remedy_of{"aten::nonzero", fixed_shape},
    remedy_of{"aten::_unique", fixed_shape},
    remedy_of{"aten::_unique2", fixed_shape},
    remedy_of{"aten::unique_consecutive", fixed_shape},
    remedy_of{"aten::unique_dim", fixed_shape},
};

}  // namespace

std::string with_remedy(const std::string& operator_name) {
  const std::string_view name = std::string_view(operator_name).substr(0, operator_name.find('.'));
  const auto found = std::find_if(table.begin(), table.end(), [&](const remedy_of& each) { return each.operator_name == name; });
  return found == table.end() ? operator_name : operator_name + " (" + std::string(found->remedy) + ")";
}

}  // namespace graphed
