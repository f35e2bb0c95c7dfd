// SPDX-License-Identifier: Apache-2.0
//
// From the expression outwards, through what shows the place or a part of it, to what reads or changes that.
#include "check/rules/PlaceUse.h"

#include "check/code/Library.h"
#include "check/flow/Types.h"
#include "check/torch/Calls.h"
#include "check/torch/Operator.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <optional>

namespace graphgen::check {
namespace {

/// Methods of containers, pointers and iterators: what the result shows is a part of the object.
constexpr llvm::StringLiteral Shown[] = {"at",   "front", "back",        "begin",       "end", "rbegin", "rend",
                                         "data", "find",  "lower_bound", "upper_bound", "get", "value",  "equal_range"};
/// Of an object whose class is not known.
constexpr llvm::StringLiteral Writers[] = {"push_back", "push_front", "emplace_back", "emplace", "insert",        "insert_or_assign",
                                           "erase",     "clear",      "resize",       "assign",  "swap",          "pop_back",
                                           "pop_front", "reset",      "store",        "set",     "fill",          "exchange",
                                           "fetch_add", "fetch_sub",  "append",       "merge",   "splice",        "sort",
                                           "reverse",   "remove",     "unique",       "extract", "emplace_front", "try_emplace"};

bool shows(clang::OverloadedOperatorKind Operator) {
  return llvm::is_contained({clang::OO_Subscript, clang::OO_Star, clang::OO_Arrow}, Operator);
}

bool shows(const clang::FunctionDecl& F) {
  return shows(F.getOverloadedOperator()) || (F.getIdentifier() && llvm::is_contained(Shown, F.getName()));
}

/// Of a library, given iterators or pointers.
bool onlyReads(const clang::FunctionDecl& F) {
  return isNamed(F, {"accumulate", "all_of", "any_of", "binary_search", "count", "count_if", "distance", "equal", "inner_product",
                     "none_of", "reduce"});
}

/// Of a library: what it returns is its argument, or is where that leads.
bool givesBack(const clang::FunctionDecl& F) {
  return isNamed(F, {"move", "forward", "as_const", "next", "prev", "find", "find_if", "find_if_not", "max_element", "min_element",
                     "lower_bound", "upper_bound"});
}

/// `T&&`, also of a pack: what takes the argument, or a constructor behind it, copies or moves it.
bool isForwarded(const clang::FunctionDecl& F, unsigned Parameter) {
  const clang::FunctionTemplateDecl* Template = F.getPrimaryTemplate();
  const clang::FunctionDecl* Pattern = Template ? Template->getTemplatedDecl() : &F;
  if (!Template || Pattern->getNumParams() == 0 || isNamed(F, {"visit", "invoke", "apply", "call_once", "ref", "tie"})) {
    return false;
  }
  clang::QualType Type = Pattern->getParamDecl(std::min(Parameter, Pattern->getNumParams() - 1))->getType();
  if (const auto* Pack = Type->getAs<clang::PackExpansionType>()) {
    Type = Pack->getPattern();
  } else if (Parameter >= Pattern->getNumParams()) {
    return false;
  }
  return Type->isRValueReferenceType();
}

bool isStep(clang::OverloadedOperatorKind Operator) { return Operator == clang::OO_PlusPlus || Operator == clang::OO_MinusMinus; }

/// To an object of a library's, such as a module.
bool leadsToLibrarys(clang::QualType Pointer) {
  const clang::QualType To = flow::pointeeOf(Pointer.getNonReferenceType());
  return !To.isNull() && !To.isConstQualified() && classOf(To) && isOfLibrary(*classOf(To));
}

class Outwards {
 public:
  Outwards(llvm::ArrayRef<const clang::Stmt*> Around, bool IsPlace, bool IsKnown, const clang::FunctionDecl* In)
      : Around(Around), IsThrough(IsPlace), IsKnown(IsKnown), In(In) {}

  PlaceUse follow() {
    for (Place = Around.size() - 1; Place != 0;) {
      Child = Around[Place];
      Value = llvm::dyn_cast<clang::Expr>(Child);
      Type = Value ? Value->getType() : clang::QualType();
      if (const std::optional<bool> Ends = changes(*Around[--Place])) {
        return {*Ends, Alias, *Ends && isReplacement(*Around[Place]), IsBehind};
      }
    }
    return {};
  }

