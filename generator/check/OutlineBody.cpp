// SPDX-License-Identifier: Apache-2.0
#include "check/OutlineBody.h"

#include "check/flow/Types.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

bool isNumber(clang::QualType Type) {
  return Type->isVoidType() || (!Type->isDependentType() && flow::kindOf(Type.getNonReferenceType()) == flow::TypeKind::Number);
}

bool leadsElsewhere(clang::QualType Type) { return Type->isReferenceType() || flow::kindOf(Type) == flow::TypeKind::Pointer; }

}  // namespace

Shown Outliner::Given::all() const {
  Shown All = OfObject;
  llvm::for_each(OfArguments, [&](const Shown& Each) { check::add(All, Each); });
  return All;
}

void Outliner::walk(const clang::Stmt* S) {
  if (!S) {
    return;
  }
  if (const auto* E = llvm::dyn_cast<clang::Expr>(S)) {
    eval(E);
  } else if (const auto* Declared = llvm::dyn_cast<clang::DeclStmt>(S)) {
    for (const clang::Decl* Each : Declared->decls()) {
      if (const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Each)) {
        declare(*Variable);
      }
    }
  } else if (const auto* Return = llvm::dyn_cast<clang::ReturnStmt>(S)) {
    check::add(In->Returned, eval(Return->getRetValue()));
  } else if (const auto* If = llvm::dyn_cast<clang::IfStmt>(S)) {
    walk(If->getInit());
    walk(If->getConditionVariableDeclStmt());
    walk(If->getCond());
    branch(If->getThen(), If->getElse());
  } else if (const auto* Switch = llvm::dyn_cast<clang::SwitchStmt>(S)) {
    walk(Switch->getInit());
    walk(Switch->getCond());
    branch(Switch->getBody(), nullptr);
  } else if (const auto* For = llvm::dyn_cast<clang::ForStmt>(S)) {
    walk(For->getInit());
    loop({For->getCond(), For->getBody(), For->getInc()});
  } else if (const auto* While = llvm::dyn_cast<clang::WhileStmt>(S)) {
    loop({While->getCond(), While->getBody()});
  } else if (const auto* Do = llvm::dyn_cast<clang::DoStmt>(S)) {
    loop({Do->getBody(), Do->getCond()});
  } else if (const auto* Range = llvm::dyn_cast<clang::CXXForRangeStmt>(S)) {
    loopOver(*Range);
  } else if (const auto* Catch = llvm::dyn_cast<clang::CXXCatchStmt>(S)) {
    branch(Catch->getHandlerBlock(), nullptr);
  } else {
    llvm::for_each(S->children(), [&](const clang::Stmt* Each) { walk(Each); });
  }
}

void Outliner::declare(const clang::VarDecl& Its) {
  const clang::Expr* From = Its.getInit();
  const Shown Shows = eval(From);
  if (isNumber(Its.getType())) {
    return;
  }
  Now.Variables[&Its] = Shows;
  if (const std::optional<std::string> Place = From && leadsElsewhere(Its.getType()) ? placeOf(*From) : std::nullopt) {
    Places[&Its] = *Place;
  }
  if (const auto* Parts = llvm::dyn_cast<clang::DecompositionDecl>(&Its)) {
    for (const clang::BindingDecl* Each : Parts->bindings()) {
      Now.Variables[Each] = Shows;
      if (const clang::VarDecl* Held = Each->getHoldingVar()) {
        Now.Variables[Held] = Shows;
      }
    }
  }
}

void Outliner::branch(const clang::Stmt* Then, const clang::Stmt* Else) {
  const OutlineState Before = Now;
  ++In->Branches;
  walk(Then);
  OutlineState AfterThen = std::exchange(Now, Before);
  walk(Else);
  --In->Branches;
  Now.join(AfterThen);
}

/// Once: what an iteration uses of the one before has no arrow.
void Outliner::loop(llvm::ArrayRef<const clang::Stmt*> Parts) {
  const OutlineState Before = Now;
  ++In->Loops;
  llvm::for_each(Parts, [&](const clang::Stmt* Each) { walk(Each); });
  --In->Loops;
  Now.join(Before);
}

