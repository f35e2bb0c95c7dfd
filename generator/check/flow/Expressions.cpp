// SPDX-License-Identifier: Apache-2.0
//
// Expressions but calls. A glvalue's value leads to its place; a prvalue's of a class leads to the object that it makes.
#include "check/flow/BodyRun.h"
#include "check/flow/Types.h"

#include "clang/AST/ASTContext.h"

namespace graphgen::check::flow {
namespace {

bool isWhole(clang::QualType Type) { return Type->isIntegralOrEnumerationType(); }

/// What the compiler knows.
std::optional<int64_t> constantOf(const clang::Expr& E, const clang::ASTContext& Context) {
  clang::Expr::EvalResult Constant;
  const bool IsKnown = isWhole(E.getType()) && !E.isValueDependent() && !E.containsErrors() && E.EvaluateAsInt(Constant, Context);
  return IsKnown && Constant.Val.getInt().isSignedIntN(64) ? std::optional(Constant.Val.getInt().getExtValue()) : std::nullopt;
}

}  // namespace

/// Of a part of a statement: what its block found; of one that is in no block, as a default argument, what it is here.
ValueRef BodyRun::value(const clang::Expr* E) {
  if (!E) {
    return nullptr;
  }
  if (Graph.hasStatement(*E)) {
    return Evaluated.lookup(E);
  }
  return evaluate(*E);
}

/// A method of a list, but for `swap`.
static bool isOfSequence(const clang::FunctionDecl& Function) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Function);
  return Method && Method->getIdentifier() && Method->getName() != "swap" &&
         kindOf(Method->getASTContext().getCanonicalTagType(Method->getParent())) == TypeKind::Sequence;
}

/// One of several; which number it is depends on the condition, too.
ValueRef BodyRun::joined(const clang::Expr& E, llvm::ArrayRef<const clang::Expr*> Arms) {
  ValueRef Both = nullptr;
  std::vector<ValueRef> From;
  for (const clang::Expr* Each : Arms) {
    From.push_back(value(Each));
    Both = All.Known.join(Both, From.back());
  }
  const auto* Choice = llvm::dyn_cast<clang::ConditionalOperator>(&E);
  if (Choice && Both && !Both->Number && !E.isGLValue() && E.getType()->isScalarType() && !E.getType()->isAnyPointerType()) {
    From.push_back(value(Choice->getCond()));
    return computed(From);
  }
  return Both;
}

ValueRef BodyRun::thisValue() {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Definition);
  if (!Method || !Method->getParent()->isLambda() || !Object) {
    return Object;
  }
  llvm::DenseMap<const clang::ValueDecl*, clang::FieldDecl*> Captures;
  clang::FieldDecl* This = nullptr;
  Method->getParent()->getCaptureFields(Captures, This);
  return This ? load(step(Object, [&](Path Each) { return All.Places.field(Each, *This); })) : Object;
}

ValueRef BodyRun::nameOf(const clang::DeclRefExpr& E) {
  const clang::ValueDecl& Named = *E.getDecl();
  if (const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(&Named)) {
    Value Made;
    Made.How = Change::Never;
    Made.Callables.push_back({Function, nullptr});
    return All.Known.keep(std::move(Made));
  }
  if (const auto* Enumerator = llvm::dyn_cast<clang::EnumConstantDecl>(&Named)) {
    return All.Known.keep(Value::number(Enumerator->getInitVal().getExtValue()));
  }
  if (const auto* Binding = llvm::dyn_cast<clang::BindingDecl>(&Named)) {
    return value(Binding->getHoldingVar() ? Binding->getHoldingVar()->getInit() : Binding->getBinding());
  }
  const auto* Variable = llvm::dyn_cast<clang::VarDecl>(&Named);
  if (!Variable) {
    return All.Known.unknown();
  }
  ValueRef Place = nullptr;
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Definition);
  if (E.refersToEnclosingVariableOrCapture() && Method && Method->getParent()->isLambda()) {
    llvm::DenseMap<const clang::ValueDecl*, clang::FieldDecl*> Captures;
    clang::FieldDecl* This = nullptr;
    Method->getParent()->getCaptureFields(Captures, This);
    if (clang::FieldDecl* Member = Captures.lookup(Variable)) {
      Place = step(Object, [&](Path Each) { return All.Places.field(Each, *Member); });
      return Member->getType()->isReferenceType() ? load(Place) : Place;
    }
  }
  Place = All.Known.keep(Value::to(All.Places.variable(*Variable)));
  return Variable->getType()->isReferenceType() ? load(Place) : Place;
}