 private:
  using Change = std::optional<bool>;  // none: what is around it shows the place, or a part
  static constexpr std::nullopt_t GoesOn = std::nullopt;

  Change changes(const clang::Stmt& S);
  Change byCast(const clang::CastExpr& Cast) const;
  Change asBase(const clang::MemberExpr& Member);
  Change asUnknownBase(const clang::CXXDependentScopeMemberExpr& Member);
  Change asObject(const clang::CXXMethodDecl& Method, clang::QualType Object) const;
  Change byCall(const clang::CallExpr& Call);
  Change byUnknown(const clang::CallExpr& Call) const;
  Change onBlob(const clang::CXXMethodDecl& Method) const;
  Change asArgument(const clang::FunctionDecl& F, llvm::ArrayRef<const clang::Expr*> Arguments) const;
  Change byConstruction(const clang::CXXConstructExpr& Made) const;
  Change inList(const clang::InitListExpr& List) const;
  Change byOperator(const clang::BinaryOperator& Binary) const;
  Change byOperator(const clang::UnaryOperator& Unary);
  Change byStatement(const clang::Stmt& S);
  void name(const clang::VarDecl* Variable, bool IsIts);
  /// A tensor over the place's memory.
  bool isBlob() const { return Value && !IsThrough && flow::kindOf(Type.getNonReferenceType()) == flow::TypeKind::Tensor; }
  bool isReplacement(const clang::Stmt& S) const;

