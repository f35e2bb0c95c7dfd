// SPDX-License-Identifier: Apache-2.0
#include "check/Registry.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

enum class Subject { Places, Targets };
enum class Level { Error, Warning };

constexpr CheckInfo All[] = {
#define CHECK(Id, About, Most) {Id, Subject::About == Subject::Targets, Level::Most == Level::Warning},
#include "check/rules/Rules.inc"
};

}  // namespace

llvm::ArrayRef<CheckInfo> checks() { return All; }

const CheckInfo& infoOf(llvm::StringRef Name) {
  return *llvm::find_if(All, [&](const CheckInfo& Each) { return Each.Name == Name; });
}

}  // namespace graphgen::check
