// SPDX-License-Identifier: Apache-2.0
//
// A pointer may be read under another name than its own: each body adds what names it gives which pointers.
#include "scan/ReadsBehind.h"

#include "scan/BodyVisitor.h"
#include "scan/MemberTypes.h"
#include "scan/Types.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::scan {
namespace {

bool isZero(const clang::Expr& Index) {
  const auto* Literal = llvm::dyn_cast<clang::IntegerLiteral>(Index.IgnoreParenImpCasts());
  return Literal && Literal->getValue().isZero();
}

/// What an expression shows by pointers, elements and what methods of libraries give; null of anything else.
const clang::ValueDecl* shownBy(const clang::Expr& Given) {
  const clang::Expr* E = Given.IgnoreParenCasts()->IgnoreImplicit();
  if (const auto* Call = llvm::dyn_cast<clang::CallExpr>(E)) {
    const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(E);
    const clang::FunctionDecl* Called = Call->getDirectCallee();
    const bool IsOfLibrary = Called && isOfLibraryOrSystem(*Called);
    const bool IsOperator = llvm::isa<clang::CXXOperatorCallExpr>(E);
    return !IsOfLibrary ? Called
           : Method     ? shownBy(*Method->getImplicitObjectArgument())
           : IsOperator ? shownBy(*Call->getArg(0))
                        : nullptr;
  }
  if (const auto* Sum = llvm::dyn_cast<clang::BinaryOperator>(E)) {
    const bool IsOfPointer = Sum->isAdditiveOp() && Sum->getLHS()->getType()->isPointerType();
    return IsOfPointer ? shownBy(*Sum->getLHS()) : nullptr;
  }
  if (const auto* Step = llvm::dyn_cast<clang::UnaryOperator>(E)) {
    return shownBy(*Step->getSubExpr());
  }
  if (const auto* Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(E)) {
    return shownBy(*Element->getBase());
  }
  const auto* Member = llvm::dyn_cast<clang::MemberExpr>(E);
  if (Member && isOfLibraryOrSystem(*Member->getMemberDecl())) {
    return shownBy(*Member->getBase());
  }
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(E);
  return Member ? Member->getMemberDecl() : Name ? Name->getDecl() : nullptr;
}

bool isPointerOrAddress(clang::QualType Type) {
  return Type->isPointerType() || Type->isMemberPointerType() || Type->isReferenceType() || Type->isIntegerType();
}

bool isSmartPointer(clang::QualType Type) {
  const clang::CXXRecordDecl* Class = Type->getAsCXXRecordDecl();
  return Class && llvm::is_contained({"std::unique_ptr", "std::shared_ptr", "std::reference_wrapper"}, qualifiedName(*Class));
}

/// Whose arguments are memory that they read.
bool readsMemory(const clang::FunctionDecl& Function) {
  return Function.getIdentifier() &&
         llvm::is_contained({"memcpy", "memmove", "memcmp", "static_pointer_cast", "reinterpret_pointer_cast"}, Function.getName());
}

bool isUntyped(clang::QualType Type) {
  const clang::QualType T = Type.getCanonicalType().getNonReferenceType();
  return T->isVoidPointerType() || (isSmartPointer(T) && templateArguments(T->getAsCXXRecordDecl()).front().getAsType()->isVoidType());
}

/// Of a library's object that calls do not compare, such as a distribution or an optimizer.
bool asksForNumber(const clang::CXXMemberCallExpr& Call) {
  const clang::CXXMethodDecl* Method = Call.getMethodDecl();
  const clang::QualType Given = Call.getType();
  const clang::CXXRecordDecl* Class = Given->getAsCXXRecordDecl();
  const bool IsNumber = Given->isArithmeticType() || Given->isEnumeralType() || (Class && qualifiedName(*Class) == "std::basic_string");
  return Method && isOfLibraryOrSystem(*Method) && IsNumber && (Method->isConst() || Method->getReturnType()->isLValueReferenceType()) &&
         Method->getDeclName() && !(Method->getIdentifier() && Method->getName() == "defined");
}

}  // namespace

bool isUncompared(const clang::ValueDecl& D) {
  clang::QualType Type = D.getType().getNonReferenceType();
  while (!Type.isNull() && (Type->isPointerType() || isSmartPointer(Type))) {
    Type = Type->isPointerType() ? Type->getPointeeType() : templateArguments(Type->getAsCXXRecordDecl()).front().getAsType();
  }
  const clang::CXXRecordDecl* Class = llvm::isa<clang::FunctionDecl>(D) ? nullptr : Type->getAsCXXRecordDecl();
  const std::string Name = Class ? qualifiedName(*Class) : "";
  const bool IsConstant = llvm::StringRef(Name).starts_with("c10d::") || Name == "graphed::ProcessGroup" || Name == "at::Generator";
  return Class && isOfLibraryOrSystem(*Class) && !IsConstant && heldType(D.getType()).What == HeldType::Form::Nothing;
}

class ReadsBehind::Collector : public BodyVisitor {
 public:
  Collector(const clang::FunctionDecl& In, ReadsBehind& Reads) : In(In), Reads(Reads) {}