  llvm::ArrayRef<const clang::Stmt*> Around;
  bool IsThrough;         // the place itself is meant, and not a pointer to it
  bool IsBehind = false;  // a pointer or holder
  const bool IsKnown;
  const clang::FunctionDecl* In;
  size_t Place = 0;
  const clang::Stmt* Child = nullptr;
  const clang::Expr* Value = nullptr;  // the same
  clang::QualType Type;                // its
  const clang::VarDecl* Alias = nullptr;
};

Outwards::Change Outwards::changes(const clang::Stmt& S) {
  if (const auto* Cast = llvm::dyn_cast<clang::CastExpr>(&S)) {
    return byCast(*Cast);
  }
  if (const auto* Choice = llvm::dyn_cast<clang::ConditionalOperator>(&S)) {
    return Choice->getCond() == Child ? Change(false) : GoesOn;
  }
  if (const auto* Member = llvm::dyn_cast<clang::MemberExpr>(&S)) {
    return asBase(*Member);
  }
  if (const auto* Member = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(&S)) {
    return asUnknownBase(*Member);
  }
  if (const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S)) {
    return byCall(*Call);
  }
  if (const auto* Made = llvm::dyn_cast<clang::CXXConstructExpr>(&S)) {
    return byConstruction(*Made);
  }
  if (const auto* List = llvm::dyn_cast<clang::InitListExpr>(&S)) {
    return inList(*List);
  }
  if (const auto* Binary = llvm::dyn_cast<clang::BinaryOperator>(&S)) {
    return byOperator(*Binary);
  }
  if (const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(&S)) {
    return byOperator(*Unary);
  }
  if (const auto* Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(&S)) {
    IsThrough = true;
    return Element->getIdx() == Child ? Change(false) : GoesOn;
  }
  if (llvm::isa<clang::ParenExpr, clang::ExprWithCleanups, clang::MaterializeTemporaryExpr, clang::CXXBindTemporaryExpr>(S)) {
    return GoesOn;
  }
  return byStatement(S);
}

Outwards::Change Outwards::byCast(const clang::CastExpr& Cast) const {
  const bool IsPointerToValue = isBlob() || (isPointer(Type) && (leadsToValue(Type) || leadsToLibrarys(Type)));
  if (Cast.getCastKind() == clang::CK_ToVoid || (Cast.getCastKind() == clang::CK_LValueToRValue && !IsPointerToValue)) {
    return false;
  }
  const clang::QualType To = Cast.getType();
  const bool LeadsToConst = To->isPointerType() && To->getPointeeType().isConstQualified();
  return LeadsToConst || (To.isConstQualified() && !IsPointerToValue) ? Change(false) : GoesOn;
}

/// Members of the program's own classes are looked at by themselves.
Outwards::Change Outwards::asBase(const clang::MemberExpr& Member) {
  const auto* OfBlob = isBlob() ? llvm::dyn_cast<clang::CXXMethodDecl>(Member.getMemberDecl()) : nullptr;
  if (OfBlob) {
    const Change Its = onBlob(*OfBlob);
    Place -= !Its && Place != 0;  // the call
    return Its;
  }
  IsThrough = true;
  IsBehind |= Member.isArrow();
  if (llvm::isa<clang::FieldDecl>(Member.getMemberDecl())) {
    return isOfLibrary(*Member.getMemberDecl()) ? GoesOn : Change(false);
  }
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(Member.getMemberDecl());
  if (!Method) {
    return false;
  }
  const Change Its = asObject(*Method, Member.isArrow() ? Type->getPointeeType() : Type);
  Place -= !Its && Place != 0;  // the call
  return Its;
}

Outwards::Change Outwards::asUnknownBase(const clang::CXXDependentScopeMemberExpr& Member) {
  const auto* Call = Place == 0 ? nullptr : llvm::dyn_cast<clang::CallExpr>(Around[Place - 1]);
  const clang::IdentifierInfo* Name = Member.getMember().getAsIdentifierInfo();
  if (!Call || Call->getCallee() != &Member || !Name) {
    return false;
  }
  if (!llvm::is_contained(Shown, Name->getName())) {
    return llvm::is_contained(Writers, Name->getName());
  }
  IsThrough = true;
  --Place;  // the call
  return GoesOn;
}

/// The bodies of the program's own methods are looked at by themselves. Methods of tensors that are not const write in place.
Outwards::Change Outwards::asObject(const clang::CXXMethodDecl& Method, clang::QualType Object) const {
  if (Method.isStatic() || !isOfLibrary(Method)) {
    return false;
  }
  if (shows(Method)) {
    return GoesOn;
  }
  if (Method.isConst() || isNamed(Method, {"forward", "reserve", "shrink_to_fit", "zero_grad"})) {
    return false;
  }
  const bool Replaces = Method.getOverloadedOperator() == clang::OO_Equal || isNamed(Method, {"reset", "release", "swap", "set_data"});
  const bool IsHandle = isPointer(Object) || flow::kindOf(Object.getNonReferenceType()) == flow::TypeKind::Tensor;
  return Replaces || !IsHandle;
}

Outwards::Change Outwards::byCall(const clang::CallExpr& Call) {
  if (isOwnClass(Type) && Value->isLValue()) {
    return false;
  }
  const clang::FunctionDecl* F = Call.getDirectCallee();
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Call);
  const auto* Method = llvm::dyn_cast_if_present<clang::CXXMethodDecl>(F);
  Change Its;
  IsBehind |= Operator && llvm::is_contained({clang::OO_Arrow, clang::OO_Star}, Operator->getOperator());
  if (F && isOfLibrary(*F) && isNamed(*F, {"from_blob"}) && Call.getArg(0) == Child) {
    IsThrough = false;
    return GoesOn;
  }
  if (Operator && Method && Operator->getArg(0) == Child && isBlob()) {
    return onBlob(*Method);
  }
  if (!F) {
    Its = byUnknown(Call);
  } else if (Operator && Method && Operator->getArg(0) == Child) {
    Its = isStep(Operator->getOperator()) && isPointer(Type) ? Change(false) : asObject(*Method, Type);
  } else if (isOfLibrary(*F) && (shows(*F) || givesBack(*F))) {
    Its = GoesOn;
  } else {
    Its = asArgument(*F, llvm::ArrayRef(Call.getArgs(), Call.getNumArgs()).drop_front(Operator && Method ? 1 : 0));
  }
  IsThrough |= !Its;
  return Its;
}

