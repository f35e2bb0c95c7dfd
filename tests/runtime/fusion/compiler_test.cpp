// SPDX-License-Identifier: Apache-2.0
//
// NVRTC needs no GPU: what the table can emit compiles.
#include "fusion/compiler.h"
#include "fusion/kernel_source.h"
#include "fusion/one_operator.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fusion_compiler_test {

using namespace graphed::impl::fusion;
using namespace graphed::testing;

bool has_compiler() { return !compiler_version().empty(); }

TEST(FusionCompiler, CompilesEachRowForEachDtype) {
  if (!has_compiler()) {
    GTEST_SKIP() << "there is no NVRTC";
  }
  for (const at::ScalarType dtype : fused_dtypes()) {
    std::vector<kernel> kernels;
    for (const formula& row : formula_rows()) {
      if (holds_for(row, dtype)) {
        kernels.push_back(one_operator(row, dtype, 1024, "fused_" + std::to_string(kernels.size())));
      }
    }
    const std::string source = program_source(kernels);
    const compiled made = compile(source, "sm_90");
    EXPECT_FALSE(made.cubin.empty()) << dtype << ": " << made.why_not << "\n" << source;
  }
}

TEST(FusionCompiler, SaysWhyItFails) {
  if (!has_compiler()) {
    GTEST_SKIP() << "there is no NVRTC";
  }
  const compiled made = compile("extern \"C\" __global__ void fused() { no_such_function(); }", "sm_90");
  EXPECT_TRUE(made.cubin.empty());
  EXPECT_NE(made.why_not.find("no_such_function"), std::string::npos) << made.why_not;
  EXPECT_FALSE(compile("", "sm_1").why_not.empty());
}

}  // namespace fusion_compiler_test
