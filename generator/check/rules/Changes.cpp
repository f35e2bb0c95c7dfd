// SPDX-License-Identifier: Apache-2.0
//
// From each name of a member or variable outwards, until it is read, changed, or known by another name: `for (auto& each : gains_)`.
#include "check/rules/Changes.h"

#include "check/code/Library.h"
#include "check/code/Paths.h"
#include "check/flow/Types.h"
#include "check/rules/Making.h"
#include "scan/Libraries.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/SaveAndRestore.h"

namespace graphgen::check {
namespace {

using Names = std::initializer_list<llvm::StringRef>;

/// Methods of containers, pointers and iterators: what the result shows is a part of the object.
constexpr llvm::StringLiteral Shown[] = {"at",   "front", "back",        "begin",       "end", "rbegin", "rend",
                                         "data", "find",  "lower_bound", "upper_bound", "get", "value",  "equal_range"};
/// Of an object whose class is not known.
constexpr llvm::StringLiteral Writers[] = {"push_back", "push_front", "emplace_back", "emplace", "insert",   "insert_or_assign",
                                           "erase",     "clear",      "resize",       "assign",  "pop_back", "pop_front",
                                           "reset",     "swap",       "store",        "set"};

bool isNamed(const clang::NamedDecl& D, Names All) { return D.getIdentifier() && llvm::is_contained(All, D.getName()); }

const clang::CXXRecordDecl* classOf(clang::QualType Type) {
  const clang::CXXRecordDecl* Class = Type.getNonReferenceType()->getAsCXXRecordDecl();
  return Class && Class->getDefinition() ? Class->getDefinition() : Class;
}

/// Of the program, with members that are looked at one by one.
bool isOwnClass(clang::QualType Type) {
  const clang::CXXRecordDecl* Class = classOf(Type);
  return Class && !isOfLibrary(*Class);
}

bool isTensor(clang::QualType Type) { return flow::kindOf(Type.getNonReferenceType()) == flow::TypeKind::Tensor; }

/// What is behind it is no object with members of its own.
bool leadsToValue(clang::QualType Pointer) {
  const clang::QualType To = flow::pointeeOf(Pointer.getNonReferenceType());
  return !To.isNull() && !To.isConstQualified() && !isOwnClass(To);
}

bool shows(const clang::FunctionDecl& F) {
  return llvm::is_contained({clang::OO_Subscript, clang::OO_Star, clang::OO_Arrow}, F.getOverloadedOperator()) ||
         (F.getIdentifier() && llvm::is_contained(Shown, F.getName()));
}

/// Of the standard library, given iterators.
bool onlyReads(const clang::FunctionDecl& F) {
  return isNamed(F, {"accumulate", "all_of", "any_of", "count", "count_if", "distance", "equal", "find", "find_if", "inner_product",
                     "max_element", "min_element", "none_of", "reduce", "next", "prev"});
}

bool givesToWrite(clang::QualType Type) {
  return (Type->isReferenceType() || Type->isPointerType()) ? !Type->getPointeeType().isConstQualified() : false;
}

/// A place that is named, as seen from the function.
struct Named {
  const clang::ValueDecl* D = nullptr;     // a pattern; null of a member of an object whose class a template's argument is
  const clang::VarDecl* Holder = nullptr;  // the function's own variable that holds the object, if any
  bool IsOnThis = false;                   // of the object that the function is a method of
  bool IsReference = true;                 // false: a pointer or an iterator to it
  llvm::StringRef Name = "";               // where D is null
};

/// A function, and what its own variables stand for.
struct Body {
  Body(const clang::FunctionDecl* Of, bool Makes) : Of(Of), Makes(Makes) {}

  const clang::FunctionDecl* Of;
  bool Makes;
  llvm::DenseMap<const clang::VarDecl*, Named> Aliases;
  // By the variable that holds what is changed: it counts if the variable is more than copied.
  llvm::MapVector<const clang::VarDecl*, std::vector<std::pair<const clang::ValueDecl*, clang::SourceLocation>>> OfHeld;
  llvm::SmallPtrSet<const clang::VarDecl*, 8> HandedOn;
};

class Collector : public clang::DynamicRecursiveASTVisitor {
 public:
  Collector(const clang::SourceManager& Sources, const UnitIndex& Unit) : Sources(Sources), Unit(Unit) {}

  llvm::MapVector<const clang::ValueDecl*, Changes::Places> All;
  llvm::StringMap<Changes::Places> Names;

