// SPDX-License-Identifier: Apache-2.0
//
// From each name of a member or variable outwards, until it is read, changed, or known by another name: `for (auto& each : gains_)`.
#include "check/rules/Changes.h"

#include "check/code/Library.h"
#include "check/code/Paths.h"
#include "check/rules/Making.h"
#include "check/rules/PlaceUse.h"
#include "scan/Libraries.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/SaveAndRestore.h"

namespace graphgen::check {
namespace {

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
  llvm::MapVector<const clang::VarDecl*, std::vector<std::pair<Named, clang::SourceLocation>>> OfHeld;
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
          add(Each.D ? All[Each.D] : Names[Each.Name], *Function, Where);
        }
      }
    }
    return GoesOn;
  }

  /// Of a variable's initializer, too. One that a constructor makes may run later.
  bool TraverseLambdaExpr(clang::LambdaExpr* Lambda) override {
    Body Of(Lambda->getCallOperator(), /*Makes=*/false);
    const llvm::SaveAndRestore Here(In, In ? In : &Of);
    const llvm::SaveAndRestore Later(In->Makes, false);
    return clang::DynamicRecursiveASTVisitor::TraverseLambdaExpr(Lambda);
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
    const clang::ValueDecl& D = *E->getMemberDecl();
    if (isOfLibrary(D) || E->getType().isConstQualified()) {
      return true;
    }
    if (llvm::isa<clang::FieldDecl>(D)) {
      Named Its = holderOf(*E->getBase(), E->isArrow());
      Its.D = &patternOf(D);
      look(Its, *E);
    } else if (llvm::isa<clang::VarDecl>(D)) {  // static
      look({&patternOf(D)}, *E);
    }
    return true;
  }

  bool VisitCXXDependentScopeMemberExpr(clang::CXXDependentScopeMemberExpr* E) override {
    if (const clang::IdentifierInfo* Name = E->getMember().getAsIdentifierInfo()) {
      Named Its = E->isImplicitAccess() ? Named() : holderOf(*E->getBase(), E->isArrow());
      Its.Name = Name->getName();
      look(Its, *E);
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
      look(Known->second, *E);
    } else if (Variable->hasGlobalStorage()) {
      if (!isOfLibrary(*Variable) && !E->getType().isConstQualified()) {
        look({&patternOf(*Variable)}, *E);
      }
    } else if (isOwnClass(Variable->getType()) && isHandedOn(*E)) {
      In->HandedOn.insert(Variable);
    }
    return true;
  }

  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* Call) override {
    const clang::CXXMethodDecl* Method = Call->getMethodDecl();
    const clang::MemberExpr* Given = Method && !isOfLibrary(*Method) ? memberGivenBy(*Method) : nullptr;
    if (Given) {
      const auto* Callee = llvm::dyn_cast<clang::MemberExpr>(Call->getCallee()->IgnoreParens());
      Named Its = Callee ? holderOf(*Callee->getBase(), Callee->isArrow()) : Named();
      Its.D = &patternOf(*Given->getMemberDecl());
      look(Its, *Call);
    }
    return true;
  }

  /// As `std::swap(a, b)`, and what C writes byte by byte.
  bool VisitCallExpr(clang::CallExpr* Call) override {
    const clang::FunctionDecl* F = Call->getDirectCallee();
    if (!In || !F || !isOfLibrary(*F) || !isNamed(*F, {"swap", "exchange", "memcpy", "memset", "memmove"})) {
      return true;
    }
    for (const clang::Expr* Each : Call->arguments()) {
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
    const clang::QualType To = E->getTypeAsWritten()->getPointeeType();
    if (In && Of.Named && !To.isNull() && !To.isConstQualified()) {
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
  bool isForeign(const clang::Decl& D) const {
    const auto* Namespace = llvm::dyn_cast<clang::NamespaceDecl>(&D);
    const bool IsOutermost = Namespace && Namespace->getDeclContext()->getRedeclContext()->isTranslationUnit();
    const bool IsRuntimes = IsOutermost && Namespace->getName() == "graphed" && !scan::isInMainFile(D);
    return isOfLibrary(D) || IsRuntimes || (IsOutermost && scan::isLibrarys(*Namespace)) || Sources.isInSystemHeader(D.getLocation());
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
    if (const auto* Outer = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(&Base); Outer && !IsArrow && !Outer->isImplicitAccess()) {
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

  void look(const Named& Its, const clang::Expr& E) {
    if (!In) {
      return;
    }
    const PlaceUse Use = useOfPlace(Around, Its.IsReference, Its.D != nullptr, *In->Of);
    if (Use.IsChange) {
      note(Its, E.getExprLoc());
    } else if (Use.Alias) {
      Named New = Its;
      New.IsReference = Use.Alias->getType()->isReferenceType();
      In->Aliases.try_emplace(Use.Alias, New);
    }
  }

  void note(const Named& Its, clang::SourceLocation Where) {
    if (In->Makes && Its.IsOnThis) {
      return;
    }
    if (Its.Holder) {
      In->OfHeld[Its.Holder].push_back({Its, Where});
    } else {
      add(Its.D ? All[Its.D] : Names[Its.Name], *In->Of, Where);
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

  const clang::SourceManager& Sources;
  const UnitIndex& Unit;
  Body* In = nullptr;                      // null outside of functions
  std::vector<const clang::Stmt*> Around;  // within the function, from its body to what is visited
};

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
