// SPDX-License-Identifier: Apache-2.0
//
// Calls and constructions: of the program's own functions the body is run, of libraries' a model.
#include "check/torch/Calls.h"
#include "check/code/Library.h"
#include "check/code/Spelled.h"
#include "check/flow/BodyRun.h"
#include "check/flow/Types.h"
#include "check/torch/Overlay.h"
#include "scan/MemberTypes.h"

#include "clang/AST/ASTContext.h"

namespace graphgen::check::flow {
namespace {

bool isTensorClass(const clang::CXXMethodDecl& Method) {
  return kindOf(Method.getASTContext().getCanonicalTagType(Method.getParent())) == TypeKind::Tensor;
}

bool isCopy(const clang::FunctionDecl& Function) {
  if (const auto* Constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&Function)) {
    return Constructor->isCopyOrMoveConstructor();
  }
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Function);
  return Method && (Method->isCopyAssignmentOperator() || Method->isMoveAssignmentOperator());
}

/// One that the program wrote, not the compiler.
bool isWritten(const clang::FunctionDecl& Function) { return !Function.isImplicit() && !Function.isDefaulted(); }

/// Of one of LibTorch's modules.
bool isForward(const clang::FunctionDecl& Function) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Function);
  return Method && Method->getIdentifier() && Method->getName() == "forward" && isOfLibrary(*Method) &&
         scan::isModule(*Method->getParent());
}

bool isRemembered(const clang::FunctionDecl& Function) {
  return isOfLibrary(Function) &&
         llvm::any_of(overlayOf(Function), [](const OverlayRow* Each) { return Each->What->Its == Trait::IsRemembered; });
}

}  // namespace

void BodyRun::bindParameters(const clang::FunctionDecl& Called, llvm::ArrayRef<ValueRef> Arguments, State& In) {
  std::swap(Now, In);
  for (unsigned Place = 0; Place < Called.getNumParams(); ++Place) {
    const clang::ParmVarDecl& Its = *Called.getParamDecl(Place);
    const Path To = All.Places.variable(Its);
    const ValueRef Given = Place < Arguments.size() ? Arguments[Place] : nullptr;
    put(To, Its.getType(), Given ? Given : All.Known.unknown());
  }
  std::swap(Now, In);
}

/// Of a call the result; a class's object is a new one for each call.
ValueRef BodyRun::returned(const clang::Expr* E, ValueRef Given) {
  if (!E || !Given || E->isGLValue() || isLeaf(E->getType())) {
    return Given;
  }
  const Path Made = All.Places.fresh(*E);
  copyObject(Made, Given);
  return All.Known.keep(Value::to(Made));
}

/// What nothing sees the body of may change all that it gets a reference to.
ValueRef BodyRun::unknownCall(const Called& Its) {
  callBack(Its);
  const auto* Method = llvm::dyn_cast_if_present<clang::CXXMethodDecl>(Its.Function);
  if (Method && Method->isInstance() && !Method->isConst() && !llvm::isa<clang::CXXConstructorDecl>(Method)) {
    forget(Its.Object);
  }
  for (unsigned Place = 0; Place < Its.Arguments.size(); ++Place) {
    const bool IsDeclared = Its.Function && Place < Its.Function->getNumParams();
    const clang::QualType Type = IsDeclared ? Its.Function->getParamDecl(static_cast<unsigned>(Place))->getType() : clang::QualType();
    if (!Type.isNull() && (Type->isReferenceType() || Type->isPointerType()) && !Type->getPointeeType().isConstQualified()) {
      forget(Its.Arguments[Place]);
    }
  }
  const auto* E = llvm::dyn_cast<clang::Expr>(&Its.At);
  return E && E->getType()->isVoidType() ? nullptr : returned(E, computedFrom(Its));
}

/// Of one of LibTorch's modules that learns: what its `forward` gives has a history.
static bool hasParameters(const clang::CXXMethodDecl& Method) {
  const llvm::StringRef Class = Method.getParent()->getName();
  const auto Ends = [&](llvm::StringRef Each) { return Class.ends_with(Each); };
  return Method.getIdentifier() && Method.getName() == "forward" &&
         (llvm::any_of(
              llvm::ArrayRef<llvm::StringRef>{"LinearImpl", "EmbeddingImpl", "LSTMImpl", "GRUImpl", "RNNImpl", "CellImpl", "NormImpl"},
              Ends) ||
          Class.starts_with("Conv") || Class == "SequentialImpl" || Class == "BilinearImpl" || Class == "MultiheadAttentionImpl");
}