ValueRef BodyRun::memberOf(const clang::MemberExpr& E) {
  const auto* Member = llvm::dyn_cast<clang::FieldDecl>(E.getMemberDecl());
  if (!Member) {
    const auto* Variable = llvm::dyn_cast<clang::VarDecl>(E.getMemberDecl());
    return Variable ? All.Known.keep(Value::to(All.Places.variable(*Variable))) : value(E.getBase());
  }
  const ValueRef Place = fieldOf(value(E.getBase()), *Member);
  return Member->getType()->isReferenceType() ? load(Place) : Place;
}

ValueRef BodyRun::castOf(const clang::CastExpr& E) {
  const ValueRef Given = value(E.getSubExpr());
  switch (E.getCastKind()) {
    case clang::CK_LValueToRValue: {
      const ValueRef Loaded = load(Given);
      tellRead(E, Given);
      const std::optional<int64_t> Constant = Loaded && !Loaded->Number ? constantOf(E, Definition.getASTContext()) : std::nullopt;
      return Constant ? All.Known.keep(Value::number(*Constant)) : Loaded;
    }
    case clang::CK_ArrayToPointerDecay:
      return anyElementOf(Given);
    case clang::CK_IntegralToBoolean:
      return Given && Given->Number ? computed({Given}, *Given->Number != 0) : Given;
    case clang::CK_PointerToBoolean:
      return computed({Given});
    case clang::CK_NullToPointer:
      return All.Known.keep(Value::number(0));
    case clang::CK_IntegralToFloating:
    case clang::CK_FloatingToIntegral:
      return converted(Given);
    default:
      return Given;
  }
}

ValueRef BodyRun::listOf(const clang::InitListExpr& E) {
  if (E.isTransparent()) {
    return value(E.getInit(0));
  }
  if (isLeaf(E.getType())) {
    return E.getNumInits() == 1 ? value(E.getInit(0)) : computed({});
  }
  const Path Made = All.Places.fresh(E);
  Now.clear(Made);
  Now.set(Made, All.Known.keep(Value()));
  const auto* Class = E.getType()->getAsCXXRecordDecl();
  unsigned Place = 0;
  if (Class && kindOf(E.getType()) == TypeKind::Sequence && E.getNumInits() == 1) {  // std::array
    copyObject(Made, value(E.getInit(0)));
  } else if (Class) {
    Place = Class->getNumBases();
    for (const clang::FieldDecl* Each : Class->fields()) {
      if (Place < E.getNumInits()) {
        put(All.Places.field(Made, *Each), Each->getType(), value(E.getInit(Place++)));
      }
    }
  } else {
    for (const clang::Expr* Each : E.inits()) {
      put(All.Places.element(Made, Place++), Each->getType(), value(Each));
    }
  }
  return All.Known.keep(Value::to(Made));
}

ValueRef BodyRun::closureOf(const clang::LambdaExpr& E) {
  const Path Made = All.Places.fresh(E);
  Now.clear(Made);
  Value Whole;
  Whole.Classes = {E.getLambdaClass()};
  Now.set(Made, All.Known.keep(std::move(Whole)));
  auto Member = E.getLambdaClass()->field_begin();
  for (const clang::Expr* Each : E.capture_inits()) {
    if (Each) {
      put(All.Places.field(Made, **Member), Member->getType(), value(Each));
    }
    ++Member;
  }
  return All.Known.keep(Value::to(Made));
}

void BodyRun::tellRead(const clang::Expr& E, ValueRef Place) {
  const auto Outlives = [](Path Each) { return Each->outlivesCall(); };
  if (Place && (llvm::any_of(Place->Targets, [&](const Target& Each) { return Outlives(Each.Of); }) ||
                (Place->Targets.empty() && (Place->Sources.empty() || llvm::any_of(Place->Sources, Outlives))))) {
    tell(Fact::Kind::Read, E).Object = Place;
  }
}

