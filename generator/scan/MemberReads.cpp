// SPDX-License-Identifier: Apache-2.0
//
// Follows every function that a body names: a call, a construction, or an address.
#include "scan/MemberReads.h"

#include "scan/Libraries.h"
#include "scan/MemberTypes.h"
#include "scan/ObjectTypes.h"
#include "scan/StoredLambdas.h"
#include "scan/Types.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <vector>

namespace graphgen::scan {
namespace {

/// The object that a const or constexpr pointer or reference leads to is none, nor the module in a const holder.
bool isConstant(const clang::VarDecl& Variable) {
  using Kind = annotation::WatchedMember::Kind;
  const HeldType Held = heldType(Variable.getType());
  const bool IsValue = Held.What == HeldType::Form::Leaf && (Held.Kind == Kind::Number || Held.Kind == Kind::Tensor) && !Held.IsReferred;
  const bool IsOther = Variable.getType()->isReferenceType() || Variable.getType()->isAnyPointerType();
  return (Variable.isConstexpr() && !IsOther) || (Variable.getType().isConstQualified() && IsValue);
}

using Classes = llvm::SmallPtrSet<const clang::CXXRecordDecl*, 4>;

void addOwnClasses(llvm::ArrayRef<clang::TemplateArgument> Arguments, Classes& Own);

/// The class if it is of the program, or those that a library's template is an instance over.
void addOwnClasses(const clang::CXXRecordDecl& Class, Classes& Own) {
  if (!isOfLibraryOrSystem(Class)) {
    Own.insert(&Class);
  } else if (const auto* Instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&Class)) {
    addOwnClasses(Instance->getTemplateArgs().asArray(), Own);
  }
}

void addOwnClasses(llvm::ArrayRef<clang::TemplateArgument> Arguments, Classes& Own) {
  for (const clang::TemplateArgument& Each : Arguments) {
    if (Each.getKind() == clang::TemplateArgument::Pack) {
      addOwnClasses(Each.getPackAsArray(), Own);
    } else if (Each.getKind() == clang::TemplateArgument::Type) {
      clang::QualType Type = Each.getAsType().getNonReferenceType();
      while (Type->isAnyPointerType()) {
        Type = Type->getPointeeType();
      }
      if (const clang::CXXRecordDecl* Class = Type->getAsCXXRecordDecl()) {
        addOwnClasses(*Class, Own);
      }
    }
  }
}

/// The classes of the program that a library's function is an instance over, whose members it may call.
Classes ownClassesOf(const clang::FunctionDecl& OfLibrary) {
  Classes Own;
  if (const clang::TemplateArgumentList* Arguments = OfLibrary.getTemplateSpecializationArgs()) {
    addOwnClasses(Arguments->asArray(), Own);
  }
  if (const auto* Class = llvm::dyn_cast<clang::CXXRecordDecl>(OfLibrary.getDeclContext())) {
    addOwnClasses(*Class, Own);
  }
  return Own;
}

bool holdsFunction(clang::QualType Type) {
  const clang::CXXRecordDecl* Class = Type->getAsCXXRecordDecl();
  const auto IsOfFunction = [](const clang::TemplateArgument& Each) {
    return Each.getKind() == clang::TemplateArgument::Type && holdsFunction(Each.getAsType());
  };
  return Class && isOfLibraryOrSystem(*Class) && llvm::isa<clang::ClassTemplateSpecializationDecl>(Class) &&
         (qualifiedName(*Class) == "std::function" || llvm::any_of(templateArguments(Class), IsOfFunction));
}

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

bool isPointerOrAddress(clang::QualType Type) { return Type->isPointerType() || Type->isReferenceType() || Type->isIntegerType(); }

/// Of a library's object that calls do not compare, such as a distribution or an optimizer.
bool asksForNumber(const clang::CXXMemberCallExpr& Call) {
  const clang::CXXMethodDecl* Method = Call.getMethodDecl();
  const clang::QualType Given = Call.getType();
  const clang::CXXRecordDecl* Class = Given->getAsCXXRecordDecl();
  const bool IsNumber = Given->isArithmeticType() || Given->isEnumeralType() || (Class && qualifiedName(*Class) == "std::basic_string");
  return Method && isOfLibraryOrSystem(*Method) && IsNumber && (Method->isConst() || Method->getReturnType()->isLValueReferenceType()) &&
         Method->getDeclName() && !(Method->getIdentifier() && Method->getName() == "defined");
}

class NameCollector : public clang::DynamicRecursiveASTVisitor {
 public:
  NameCollector(const clang::FunctionDecl& Callable, const Bodies& Bodies) : Callable(Callable), Bodies(Bodies) {
    ShouldVisitImplicitCode = true;
    ShouldVisitTemplateInstantiations = true;
  }

