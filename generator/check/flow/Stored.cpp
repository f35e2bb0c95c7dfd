// SPDX-License-Identifier: Apache-2.0
//
// Goes down each value to what makes it, through parameters and what the unit gives these, and what functions of the program return.
#include "check/flow/Stored.h"

#include "check/code/Classes.h"
#include "check/code/KnownValues.h"
#include "check/code/Library.h"
#include "check/code/Spelled.h"
#include "check/flow/Types.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace graphgen::check::flow {

bool isModuleHolder(clang::QualType Type) {
  const clang::CXXRecordDecl* Class = Type.getNonReferenceType()->getAsCXXRecordDecl();
  return Class && Class->hasDefinition() && isOfLibrary(*Class) &&
         llvm::any_of(Class->bases(), [](const clang::CXXBaseSpecifier& Each) { return libraryClass(Each.getType()) == "ModuleHolder"; });
}

namespace {

constexpr size_t MostCallables = 32;  // of one place

/// The call itself.
const clang::Stmt* spelledCall(const clang::Stmt& S) {
  const auto* E = llvm::dyn_cast<clang::Expr>(&S);
  return E ? &spelled(*E) : &S;
}

class StoreSearch {
 public:
  StoreSearch(const clang::ValueDecl* Store, const UnitIndex& Unit) : Store(Store), Unit(Unit) {}

  /// Whether each class that the values may be of is known.
  bool addAll(llvm::ArrayRef<const clang::Expr*> Values) {
    bool AreKnown = true;
    for (const clang::Expr* Each : Values) {
      AreKnown &= llvm::isa<clang::CXXDefaultArgExpr>(Each) || add(*Each);
    }
    return AreKnown;
  }

  /// The modules that the values run one after the other.
  bool addRun(llvm::ArrayRef<const clang::Expr*> Values) {
    Found.Runs.emplace_back();
    return addAll(Values);
  }

  Stored Found;