/// Of a tensor that is returned as it is there, which no call reads.
void BodyRun::tellGiven(const clang::Expr& Returned, ValueRef Tensor) {
  const clang::Expr* E = Returned.IgnoreImplicit();
  const auto* Made = llvm::dyn_cast<clang::CXXConstructExpr>(E);
  E = Made && Made->getConstructor()->isCopyConstructor() ? Made->getArg(0)->IgnoreParenImpCasts() : E;
  if (E->isLValue() && !llvm::isa<clang::CallExpr>(E) && kindOf(E->getType()) == TypeKind::Tensor) {
    tellRead(*E, Tensor);
  }
}

/// A variable of the call that another function than this declares.
static bool isOfOther(const clang::FunctionDecl& Function, Path Of) {
  const clang::ValueDecl* Variable = Of->from() == Root::Local ? Of->declared() : nullptr;
  const auto* Owner = Variable ? llvm::dyn_cast<clang::FunctionDecl>(Variable->getDeclContext()) : nullptr;
  return Owner && Owner->getCanonicalDecl() != Function.getCanonicalDecl();
}

void BodyRun::tellRebind(const clang::Stmt& At, ValueRef Place, ValueRef New, const clang::FunctionDecl* By) {
  const auto IsAny = [&](auto Has) { return Place && llvm::any_of(Place->Targets, [&](const Target& Each) { return Has(Each.Of); }); };
  const bool IsOutside = IsAny([](Path Of) { return Of->isOutside(); });
  if (IsOutside || IsAny([&](Path Of) { return isOfOther(Definition, Of); })) {
    Fact& Told = tell(IsOutside ? Fact::Kind::Rebind : Fact::Kind::Assign, At);
    Told.Function = By;
    Told.Object = Place;
    Told.From = New;
    Told.Grows = By && isOfSequence(*By) &&
                 llvm::none_of(Place->Targets, [&](const Target& Each) { return Each.Of->parent() && Now.at(Each.Of->parent()); });
  }
}

void BodyRun::assign(const clang::Stmt& At, ValueRef Place, ValueRef New, const clang::FunctionDecl* By) {
  tellRebind(At, Place, New, By);
  store(Place, New);
  if (!By && New) {
    mayOverwrite(Place, New);
  }
}

void BodyRun::declare(const clang::DeclStmt& S) {
  for (const clang::Decl* Each : S.decls()) {
    const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Each);
    const bool IsConstant = Variable && Variable->isStaticLocal() && Variable->getType().isConstQualified();
    if (!Variable || (!Variable->hasLocalStorage() && !IsConstant)) {
      continue;
    }
    const Path To = All.Places.variable(*Variable);
    if (Variable->getInit()) {
      put(To, Variable->getType(), value(Variable->getInit()));
      if (IsConstant && Now.at(To)) {
        Now.set(To, keptIn(To, Now.at(To)));
      }
    } else {
      Now.clear(To);
    }
  }
}