/// In place, or by assignment to a part. A variable that gets another tensor leaves the place as it is.
Outwards::Change Outwards::onBlob(const clang::CXXMethodDecl& Method) const {
  const Operator* Its = operatorOf(Method);
  if (Method.getOverloadedOperator() == clang::OO_Subscript || (Its && Its->isView())) {
    return GoesOn;
  }
  const bool IsInPlace = Method.getIdentifier() && Method.getName().ends_with("_");
  return IsInPlace || (clang::CXXOperatorCallExpr::isAssignmentOp(Method.getOverloadedOperator()) &&
                       !(Method.getOverloadedOperator() == clang::OO_Equal && Value->isLValue()));
}

/// Of an operator or a function that depends on a template's arguments, or of a pointer to one.
Outwards::Change Outwards::byUnknown(const clang::CallExpr& Call) const {
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Call)) {
    if (Operator->getArg(0) != Child) {
      return Operator->getOperator() == clang::OO_GreaterGreater || Operator->getOperator() == clang::OO_Amp;  // from a stream, an archive
    }
    return shows(Operator->getOperator()) ? GoesOn : Change(Operator->isAssignmentOp() || isStep(Operator->getOperator()));
  }
  const auto* Names = llvm::dyn_cast<clang::UnresolvedLookupExpr>(Call.getCallee()->IgnoreParenImpCasts());
  return !Names || llvm::any_of(Names->decls(), [](const clang::NamedDecl* Each) {
    return !isOfLibrary(*Each) || isNamed(*Each, {"swap",     "exchange", "ref",      "addressof", "tie",   "getline", "fill",
                                                  "fill_n",   "iota",     "generate", "sort",      "copy",  "copy_n",  "transform",
                                                  "for_each", "reverse",  "rotate",   "shuffle",   "visit", "apply",   "invoke"});
  });
}

Outwards::Change Outwards::asArgument(const clang::FunctionDecl& F, llvm::ArrayRef<const clang::Expr*> Arguments) const {
  const bool IsIterator = Value->isPRValue() && Type->isRecordType() && !isBlob();
  if (isBlob() && (!isOfLibrary(F) || (F.getIdentifier() && F.getName().ends_with("_")))) {
    return true;
  }
  if (Value->isPRValue() && isOfLibrary(F) && onlyReads(F)) {
    return false;
  }
  const auto* Its = llvm::find(Arguments, Value);
  const auto Parameter = static_cast<unsigned>(Its - Arguments.begin());
  if (Parameter >= F.getNumParams()) {
    return true;
  }
  return IsIterator || (isToWrite(F.getParamDecl(Parameter)->getType()) && !(isOfLibrary(F) && isForwarded(F, Parameter)));
}

Outwards::Change Outwards::byConstruction(const clang::CXXConstructExpr& Made) const {
  const clang::CXXConstructorDecl& Constructor = *Made.getConstructor();
  const bool IsCopied = isOfLibrary(Constructor) && !isNamed(*Constructor.getParent(), {"reference_wrapper", "span"});
  if (IsCopied && isPointer(Type) && leadsToValue(Type)) {
    return GoesOn;  // a further owner
  }
  if (IsCopied) {
    return Value->isXValue() && Constructor.isMoveConstructor() && !Type.isTriviallyCopyableType(Constructor.getASTContext());
  }
  if (isOwnClass(Type) && Value->isLValue()) {
    return false;
  }
  for (const auto& [Given, Parameter] : llvm::zip(Made.arguments(), Constructor.parameters())) {
    if (Given == Child) {
      return (Value->isGLValue() || Type->isPointerType()) && isToWrite(Parameter->getType());
    }
  }
  return false;
}

/// As it is written, without conversions.
Outwards::Change Outwards::inList(const clang::InitListExpr& List) const {
  const clang::InitListExpr* Semantic = List.isSemanticForm() ? &List : List.getSemanticForm();
  const clang::CXXRecordDecl* Class = Semantic ? classOf(Semantic->getType()) : nullptr;
  const auto IsToWrite = [](const clang::FieldDecl* Each) { return Each->getType()->isReferenceType() && isToWrite(Each->getType()); };
  return Type->isPointerType() || (Class && Class->hasDefinition() && llvm::any_of(Class->fields(), IsToWrite));
}