/// `torch::autograd::grad` without `create_graph`.
bool BodyRun::isGradientWithout(const Called& Its) {
  constexpr size_t CreateGraph = 4;
  if (!Its.Function || Its.Function->getQualifiedNameAsString() != "torch::autograd::grad" || Its.Expressions.size() <= CreateGraph) {
    return false;
  }
  const clang::Expr& Given = *Its.Expressions[CreateGraph];
  const auto* Literal = llvm::dyn_cast<clang::CXXBoolLiteralExpr>(Given.IgnoreUnlessSpelledInSource());
  return llvm::isa<clang::CXXDefaultArgExpr>(Given) || (Literal && !Literal->getValue());
}

/// Unknown what, but from which tensors of outside.
ValueRef BodyRun::computedFrom(const Called& Its) {
  Value Made = Value::unknown();
  const auto* Method = llvm::dyn_cast_if_present<clang::CXXMethodDecl>(Its.Function);
  const bool IsOfModule = Method && isOfLibrary(*Method) && Method->getParent()->getQualifiedNameAsString().rfind("torch::nn::", 0) == 0;
  const bool KeepsHistory = !isGradientWithout(Its);
  if (IsOfModule && Its.Object && hasParameters(*Method) && read(All.Places.gradMode())->Number != 0) {
    for (const Target& Each : Its.Object->Targets) {
      if (Each.Of->outlivesCall()) {
        Made.Differentiable.push_back(Each.Of);
      }
    }
  }
  const auto Add = [&](Path Source) {
    const bool IsConstant = !Source->parent() && Source->declared() && Source->declared()->getType().isConstQualified();
    if (Source->isOutside() && !(IsConstant && Source->outlivesCall()) && !llvm::is_contained(Made.Sources, Source)) {
      Made.Sources.push_back(Source);
    }
  };
  for (const auto& [Expression, Given] : llvm::zip_equal(Its.Expressions, Its.Arguments)) {
    const ValueRef Each = seen(*Expression, Given);
    Made.OfRank = Each && Each->OfRank ? Each->OfRank : Made.OfRank;
    Made.On = IsOfModule && Each && isOfGpu(Each->On) && kindOf(Expression->getType()) == TypeKind::Tensor ? Each->On : Made.On;
    for (const Target& One : Each ? llvm::ArrayRef<Target>(Each->Targets) : llvm::ArrayRef<Target>()) {
      Add(One.Of);
      for (const auto& [Part, Held] : One.Of->isOutside() ? std::vector<std::pair<Path, ValueRef>>() : Now.within(One.Of)) {
        llvm::for_each(Held->Targets, [&](const Target& To) { Add(To.Of); });
        llvm::for_each(Held->Sources, Add);
        if (Held->Unset) {
          Add(Held->Unset);
        }
      }
    }
    for (const Path One : Each ? llvm::ArrayRef<Path>(Each->Sources) : llvm::ArrayRef<Path>()) {
      Add(One);
    }
    for (const Path One : Each&& KeepsHistory ? llvm::ArrayRef<Path>(Each->Differentiable) : llvm::ArrayRef<Path>()) {
      Made.Differentiable.push_back(One);
    }
  }
  return All.Known.keep(std::move(Made));
}

/// What rules look at: a tensor or number itself instead of its place, of a list of tensors all of them as one. So of a list of numbers
/// that has one of a tensor's.
ValueRef BodyRun::seen(const clang::Expr& E, ValueRef Given) {
  if (isLeaf(E.getType())) {
    return E.isGLValue() ? load(Given) : Given;
  }
  if (kindOf(E.getType()) == TypeKind::Optional && isLeaf(flow::pointeeOf(E.getType()))) {
    return load(pointeeOf(Given));
  }
  const clang::QualType Element = kindOf(E.getType()) == TypeKind::Sequence ? flow::elementOf(E.getType()) : clang::QualType();
  const TypeKind Elements = Element.isNull() ? TypeKind::Record : kindOf(Element);
  if (Elements != TypeKind::Tensor && Elements != TypeKind::Number) {
    return Given;
  }
  const ValueRef Each = load(anyElementOf(Given));
  return Elements == TypeKind::Tensor || (Each && Each->Data) ? Each : Given;
}

/// By `const T&` a number, and a function of a library by `const char*` a text, as strlen() does.
static bool readsArgument(const clang::FunctionDecl* Function, size_t Place) {
  if (!Function || Place >= Function->getNumParams()) {
    return false;
  }
  const clang::QualType Type = Function->getParamDecl(static_cast<unsigned>(Place))->getType();
  const clang::QualType Read = Type->getPointeeType();
  return !Read.isNull() && Read.isConstQualified() &&
         ((Type->isLValueReferenceType() && kindOf(Read) == TypeKind::Number) ||
          (Type->isPointerType() && Read->isCharType() && isOfLibrary(*Function)));
}

