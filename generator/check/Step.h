// SPDX-License-Identifier: Apache-2.0
//
// Whether a callable is marked `step`.
#pragma once

#include "check/CaptureCheck.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {

inline bool isStep(AnnotationsOfOne Annotations) {
  return llvm::any_of(Annotations, [](const scan::ScannedCallable* Each) {
    return llvm::any_of(Each->Callable.Options, [](const annotation::Option& Given) { return Given.Kind == annotation::OptionKind::Step; });
  });
}

}  // namespace graphgen::check
