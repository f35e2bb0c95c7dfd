// SPDX-License-Identifier: Apache-2.0
//
// '*' stands for any characters; all others stand for themselves.
#include "check/Globs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace graphgen::check {
namespace {

bool fits(llvm::StringRef Pattern, llvm::StringRef Name) {
  const size_t Star = Pattern.find('*');
  if (Star == llvm::StringRef::npos) {
    return Pattern == Name;
  }
  if (!Name.consume_front(Pattern.take_front(Star))) {
    return false;
  }
  const llvm::StringRef Rest = Pattern.drop_front(Star + 1);
  for (size_t Skipped = 0; Skipped <= Name.size(); ++Skipped) {
    if (fits(Rest, Name.drop_front(Skipped))) {
      return true;
    }
  }
  return false;
}

}  // namespace

Globs::Globs(llvm::StringRef List) {
  llvm::SmallVector<llvm::StringRef, 8> Parts;
  List.split(Parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef Each : Parts) {
    Each = Each.trim();
    const bool IsTaken = !Each.consume_front("-");
    if (!Each.empty()) {
      All.push_back({Each.str(), IsTaken});
    }
  }
}

bool Globs::contains(llvm::StringRef Name) const {
  const auto Last = llvm::find_if(llvm::reverse(All), [&](const Glob& Each) { return fits(Each.Text, Name); });
  return Last != All.rend() && Last->IsTaken;
}

llvm::StringRef Globs::useless(llvm::ArrayRef<llvm::StringRef> Names) const {
  for (const Glob& Each : All) {
    if (llvm::none_of(Names, [&](llvm::StringRef Name) { return fits(Each.Text, Name); })) {
      return Each.Text;
    }
  }
  return {};
}

}  // namespace graphgen::check
