// SPDX-License-Identifier: Apache-2.0
//
// By the functions' names; modules by their classes.
#include "check/HostCompareCheck.h"

#include "check/KnownSizes.h"
#include "check/calls/ModuleRuns.h"
#include "check/code/GivenArguments.h"
#include "check/code/KnownCalls.h"
#include "check/code/Options.h"
#include "check/code/Reassigned.h"
#include "check/code/Spelled.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

/// Asks torch::equal whether its query, key and value are one tensor. CUDA answers without a look at the values where they are one, or have
/// other sizes: so no encoder is told, whose attention is to itself.
struct Attention {
  llvm::StringRef Name;  // as it is written behind torch::nn::
  clang::SourceLocation Where;
  llvm::ArrayRef<const clang::Expr*> Given;
  const clang::Stmt* Options = nullptr;

  explicit operator bool() const { return !Name.empty(); }
  bool isOfThree() const { return Name == "MultiheadAttention" || Name == "functional::multi_head_attention_forward"; }
};

/// The variable that E names; of a local one that is another name for one tensor, that which it was made of.
const clang::ValueDecl* variableOf(const clang::Expr& Given) {
  constexpr unsigned MostNames = 8;
  const clang::Expr* E = &withoutCasts(Given);
  for (unsigned Each = 0; Each < MostNames; ++Each) {
    const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(E);
    if (Construction && Construction->getNumArgs() == 1 && Construction->getConstructor()->isCopyOrMoveConstructor()) {
      E = &withoutCasts(*Construction->getArg(0));
      continue;
    }
    const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(E);
    const auto* Variable = Name ? llvm::dyn_cast<clang::VarDecl>(Name->getDecl()) : nullptr;
    const bool IsOtherName = Variable && Variable->isLocalVarDecl() && Variable->getInit() && !isReassigned(*Variable);
    const clang::Expr* Origin = IsOtherName ? &withoutCasts(*Variable->getInit()) : nullptr;
    if (!Origin || !llvm::isa<clang::DeclRefExpr, clang::CXXConstructExpr>(Origin)) {
      return Variable;
    }
    E = Origin;
  }
  return nullptr;
}

Attention attentionOf(const clang::Stmt& S, const UnitIndex& Index) {
  if (const KnownCall Call = knownCall(S); Call && Call.isOneOf({"torch::nn::functional::multi_head_attention_forward"})) {
    return {"functional::multi_head_attention_forward", Call.Where, Call.Arguments,
            argumentGiven(*Call.Function, Call.Arguments, "options")};
  }
  const ModuleRun Run = moduleRun(S);
  if (!llvm::is_contained({"MultiheadAttention", "Transformer", "TransformerDecoder", "TransformerDecoderLayer"}, Run.Class)) {
    return {};
  }
  const std::vector<const clang::Expr*> Made = valuesOf(Run, Index);
  return {Run.Class, llvm::cast<clang::Expr>(S).getExprLoc(), Run.Arguments, Made.size() == 1 ? Made[0] : nullptr};
}

std::optional<llvm::APSInt> numberIn(const clang::Expr* E, const clang::ASTContext& Context) {
  clang::Expr::EvalResult Value;
  return E && !E->isValueDependent() && E->EvaluateAsInt(Value, Context) ? std::optional(Value.Val.getInt()) : std::nullopt;
}

/// The number of features that the options of the attention are made with.
const clang::Expr* featuresIn(const clang::Stmt& Options) {
  const KnownCall Made = knownCall(Options);
  if (Made && Made.Class == "MultiheadAttentionOptions" && Made.Name == Made.Class && Made.Arguments.size() >= 2) {
    return Made.Arguments[0];
  }
  for (const clang::Stmt* Each : Options.children()) {
    if (const clang::Expr* Found = Each ? featuresIn(*Each) : nullptr) {
      return Found;
    }
  }
  return nullptr;
}

/// With projections of their own, keys and values are not compared.
bool projectsApart(const clang::Stmt& Options, const clang::ASTContext& Context) {
  const auto Features = numberIn(featuresIn(Options), Context);
  return isTrue(optionIn(Options, "use_separate_proj_weight")) ||
         llvm::any_of(std::initializer_list<llvm::StringRef>{"kdim", "vdim"}, [&](llvm::StringRef Each) {
           const auto Own = numberIn(optionIn(Options, Each), Context);
           return Own && Features && *Own != *Features;
         });
}

bool areOneVariable(const clang::Expr& A, const clang::Expr& B) {
  const clang::ValueDecl* Variable = variableOf(A);
  return Variable && Variable == variableOf(B);
}

/// Whether CUDA looks at values to answer. Query and key come first; then key and value, whose sizes are the same.
Holds looksAtValues(const Attention& Its, const Place& At) {
  const llvm::ArrayRef<const clang::Expr*> Given = Its.Given;
  const bool IsOfThree = Its.isOfThree();
  if (Given.size() < (IsOfThree ? 3 : 2) || (IsOfThree && !areOneVariable(*Given[1], *Given[2]))) {
    return Holds::Always;
  }
  return IsOfThree && areOneVariable(*Given[0], *Given[1]) ? Holds::Never : haveSameSizes(*Given[0], *Given[1], At);
}

}  // namespace

void HostCompareCheck::check(const clang::Stmt& S, const Place& At) const {
  if (const TensorCall Read = tensorCall(S, {"equal", "allclose"})) {
    return report(At, Read.Where, Read.Call->getSourceRange(), "'" + Read.Name + "' compares tensors on the host, which a graph cannot do");
  }
  const Attention Its = attentionOf(S, At.Index);
  const bool Compares = Its && !(Its.Options && projectsApart(*Its.Options, At.In.Function->getASTContext()));
  const Holds Looks = Compares ? looksAtValues(Its, At) : Holds::Never;
  const std::string Message = "'torch::nn::" + Its.Name.str() + (Looks == Holds::Always ? "' compares" : "' may compare") +
                              " query, key and value on the host, which a graph cannot do";
  if (Looks == Holds::Always) {
    report(At, Its.Where, S.getSourceRange(), Message);
  } else if (Looks != Holds::Never) {
    suspect(At, Its.Where, S.getSourceRange(), Message);
  }
}

}  // namespace graphgen::check