  bool TraverseDecl(clang::Decl* D) override {
    if (!D || isForeign(*D)) {
      return true;
    }
    const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(D);
    if (!Function || !Function->isThisDeclarationADefinition()) {
      return clang::DynamicRecursiveASTVisitor::TraverseDecl(D);
    }
    Body Of(Function, isMaking(patternOf(*Function), Unit));
    const llvm::SaveAndRestore Here(In, &Of);
    const llvm::SaveAndRestore From(Around, {});
    const bool GoesOn = clang::DynamicRecursiveASTVisitor::TraverseDecl(D);
    for (const auto& [Holder, Changed] : Of.OfHeld) {
      for (const auto& [Each, Where] : Changed) {
        if (Of.HandedOn.contains(Holder)) {
          add(All[Each], *Function, Where);
        }
      }
    }
    return GoesOn;
  }

  bool dataTraverseStmtPre(clang::Stmt* S) override {
    Around.push_back(S);
    return true;
  }
  bool dataTraverseStmtPost(clang::Stmt* /*S*/) override {
    Around.pop_back();
    return true;
  }

  bool VisitMemberExpr(clang::MemberExpr* E) override {
    const auto* Field = llvm::dyn_cast<clang::FieldDecl>(E->getMemberDecl());
    if (Field && !isOfLibrary(*Field) && !E->getType().isConstQualified()) {
      Named Its = holderOf(*E->getBase(), E->isArrow());
      Its.D = &patternOf(*Field);
      judge(Its, *E);
    }
    return true;
  }

  bool VisitCXXDependentScopeMemberExpr(clang::CXXDependentScopeMemberExpr* E) override {
    if (const clang::IdentifierInfo* Name = E->getMember().getAsIdentifierInfo()) {
      Named Its;
      Its.Name = Name->getName();
      judge(Its, *E);
    }
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* E) override {
    const auto* Binding = llvm::dyn_cast<clang::BindingDecl>(E->getDecl());
    const auto* Variable =
        Binding ? llvm::dyn_cast<clang::VarDecl>(Binding->getDecomposedDecl()) : llvm::dyn_cast<clang::VarDecl>(E->getDecl());
    if (!Variable || !In) {
      return true;
    }
    if (const auto Known = In->Aliases.find(Variable); Known != In->Aliases.end()) {
      judge(Known->second, *E);
    } else if (Variable->hasGlobalStorage()) {
      if (!isOfLibrary(*Variable) && !E->getType().isConstQualified()) {
        judge({&patternOf(*Variable)}, *E);
      }
    } else if (isOwnClass(Variable->getType()) && isHandedOn(*E)) {
      In->HandedOn.insert(Variable);
    }
    return true;
  }

  /// As `std::swap(a, b)`, and what C writes byte by byte.
  bool VisitCallExpr(clang::CallExpr* Call) override {
    const clang::FunctionDecl* F = Call->getDirectCallee();
    const bool Writes = F && isOfLibrary(*F) && isNamed(*F, {"swap", "exchange", "memcpy", "memset", "memmove"});
    for (const clang::Expr* Each : Writes ? Call->arguments() : clang::CallExpr::arg_range(Call->arg_end(), Call->arg_end())) {
      const clang::Expr& Given = *Each->IgnoreParenImpCasts();
      const auto* Address = llvm::dyn_cast<clang::UnaryOperator>(&Given);
      const clang::Expr& Object = Address && Address->getOpcode() == clang::UO_AddrOf ? *Address->getSubExpr() : Given;
      if (isOwnClass(Object.getType()) && !Object.getType().isConstQualified()) {
        noteAll(*classOf(Object.getType()), holderOf(Object, /*IsArrow=*/false), Call->getExprLoc());
      }
    }
    return true;
  }

  bool VisitCXXConstCastExpr(clang::CXXConstCastExpr* E) override {
    const Path Of = pathOf(shownBy(*E->getSubExpr()));
    if (Of.Named && givesToWrite(E->getTypeAsWritten())) {
      note({Of.Named}, E->getExprLoc());
    }
    return true;
  }

  /// All of its members get other values.
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* Call) override {
    if (In && Call->getOperator() == clang::OO_Equal && isOwnClass(Call->getArg(0)->getType())) {
      const Named Target = holderOf(*Call->getArg(0), /*IsArrow=*/false);
      noteAll(*classOf(Call->getArg(0)->getType()), Target, Call->getOperatorLoc());
    }
    return true;
  }

 private:
  enum class Use { Read, Changed };