 private:
  bool add(const clang::Expr& Given) {
    const clang::Expr& E = spelled(Given);
    if (Found.Callables.size() >= MostCallables || !Seen.insert(&E).second) {
      return false;
    }
    if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E)) {
      return addName(*Name);
    }
    if (const auto* Lambda = llvm::dyn_cast<clang::LambdaExpr>(&E)) {
      addCallable(*Lambda->getCallOperator(), Lambda->getBeginLoc());
      return false;
    }
    if (const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E)) {
      return addConstruction(*Construction);
    }
    if (const auto* New = llvm::dyn_cast<clang::CXXNewExpr>(&E)) {
      return addClass(New->getAllocatedType());
    }
    if (const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E)) {
      return addCall(*Call);
    }
    if (const auto* Choice = llvm::dyn_cast<clang::ConditionalOperator>(&E)) {
      return addAll({Choice->getTrueExpr(), Choice->getFalseExpr()});
    }
    if (const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(&E); Unary && Unary->getOpcode() == clang::UO_AddrOf) {
      return addObject(spelled(*Unary->getSubExpr()));
    }
    if (const auto* Member = llvm::dyn_cast<clang::MemberExpr>(&E); Member && isModuleHolder(E.getType())) {
      return addAll(Unit.valuesOf(*Member->getMemberDecl()));
    }
    if (llvm::isa<clang::InitListExpr>(E)) {
      addFunctor(E);
    }
    const bool PassesOn = llvm::isa<clang::CastExpr, clang::InitListExpr, clang::CXXStdInitializerListExpr>(E);
    return llvm::isa<clang::CXXNullPtrLiteralExpr>(E) || (!llvm::isa<clang::MemberExpr>(E) && addParts(E) && PassesOn);
  }

  bool addParts(const clang::Stmt& S) {
    bool AreKnown = true;
    for (const clang::Stmt* Each : S.children()) {
      const auto* Part = llvm::dyn_cast_if_present<clang::Expr>(Each);
      AreKnown &= Part && add(*Part);
    }
    return AreKnown;
  }

  void say(llvm::StringRef Option, const clang::Expr& Given, const clang::Expr& At) {
    if (!Found.Runs.empty() && !Found.Runs.back().empty()) {
      Found.Runs.back().back().Said.push_back({Option, &Given, &At});
    }
  }

  /// Of LibTorch: options, a module, or a container with one part for each argument.
  bool addMaking(const clang::CXXConstructExpr& E, const clang::CXXRecordDecl& Class) {
    const bool IsHolder = isModuleHolder(E.getType()) && !Found.Runs.empty();
    const bool IsContainer = IsHolder && llvm::is_contained({"Sequential", "ModuleList", "ModuleDict"}, Class.getName());
    if (IsHolder && !IsContainer) {
      Found.Runs.back().push_back({&Class});
    }
    bool AreKnown = true;
    for (const auto& [Place, Each] : llvm::enumerate(E.arguments())) {
      const size_t Before = IsContainer ? Found.Runs.back().size() : 0;
      AreKnown &= addAll({Each});
      if (IsContainer && Found.Runs.back().size() == Before) {
        Found.Runs.back().emplace_back();
      }
      if (Class.getName().ends_with("Options") && Place < E.getConstructor()->getNumParams()) {
        say(E.getConstructor()->getParamDecl(static_cast<unsigned>(Place))->getName(), *Each, E);
      }
    }
    return AreKnown;
  }

  void addCallable(const clang::FunctionDecl& Function, clang::SourceLocation Where) {
    if (llvm::none_of(Found.Callables, [&](const Callable& Each) { return Each.Function == &Function; })) {
      Found.Callables.push_back({&Function, nullptr, Store, Where});
    }
  }

  /// Whose address is taken. What a reference shows may be of a class that derives.
  bool addObject(const clang::Expr& E) {
    const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E);
    const auto* Member = llvm::dyn_cast<clang::MemberExpr>(&E);
    const clang::ValueDecl* Named = Name ? Name->getDecl() : Member ? Member->getMemberDecl() : nullptr;
    if (llvm::isa_and_present<clang::FunctionDecl>(Named)) {
      return add(E);
    }
    return Named && !Named->getType()->isReferenceType() && addClass(Named->getType());
  }

  bool addClass(clang::QualType Type) {
    const clang::CXXRecordDecl* Class = Type->getAsCXXRecordDecl();
    if (Class && !llvm::is_contained(Found.Classes, Class)) {
      Found.Classes.push_back(Class);
    }
    addModule(Type);
    return Class != nullptr;
  }

  /// Or what its holder holds.
  void addModule(clang::QualType Type) {
    const clang::QualType Held = kindOf(Type) == TypeKind::Pointer ? pointeeOf(Type) : Type;
    const clang::CXXRecordDecl* Class = Held.isNull() ? nullptr : Held->getAsCXXRecordDecl();
    if (Class && Class->hasDefinition() && !isOfLibrary(*Class) && !llvm::is_contained(Found.Modules, Class)) {
      Found.Modules.push_back(Class);
    }
  }

  bool addName(const clang::DeclRefExpr& Name) {
    if (const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(Name.getDecl())) {
      addCallable(*Function, Name.getLocation());
      return false;
    }
    if (const auto* Parameter = llvm::dyn_cast<clang::ParmVarDecl>(Name.getDecl())) {
      Found.AreAll = false;
      const llvm::ArrayRef<const clang::Expr*> Given = Unit.argumentsFor(*Parameter);
      return addAll(Given) && !Given.empty();
    }
    const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Name.getDecl());
    Found.AreAll = false;
    return Variable && Variable->getInit() && add(*Variable->getInit());
  }

  bool addConstruction(const clang::CXXConstructExpr& E) {
    const clang::CXXRecordDecl& Class = *E.getConstructor()->getParent();
    if (isOfLibrary(Class) && !E.getConstructor()->isCopyOrMoveConstructor()) {
      return addMaking(E, Class);
    }
    if (isOfLibrary(Class) || E.getConstructor()->isCopyOrMoveConstructor()) {
      return addAll(llvm::ArrayRef(E.getArgs(), E.getNumArgs()));
    }
    addModule(E.getType());
    addFunctor(E);
    return addAll(llvm::ArrayRef(E.getArgs(), E.getNumArgs())) && false;
  }

  void addFunctor(const clang::Expr& Made) {
    const clang::CXXRecordDecl* Class = Made.getType()->getAsCXXRecordDecl();
    const bool IsOwn = Class && Class->hasDefinition() && !isOfLibrary(*Class);
    for (const clang::CXXMethodDecl* Each : IsOwn ? Class->methods() : clang::CXXRecordDecl::method_range({}, {})) {
      if (Each->getOverloadedOperator() == clang::OO_Call) {
        addCallable(*Each, Made.getExprLoc());
      }
    }
  }

  bool addCall(const clang::CallExpr& Call) {
    const clang::FunctionDecl* Function = Call.getDirectCallee();
    const llvm::ArrayRef<const clang::Expr*> Arguments(Call.getArgs(), Call.getNumArgs());
    if (Function && !isOfLibrary(*Function)) {
      const clang::FunctionDecl* Definition = nullptr;
      const bool AreKnown = Function->isDefined(Definition) && Definition->getBody() && addReturned(*Definition->getBody());
      addAll(Arguments);
      return AreKnown;
    }
    const clang::TemplateArgumentList* Types = Function ? Function->getTemplateSpecializationArgs() : nullptr;
    const llvm::StringRef Name = Function && Function->getIdentifier() ? Function->getName() : "";
    if (Types && llvm::is_contained({"make_unique", "make_shared"}, Name)) {
      return addClass(Types->get(0).getAsType());
    }
    if (const auto* Setter = llvm::dyn_cast<clang::CXXMemberCallExpr>(&Call);
        Setter && Call.getNumArgs() == 1 && libraryClass(Setter->getObjectType()).ends_with("Options")) {
      say(Name, *Call.getArg(0), Call);
      return add(*Setter->getImplicitObjectArgument());
    }
    Found.Made = Found.Made ? Found.Made : &Call;
    return addAll(Arguments) && Name == "move";
  }

  bool addReturned(const clang::Stmt& S) {
    if (const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(spelledCall(S))) {
      addAll(llvm::ArrayRef(Call->getArgs(), Call->getNumArgs()));  // `stage->push_back(Block())`
    }
    if (const auto* Return = llvm::dyn_cast<clang::ReturnStmt>(&S)) {
      return Return->getRetValue() && add(*Return->getRetValue());
    }
    if (llvm::isa<clang::Expr>(S)) {
      return true;
    }
    bool AreKnown = true;
    for (const clang::Stmt* Each : S.children()) {
      AreKnown &= !Each || addReturned(*Each);
    }
    return AreKnown;
  }

  const clang::ValueDecl* Store;
  const UnitIndex& Unit;
  llvm::SmallPtrSet<const clang::Stmt*, 32> Seen;
};

}  // namespace

