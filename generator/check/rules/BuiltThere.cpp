// SPDX-License-Identifier: Apache-2.0
#include "check/rules/BuiltThere.h"

#include "check/code/Classes.h"
#include "check/code/Library.h"
#include "scan/Libraries.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Lex/Lexer.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

/// That a function is given, perhaps by default; null where it takes none.
const clang::Expr* optionsOf(const clang::CallExpr& Call) {
  const auto* Found = llvm::find_if(Call.getDirectCallee()->parameters(),
                                    [](const clang::ParmVarDecl* Each) { return libraryClass(Each->getType()) == "TensorOptions"; });
  const auto Place = static_cast<unsigned>(Found - Call.getDirectCallee()->param_begin());
  return Found != Call.getDirectCallee()->param_end() && Place < Call.getNumArgs() ? Call.getArg(Place) : nullptr;
}

/// Of a library's function that takes options.
const clang::CallExpr* factoryCall(const clang::Expr& Made) {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&Made);
  const clang::FunctionDecl* Maker = Call && !llvm::isa<clang::CXXMemberCallExpr>(Call) ? Call->getDirectCallee() : nullptr;
  return Maker && isOfLibrary(*Maker) && scan::outermostNamespace(*Maker) && Maker->getIdentifier() && optionsOf(*Call) ? Call : nullptr;
}

/// Text that is in a file as it is.
class Text {
 public:
  Text(const clang::FunctionDecl& Of) : Sources(Of.getASTContext().getSourceManager()), Language(Of.getASTContext().getLangOpts()) {}

  std::string of(clang::CharSourceRange Range) const {
    const bool IsInFile = Range.getBegin().isFileID() && Range.getEnd().isFileID();
    return IsInFile ? clang::Lexer::getSourceText(Range, Sources, Language).str() : "";
  }
  std::string of(const clang::Expr& E) const { return of(clang::CharSourceRange::getTokenRange(E.getSourceRange())); }
  clang::SourceLocation behind(clang::SourceLocation Token) const { return clang::Lexer::getLocForEndOfToken(Token, 0, Sources, Language); }

 private:
  const clang::SourceManager& Sources;
  const clang::LangOptions& Language;
};

bool isOfType(const clang::Expr& E, llvm::ArrayRef<llvm::StringRef> Names) {
  const clang::TagDecl* Tag = E.getType().getNonReferenceType()->getAsTagDecl();
  return Tag && Tag->getIdentifier() && llvm::is_contained(Names, Tag->getName());
}

bool isPostfix(const clang::Expr& E) {
  return llvm::isa<clang::DeclRefExpr, clang::MemberExpr, clang::CallExpr, clang::CXXTemporaryObjectExpr>(E) &&
         !llvm::isa<clang::CXXOperatorCallExpr>(E);
}

/// `d`, or `x.options()` of a tensor: what `to(d)` says as an option. Empty of anything else.
std::string destinationOf(const clang::CXXMemberCallExpr& Copy, const std::string& Namespace, const Text& Written) {
  if (Copy.getMethodDecl()->getName() == "cuda") {
    return Namespace + "::kCUDA";
  }
  const auto IsWritten = [](const clang::Expr* Each) { return !llvm::isa<clang::CXXDefaultArgExpr>(Each); };
  if (llvm::count_if(Copy.arguments(), IsWritten) != 1) {
    return "";
  }
  const clang::Expr& To = *Copy.getArg(0)->IgnoreUnlessSpelledInSource();
  const bool IsTensor = isTensor(To.getType()) && !nameOfTensor(To).empty();
  return isOfType(To, {"Device", "DeviceType"}) ? Written.of(To) : IsTensor ? Written.of(To) + ".options()" : "";
}

