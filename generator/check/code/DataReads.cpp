// SPDX-License-Identifier: Apache-2.0
//
// By the names of LibTorch's functions.
#include "check/code/DataReads.h"

#include "check/code/Library.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check {
namespace {

constexpr unsigned MostVariables = 8;  // one behind the other

/// What gives no value of a tensor.
bool asksForForm(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"size", "sizes", "sym_size", "sym_sizes", "dim", "ndimension", "numel", "stride", "strides", "defined", "use_count"}, true)
      .Cases({"device", "dtype", "options", "scalar_type", "layout", "is_cuda", "is_cpu", "is_contiguous", "requires_grad"}, true)
      .Cases({"new_zeros", "new_ones", "new_empty", "new_full", "zeros_like", "ones_like", "empty_like", "full_like"}, true)
      .Default(false);
}

bool isRandom(llvm::StringRef Name) {
  return Name.starts_with("rand") ||
         llvm::StringSwitch<bool>(Name).Cases({"normal", "bernoulli", "dropout", "poisson"}, true).Default(false);
}

class Reads {
 public:
  explicit Reads(llvm::function_ref<void(const clang::ValueDecl*)> Tell) : Tell(Tell) {}

  void visit(const clang::Stmt& S, unsigned Variables) {
    const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
    if (Call && !visitCall(*Call)) {
      return;
    }
    if (const auto* Member = llvm::dyn_cast<clang::MemberExpr>(&S); Member && llvm::isa<clang::FieldDecl>(Member->getMemberDecl())) {
      tell(*Member->getMemberDecl());
    } else if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&S)) {
      const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Name->getDecl());
      const bool IsLocal = Variable && Variable->isLocalVarDecl() && !Variable->isStaticLocal() && Variable->getInit();
      if (IsLocal && Variables < MostVariables) {
        return visit(*Variable->getInit(), Variables + 1);
      }
      if (const auto* Binding = llvm::dyn_cast<clang::BindingDecl>(Name->getDecl())) {
        return visitBound(*Binding, Variables);
      }
      tell(*Name->getDecl());
    }
    for (const clang::Stmt* Each : S.children()) {
      if (Each) {
        visit(*Each, Variables);
      }
    }
  }

 private:
  /// `auto [best, index] = scores.topk(4)`: of any of them as of all.
  void visitBound(const clang::BindingDecl& Binding, unsigned Variables) {
    const auto* Whole = llvm::dyn_cast_if_present<clang::VarDecl>(Binding.getDecomposedDecl());
    if (Whole && Whole->getInit() && Variables < MostVariables) {
      visit(*Whole->getInit(), Variables + 1);
    }
  }

  /// Whether its parts are worth a look.
  bool visitCall(const clang::CallExpr& Call) {
    const clang::FunctionDecl* Function = Call.getDirectCallee();
    const llvm::StringRef Name = Function && Function->getIdentifier() ? Function->getName() : "";
    if (Function && isOfLibrary(*Function)) {
      if (isRandom(Name)) {
        Tell(nullptr);
      }
      return !asksForForm(Name);
    }
    if (isTensor(Call.getType())) {
      Tell(nullptr);
    }
    return true;
  }

  void tell(const clang::ValueDecl& D) {
    const clang::QualType Type = D.getType().getNonReferenceType();
    const bool IsNumber = Type->isArithmeticType() || Type->isEnumeralType() || Type->isFunctionType();
    if (!IsNumber && !llvm::isa<clang::FunctionDecl>(D) && libraryClass(Type) != "TensorOptions" && libraryClass(Type) != "Device") {
      Tell(&D);
    }
  }

  llvm::function_ref<void(const clang::ValueDecl*)> Tell;
};

/// Also in what a local variable was made of.
bool holdsFormQuery(const clang::Stmt& S, unsigned Variables = 0) {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  if (Function && Function->getIdentifier() && isOfLibrary(*Function) && asksForForm(Function->getName())) {
    return true;
  }
  if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&S)) {
    const clang::Expr& Origin = originOf(*Name);
    return &Origin != Name && Variables < MostVariables && holdsFormQuery(Origin, Variables + 1);
  }
  return llvm::any_of(S.children(), [&](const clang::Stmt* Each) { return Each && holdsFormQuery(*Each, Variables); });
}

}  // namespace

void eachDataRead(const clang::Expr& E, llvm::function_ref<void(const clang::ValueDecl*)> Tell) { Reads(Tell).visit(E, 0); }

bool readsData(const clang::Expr& E) {
  bool Found = false;
  eachDataRead(E, [&](const clang::ValueDecl*) { Found = true; });
  return Found;
}

bool asksForFormOnly(const clang::Expr& E) { return holdsFormQuery(E) && !readsData(E); }

bool readsDataOf(const clang::Expr& E, const clang::ValueDecl& D) {
  bool Found = false;
  eachDataRead(E, [&](const clang::ValueDecl* Each) { Found |= Each == &D; });
  return Found;
}

}  // namespace graphgen::check
