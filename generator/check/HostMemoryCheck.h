// SPDX-License-Identifier: Apache-2.0
//
// Memory that is had or given back, and copies between host and device, beside the graph.
#pragma once

#include "check/RepeatedCheck.h"
#include "check/code/Indices.h"
#include "check/code/KnownCalls.h"

namespace graphgen::check {

class HostMemoryCheck : public RepeatedCheck {
 public:
  using RepeatedCheck::RepeatedCheck;
  void check(const clang::Stmt& S, const Place& At) const override;

 private:
  void judgeValues(const KnownCall& Call, clang::SourceRange Range, const Place& At) const;
  void judgeIndex(const Indexing& Index, const Place& At) const;
  void judgeCopy(const clang::Stmt& S, const Place& At) const;
  void judgeMoved(const clang::Stmt& S, const Place& At) const;
};

}  // namespace graphgen::check