Outwards::Change Outwards::byOperator(const clang::BinaryOperator& Binary) const {
  if (Binary.isAssignmentOp() && Binary.getLHS() == Child) {
    return IsThrough;
  }
  if (Binary.getOpcode() == clang::BO_Comma) {
    return Binary.getLHS() == Child ? Change(false) : GoesOn;
  }
  const bool IsKept = Binary.isAssignmentOp();  // by another pointer
  return IsKept || !Binary.isAdditiveOp() || !Binary.getType()->isPointerType() ? Change(IsKept) : GoesOn;
}

Outwards::Change Outwards::byOperator(const clang::UnaryOperator& Unary) {
  if (Unary.isIncrementDecrementOp()) {
    return IsThrough;
  }
  IsThrough |= Unary.getOpcode() == clang::UO_Deref;
  return GoesOn;
}

/// By assignment, `reset()` and the like: not as elements are added.
bool Outwards::isReplacement(const clang::Stmt& S) const {
  const auto* Member = llvm::dyn_cast<clang::MemberExpr>(&S);
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&S);
  return (Member && isNamed(*Member->getMemberDecl(), {"reset", "swap", "assign", "emplace"})) ||
         (Operator && Operator->getOperator() == clang::OO_Equal) || llvm::isa<clang::BinaryOperator>(S);
}

void Outwards::name(const clang::VarDecl* Variable, bool IsIts) {
  const bool IsHandle =
      IsIts && Value && (Value->isTypeDependent() || (Value->isPRValue() && (isPointer(Variable->getType()) || isBlob())));
  Alias = IsIts && (isToWrite(Variable->getType()) || IsHandle) ? Variable : Alias;
}

Outwards::Change Outwards::byStatement(const clang::Stmt& S) {
  if (const auto* Loop = llvm::dyn_cast<clang::CXXForRangeStmt>(&S)) {
    name(Loop->getLoopVariable(), Loop->getLoopVariable() && Loop->getRangeInit() == Child);
    return false;
  }
  if (const auto* Declared = llvm::dyn_cast<clang::DeclStmt>(&S)) {
    for (const clang::Decl* Each : Declared->decls()) {
      const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Each);
      name(Variable, Variable && Variable->getInit() == Child);
    }
    return false;
  }
  if (llvm::isa<clang::ReturnStmt>(S)) {
    const bool IsIterator = Value && Value->isPRValue() && Type->isRecordType();
    if (In && memberGivenBy(*In)) {
      return false;  // its calls name the member
    }
    return IsIterator || !In || isToWrite(In->getReturnType());
  }
  const bool IsUnevaluated = llvm::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXTypeidExpr, clang::CXXNoexceptExpr>(S);
  return IsKnown && llvm::isa<clang::Expr>(S) && !IsUnevaluated;
}

}  // namespace

bool isNamed(const clang::NamedDecl& D, std::initializer_list<llvm::StringRef> All) {
  return D.getIdentifier() && llvm::is_contained(All, D.getName());
}

const clang::CXXRecordDecl* classOf(clang::QualType Type) {
  const clang::CXXRecordDecl* Class = Type.isNull() ? nullptr : Type.getNonReferenceType()->getAsCXXRecordDecl();
  return Class && Class->getDefinition() ? Class->getDefinition() : Class;
}

bool isOwnClass(clang::QualType Type) {
  const clang::CXXRecordDecl* Class = classOf(Type);
  return Class && !isOfLibrary(*Class);
}

bool isPointer(clang::QualType Type) { return flow::kindOf(Type.getNonReferenceType()) == flow::TypeKind::Pointer; }

bool leadsToValue(clang::QualType Pointer) {
  using Kind = flow::TypeKind;
  const clang::QualType To = flow::pointeeOf(Pointer.getNonReferenceType());
  if (To.isNull() || To.isConstQualified() || isOwnClass(To)) {
    return false;
  }
  const Kind Its = flow::kindOf(To);
  return flow::isPair(To) ||
         llvm::is_contained({Kind::Number, Kind::Tensor, Kind::Sequence, Kind::Map, Kind::Optional, Kind::Tuple}, Its) ||
         (classOf(To) && isNamed(*classOf(To), {"basic_string", "atomic"}));
}

