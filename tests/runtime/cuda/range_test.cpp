// SPDX-License-Identifier: Apache-2.0
//
// The ranges that NVTX's tools see. The test is such a tool, linked into the program; it needs no GPU.
#include "../support/test_callable.h"

#include <gtest/gtest.h>
#include <nvtx3/nvToolsExt.h>

namespace graphed::testing {
namespace range_test {

// As NVTX has them: of each thread.
thread_local std::vector<std::string> open_ranges;
thread_local std::vector<std::string> ended_ranges;

int push(const char* name) {
  open_ranges.emplace_back(name);
  return static_cast<int>(open_ranges.size()) - 1;
}

int pop() {
  ended_ranges.push_back(open_ranges.back());
  open_ranges.pop_back();
  return static_cast<int>(open_ranges.size());
}

int attach(NvtxGetExportTableFunc_t tables) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(tables(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable functions = nullptr;
  unsigned size = 0;
  if (callbacks == nullptr || callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &functions, &size) == 0) {
    return 0;
  }
  *functions[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(&push);
  *functions[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(&pop);
  return 1;
}

// NVTX asks for it at the program's first range.
const bool is_attached = (InitializeInjectionNvtx2_fnptr = &attach) != nullptr;

TEST(nvtx_range, each_call_is_one_with_the_callables_name) {
  test_callable f({{"x", {4}}}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; });
  ASSERT_TRUE(is_attached);
  ended_ranges.clear();
  for (int call = 0; call < 4; ++call) {
    f({at::ones({4})});
  }
  EXPECT_EQ(ended_ranges, std::vector<std::string>(4, "test_callable"));
  EXPECT_TRUE(open_ranges.empty());
}

}  // namespace range_test
}  // namespace graphed::testing
