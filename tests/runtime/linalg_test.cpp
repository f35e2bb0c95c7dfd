// SPDX-License-Identifier: Apache-2.0
//
// Functions of linear algebra that read on the host whether they failed, the rows of generator/check/LinalgSyncCheck.cpp, and those to take
// in their place.
#include "support/device_test.h"
#include "support/libtorch_version.h"

#include <torch/types.h>

namespace linalg_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Linalg);

using Function = std::function<Tensor(const Tensor& a)>;

/// Of a symmetric, well-conditioned matrix.
void expect_as_eager(c10::Device device, const Function& function, uint64_t captures) {
  expect_same(device, [&](scenario& run) {
    subject f(run, {{"x", {4, 4}}}, [&](tensor_list& in) {
      const Tensor a = in[0].matmul(in[0].t()) + 4 * at::eye(4, run.options());
      return tensor_list{function(a)};
    });
    for (int step = 0; step < 8; ++step) {
      run.see("y", f({run.random({4, 4})}));
    }
    f.expect_captures(captures);
  });
}

const std::map<std::string, Function> refused{
    {"linalg_cholesky", [](const Tensor& a) { return at::linalg_cholesky(a); }},
    {"linalg_inv", [](const Tensor& a) { return at::linalg_inv(a); }},
    {"inverse", [](const Tensor& a) { return a.inverse(); }},
    {"linalg_solve", [](const Tensor& a) { return at::linalg_solve(a, a); }},
    {"linalg_lu_factor", [](const Tensor& a) { return std::get<0>(at::linalg_lu_factor(a)); }},
    {"linalg_tensorinv", [](const Tensor& a) { return at::linalg_tensorinv(a, 1); }},
    {"linalg_tensorsolve", [](const Tensor& a) { return at::linalg_tensorsolve(a, a.select(0, 0)); }},
    {"linalg_matrix_power", [](const Tensor& a) { return at::linalg_matrix_power(a, -1); }},
};

/// These read inside of one operator, which a tape runs as a whole. Some fail inside of cuSOLVER, which must not disturb the
/// original function.
const std::map<std::string, Function> refused_on_cuda{
#if TESTS_HAVE_CHOLESKY
    {"cholesky", [](const Tensor& a) { return a.cholesky(); }},
#endif
    {"linalg_eigh", [](const Tensor& a) { return std::get<0>(at::linalg_eigh(a)); }},
    {"linalg_eigvalsh", [](const Tensor& a) { return at::linalg_eigvalsh(a); }},
    {"linalg_pinv of a symmetric matrix", [](const Tensor& a) { return at::linalg_pinv(a, 1e-6, /*hermitian=*/true); }},
    {"linalg_ldl_factor_ex", [](const Tensor& a) { return std::get<0>(at::linalg_ldl_factor_ex(a)); }},
    {"linalg_eig", [](const Tensor& a) { return at::real(std::get<0>(at::linalg_eig(a))).clone(); }},
    {"linalg_eigvals", [](const Tensor& a) { return at::real(at::linalg_eigvals(a)).clone(); }},
    {"linalg_svd", [](const Tensor& a) { return std::get<1>(at::linalg_svd(a)); }},
    {"linalg_svdvals", [](const Tensor& a) { return at::linalg_svdvals(a); }},
    {"linalg_pinv", [](const Tensor& a) { return at::linalg_pinv(a); }},
    {"linalg_matrix_rank", [](const Tensor& a) { return at::linalg_matrix_rank(a); }},
    {"linalg_cond", [](const Tensor& a) { return at::linalg_cond(a); }},
    {"pinverse", [](const Tensor& a) { return a.pinverse(); }},
    {"svd", [](const Tensor& a) { return std::get<1>(a.svd()); }},
    {"nuclear_norm", [](const Tensor& a) { return at::nuclear_norm(a); }},
    {"linalg_matrix_norm of order nuc", [](const Tensor& a) { return at::linalg_matrix_norm(a, "nuc"); }},
    {"linalg_matrix_norm of order 2", [](const Tensor& a) { return at::linalg_matrix_norm(a, 2); }},
    {"matrix_exp", [](const Tensor& a) { return at::matrix_exp(a / 64); }},
    {"cholesky_inverse of a batch", [](const Tensor& a) { return at::cholesky_inverse(at::stack({a, a})); }},
    {"cholesky_solve of a batch", [](const Tensor& a) { return at::cholesky_solve(at::stack({a, a}), at::stack({a, a})); }},
};

const std::map<std::string, Function> captured{
    {"linalg_cholesky_ex", [](const Tensor& a) { return std::get<0>(at::linalg_cholesky_ex(a)); }},
    {"linalg_inv_ex", [](const Tensor& a) { return std::get<0>(at::linalg_inv_ex(a)); }},
    {"linalg_solve_ex", [](const Tensor& a) { return std::get<0>(at::linalg_solve_ex(a, a)); }},
    {"linalg_lu_factor_ex", [](const Tensor& a) { return std::get<0>(at::linalg_lu_factor_ex(a)); }},
    {"linalg_qr", [](const Tensor& a) { return std::get<1>(at::linalg_qr(a)); }},
    {"linalg_det", [](const Tensor& a) { return at::linalg_det(a); }},
    {"linalg_slogdet", [](const Tensor& a) { return std::get<1>(at::linalg_slogdet(a)); }},
    {"cholesky_inverse", [](const Tensor& a) { return a.cholesky_inverse(); }},
    {"cholesky_solve", [](const Tensor& a) { return at::cholesky_solve(a, a); }},
    {"linalg_solve_triangular", [](const Tensor& a) { return at::linalg_solve_triangular(a.tril(), a, /*upper=*/false); }},
    {"linalg_lu_solve",
     [](const Tensor& a) {
       const auto [factors, pivots, error] = at::linalg_lu_factor_ex(a);
       return at::linalg_lu_solve(factors, pivots, a);
     }},
    {"linalg_matrix_power", [](const Tensor& a) { return at::linalg_matrix_power(a, 3); }},
};

void expect_all(c10::Device device, const std::map<std::string, Function>& functions, uint64_t captures) {
  for (const auto& [name, function] : functions) {
    SCOPED_TRACE(name);
    expect_as_eager(device, function, captures);
  }
}

TEST_P(Linalg, ThatLooksForErrorsIsRefused) {
  expect_all(device(), refused, 0);
  EXPECT_EQ(warnings_.count({"aten::_linalg_check_errors", "linalg_inv_ex"}), refused.size()) << warnings_.all();
}

TEST_P(Linalg, ThatLooksForErrorsInsideIsRefusedOnADevice) { expect_all(device(), refused_on_cuda, device().is_cpu() ? 1 : 0); }

TEST_P(Linalg, ThatReturnsItsErrorCodeIsCaptured) {
  expect_all(device(), captured, 1);
  EXPECT_EQ(warnings_.count(), 0U) << warnings_.all();
}

}  // namespace linalg_test