/// What makes `d` an option of the factory.
std::vector<clang::FixItHint> fixesOfOptions(const clang::CallExpr& Made, const std::string& To, const std::string& Namespace,
                                             const Text& Written) {
  const clang::Expr& Options = *optionsOf(Made);
  if (llvm::isa<clang::CXXDefaultArgExpr>(Options)) {
    return {clang::FixItHint::CreateInsertion(Made.getRParenLoc(), ", " + To)};
  }
  const clang::Expr& Given = *Options.IgnoreUnlessSpelledInSource();
  const std::string Says = Written.of(Given);
  const bool IsOther = Says.empty() || llvm::StringRef(Says).contains("grad") || llvm::StringRef(Says).contains("pin");
  if (IsOther || !isPostfix(Given) || llvm::StringRef(To).ends_with(".options()")) {
    return {};
  }
  const clang::SourceLocation Behind = Written.behind(Given.getEndLoc());
  if (isOfType(Given, {"TensorOptions"})) {
    return {clang::FixItHint::CreateInsertion(Behind, ".device(" + To + ")")};
  }
  if (isOfType(Given, {"ScalarType", "TypeMeta"})) {
    return {clang::FixItHint::CreateInsertion(Given.getBeginLoc(), Namespace + "::dtype("),
            clang::FixItHint::CreateInsertion(Behind, ").device(" + To + ")")};
  }
  return {};
}

}  // namespace

std::string nameOfTensor(const clang::Expr& E) {
  const clang::Expr& Plain = *E.IgnoreUnlessSpelledInSource();
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&Plain);
  const auto* Member = llvm::dyn_cast<clang::MemberExpr>(&Plain);
  const bool IsOwn = Member && llvm::isa<clang::CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts());
  return !isTensor(Plain.getType()) ? ""
         : Name                     ? Name->getDecl()->getNameAsString()
         : IsOwn                    ? Member->getMemberDecl()->getNameAsString()
                                    : "";
}

std::string nameOfDestination(const clang::Expr& To) {
  const clang::Expr& Plain = *To.IgnoreUnlessSpelledInSource();
  const auto* Asked = llvm::dyn_cast<clang::CXXMemberCallExpr>(&Plain);
  const bool IsAsked = Asked && Asked->getMethodDecl() && Asked->getMethodDecl()->getIdentifier() &&
                       llvm::is_contained({"device", "options"}, Asked->getMethodDecl()->getName());
  return nameOfTensor(IsAsked ? *Asked->getImplicitObjectArgument() : Plain);
}

std::vector<Note> noteToBuildThere(const clang::Expr& Made, llvm::StringRef Beside) {
  const clang::CallExpr* Call = factoryCall(Made);
  const bool IsOfNumbers = Call && llvm::is_contained({"from_blob", "tensor"}, Call->getDirectCallee()->getName());
  const std::string Advice = IsOfNumbers      ? "; make it once, outside of the callable"
                             : !Call          ? ""
                             : Beside.empty() ? "; build it on the device"
                                              : ("; build it on '" + Beside + ".options()'").str();
  return {{Made.getExprLoc(), "the tensor is made here" + Advice}};
}

std::vector<clang::FixItHint> fixesThatBuildThere(const clang::Stmt& Copy, const clang::Expr& Made) {
  constexpr llvm::StringLiteral OfOneValue[] = {"zeros", "ones", "full", "empty", "eye"};  // others may compute another last bit
  const auto* To = llvm::dyn_cast<clang::CXXMemberCallExpr>(&Copy);
  const clang::CallExpr* Call = factoryCall(Made);
  if (!To || !Call || To->getImplicitObjectArgument()->IgnoreImplicit() != Call || To->getBeginLoc().isMacroID() ||
      To->getEndLoc().isMacroID() || !llvm::is_contained(OfOneValue, Call->getDirectCallee()->getName())) {
    return {};
  }
  const Text Written(*Call->getDirectCallee());
  const std::string Namespace = scan::outermostNamespace(*Call->getDirectCallee())->getNameAsString();
  const std::string Destination = destinationOf(*To, Namespace, Written);
  const auto Removed = clang::CharSourceRange::getCharRange(Written.behind(Call->getRParenLoc()), Written.behind(To->getEndLoc()));
  const std::string Gone = Written.of(Removed);
  if (Destination.empty() || llvm::StringRef(Gone).contains("//") || llvm::StringRef(Gone).contains("/*")) {
    return {};
  }
  std::vector<clang::FixItHint> Fixes = fixesOfOptions(*Call, Destination, Namespace, Written);
  if (!Fixes.empty()) {
    Fixes.push_back(clang::FixItHint::CreateRemoval(Removed));
  }
  return Fixes;
}

}  // namespace graphgen::check
