// SPDX-License-Identifier: Apache-2.0
//
// From each name of a member or variable outwards, until it is read, changed, or known by another name: `for (auto& each : gains_)`.
#include "check/rules/Changes.h"

#include "check/code/Library.h"
#include "check/code/Paths.h"
#include "check/code/Stores.h"
#include "check/code/Surrounded.h"
#include "check/flow/Types.h"
#include "check/rules/Making.h"
#include "check/rules/PlaceUse.h"
#include "scan/Libraries.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
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
  bool IsGivenUp = false;                  // of an object that another one is moved from
  bool IsBehind = false;                   // what it leads to is changed
};

/// A function, and what its own variables stand for.
struct Body {
  Body(const clang::FunctionDecl* Of, bool Makes) : Of(Of), Makes(Makes) {}

  const clang::FunctionDecl* Of;  // null outside of functions
  bool Makes;
  llvm::DenseMap<const clang::VarDecl*, Named> Aliases;
  struct HeldChange {
    Named Of;
    clang::SourceLocation Where;
    unsigned Place;  // in the order of the text
    bool MayRepeat;  // it is in a loop or a lambda
  };
  // By the variable that holds what is changed: it counts from when the variable is more than copied.
  llvm::MapVector<const clang::VarDecl*, std::vector<HeldChange>> OfHeld;
  llvm::DenseMap<const clang::VarDecl*, unsigned> HandedOn;
  unsigned Places = 0;
};

class Collector : public SurroundedVisitor {
 public:
  explicit Collector(const UnitIndex& Unit) : Unit(Unit) {}

  llvm::MapVector<const clang::ValueDecl*, Changes::Places> All;
  llvm::StringMap<Changes::Places> Names;

  bool TraverseDecl(clang::Decl* D) override {
    if (!D || scan::isForeign(*D)) {
      return true;
    }
    const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(D);
    if (!Function || !Function->isThisDeclarationADefinition()) {
      return clang::DynamicRecursiveASTVisitor::TraverseDecl(D);
    }
    Body Of(Function, onlyMakes(patternOf(*Function), Unit));
    const llvm::SaveAndRestore Here(In, &Of);
    const llvm::SaveAndRestore From(Around, {});
    const bool GoesOn = clang::DynamicRecursiveASTVisitor::TraverseDecl(D);
    addHeld(Of);
    return GoesOn;
  }

  /// What is given to a reference or a pointer that others have: a member, a parameter, a variable of a namespace.
  bool TraverseConstructorInitializer(clang::CXXCtorInitializer* Init) override {
    if (const clang::FieldDecl* Member = Init->getAnyMember(); Member && Init->getInit()) {
      noteGiven(*Init->getInit(), Member->getType());
    }
    return clang::DynamicRecursiveASTVisitor::TraverseConstructorInitializer(Init);
  }

  bool VisitFieldDecl(clang::FieldDecl* Member) override {
    if (const clang::Expr* Init = Member->getInClassInitializer()) {
      noteGiven(*Init, Member->getType());
    }
    return true;
  }

  bool TraverseVarDecl(clang::VarDecl* Variable) override {
    Body Outside(nullptr, /*Makes=*/false);
    const llvm::SaveAndRestore Here(In, In ? In : &Outside);
    const bool IsStatement = !Around.empty() && llvm::isa<clang::DeclStmt>(Around.back());
    if (Variable->getInit() && !IsStatement) {
      noteGiven(*Variable->getInit(), Variable->getType());
    }
    return clang::DynamicRecursiveASTVisitor::TraverseVarDecl(Variable);
  }

  bool TraverseParmVarDecl(clang::ParmVarDecl* Parameter) override {
    if (Parameter->hasDefaultArg() && !Parameter->hasUninstantiatedDefaultArg() && !Parameter->hasUnparsedDefaultArg()) {
      noteGiven(*Parameter->getDefaultArg(), Parameter->getType());
    }
    return clang::DynamicRecursiveASTVisitor::TraverseParmVarDecl(Parameter);
  }