ValueRef BodyRun::evaluate(const clang::Expr& E) {
  using namespace clang;
  if (E.getType().isNull()) {
    return All.Known.unknown();  // a list within what the compiler refuses
  }
  switch (E.getStmtClass()) {
    case Stmt::DeclRefExprClass:
      return nameOf(cast<DeclRefExpr>(E));
    case Stmt::MemberExprClass:
      return memberOf(cast<MemberExpr>(E));
    case Stmt::CXXThisExprClass:
      return thisValue();
    case Stmt::UnaryOperatorClass:
      return unary(cast<UnaryOperator>(E));
    case Stmt::BinaryOperatorClass:
    case Stmt::CompoundAssignOperatorClass:
      return binary(cast<BinaryOperator>(E));
    case Stmt::ConditionalOperatorClass:
      return joined(E, {cast<ConditionalOperator>(E).getTrueExpr(), cast<ConditionalOperator>(E).getFalseExpr()});
    case Stmt::BinaryConditionalOperatorClass:
      return joined(E, {cast<BinaryConditionalOperator>(E).getTrueExpr(), cast<BinaryConditionalOperator>(E).getFalseExpr()});
    case Stmt::OpaqueValueExprClass:
      return value(cast<OpaqueValueExpr>(E).getSourceExpr());
    case Stmt::ArraySubscriptExprClass:
      lookThrough(E, value(cast<ArraySubscriptExpr>(E).getBase()));
      lookAt(E, *cast<ArraySubscriptExpr>(E).getIdx());
      return cast<ArraySubscriptExpr>(E).getBase()->getType()->isPointerType() &&
                     isa<ImplicitCastExpr>(cast<ArraySubscriptExpr>(E).getBase())
                 ? elementOf(value(cast<ImplicitCastExpr>(cast<ArraySubscriptExpr>(E).getBase())->getSubExpr()),
                             value(cast<ArraySubscriptExpr>(E).getIdx()))
                 : value(cast<ArraySubscriptExpr>(E).getBase());
    case Stmt::MaterializeTemporaryExprClass: {
      const Expr& Inner = *cast<MaterializeTemporaryExpr>(E).getSubExpr();
      const ValueRef Given = value(&Inner);
      if (!isLeaf(E.getType()) || !Given) {
        return Given;
      }
      const Path Made = All.Places.fresh(E);
      Now.set(Made, Given);
      return All.Known.keep(Value::to(Made));
    }
    case Stmt::ParenExprClass:
      return value(cast<ParenExpr>(E).getSubExpr());
    case Stmt::ExprWithCleanupsClass:
    case Stmt::ConstantExprClass:
      return value(cast<FullExpr>(E).getSubExpr());
    case Stmt::CXXBindTemporaryExprClass:
      return value(cast<CXXBindTemporaryExpr>(E).getSubExpr());
    case Stmt::SubstNonTypeTemplateParmExprClass:
      return value(cast<SubstNonTypeTemplateParmExpr>(E).getReplacement());
    case Stmt::CXXDefaultArgExprClass:
      return value(cast<CXXDefaultArgExpr>(E).getExpr());
    case Stmt::CXXDefaultInitExprClass:
      return value(cast<CXXDefaultInitExpr>(E).getExpr());
    case Stmt::CXXStdInitializerListExprClass:
      return value(cast<CXXStdInitializerListExpr>(E).getSubExpr());
    case Stmt::CXXRewrittenBinaryOperatorClass:
      return value(cast<CXXRewrittenBinaryOperator>(E).getSemanticForm());
    case Stmt::InitListExprClass:
      return listOf(cast<InitListExpr>(E));
    case Stmt::LambdaExprClass:
      return closureOf(cast<LambdaExpr>(E));
    case Stmt::IntegerLiteralClass:
      return cast<IntegerLiteral>(E).getValue().isSignedIntN(64)
                 ? All.Known.keep(Value::number(cast<IntegerLiteral>(E).getValue().getSExtValue()))
                 : computed({});
    case Stmt::CXXBoolLiteralExprClass:
      return All.Known.keep(Value::number(cast<CXXBoolLiteralExpr>(E).getValue()));
    case Stmt::CXXScalarValueInitExprClass:
    case Stmt::ImplicitValueInitExprClass:
      return isLeaf(E.getType()) ? All.Known.keep(Value::number(0)) : All.Known.keep(Value());
    case Stmt::CXXConstructExprClass:
    case Stmt::CXXTemporaryObjectExprClass:
      return construct(cast<CXXConstructExpr>(E));
    case Stmt::CXXNewExprClass:
      return make(cast<CXXNewExpr>(E));
    default:
      break;
  }
  if (const auto* Cast = dyn_cast<CastExpr>(&E)) {
    return castOf(*Cast);
  }
  if (const auto* Call = dyn_cast<CallExpr>(&E)) {
    return call(*Call);
  }
  // What is left takes no part in where tensors go: literals, sizeof, traits.
  if (const std::optional<int64_t> Number = constantOf(E, Definition.getASTContext())) {
    return All.Known.keep(Value::number(*Number));
  }
  return isLeaf(E.getType()) ? computed({}) : All.Known.unknown();
}

}  // namespace graphgen::check::flow