  bool isForeign(const clang::Decl& D) const {
    const auto* Namespace = llvm::dyn_cast<clang::NamespaceDecl>(&D);
    const bool IsOutermost = Namespace && Namespace->getDeclContext()->getRedeclContext()->isTranslationUnit();
    return isOfLibrary(D) || (IsOutermost && scan::isLibrarys(*Namespace)) || Sources.isInSystemHeader(D.getLocation());
  }

  /// The object that E, the base of a member, is or leads to.
  Named holderOf(const clang::Expr& E, bool IsArrow) const {
    const clang::Expr& Base = *E.IgnoreParenImpCasts();
    if (llvm::isa<clang::CXXThisExpr>(Base)) {
      return {nullptr, nullptr, /*IsOnThis=*/true};
    }
    if (const auto* Deref = llvm::dyn_cast<clang::UnaryOperator>(&Base); Deref && Deref->getOpcode() == clang::UO_Deref) {
      return holderOf(*Deref->getSubExpr(), /*IsArrow=*/true);
    }
    if (const auto* Outer = llvm::dyn_cast<clang::MemberExpr>(&Base); Outer && !IsArrow) {
      return holderOf(*Outer->getBase(), Outer->isArrow());
    }
    const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&Base);
    const auto* Variable = Name ? llvm::dyn_cast<clang::VarDecl>(Name->getDecl()) : nullptr;
    if (!Variable || !In) {
      return {};
    }
    if (const auto Known = In->Aliases.find(Variable); Known != In->Aliases.end()) {
      return {nullptr, Known->second.Holder, Known->second.IsOnThis};
    }
    const bool IsHeld = !IsArrow && Variable->hasLocalStorage() && !Variable->getType()->isReferenceType();
    return {nullptr, IsHeld ? Variable : nullptr};
  }

  void judge(const Named& Its, const clang::Expr& E) {
    if (useOf(Its, E) == Use::Changed) {
      note(Its, E.getExprLoc());
    }
  }

  void note(const Named& Its, clang::SourceLocation Where) {
    if (!In || (In->Makes && Its.IsOnThis)) {
      return;
    }
    if (!Its.D) {
      add(Names[Its.Name], *In->Of, Where);
    } else if (Its.Holder) {
      In->OfHeld[Its.Holder].push_back({Its.D, Where});
    } else {
      add(All[Its.D], *In->Of, Where);
    }
  }

  static void add(Changes::Places& To, const clang::FunctionDecl& By, clang::SourceLocation Where) {
    const clang::FunctionDecl* Pattern = &patternOf(By);
    if (llvm::none_of(To, [&](const Changes::Place& Each) { return Each.By == Pattern; })) {
      To.push_back({Pattern, Where});
    }
  }

  void noteAll(const clang::CXXRecordDecl& Class, const Named& Target, clang::SourceLocation Where, unsigned Depth = 0) {
    constexpr unsigned MostLevels = 8;
    if (Depth == MostLevels || !Class.hasDefinition()) {
      return;
    }
    for (const clang::FieldDecl* Each : Class.fields()) {
      Named Its = Target;
      Its.D = &patternOf(*Each);
      note(Its, Where);
      if (isOwnClass(Each->getType())) {
        noteAll(*classOf(Each->getType()), Target, Where, Depth + 1);
      }
    }
    for (const clang::CXXBaseSpecifier& Each : Class.bases()) {
      if (isOwnClass(Each.getType())) {
        noteAll(*classOf(Each.getType()), Target, Where, Depth + 1);
      }
    }
  }

  /// An object of the function's own that others may change, or may be the one that callables use: not only copied, read, and given values.
  bool isHandedOn(const clang::Expr& E) const {
    const clang::Stmt* Child = &E;
    for (const clang::Stmt* Each : llvm::reverse(llvm::ArrayRef(Around).drop_back())) {
      if (const auto* Cast = llvm::dyn_cast<clang::CastExpr>(Each)) {
        if (Cast->getType().isConstQualified()) {
          return false;
        }
      } else if (const auto* Member = llvm::dyn_cast<clang::MemberExpr>(Each)) {
        return !llvm::isa<clang::FieldDecl>(Member->getMemberDecl());
      } else if (const auto* Made = llvm::dyn_cast<clang::CXXConstructExpr>(Each)) {
        return !Made->getConstructor()->isCopyOrMoveConstructor() && !isOfLibrary(*Made->getConstructor());
      } else if (const auto* Call = llvm::dyn_cast<clang::CallExpr>(Each); Call && isForwarded(*Call)) {
        if (!isNamed(*Call->getDirectCallee(), {"move", "forward"})) {
          return false;
        }
      } else if (!llvm::isa<clang::ParenExpr, clang::ExprWithCleanups, clang::MaterializeTemporaryExpr>(Each)) {
        const auto* Call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(Each);
        const bool IsAssigned = Call && Call->getOperator() == clang::OO_Equal && Call->getArg(0) == Child;
        return !IsAssigned;
      }
      Child = Each;
    }
    return false;
  }