Fact& BodyRun::tellCall(const Called& Its) {
  for (const auto& [Place, Given] : llvm::enumerate(Its.Arguments)) {
    if (readsArgument(Its.Function, Place)) {
      tellRead(*Its.Expressions[Place], Given);
    }
  }
  Fact Told;
  Told.What = Fact::Kind::Call;
  Told.At = &Its.At;
  Told.Function = Its.Function;
  const auto* Member = llvm::dyn_cast<clang::CXXMemberCallExpr>(&Its.At);
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Its.At);
  const clang::Expr* On = Member ? Member->getImplicitObjectArgument() : Operator && Its.Object ? Operator->getArg(0) : nullptr;
  Told.Object = On && !On->getType()->isPointerType() ? seen(*On, Its.Object) : Its.Object;
  for (const auto& [Expression, Given] : llvm::zip_equal(Its.Expressions, Its.Arguments)) {
    Told.Arguments.push_back(seen(*Expression, Given));
    Told.Expressions.push_back(Expression);
  }
  if (Its.Function) {
    Told.Settings = settingsOf(Its);
    const OperatorBinding& Bound = All.operatorOf(*Its.Function);
    Told.Operator = Bound.Called ? &Bound : nullptr;
    const size_t Methods = Its.Object ? 1 : 0;
    for (size_t Place = Methods; Place < Bound.Parameters.size() && Place - Methods < Its.Arguments.size(); ++Place) {
      if (Bound.Parameters[Place]->Name == "indices") {
        Told.Elements = elementsOf(Its.Arguments[Place - Methods]);
      }
    }
  }
  return Telling->emplace_back(std::move(Told));
}

Fact& BodyRun::callTold(const clang::Stmt& At) {
  return *llvm::find_if(llvm::reverse(*Telling), [&](const Fact& Each) { return Each.At == &At && Each.What == Fact::Kind::Call; });
}

ValueRef BodyRun::perform(Called& Its) {
  const BodiesOfCall MayRun = Its.Function ? bodiesOf(Its) : BodiesOfCall();
  const std::vector<Body>& Bodies = MayRun.Known;
  Its.Function = Bodies.size() == 1 && Bodies[0].IsLikely ? Bodies[0].Function : Its.Function;
  const size_t Place = Telling->size();
  if (const std::vector<Setting> Said = tellCall(Its).Settings; Its.Function) {
    const Path On = Its.Object && !Its.Object->Targets.empty() ? Its.Object->Targets.front().Of : nullptr;
    writeFirst(Its, Said, !On || !On->isOneOfSeveral());
  }
  if (Bodies.size() != 1 || !Bodies[0].IsLikely) {
    llvm::transform(Bodies, std::back_inserter((*Telling)[Place].MayRun), [](const Body& Each) { return Each.Function; });
    (*Telling)[Place].Below = MayRun.Below;
  }
  for (const Body& Each : Bodies) {
    if (Each.Function != Its.Function && isOfLibrary(*Each.Function)) {
      Called One = Its;
      One.Function = Each.Function;
      tellCall(One).IsLikely = false;
    }
  }
  const auto Give = [&](ValueRef Given) { return (*Telling)[Place].From = ofRank(Its, Given); };
  if (!Its.Function) {
    return Give(unknownCall(Its));
  }
  if (const OperatorBinding& Bound = All.operatorOf(*Its.Function); Bound.Called) {
    return Give(operatorCall(Its, Bound));
  }
  if (tellsForm(*Its.Function)) {
    const ValueRef Said = optionsCall(Its);
    return Give(Said ? Said : formOf(Its));
  }
  if (const auto* E = llvm::dyn_cast<clang::Expr>(&Its.At); E && isRemembered(*Its.Function)) {
    Value Known;
    Known.Made = E;
    return Give(All.Known.keep(std::move(Known)));
  }
  if (const std::optional<ValueRef> Known = libraryCall(Its)) {
    return Give(*Known);
  }
  if (const std::optional<ValueRef> Known = followOne(Its, Bodies)) {
    return Give(*Known);
  }
  const ValueRef Result = unknownCall(Its);
  if (isForward(*Its.Function)) {
    const auto* E = llvm::dyn_cast<clang::Expr>(&Its.At);
    (*Telling)[Place].Computed = E && !isLeaf(E->getType()) ? contentOf(Result) : Result;
  }
  return Give(Result);
}

