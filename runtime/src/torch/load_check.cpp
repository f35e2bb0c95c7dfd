// SPDX-License-Identifier: Apache-2.0
//
// A runtime reaches into LibTorch where its headers said that things are: with another LibTorch a program would go wrong anywhere. It ends
// as the runtime is loaded.
#include "torch/layout_check.h"

#include <caffe2/core/common.h>
#include <torch/headeronly/version.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#ifndef GRAPHED_BUILT_FOR
#define GRAPHED_BUILT_FOR TORCH_VERSION
#endif

namespace graphed {
namespace {

// Without what comes after the three numbers.
std::string numbers_of(const std::string& version) { return version.substr(0, version.find_first_not_of("0123456789.")); }

struct load_check {
  load_check() {
    const auto& options = caffe2::GetBuildOptions();
    const auto loaded = options.find("TORCH_VERSION");
    if (loaded != options.end() && numbers_of(loaded->second) != numbers_of(GRAPHED_BUILT_FOR)) {
      std::fprintf(stderr,
                   "graphed: the runtime was built for LibTorch %s and LibTorch %s was loaded: build it again, or name the former.\n",
                   GRAPHED_BUILT_FOR, loaded->second.c_str());
      std::_Exit(EXIT_FAILURE);
    }
    if (const char* const part = misplaced_part()) {
      std::fprintf(stderr,
                   "graphed: the LibTorch that was loaded has %s elsewhere than its headers say: build the runtime with its own headers.\n",
                   part);
      std::_Exit(EXIT_FAILURE);
    }
  }
};

const load_check at_load;

}  // namespace
}  // namespace graphed