  /// To a constructor: `std::make_shared<Net>(options)`.
  static bool isForwarded(const clang::CallExpr& Call) {
    const clang::FunctionDecl* F = Call.getDirectCallee();
    return F && isOfLibrary(*F) && isNamed(*F, {"move", "forward", "make_shared", "make_unique", "emplace_back", "push_back", "emplace"});
  }

  void alias(const clang::VarDecl& Variable, const Named& Its) {
    Named New = Its;
    New.IsReference = Variable.getType()->isReferenceType();
    In->Aliases.try_emplace(&Variable, New);
  }

  Use useOf(const Named& Its, const clang::Expr& E);
  Use useInUnknown(const clang::CallExpr& Call, const clang::Stmt& Child, bool& GoesOn) const;
  Use useInCall(const clang::CallExpr& Call, const clang::Stmt& Child, bool& GoesOn) const;
  Use useAsObject(const clang::CXXMethodDecl& Method, clang::QualType Object, bool& GoesOn) const;

  const clang::SourceManager& Sources;
  const UnitIndex& Unit;
  Body* In = nullptr;                      // null outside of functions
  std::vector<const clang::Stmt*> Around;  // within the function, from its body to what is visited
};

/// A method is called on it.
Collector::Use Collector::useAsObject(const clang::CXXMethodDecl& Method, clang::QualType Object, bool& GoesOn) const {
  if (Method.isStatic() || !isOfLibrary(Method)) {
    return Use::Read;  // its body is looked at
  }
  if (shows(Method)) {
    GoesOn = true;
    return Use::Read;
  }
  if (Method.isConst()) {
    return Use::Read;
  }
  if (flow::kindOf(Object.getNonReferenceType()) == flow::TypeKind::Pointer) {
    return Method.getOverloadedOperator() == clang::OO_Equal || isNamed(Method, {"reset", "release", "swap"}) ? Use::Changed : Use::Read;
  }
  const bool IsInPlace = isTensor(Object) && Method.getOverloadedOperator() != clang::OO_Equal && !isNamed(Method, {"reset", "set_data"});
  return IsInPlace ? Use::Read : Use::Changed;
}

/// Of an operator or a function that depends on a template's arguments, or of a pointer to one.
Collector::Use Collector::useInUnknown(const clang::CallExpr& Call, const clang::Stmt& Child, bool& GoesOn) const {
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Call)) {
    const bool IsObject = Operator->getArg(0) == &Child;
    GoesOn = IsObject && llvm::is_contained({clang::OO_Subscript, clang::OO_Star, clang::OO_Arrow}, Operator->getOperator());
    const bool Writes =
        Operator->isAssignmentOp() || llvm::is_contained({clang::OO_PlusPlus, clang::OO_MinusMinus}, Operator->getOperator());
    return IsObject && Writes ? Use::Changed : Use::Read;
  }
  const auto* Names = llvm::dyn_cast<clang::UnresolvedLookupExpr>(Call.getCallee()->IgnoreParenImpCasts());
  if (!Names) {
    return Use::Changed;
  }
  const auto MayWrite = [](const clang::NamedDecl* Each) {
    return !isOfLibrary(*Each) || isNamed(*Each, {"swap", "exchange", "ref", "addressof"});
  };
  return llvm::any_of(Names->decls(), MayWrite) ? Use::Changed : Use::Read;
}