void Outliner::loopOver(const clang::CXXForRangeStmt& S) {
  walk(S.getInit());
  const clang::Expr* Range = S.getRangeInit();
  const clang::VarDecl* Each = S.getLoopVariable();
  Now.Variables[Each] = eval(Range);
  if (const std::optional<std::string> Place = placeOf(*Range)) {
    Places[Each] = *Place + "[...]";
  }
  if (const auto* Parts = llvm::dyn_cast<clang::DecompositionDecl>(Each)) {
    llvm::for_each(Parts->bindings(), [&](const clang::BindingDecl* Part) { Now.Variables[Part] = Now.Variables[Each]; });
  }
  loop({S.getBody()});
}

Shown Outliner::evalChildren(const clang::Stmt& S) {
  Shown All;
  for (const clang::Stmt* Each : S.children()) {
    if (const auto* E = llvm::dyn_cast_if_present<clang::Expr>(Each)) {
      check::add(All, eval(E));
    }
  }
  return All;
}

Shown Outliner::eval(const clang::Expr* E) {
  if (!E) {
    return {};
  }
  if (const auto* Named = llvm::dyn_cast<clang::DeclRefExpr>(E)) {
    return isNumber(E->getType()) ? Shown() : variable(*Named->getDecl());
  }
  if (const auto* Member = llvm::dyn_cast<clang::MemberExpr>(E)) {
    return member(*Member);
  }
  if (llvm::isa<clang::CXXThisExpr>(E)) {
    return In->ThisShows;
  }
  if (const auto* Choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(E)) {
    return choice(*Choice);
  }
  if (const auto* Binary = llvm::dyn_cast<clang::BinaryOperator>(E); Binary && Binary->getOpcode() == clang::BO_Assign) {
    return assign(*E, *Binary->getLHS(), *Binary->getRHS());
  }
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(E); Operator && Operator->getOperator() == clang::OO_Equal) {
    return assign(*E, *Operator->getArg(0), *Operator->getArg(1));
  }
  if (const auto* Lambda = llvm::dyn_cast<clang::LambdaExpr>(E)) {
    for (const auto& [Capture, From] : llvm::zip_equal(Lambda->captures(), Lambda->capture_inits())) {
      if (Capture.capturesVariable() && llvm::cast<clang::VarDecl>(Capture.getCapturedVar())->isInitCapture()) {
        Now.Variables[Capture.getCapturedVar()] = eval(From);
      }
    }
    return {};
  }
  if (llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(E)) {
    return call(*E);
  }
  const Shown All = evalChildren(*E);
  return isNumber(E->getType()) ? Shown() : All;
}

Shown Outliner::variable(const clang::ValueDecl& Its) {
  if (const auto Found = Now.Variables.find(&Its); Found != Now.Variables.end()) {
    return Found->second;
  }
  const auto* Variable = llvm::dyn_cast<clang::VarDecl>(&Its);
  return Variable && Variable->hasGlobalStorage() ? Shown{Memories.found(Variable->getNameAsString())} : Shown();
}

Shown Outliner::member(const clang::MemberExpr& E) {
  const Shown Whole = eval(E.getBase());
  if (isNumber(E.getType()) || !llvm::isa<clang::FieldDecl>(E.getMemberDecl())) {
    return {};
  }
  const std::optional<std::string> Place = placeOf(E);
  if (!Place) {
    return Whole;
  }
  const auto Assigned = Now.Members.find(*Place);
  return Assigned != Now.Members.end() ? Assigned->second : Shown{Memories.found(*Place)};
}

Shown Outliner::choice(const clang::AbstractConditionalOperator& E) {
  eval(E.getCond());
  const OutlineState Before = Now;
  ++In->Branches;
  Shown Either = eval(E.getTrueExpr());
  OutlineState AfterTrue = std::exchange(Now, Before);
  check::add(Either, eval(E.getFalseExpr()));
  --In->Branches;
  Now.join(AfterTrue);
  return Either;
}

Shown Outliner::assign(const clang::Expr& E, const clang::Expr& To, const clang::Expr& From) {
  const Shown New = eval(&From);
  if (const Facts Written = factsAt(E, flow::Fact::Kind::Write); !Written.empty()) {  // x[0] = y
    const Shown Target = eval(&To);
    Shown Uses = New;
    check::add(Uses, Target);
    return add(*Written.front(), "aten::copy_", Uses, Target);
  }
  put(To, New);
  return New;
}