  MemberReads read(llvm::ArrayRef<const clang::CXXRecordDecl*> Classes) {
    for (const clang::CXXRecordDecl* Each : Classes) {
      addClasses(*Each, Watched);
    }
    follow(Callable);
    while (!Open.empty()) {
      const clang::FunctionDecl* Body = Open.back();
      Open.pop_back();
      In = Body;
      IsInLibrary = isOfLibraryOrSystem(*Body);
      TraverseDecl(const_cast<clang::FunctionDecl*>(Body));
    }
    addAllBeyond();
    return std::move(Result);
  }

  /// A capture does not run what graphed::host is given. It depends only on what the lambda is made of.
  bool TraverseCallExpr(clang::CallExpr* Call) override {
    const clang::FunctionDecl* Called = Call->getDirectCallee();
    const bool IsHostPart =
        Called && Called->getIdentifier() && Called->getName() == "host" && Called->getQualifiedNameAsString() == "graphed::host";
    const llvm::SaveAndRestore<bool> Within(IsOnHost, IsOnHost || IsHostPart);
    if (Called && !isOfLibraryOrSystem(*Called)) {
      const clang::FunctionDecl* Definition = Called->getDefinition();
      for (const auto& [Parameter, Given] : llvm::zip((Definition ? Definition : Called)->parameters(), argumentsOf(*Call))) {
        alias(*Parameter, Given);
      }
    }
    return clang::DynamicRecursiveASTVisitor::TraverseCallExpr(Call);
  }
  bool TraverseLambdaExpr(clang::LambdaExpr* Lambda) override {
    if (!IsOnHost) {
      return clang::DynamicRecursiveASTVisitor::TraverseLambdaExpr(Lambda);
    }
    for (clang::Expr* Each : Lambda->capture_inits()) {
      if (Each) {
        TraverseStmt(Each);
      }
    }
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr* Member) override {
    name(*Member->getMemberDecl());
    if (const auto* Field = llvm::dyn_cast<clang::FieldDecl>(Member->getMemberDecl()); Field && !WrittenBehind.contains(Member)) {
      Result.Followed.insert(Field->getCanonicalDecl());
    }
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* Name) override {
    name(*Name->getDecl());
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* Variable) override {
    alias(*Variable, llvm::isa<clang::ParmVarDecl>(Variable) ? nullptr : Variable->getInit());
    return true;
  }
  bool VisitReturnStmt(clang::ReturnStmt* Return) override {
    if (In && Return->getRetValue() && isPointerOrAddress(In->getReturnType())) {
      alias(*In, Return->getRetValue());
    }
    return true;
  }
  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* Call) override {
    const clang::Expr* On = asksForNumber(*Call) ? Call->getImplicitObjectArgument() : nullptr;
    const clang::ValueDecl* Of = On && !IsInLibrary ? shownBy(*On) : nullptr;
    if (Of && isUncompared(*Of)) {
      goBeyond(*Of, "no call can compare objects of its class");
    }
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* Construction) override {
    follow(*Construction->getConstructor());
    return true;
  }
  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr* Element) override {
    if (!isZero(*Element->getIdx())) {
      goAlong(*Element->getBase());
    }
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* S) override {
    const auto* Target = S->getOpcode() == clang::BO_Assign ? llvm::dyn_cast<clang::MemberExpr>(S->getLHS()) : nullptr;
    if (Target) {
      WrittenBehind.insert(Target->getBase()->IgnoreParenImpCasts());
    }
    if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(S->getLHS()); Name && S->getOpcode() == clang::BO_Assign) {
      alias(*Name->getDecl(), S->getRHS());
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
  bool VisitBindingDecl(clang::BindingDecl* Binding) override {
    if (Binding->getBinding()) {
      TraverseStmt(Binding->getBinding());
    }
    return true;
  }

 private:
  void name(const clang::ValueDecl& D) {
    if (IsInLibrary && !llvm::isa<clang::FunctionDecl>(D)) {
      return;
    }
    if (const auto* Field = llvm::dyn_cast<clang::FieldDecl>(&D)) {
      Result.Named.insert(Field->getCanonicalDecl());
      followStored(*Field);
    } else if (const auto* Variable = llvm::dyn_cast<clang::VarDecl>(&D)) {
      if (Variable->hasGlobalStorage() && !Variable->isStaticLocal() && !isConstant(*Variable) && !isOfLibraryOrSystem(*Variable)) {
        Result.Variables.insert(Variable->getCanonicalDecl());
        followStored(*Variable);
      }
    } else if (const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(&D)) {
      follow(*Function);
    }
  }

  /// A pointer, or an address in an integer, that is another one's.
  void alias(const clang::ValueDecl& D, const clang::Expr* Given) {
    const bool MayBe = !IsInLibrary && Given && (llvm::isa<clang::FunctionDecl>(D) || isPointerOrAddress(D.getType()));
    if (const clang::ValueDecl* Its = MayBe ? shownBy(*Given) : nullptr) {
      Aliases[llvm::cast<clang::ValueDecl>(D.getCanonicalDecl())].insert(llvm::cast<clang::ValueDecl>(Its->getCanonicalDecl()));
    }
  }

  static llvm::ArrayRef<const clang::Expr*> argumentsOf(const clang::CallExpr& Call) {
    const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Call);
    const unsigned Object = Operator && llvm::isa_and_nonnull<clang::CXXMethodDecl>(Call.getCalleeDecl()) ? 1 : 0;
    return llvm::ArrayRef(Call.getArgs(), Call.getNumArgs()).drop_front(Object);
  }

  /// A library's object, or a pointer to one, of which calls look at nothing.
  static bool isUncompared(const clang::ValueDecl& D) {
    clang::QualType Type = D.getType().getNonReferenceType();
    Type = Type->isPointerType() ? Type->getPointeeType() : Type;
    const clang::CXXRecordDecl* Class = llvm::isa<clang::FunctionDecl>(D) ? nullptr : Type->getAsCXXRecordDecl();
    const std::string Name = Class ? qualifiedName(*Class) : "";
    const bool IsConstant = llvm::StringRef(Name).starts_with("c10d::") || Name == "graphed::ProcessGroup" || Name == "at::Generator";
    return Class && isOfLibraryOrSystem(*Class) && !IsConstant && heldType(D.getType()).What == HeldType::Form::Nothing;
  }

  void goBeyond(const clang::ValueDecl& D, llvm::StringRef Why) {
    Result.Beyond.try_emplace(llvm::cast<clang::ValueDecl>(D.getCanonicalDecl()), Why);
  }
  void goBeyond(const clang::Expr& Pointer, llvm::StringRef Why) {
    if (const clang::ValueDecl* Shown = IsInLibrary ? nullptr : shownBy(Pointer)) {
      goBeyond(*Shown, Why);
    }
  }

  /// Behind what is another one's, behind that.
  void addAllBeyond() {
    std::vector<std::pair<const clang::ValueDecl*, llvm::StringRef>> Next(Result.Beyond.begin(), Result.Beyond.end());
    while (!Next.empty()) {
      const auto [D, Why] = Next.back();
      Next.pop_back();
      for (const clang::ValueDecl* Each : Aliases.lookup(D)) {
        if (Result.Beyond.try_emplace(Each, Why).second) {
          Next.emplace_back(Each, Why);
        }
      }
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

  void leave(const clang::CXXRecordDecl* Class) {
    if (Class != nullptr && Class->hasDefinition() && Watched.contains(Class->getDefinition())) {
      addClasses(*Class, Result.Unknown);
    }
  }

  /// What a body names that is not here, or another one in its place.
  void leave(const clang::FunctionDecl& F) {
    if (const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&F)) {
      leave(Method->getParent());
    }
    for (const clang::ParmVarDecl* Each : F.parameters()) {
      const std::optional<ReferredObject> Referred = referredObject(Each->getType());
      leave(Referred ? Referred->Class : Each->getType().getNonReferenceType()->getAsCXXRecordDecl());
    }
  }

  /// A holder's `operator()` runs that of its module.
  void followForward(const clang::FunctionDecl& Called) {
    const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Called);
    const bool IsCall = Method && Method->getOverloadedOperator() == clang::OO_Call && isModuleHolder(*Method->getParent());
    const clang::CXXRecordDecl* Module = IsCall ? moduleHeldBy(*Method->getParent()) : nullptr;
    for (const clang::CXXMethodDecl* Each : Module ? Module->methods() : clang::CXXRecordDecl::method_range({}, {})) {
      if (Each->getIdentifier() && Each->getName() == "forward") {
        follow(*Each);
      }
    }
  }

  /// Functors are called through tables and by functions that are not here.
  void followCallOperators(const clang::CXXRecordDecl& Class) {
    for (const clang::Decl* Each : Class.decls()) {
      const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(Each);
      const auto* Template = llvm::dyn_cast<clang::FunctionTemplateDecl>(Each);
      if (Method && Method->getOverloadedOperator() == clang::OO_Call) {
        follow(*Method);
      } else if (Template && Template->getDeclName().getCXXOverloadedOperator() == clang::OO_Call) {
        llvm::for_each(Template->specializations(), [this](const clang::FunctionDecl* Instance) { follow(*Instance); });
      }
    }
  }

  /// To the lambdas in a std::function, or in a list of such.
  void followStored(const clang::ValueDecl& D) {
    if (IsOnHost || !holdsFunction(D.getType())) {
      return;
    }
    if (!Lambdas) {
      Lambdas.emplace(D.getASTContext());
    }
    llvm::for_each(Lambdas->in(D), [this](const clang::CXXRecordDecl* Each) { followCallOperators(*Each); });
  }

  /// To the functions of the program that it calls: std::make_unique a constructor, std::visit a functor, std::max a comparison.
  void followLibrary(const clang::FunctionDecl& F) {
    const Classes Own = IsOnHost ? Classes() : ownClassesOf(F);
    const clang::FunctionDecl* Definition = Own.empty() ? nullptr : Bodies.definitionOf(F);
    for (const clang::CXXRecordDecl* Each : Own) {
      followCallOperators(*Each);
    }
    if (Definition) {
      Open.push_back(Definition);
    }
  }

  void follow(const clang::FunctionDecl& F) {
    if (!Seen.insert(F.getCanonicalDecl()).second) {
      return;
    }
    if (isOfLibraryOrSystem(F)) {
      followForward(F);
      return followLibrary(F);
    }
    const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&F);
    if (Method && Method->isVirtual() && !Method->getParent()->isEffectivelyFinal()) {
      leave(F);
    }
    const clang::FunctionDecl* Definition = Bodies.definitionOf(F);
    if (Definition && isSeenWithAnnotation(Callable, *Definition)) {
      Open.push_back(Definition);
    } else if (!F.isImplicit() && !F.isDefaulted()) {
      leave(F);
    }
  }

  llvm::SmallPtrSet<const clang::CXXRecordDecl*, 8> Watched;
  const clang::FunctionDecl& Callable;
  const scan::Bodies& Bodies;
  llvm::SmallPtrSet<const clang::FunctionDecl*, 32> Seen;
  std::vector<const clang::FunctionDecl*> Open;
  std::optional<StoredLambdas> Lambdas;                    // made when first asked for
  llvm::SmallPtrSet<const clang::Expr*, 8> WrittenBehind;  // `peer` of `peer->gain = 1`
  llvm::DenseMap<const clang::ValueDecl*, llvm::SmallPtrSet<const clang::ValueDecl*, 1>> Aliases;
  const clang::FunctionDecl* In = nullptr;
  bool IsOnHost = false;
  bool IsInLibrary = false;
  MemberReads Result;
};

}  // namespace

bool MemberReads::isUnknown(const clang::FieldDecl& Field) const {
  const auto* Class = llvm::dyn_cast<clang::CXXRecordDecl>(Field.getParent());
  return Class && Unknown.contains(Class->getDefinition());
}

bool isSeenWithAnnotation(const clang::FunctionDecl& Callable, const clang::FunctionDecl& Body) {
  return isInMainFile(Callable) || !isInMainFile(Body);
}

MemberReads readsOf(const clang::FunctionDecl& Callable, llvm::ArrayRef<const clang::CXXRecordDecl*> Classes, const Bodies& Bodies) {
  return NameCollector(Callable, Bodies).read(Classes);
}

}  // namespace graphgen::scan