/// It is an argument.
Collector::Use Collector::useInCall(const clang::CallExpr& Call, const clang::Stmt& Child, bool& GoesOn) const {
  const clang::FunctionDecl* F = Call.getDirectCallee();
  if (!F) {
    return useInUnknown(Call, Child, GoesOn);
  }
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Call);
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(F);
  if (Operator && Operator->getArg(0) == &Child) {
    const clang::QualType Object = Operator->getArg(0)->getType();
    if (Method) {
      const bool IsStep = Operator->getOperator() == clang::OO_PlusPlus || Operator->getOperator() == clang::OO_MinusMinus;
      return IsStep && flow::kindOf(Object) == flow::TypeKind::Pointer ? Use::Read : useAsObject(*Method, Object, GoesOn);
    }
  }
  if (isOfLibrary(*F) && (shows(*F) || isNamed(*F, {"move", "forward", "as_const"}))) {
    GoesOn = true;
    return Use::Read;
  }
  const auto* E = llvm::cast<clang::Expr>(&Child);
  if (E->isPRValue() && isOfLibrary(*F) && onlyReads(*F)) {
    return Use::Read;
  }
  const unsigned Skipped = Operator && Method ? 1 : 0;
  for (unsigned Place = Skipped; Place < Call.getNumArgs(); ++Place) {
    if (Call.getArg(Place) == &Child && Place - Skipped < F->getNumParams()) {
      const clang::QualType Type = F->getParamDecl(Place - Skipped)->getType();
      const bool IsPart = E->isPRValue() && E->getType()->isRecordType();  // an iterator
      return givesToWrite(Type) || IsPart ? Use::Changed : Use::Read;
    }
  }
  return Use::Changed;
}

Collector::Use Collector::useOf(const Named& Its, const clang::Expr& E) {
  bool IsThrough = Its.IsReference;  // the place itself is meant, and not a pointer to it
  const clang::Stmt* Child = &E;
  for (size_t Place = Around.size() - 1; Place != 0; Child = Around[Place]) {
    const clang::Stmt* Each = Around[--Place];
    const auto* ChildExpr = llvm::dyn_cast<clang::Expr>(Child);
    const clang::QualType Type = ChildExpr ? ChildExpr->getType() : clang::QualType();
    if (const auto* Cast = llvm::dyn_cast<clang::CastExpr>(Each)) {
      const bool IsPointer = Type->isPointerType();
      if (Cast->getCastKind() == clang::CK_ToVoid ||
          (Cast->getCastKind() == clang::CK_LValueToRValue && !(IsPointer && leadsToValue(Type)))) {
        return Use::Read;
      }
      const clang::QualType To = Cast->getType();
      const bool IsConst = To.isConstQualified() || (To->isPointerType() && To->getPointeeType().isConstQualified());
      if (IsConst && !(flow::kindOf(Type) == flow::TypeKind::Pointer && leadsToValue(Type))) {
        return Use::Read;
      }
      continue;
    }
    if (llvm::isa<clang::ParenExpr, clang::ExprWithCleanups, clang::MaterializeTemporaryExpr, clang::CXXBindTemporaryExpr>(Each)) {
      continue;
    }
    if (const auto* Choice = llvm::dyn_cast<clang::ConditionalOperator>(Each)) {
      if (Choice->getCond() == Child) {
        return Use::Read;
      }
      continue;
    }
    if (const auto* Member = llvm::dyn_cast<clang::MemberExpr>(Each)) {
      IsThrough = true;
      if (llvm::isa<clang::FieldDecl>(Member->getMemberDecl())) {
        if (!isOfLibrary(*Member->getMemberDecl())) {
          return Use::Read;  // that member is judged
        }
        continue;
      }
      const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(Member->getMemberDecl());
      bool GoesOn = false;
      const Use Its = Method ? useAsObject(*Method, Member->isArrow() ? Type->getPointeeType() : Type, GoesOn) : Use::Read;
      if (!GoesOn || Place == 0) {
        return Its;
      }
      --Place;  // the call
      continue;
    }
    if (const auto* Member = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(Each)) {
      const auto* Call = Place == 0 ? nullptr : llvm::dyn_cast<clang::CallExpr>(Around[Place - 1]);
      const clang::IdentifierInfo* Name = Member->getMember().getAsIdentifierInfo();
      if (!Call || Call->getCallee() != Member || !Name) {
        return Use::Read;  // that member is judged
      }
      if (!llvm::is_contained(Shown, Name->getName())) {
        return llvm::is_contained(Writers, Name->getName()) ? Use::Changed : Use::Read;
      }
      IsThrough = true;
      --Place;  // the call
      continue;
    }
    if (const auto* Call = llvm::dyn_cast<clang::CallExpr>(Each)) {
      bool GoesOn = false;
      const Use Its = isOwnClass(Type) && ChildExpr->isLValue() ? Use::Read : useInCall(*Call, *Child, GoesOn);
      if (!GoesOn) {
        return Its;
      }
      IsThrough = true;
      continue;
    }
    if (const auto* Made = llvm::dyn_cast<clang::CXXConstructExpr>(Each)) {
      if (isOwnClass(Type) && ChildExpr->isLValue()) {
        return Use::Read;
      }
      for (const auto& [Given, Parameter] : llvm::zip(Made->arguments(), Made->getConstructor()->parameters())) {
        if (Given == Child) {
          return ChildExpr->isGLValue() && givesToWrite(Parameter->getType()) ? Use::Changed : Use::Read;
        }
      }
      return Use::Read;
    }
    if (const auto* Binary = llvm::dyn_cast<clang::BinaryOperator>(Each)) {
      if (Binary->getLHS() == Child && Binary->isAssignmentOp()) {
        return IsThrough ? Use::Changed : Use::Read;
      }
      if (Binary->isAssignmentOp() || Binary->getOpcode() == clang::BO_Comma) {
        return Use::Changed;  // a pointer that another one keeps
      }
      if (!Binary->isAdditiveOp() || !Binary->getType()->isPointerType()) {
        return Use::Read;
      }
      continue;
    }
    if (const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(Each)) {
      if (Unary->isIncrementDecrementOp()) {
        return IsThrough ? Use::Changed : Use::Read;
      }
      IsThrough |= Unary->getOpcode() == clang::UO_Deref;
      continue;
    }
    if (const auto* Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(Each)) {
      if (Element->getIdx() == Child) {
        return Use::Read;
      }
      IsThrough = true;
      continue;
    }
    if (const auto* Loop = llvm::dyn_cast<clang::CXXForRangeStmt>(Each)) {
      if (Loop->getRangeInit() == Child && Loop->getLoopVariable() && givesToWrite(Loop->getLoopVariable()->getType())) {
        alias(*Loop->getLoopVariable(), Its);
      }
      return Use::Read;
    }
    if (const auto* Declared = llvm::dyn_cast<clang::DeclStmt>(Each)) {
      for (const clang::Decl* One : Declared->decls()) {
        const auto* Variable = llvm::dyn_cast<clang::VarDecl>(One);
        const bool IsIts = Variable && Variable->getInit() == Child;
        const bool IsHandle = IsIts && ChildExpr->isPRValue() && flow::kindOf(Variable->getType()) == flow::TypeKind::Pointer;
        if (IsIts && (givesToWrite(Variable->getType()) || IsHandle)) {
          alias(*Variable, Its);
        }
      }
      return Use::Read;
    }
    if (llvm::isa<clang::ReturnStmt>(Each)) {
      const clang::QualType Given = In ? In->Of->getReturnType() : clang::QualType();
      const bool IsIterator = ChildExpr && ChildExpr->isPRValue() && Type->isRecordType();
      return !Given.isNull() && (givesToWrite(Given) || IsIterator) ? Use::Changed : Use::Read;
    }
    return Its.D && llvm::isa<clang::Expr>(Each) &&
                   !llvm::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXTypeidExpr, clang::CXXNoexceptExpr>(Each)
               ? Use::Changed
               : Use::Read;
  }
  return Use::Read;
}

}  // namespace

