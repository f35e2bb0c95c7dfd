// SPDX-License-Identifier: Apache-2.0
#include "check/rules/Readers.h"

#include "check/rules/Rule.h"

#include "clang/AST/DeclCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace graphgen::check {
namespace {

const clang::CXXRecordDecl* classOf(const clang::FunctionDecl& Callable) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Callable);
  return Method ? Method->getParent()->getDefinition() : nullptr;
}

bool mayBeOfOneObject(const clang::FunctionDecl& A, const clang::FunctionDecl& B) {
  const clang::CXXRecordDecl *First = classOf(A), *Second = classOf(B);
  return First && Second && (First == Second || First->isDerivedFrom(Second) || Second->isDerivedFrom(First));
}

bool overlap(const flow::PathNode& A, const flow::PathNode& B) { return A.isWithin(B) || B.isWithin(A); }

}  // namespace

void Readers::add(const clang::FunctionDecl& Callable, const flow::Summary& Whole) {
  std::vector<Reader> Read;
  llvm::SmallPtrSet<flow::Path, 8> Known, Assigned;
  for (const Way& In : waysOf(Whole)) {
    for (const flow::Fact& Each : In.Of.Facts) {
      if (Each.What == flow::Fact::Kind::Rebind) {
        llvm::for_each(Each.Object->Targets, [&](const flow::Target& One) { Assigned.insert(One.Of); });
      }
      if (Each.What != flow::Fact::Kind::Call || !Each.Operator || !Each.From) {
        continue;
      }
      for (const flow::Path Source : Each.From->Sources) {
        const bool IsKept = Source->from() == flow::Root::Object || Source->from() == flow::Root::Global;
        if (IsKept && Source->named() && Known.insert(Source).second) {
          Read.push_back({{&Callable, whereOf(Each)}, Source});
        }
      }
    }
  }
  llvm::copy_if(Read, std::back_inserter(All),
                [&](const Reader& Each) { return llvm::none_of(Assigned, [&](flow::Path One) { return overlap(*One, *Each.Of); }); });
}

const Readers::Read* Readers::readOf(const flow::PathNode& Of, const clang::FunctionDecl& Besides) const {
  const auto Found = llvm::find_if(All, [&](const Reader& Each) {
    const bool IsOther = Each.First.Callable->getCanonicalDecl() != Besides.getCanonicalDecl();
    return IsOther && overlap(*Each.Of, Of) && (Of.from() != flow::Root::Object || mayBeOfOneObject(*Each.First.Callable, Besides));
  });
  return Found == All.end() ? nullptr : &Found->First;
}

}  // namespace graphgen::check