  /// Of a variable's initializer, too. One that a constructor makes may run later.
  bool TraverseLambdaExpr(clang::LambdaExpr* Lambda) override {
    Body Of(Lambda->getCallOperator(), /*Makes=*/false);
    const llvm::SaveAndRestore Here(In, In ? In : &Of);
    const llvm::SaveAndRestore Later(In->Makes, false);
    for (const clang::LambdaCapture& Each : Lambda->captures()) {
      if (Each.capturesVariable() && Each.getCaptureKind() == clang::LCK_ByRef) {
        if (const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Each.getCapturedVar())) {
          In->HandedOn.try_emplace(Variable, ++In->Places);
        }
      }
    }
    return clang::DynamicRecursiveASTVisitor::TraverseLambdaExpr(Lambda);
  }

  bool VisitMemberExpr(clang::MemberExpr* E) override {
    const clang::ValueDecl& D = *E->getMemberDecl();
    if (isOfLibrary(D) || isFixed(E->getType())) {
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
    const auto* Call = Around.size() < 2 ? nullptr : llvm::dyn_cast<clang::CallExpr>(Around[Around.size() - 2]);
    const bool IsMethod = Call && Call->getCallee() == E;
    if (const clang::IdentifierInfo* Name = E->getMember().getAsIdentifierInfo(); Name && !IsMethod) {
      Named Its = E->isImplicitAccess() ? Named() : holderOf(*E->getBase(), E->isArrow());
      Its.Name = Name->getName();
      look(Its, *E);
    }
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* E) override {
    if (llvm::isa<clang::FieldDecl>(E->getDecl()) && !isOfLibrary(*E->getDecl())) {  // a pointer to the member
      add(All[&patternOf(*E->getDecl())], In ? In->Of : nullptr, E->getExprLoc());
      return true;
    }
    const auto* Binding = llvm::dyn_cast<clang::BindingDecl>(E->getDecl());
    if (const auto* Part = Binding ? llvm::dyn_cast_if_present<clang::MemberExpr>(Binding->getBinding()) : nullptr) {
      return lookAtPart(*Part, *E);
    }
    const auto* Variable =
        Binding ? llvm::dyn_cast<clang::VarDecl>(Binding->getDecomposedDecl()) : llvm::dyn_cast<clang::VarDecl>(E->getDecl());
    if (!Variable || !In) {
      return true;
    }
    if (const auto Known = In->Aliases.find(Variable); Known != In->Aliases.end()) {
      look(Known->second, *E);
    } else if (Variable->hasGlobalStorage()) {
      if (!isOfLibrary(*Variable) && !isFixed(E->getType())) {
        look({&patternOf(*Variable)}, *E);
      }
    } else if (isHandedOn(Around)) {
      In->HandedOn.try_emplace(Variable, ++In->Places);
    }
    return true;
  }

  /// Of accessors what they give, and of whole objects what they consist of.
  bool VisitCallExpr(clang::CallExpr* Call) override {
    const clang::FunctionDecl* F = Call->getDirectCallee();
    if (!In || !F) {
      return !In || lookAtUnknown(*Call);
    }
    const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(F);
    const auto* OfMember = llvm::dyn_cast<clang::MemberExpr>(Call->getCallee()->IgnoreParens());
    const bool IsOperator = llvm::isa<clang::CXXOperatorCallExpr>(Call) && Call->getNumArgs() != 0;
    const clang::Expr* Object = IsOperator ? Call->getArg(0) : OfMember ? OfMember->getBase() : nullptr;
    const bool IsArrow = !IsOperator && OfMember && OfMember->isArrow();
    if (const clang::MemberExpr* Given = Method && Object && !isOfLibrary(*F) ? memberGivenBy(*F) : nullptr) {
      Named Its = holderOf(*Object, IsArrow);
      Its.D = &patternOf(*Given->getMemberDecl());
      look(Its, *Call);
    } else if (!isOfLibrary(*F) && (isToWrite(F->getReturnType()) || isPointer(F->getReturnType()))) {
      look({llvm::cast<clang::ValueDecl>(F->getCanonicalDecl()), nullptr, /*IsOnThis=*/false, F->getReturnType()->isReferenceType()},
           *Call);
    }
    if (Method && Object && setsOption(*F)) {
      noteOptions(*Method, *Object, IsArrow, Call->getExprLoc());
    }
    if (!isOfLibrary(*F)) {
      noteLentOptions(*F, llvm::ArrayRef(Call->getArgs(), Call->getNumArgs()).drop_front(IsOperator && Method ? 1 : 0));
    }
    if (Method && Object && Method->getOverloadedOperator() == clang::OO_Equal) {
      noteAll(IsArrow ? Object->getType()->getPointeeType() : Object->getType(), holderOf(*Object, IsArrow), Call->getExprLoc());
    }
    for (unsigned Place = 0; isOfLibrary(*F) && !Method && Place < std::min(Call->getNumArgs(), F->getNumParams()); ++Place) {
      const clang::Expr& Given = *Call->getArg(Place)->IgnoreParenImpCasts();
      const bool IsLent = F->getParamDecl(Place)->getType()->isLValueReferenceType() && isToWrite(F->getParamDecl(Place)->getType());
      if (IsLent && isNamed(*F, {"swap", "exchange", "tie", "getline"})) {
        noteAll(Given.getType(), holderOf(Given, /*IsArrow=*/false), Call->getExprLoc());
      }
    }
    return true;
  }

  /// As bytes, which functions write.
  bool VisitCastExpr(clang::CastExpr* Cast) override {
    const clang::QualType From = Cast->getSubExpr()->getType(), To = Cast->getType();
    const bool IsOfBytes = From->isPointerType() && To->isPointerType() && !isOwnClass(To->getPointeeType());
    if (In && IsOfBytes && isToWrite(To) && !From->getPointeeType().isConstQualified() && isOwnClass(From->getPointeeType()) &&
        Cast->getCastKind() == clang::CK_BitCast) {
      const auto* Address = llvm::dyn_cast<clang::UnaryOperator>(Cast->getSubExpr()->IgnoreParenImpCasts());
      const bool IsTaken = Address && Address->getOpcode() == clang::UO_AddrOf;
      noteAll(From->getPointeeType(), IsTaken ? holderOf(*Address->getSubExpr(), false) : holderOf(*Cast->getSubExpr(), true),
              Cast->getExprLoc());
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

  bool VisitReturnStmt(clang::ReturnStmt* Return) override {
    const clang::QualType Type = In && In->Of ? In->Of->getReturnType() : clang::QualType();
    const bool Shows = !Type.isNull() && Return->getRetValue() && (Type->isReferenceType() || isPointer(Type));
    if (const clang::ValueDecl* Store = Shows ? storeOf(*Return->getRetValue()) : nullptr; Store && !llvm::isa<clang::ParmVarDecl>(Store)) {
      Shown.emplace_back(In->Of, &patternOf(*Store));
    }
    return true;
  }

  bool VisitCXXMethodDecl(clang::CXXMethodDecl* Method) override {
    if (const clang::MemberExpr* Given = memberGivenBy(*Method)) {
      Accessors.emplace_back(Method->getNameAsString() + "()", &patternOf(*Given->getMemberDecl()));
    }
    return true;
  }

  /// What accessors give that templates change of objects of any class.
  void addGiven() {
    for (const auto& [Name, Member] : Accessors) {
      for (const Changes::Place& Each : Names.lookup(Name)) {
        add(All[Member], Each.By, Each.Where, Each.IsBehind);
      }
    }
    for (const auto& [Name, Member] : Accessors) {
      Names.erase(Name);
    }
    for (const auto& [F, Store] : Shown) {
      for (const Changes::Place& Each : Changes::Places(All.lookup(Store))) {
        if (Each.By != &patternOf(*F)) {
          add(All[llvm::cast<clang::ValueDecl>(F->getCanonicalDecl())], Each.By, Each.Where, Each.IsBehind);
        }
      }
    }
  }

 private:
  /// The object that E, the base of a member, is or leads to.
  Named holderOf(const clang::Expr& E, bool IsArrow) const {
    const clang::Expr& Base = *E.IgnoreParenImpCasts();
    if (llvm::isa<clang::CXXThisExpr>(Base)) {
      return {nullptr, nullptr, /*IsOnThis=*/true};
    }
    if (const auto* Deref = llvm::dyn_cast<clang::UnaryOperator>(&Base); Deref && Deref->getOpcode() == clang::UO_Deref) {
      return holderOf(*Deref->getSubExpr(), /*IsArrow=*/true);
    }
    if (const auto* Arrow = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Base);
        Arrow && llvm::is_contained({clang::OO_Arrow, clang::OO_Star}, Arrow->getOperator())) {
      return holderOf(*Arrow->getArg(0), /*IsArrow=*/true);
    }
    if (const auto* Outer = llvm::dyn_cast<clang::MemberExpr>(&Base); Outer && !IsArrow) {
      if (Outer->getMemberDecl()->getType()->isReferenceType()) {
        return {};
      }
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
    if (isGivenUp(*Variable)) {
      return {nullptr, nullptr, /*IsOnThis=*/true, true, "", /*IsGivenUp=*/true};
    }
    const bool IsHeld = Variable->hasLocalStorage() && !Variable->getType()->isReferenceType() && (!IsArrow || isFresh(*Variable));
    return {nullptr, IsHeld ? Variable : nullptr};
  }

  /// The object that another one is moved from.
  bool isGivenUp(const clang::VarDecl& Variable) const {
    const auto* Constructor = llvm::dyn_cast_if_present<clang::CXXConstructorDecl>(In->Of);
    const auto* Method = llvm::dyn_cast_if_present<clang::CXXMethodDecl>(In->Of);
    const bool Moves = (Constructor && Constructor->isMoveConstructor()) || (Method && Method->isMoveAssignmentOperator());
    return Moves && llvm::isa<clang::ParmVarDecl>(Variable);
  }

  /// A pointer to an object that the function makes.
  static bool isFresh(const clang::VarDecl& Variable) {
    const clang::Expr* Init = Variable.getInit() ? Variable.getInit()->IgnoreImplicit() : nullptr;
    const auto* Made = llvm::dyn_cast_if_present<clang::CXXConstructExpr>(Init);
    Init = Made && Made->getNumArgs() == 1 ? Made->getArg(0)->IgnoreImplicit() : Init;
    const auto* Call = llvm::dyn_cast_if_present<clang::CallExpr>(Init);
    const clang::FunctionDecl* F = Call ? Call->getDirectCallee() : nullptr;
    return llvm::isa_and_nonnull<clang::CXXNewExpr>(Init) || (F && isNamed(*F, {"make_shared", "make_unique"}));
  }

  static bool isFixed(clang::QualType Type) { return Type.isConstQualified() && !(isPointer(Type) && leadsToValue(Type)); }

  bool lookAtPart(const clang::MemberExpr& Part, const clang::Expr& E) {
    if (In && llvm::isa<clang::FieldDecl>(Part.getMemberDecl()) && !isOfLibrary(*Part.getMemberDecl()) && !isFixed(Part.getType())) {
      const auto* Whole = llvm::dyn_cast<clang::DeclRefExpr>(Part.getBase()->IgnoreParenImpCasts());
      const auto* Variable = Whole ? llvm::dyn_cast<clang::VarDecl>(Whole->getDecl()) : nullptr;
      if (Variable && Variable->getType()->isReferenceType()) {
        look({&patternOf(*Part.getMemberDecl())}, E);
      }
    }
    return true;
  }

  /// Of an object whose class a template's argument is.
  bool lookAtUnknown(const clang::CallExpr& Call) {
    const auto* Method = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(Call.getCallee());
    const clang::IdentifierInfo* Name = Method ? Method->getMember().getAsIdentifierInfo() : nullptr;
    if (Name && !Method->isImplicitAccess()) {
      Named Its = holderOf(*Method->getBase(), Method->isArrow());
      Its.Name = Spelled.insert((Name->getName() + "()").str()).first->getKey();
      look(Its, Call);
    }
    return true;
  }

  void noteGiven(const clang::Expr& Init, clang::QualType To) {
    const clang::Expr* E = Init.IgnoreParenImpCasts();
    const auto* Address = llvm::dyn_cast<clang::UnaryOperator>(E);
    E = Address && Address->getOpcode() == clang::UO_AddrOf ? Address->getSubExpr()->IgnoreParenImpCasts() : E;
    const clang::ValueDecl* Named = isToWrite(To) && !isOwnClass(E->getType()) ? pathOf(*E).Named : nullptr;
    if (Named && !isOfLibrary(*Named)) {
      add(All[&patternOf(*Named)], In ? In->Of : nullptr, Init.getExprLoc());
    }
  }

  void look(const Named& Its, const clang::Expr& E) {
    if (!In) {
      return;
    }
    const PlaceUse Use = useOfPlace(Around, Its.IsReference, Its.D != nullptr, In->Of);
    if (Use.IsChange) {
      Named Changed = Its;
      Changed.IsBehind |= Use.IsBehind;
      note(Changed, E.getExprLoc());
      if (Use.Replaces && Its.D && !Its.D->getType()->isPointerType()) {
        noteAll(Its.D->getType(), Its, E.getExprLoc());
      }
    } else if (Use.Alias) {
      Named New = Its;
      New.IsReference = Use.Alias->getType()->isReferenceType();
      New.IsBehind |= Use.IsBehind;
      In->Aliases.try_emplace(Use.Alias, New);
    }
  }

  void note(const Named& Its, clang::SourceLocation Where) {
    if (Its.IsGivenUp || (In->Makes && Its.IsOnThis)) {
      return;
    }
    const auto* Field = llvm::dyn_cast_if_present<clang::FieldDecl>(Its.D);
    if (Field && Field->getParent()->isUnion()) {
      for (const clang::FieldDecl* Each : Field->getParent()->fields()) {
        add(All[&patternOf(*Each)], In->Of, Where);
      }
    } else if (Its.Holder) {
      In->OfHeld[Its.Holder].push_back({Its, Where, ++In->Places, mayRepeat()});
    } else {
      add(Its.D ? All[Its.D] : Names[Its.Name], In->Of, Where, Its.IsBehind);
    }
  }

  bool mayRepeat() const {
    return llvm::any_of(Around, [](const clang::Stmt* Each) {
      return llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt, clang::LambdaExpr>(Each);
    });
  }

  /// What a function does to an object of its own before others have it makes that.
  void addHeld(const Body& Of) {
    for (const auto& [Holder, Changes] : Of.OfHeld) {
      const auto First = Of.HandedOn.find(Holder);
      for (const Body::HeldChange& Each : Changes) {
        if (First != Of.HandedOn.end() && (Each.MayRepeat || Each.Place > First->second)) {
          add(Each.Of.D ? All[Each.Of.D] : Names[Each.Of.Name], Of.Of, Each.Where, Each.Of.IsBehind);
        }
      }
    }
  }

  static void add(Changes::Places& To, const clang::FunctionDecl* By, clang::SourceLocation Where, bool IsBehind = false) {
    const clang::FunctionDecl* Pattern = By ? &patternOf(*By) : nullptr;
    if (llvm::none_of(To, [&](const Changes::Place& Each) { return Each.By == Pattern && (IsBehind || !Each.IsBehind); })) {
      To.push_back({Pattern, Where, IsBehind});
    }
  }

  /// What a setter changes of an object that others have already: `net.options.rate(3)`, not `Options().rate(3)`.
  void noteOptions(const clang::CXXMethodDecl& Setter, const clang::Expr& Object, bool IsArrow, clang::SourceLocation Where) {
    const clang::Expr* Base = Object.IgnoreParenImpCasts();
    if (const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(Base); Call && setsOption(*Call->getMethodDecl())) {
      return noteOptions(Setter, *Call->getImplicitObjectArgument(), llvm::cast<clang::MemberExpr>(Call->getCallee())->isArrow(), Where);
    }
    Named Its = holderOf(*Base, IsArrow);
    const bool IsOwn = Its.Holder && llvm::isa<clang::DeclRefExpr>(Base);
    const clang::ValueDecl* Store = IsOwn ? nullptr : storeOf(*Base);
    if (!Store || llvm::isa<clang::ParmVarDecl>(Store)) {
      return;
    }
    for (const clang::FieldDecl* Each : fieldsSetBy(Setter, Unit)) {
      Its.D = &patternOf(*Each);
      note(Its, Where);
    }
  }

  /// To a function, which may set them: `set(net.options)`.
  void noteLentOptions(const clang::FunctionDecl& F, llvm::ArrayRef<const clang::Expr*> Arguments) {
    for (const auto& [Parameter, Given] : llvm::zip(F.parameters(), Arguments)) {
      const clang::CXXRecordDecl* Class =
          isToWrite(Parameter->getType()) && Given->isLValue() ? Given->getType()->getAsCXXRecordDecl() : nullptr;
      const clang::ValueDecl* Store =
          Class && llvm::any_of(Class->methods(), [](const auto* Each) { return setsOption(*Each); }) ? storeOf(*Given) : nullptr;
      if (Store && !llvm::isa<clang::ParmVarDecl>(Store)) {
        noteAll(Given->getType(), holderOf(*Given, /*IsArrow=*/false), Given->getExprLoc());
      }
    }
  }

  void noteAll(clang::QualType Type, const Named& Target, clang::SourceLocation Where, unsigned Depth = 0) {
    constexpr unsigned MostLevels = 8;
    const clang::CXXRecordDecl* Class = ownClassIn(Type);
    if (Depth == MostLevels || !Class || !Class->hasDefinition()) {
      return;
    }
    for (const clang::FieldDecl* Each : Class->fields()) {
      Named Its = Target;
      Its.D = &patternOf(*Each);
      note(Its, Where);
      if (!isPointer(Each->getType())) {
        noteAll(Each->getType(), Target, Where, Depth + 1);
      }
    }
    for (const clang::CXXBaseSpecifier& Each : Class->bases()) {
      noteAll(Each.getType(), Target, Where, Depth + 1);
    }
  }

  const UnitIndex& Unit;
  Body* In = nullptr;  // null outside of functions
  std::vector<std::pair<std::string, const clang::ValueDecl*>> Accessors;
  std::vector<std::pair<const clang::FunctionDecl*, const clang::ValueDecl*>> Shown;  // by functions that give references or pointers
  llvm::StringSet<> Spelled;
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
    Collector Collect(Unit);
    for (clang::Decl* Each : Context.getTranslationUnitDecl()->noload_decls()) {
      Collect.TraverseDecl(Each);
    }
    Collect.addGiven();
    Known.reset(new Found{std::move(Collect.All), std::move(Collect.Names)});
  }
  return *Known;
}

const llvm::MapVector<const clang::ValueDecl*, Changes::Places>& Changes::all() const { return found().All; }
const llvm::StringMap<Changes::Places>& Changes::names() const { return found().Names; }

clang::SourceLocation Changes::of(const clang::ValueDecl& D, const Functions& But, bool IsItself) const {
  Places Its = all().lookup(&patternOf(D));
  if (D.getIdentifier()) {
    Its.append(names().lookup(D.getName()));
  }
  const auto* First = llvm::find_if(Its, [&](const Place& Each) { return !But.contains(Each.By) && !(IsItself && Each.IsBehind); });
  return First == Its.end() ? clang::SourceLocation() : First->Where;
}

}  // namespace graphgen::check