void Outliner::put(const clang::Expr& To, const Shown& New) {
  const clang::Expr& Target = *To.IgnoreParenImpCasts();
  if (const auto* Named = llvm::dyn_cast<clang::DeclRefExpr>(&Target)) {
    Now.Variables[Named->getDecl()] = New;
  }
  if (const std::optional<std::string> Place = placeOf(Target)) {
    Now.Members[*Place] = New;
  } else if (const clang::VarDecl* Part = llvm::isa<clang::DeclRefExpr>(Target) ? nullptr : rootOf(Target)) {
    check::add(Now.Variables[Part], New);
  }
}

std::optional<std::string> Outliner::placeOf(const clang::Expr& E) const {
  const clang::Expr& Its = *E.IgnoreParenImpCasts();
  if (llvm::isa<clang::CXXThisExpr>(Its)) {
    return In->This;
  }
  if (const auto* Named = llvm::dyn_cast<clang::DeclRefExpr>(&Its)) {
    const auto Known = Places.find(Named->getDecl());
    return Known == Places.end() ? std::nullopt : std::optional(Known->second);
  }
  if (const auto* Member = llvm::dyn_cast<clang::MemberExpr>(&Its)) {
    const std::optional<std::string> Base = placeOf(*Member->getBase());
    return Base ? std::optional(*Base + (Base->empty() ? "" : ".") + Member->getMemberDecl()->getNameAsString()) : std::nullopt;
  }
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Its)) {
    const std::optional<std::string> Base = placeOf(*Operator->getArg(0));
    switch (Operator->getOperator()) {
      case clang::OO_Arrow:
      case clang::OO_Star:
        return Base;
      case clang::OO_Subscript:
        return Base ? std::optional(*Base + "[...]") : std::nullopt;
      default:
        return std::nullopt;
    }
  }
  if (const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(&Its)) {
    return placeOf(*Unary->getSubExpr());
  }
  return std::nullopt;
}

/// Whose part it is.
const clang::VarDecl* Outliner::rootOf(const clang::Expr& E) {
  const clang::Expr* Its = E.IgnoreParenImpCasts();
  for (;;) {
    if (const auto* Member = llvm::dyn_cast<clang::MemberExpr>(Its)) {
      Its = Member->getBase()->IgnoreParenImpCasts();
    } else if (const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(Its)) {
      Its = Call->getImplicitObjectArgument()->IgnoreParenImpCasts();
    } else if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(Its)) {
      Its = Operator->getArg(0)->IgnoreParenImpCasts();
    } else {
      const auto* Named = llvm::dyn_cast<clang::DeclRefExpr>(Its);
      return Named ? llvm::dyn_cast<clang::VarDecl>(Named->getDecl()) : nullptr;
    }
  }
}

Outliner::Given Outliner::givenTo(const clang::Expr& E) {
  Given With;
  llvm::ArrayRef<const clang::Expr*> Arguments;
  if (const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E)) {
    Arguments = llvm::ArrayRef(Call->getArgs(), Call->getNumArgs());
    const auto* Method = llvm::dyn_cast_if_present<clang::CXXMethodDecl>(Call->getDirectCallee());
    if (const auto* Member = llvm::dyn_cast<clang::CXXMemberCallExpr>(&E)) {
      With.Object = Member->getImplicitObjectArgument();
    } else if (llvm::isa<clang::CXXOperatorCallExpr>(E) && Method && Method->isInstance()) {
      With.Object = Arguments.front();
      Arguments = Arguments.drop_front();
    } else if (!Call->getDirectCallee()) {
      eval(Call->getCallee());
    }
  } else {
    const auto& Construction = llvm::cast<clang::CXXConstructExpr>(E);
    Arguments = llvm::ArrayRef(Construction.getArgs(), Construction.getNumArgs());
  }
  With.OfObject = eval(With.Object);
  With.Arguments = Arguments.vec();
  llvm::transform(Arguments, std::back_inserter(With.OfArguments), [&](const clang::Expr* Each) { return eval(Each); });
  return With;
}

}  // namespace graphgen::check