ValueRef BodyRun::call(const clang::CallExpr& E) {
  const clang::FunctionDecl* Function = E.getDirectCallee();
  Called Its{E, Function, nullptr, {}, {}};
  unsigned First = 0;
  if (const auto* Member = llvm::dyn_cast<clang::CXXMemberCallExpr>(&E)) {
    Its.Object = value(Member->getImplicitObjectArgument());
  } else if (const auto* Method = llvm::dyn_cast_if_present<clang::CXXMethodDecl>(Function);
             llvm::isa<clang::CXXOperatorCallExpr>(E) && Method && Method->isInstance()) {
    Its.Object = value(E.getArg(0));
    First = 1;
  }
  for (unsigned Place = First; Place < E.getNumArgs(); ++Place) {
    Its.Expressions.push_back(E.getArg(Place));
    Its.Arguments.push_back(value(E.getArg(Place)));
  }
  if (!Function) {
    const auto* OfMember = llvm::dyn_cast<clang::BinaryOperator>(E.getCallee()->IgnoreParens());  // `(object.*method)(...)`
    const clang::Expr& Callee = OfMember ? *OfMember->getRHS() : *E.getCallee();
    const ValueRef Held = value(E.getCallee());
    tell(Fact::Kind::Call, E).Object = Held;
    const std::optional<ValueRef> Known = callHeld(Its, Callee, Held, Its.Object);
    return Known ? *Known : unknownCall(Its);
  }
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(Function);
  if (Method && E.getNumArgs() >= 1 && isCopy(*Method) && Its.Object) {
    if (isTensorClass(*Method)) {
      const ValueRef New = load(Its.Arguments[0]);
      if (Method->getRefQualifier() == clang::RQ_RValue) {
        Fact& Told = tell(Fact::Kind::Write, E);
        Told.Object = load(Its.Object);
        Told.Function = Method;
        Told.From = New;
        wrote(Told.Object);
      } else {
        assign(E, Its.Object, New);
      }
      return Its.Object;
    }
    if (!isWritten(*Method) || isOfLibrary(*Method)) {
      assignWhole(Its);
      return Its.Object;
    }
  }
  return perform(Its);
}

ValueRef BodyRun::construct(const clang::CXXConstructExpr& E) {
  const clang::CXXConstructorDecl& Constructor = *E.getConstructor();
  Called Its{E, &Constructor, nullptr, {}, {}};
  for (const clang::Expr* Each : E.arguments()) {
    Its.Expressions.push_back(Each);
    Its.Arguments.push_back(value(Each));
  }
  const bool IsTrivialCopy = isCopy(Constructor) && (!isWritten(Constructor) || isOfLibrary(Constructor));
  if (IsTrivialCopy && isLeaf(E.getType())) {
    return E.getArg(0)->isGLValue() ? load(Its.Arguments[0]) : Its.Arguments[0];
  }
  const Path Made = All.Places.fresh(E);
  if (IsTrivialCopy) {
    copyObject(Made, Its.Arguments[0]);
    return All.Known.keep(Value::to(Made));
  }
  const ValueRef Said = optionsConstruction(E, Its);
  if (Said || isOfLibrary(Constructor)) {
    tellCall(Its);
  }
  if (Said) {
    Telling->back().From = Said;
    return Said;
  }
  if (const std::optional<ValueRef> Known = libraryConstruction(E, Its)) {
    return *Known;
  }
  Now.clear(Made);
  Value Whole;
  Whole.Classes = {Constructor.getParent()};
  Now.set(Made, All.Known.keep(std::move(Whole)));
  Its.Object = All.Known.keep(Value::to(Made));
  if (!isOfLibrary(Constructor)) {
    tellCall(Its);
  }
  if (!followOne(Its, {{&Constructor, Its.Object}})) {
    if (!Constructor.isTrivial() && Constructor.getNumParams() != 0) {
      forget(Its.Object);
    }
    unknownCall(Its);
  }
  return Its.Object;
}

ValueRef BodyRun::make(const clang::CXXNewExpr& E) {
  const Path Made = All.Places.pointee(All.Places.fresh(E));
  const clang::Expr* Initializer = E.getConstructExpr() ? E.getConstructExpr() : E.getInitializer();
  if (Initializer) {
    put(Made, E.getAllocatedType(), value(Initializer));
  }
  return All.Known.keep(Value::to(Made));
}

}  // namespace graphgen::check::flow