  bool VisitCallExpr(clang::CallExpr* Call) override {
    const clang::FunctionDecl* Called = Call->getDirectCallee();
    if (Called && !isOfLibraryOrSystem(*Called)) {
      const clang::FunctionDecl* Definition = Called->getDefinition();
      for (const auto& [Parameter, Given] : llvm::zip((Definition ? Definition : Called)->parameters(), argumentsOf(*Call))) {
        alias(*Parameter, Given);
      }
    }
    if (Called && readsMemory(*Called)) {
      for (const clang::Expr* Each : Call->arguments()) {
        if (isUntyped(Each->IgnoreImpCasts()->getType())) {
          goBeyond(*Each, "what it points to is not compared");
        }
      }
    }
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* Variable) override {
    alias(*Variable, llvm::isa<clang::ParmVarDecl>(Variable) ? nullptr : Variable->getInit());
    return true;
  }
  bool VisitReturnStmt(clang::ReturnStmt* Return) override {
    if (isPointerOrAddress(In.getReturnType())) {
      alias(In, Return->getRetValue());
    }
    return true;
  }
  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* Call) override {
    const clang::Expr* On = asksForNumber(*Call) ? Call->getImplicitObjectArgument() : nullptr;
    const clang::ValueDecl* Of = On ? shownBy(*On) : nullptr;
    if (Of && isUncompared(*Of)) {
      goBeyond(*Of, "no call can compare objects of its class");
    }
    return true;
  }
  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr* Element) override {
    if (!isZero(*Element->getIdx())) {
      goAlong(*Element->getBase());
    }
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* S) override {
    if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(S->getLHS()); Name && S->getOpcode() == clang::BO_Assign) {
      alias(*Name->getDecl(), S->getRHS());
    }
    if (S->isPtrMemOp() && S->getRHS()->getType()->isMemberDataPointerType()) {
      goBeyond(*S->getRHS(), "the member that it leads to is not compared");
    }
    if (S->isAdditiveOp() || S->getOpcode() == clang::BO_AddAssign || S->getOpcode() == clang::BO_SubAssign) {
      goAlong(*S->getLHS());
      goAlong(*S->getRHS());
    }
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* Step) override {
    if (Step->isIncrementDecrementOp()) {
      goAlong(*Step->getSubExpr());
    }
    return true;
  }
  bool VisitExplicitCastExpr(clang::ExplicitCastExpr* Cast) override {
    const clang::QualType To = Cast->getType()->getPointeeType();
    const clang::QualType From = Cast->getSubExpr()->getType();
    if (!To.isNull() && To->isObjectType() && !To->isIncompleteType() && (From->isVoidPointerType() || From->isIntegerType())) {
      goBeyond(*Cast->getSubExpr(), "what it points to is not compared");
    }
    return true;
  }

 private:
  /// A pointer, or an address in an integer, that is another one's.
  void alias(const clang::ValueDecl& D, const clang::Expr* Given) {
    const bool MayBe = Given && (llvm::isa<clang::FunctionDecl>(D) || isPointerOrAddress(D.getType()));
    if (const clang::ValueDecl* Its = MayBe ? shownBy(*Given) : nullptr) {
      Reads.Aliases[llvm::cast<clang::ValueDecl>(D.getCanonicalDecl())].insert(llvm::cast<clang::ValueDecl>(Its->getCanonicalDecl()));
    }
  }

  static llvm::ArrayRef<const clang::Expr*> argumentsOf(const clang::CallExpr& Call) {
    const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Call);
    const unsigned Object = Operator && llvm::isa_and_nonnull<clang::CXXMethodDecl>(Call.getCalleeDecl()) ? 1 : 0;
    return llvm::ArrayRef(Call.getArgs(), Call.getNumArgs()).drop_front(Object);
  }

  void goBeyond(const clang::ValueDecl& D, llvm::StringRef Why) {
    Reads.Found.try_emplace(llvm::cast<clang::ValueDecl>(D.getCanonicalDecl()), Why);
  }
  void goBeyond(const clang::Expr& Pointer, llvm::StringRef Why) {
    if (const clang::ValueDecl* Shown = shownBy(Pointer)) {
      goBeyond(*Shown, Why);
    }
  }

  /// From the first object to which a pointer leads to others.
  void goAlong(const clang::Expr& Pointer) {
    const clang::Expr* E = Pointer.IgnoreParenImpCasts();
    const HeldType Held = heldType(E->getType());
    if (E->getType()->isPointerType() && Held.IsReferred && Held.What != HeldType::Form::Nothing) {
      goBeyond(Pointer, "it is a pointer to an array, which does not say how long that is");
    }
  }

  const clang::FunctionDecl& In;
  ReadsBehind& Reads;
};

void ReadsBehind::look(const clang::FunctionDecl& Body) { Collector(Body, *this).TraverseDecl(const_cast<clang::FunctionDecl*>(&Body)); }

/// A container knows how many objects it has.
static bool mayBeBehind(const clang::ValueDecl& D) {
  const clang::QualType Type = D.getType().getNonReferenceType();
  return llvm::isa<clang::FunctionDecl>(D) || isPointerOrAddress(Type) || heldType(Type).What == HeldType::Form::Nothing;
}

ReadsBehind::Reasons ReadsBehind::take() {
  std::vector<std::pair<const clang::ValueDecl*, llvm::StringRef>> Next(Found.begin(), Found.end());
  while (!Next.empty()) {
    const auto [D, Why] = Next.back();
    Next.pop_back();
    for (const clang::ValueDecl* Each : Aliases.lookup(D)) {
      if (mayBeBehind(*Each) && Found.try_emplace(Each, Why).second) {
        Next.emplace_back(Each, Why);
      }
    }
  }
  return std::move(Found);
}

}  // namespace graphgen::scan