struct Changes::Found {
  llvm::MapVector<const clang::ValueDecl*, Places> All;
  llvm::StringMap<Places> Names;
};

Changes::Changes(const clang::ASTContext& Context, const UnitIndex& Unit) : Context(Context), Unit(Unit) {}
Changes::~Changes() = default;

const Changes::Found& Changes::found() const {
  if (!Known) {
    Collector Collect(Context.getSourceManager(), Unit);
    for (clang::Decl* Each : Context.getTranslationUnitDecl()->noload_decls()) {
      Collect.TraverseDecl(Each);
    }
    Known.reset(new Found{std::move(Collect.All), std::move(Collect.Names)});
  }
  return *Known;
}

const llvm::MapVector<const clang::ValueDecl*, Changes::Places>& Changes::all() const { return found().All; }
const llvm::StringMap<Changes::Places>& Changes::names() const { return found().Names; }

clang::SourceLocation Changes::of(const clang::ValueDecl& D, const Functions& But) const {
  Places Its = all().lookup(&patternOf(D));
  if (D.getIdentifier()) {
    Its.append(names().lookup(D.getName()));
  }
  const auto* First = llvm::find_if(Its, [&](const Place& Each) { return !But.contains(Each.By); });
  return First == Its.end() ? clang::SourceLocation() : First->Where;
}

}  // namespace graphgen::check