const clang::ValueDecl* storeOfPath(Path Of) {
  while (Of->parent() && (Of->last().What != Step::Kind::Field || isOfLibrary(*Of->last().Member))) {
    Of = Of->parent();
  }
  return Of->parent() || Of->from() != Root::Given ? Of->named() : nullptr;
}

const Setting* settingOf(llvm::ArrayRef<Setting> Said, llvm::StringRef Option) {
  const auto* Found = llvm::find_if(Said, [&](const Setting& Each) { return Each.Option == Option; });
  return Found == Said.end() ? nullptr : Found;
}

bool isSet(llvm::ArrayRef<Setting> Said, llvm::StringRef Option, const clang::ASTContext& Context) {
  const Setting* Its = settingOf(Said, Option);
  bool IsTrue = false;
  return Its && !Its->Given->isValueDependent() && Its->Given->EvaluateAsBooleanCondition(IsTrue, Context) && IsTrue;
}

Stored madeBy(const clang::Expr& Module, const UnitIndex& Unit) {
  StoreSearch Search(nullptr, Unit);
  Search.addRun({&Module});
  return Search.Found;
}

std::vector<Setting> settingsIn(const clang::Expr& Options, const UnitIndex& Unit) {
  StoreSearch Search(nullptr, Unit);
  Search.Found.Runs = {{Making{}}};
  Search.addAll({&Options});
  return Search.Found.Runs[0][0].Said;
}

Stored storedIn(const clang::ValueDecl& Store, const UnitIndex& Unit) {
  StoreSearch Search(&Store, Unit);
  bool AreKnown = true;
  for (const clang::Expr* Each : Unit.valuesOf(Store)) {
    AreKnown &= Search.addRun({Each});
  }
  AreKnown &= Search.addRun(Unit.putsInto(Store));
  if (!AreKnown || isHandedOn(Store, Unit)) {
    Search.Found.Classes.clear();
  }
  Search.Found.Added = std::move(Search.Found.Runs.back());
  llvm::erase_if(Search.Found.Runs, [](const std::vector<Making>& Each) { return Each.empty(); });
  Search.Found.AreAll &= isGivenByUnitAlone(Store);
  return Search.Found;
}

}  // namespace graphgen::check::flow