bool isToWrite(clang::QualType Type) {
  return (Type->isReferenceType() || Type->isPointerType()) && !Type->getPointeeType().isConstQualified();
}

const clang::MemberExpr* memberGivenBy(const clang::FunctionDecl& F) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&F);
  if (!Method || Method->isVirtual()) {
    return nullptr;
  }
  const clang::FunctionDecl* Definition = nullptr;
  const clang::Stmt* Whole = F.getBody(Definition);
  const auto* Body = llvm::dyn_cast_if_present<clang::CompoundStmt>(Whole);
  const auto* Return = Body && Body->size() == 1 ? llvm::dyn_cast<clang::ReturnStmt>(Body->body_front()) : nullptr;
  const bool Gives = Return && Return->getRetValue() && Definition->isInlined() && isToWrite(F.getReturnType());
  const auto* Member = Gives ? llvm::dyn_cast<clang::MemberExpr>(Return->getRetValue()->IgnoreParenImpCasts()) : nullptr;
  const bool IsOwn = Member && llvm::isa<clang::CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts());
  return IsOwn && llvm::isa<clang::FieldDecl>(Member->getMemberDecl()) ? Member : nullptr;
}

/// Of a module, which has its parts for itself.
static bool registersPart(const clang::CXXMethodDecl& Method) {
  return isNamed(Method, {"register_module", "register_parameter", "register_buffer", "replace_module", "unregister_module"});
}

bool isHandedOn(llvm::ArrayRef<const clang::Stmt*> Around) {
  const clang::Stmt* Child = Around.back();
  for (const clang::Stmt* Each : llvm::reverse(Around.drop_back())) {
    if (const auto* Member = llvm::dyn_cast<clang::MemberExpr>(Each)) {
      const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(Member->getMemberDecl());
      return Method && !memberGivenBy(*Method) && !(isOfLibrary(*Method) && (Method->isConst() || registersPart(*Method)));
    }
    if (llvm::isa<clang::CXXDependentScopeMemberExpr>(Each)) {
      return false;
    }
    if (const auto* Made = llvm::dyn_cast<clang::CXXConstructExpr>(Each)) {
      return !Made->getConstructor()->isCopyOrMoveConstructor();
    }
    const auto* Call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(Each);
    const bool Shows = Call && llvm::is_contained({clang::OO_Arrow, clang::OO_Star}, Call->getOperator());
    const auto* Moved = llvm::dyn_cast<clang::CallExpr>(Each);
    const bool IsMoved = Moved && Moved->getDirectCallee() && isNamed(*Moved->getDirectCallee(), {"move", "forward"});
    if (!Shows && !IsMoved &&
        !llvm::isa<clang::CastExpr, clang::ParenExpr, clang::ExprWithCleanups, clang::MaterializeTemporaryExpr>(Each)) {
      const bool IsAssigned = Call && Call->getOperator() == clang::OO_Equal && Call->getArg(0) == Child;
      return !IsAssigned && !llvm::isa<clang::ReturnStmt>(Each);
    }
    Child = Each;
  }
  return false;
}

const clang::CXXRecordDecl* ownClassIn(clang::QualType Type, unsigned Depth) {
  constexpr unsigned MostLevels = 4;
  if (Type.isNull() || Depth == MostLevels) {
    return nullptr;
  }
  Type = clang::QualType(Type.getNonReferenceType()->getBaseElementTypeUnsafe(), 0);
  if (isOwnClass(Type)) {
    return classOf(Type);
  }
  const clang::QualType Held = isPointer(Type) ? flow::pointeeOf(Type) : flow::elementOf(Type);
  return Held.isNull() ? ownClassIn(flow::pointeeOf(Type), Depth + 1) : ownClassIn(Held, Depth + 1);
}

PlaceUse useOfPlace(llvm::ArrayRef<const clang::Stmt*> Around, bool IsPlace, bool IsKnown, const clang::FunctionDecl* In) {
  return Outwards(Around, IsPlace, IsKnown, In).follow();
}

}  // namespace graphgen::check
