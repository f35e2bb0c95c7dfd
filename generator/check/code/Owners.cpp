// SPDX-License-Identifier: Apache-2.0
//
// Goes down an expression, one kind of it in each function.
#include "check/code/OwnerSearch.h"

#include "check/code/Frame.h"
#include "check/code/Library.h"
#include "check/code/MadeParts.h"
#include "check/code/Spelled.h"
#include "check/code/TensorCalls.h"
#include "check/code/Views.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

namespace graphgen::check {
namespace {

constexpr unsigned MostOwnerSteps = 64;
constexpr Owner MadeInCall{Owner::Kind::Local};

bool isPointerLike(const clang::CXXRecordDecl& Class) {
  return llvm::StringSwitch<bool>(Class.getIdentifier() ? Class.getName() : "")
      .Cases({"vector", "array", "map", "unordered_map", "optional", "deque", "list", "ArrayRef", "List", "Dict", "OrderedDict"}, false)
      .Default(true);
}

bool isElement(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name).Cases({"at", "front", "back", "top", "value", "get", "item"}, true).Default(false);
}

bool isIterator(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name).Cases({"begin", "end", "rbegin", "data", "find"}, true).Default(false);
}

/// Of modules: lists of their tensors and submodules.
bool isPartOfModule(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"parameters", "named_parameters", "buffers", "named_buffers", "children", "modules", "named_children"}, true)
      .Cases({"named_modules", "items", "values"}, true)
      .Default(false);
}

/// children(): a list of the call's own, of pointers to what belongs to the module.
bool givesModules(const clang::Expr& E) {
  const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&E);
  const clang::CXXMethodDecl* Method = Call ? Call->getMethodDecl() : nullptr;
  return Method && Method->getIdentifier() && isOfLibrary(*Method) && isPartOfModule(Method->getName()) &&
         !Method->getName().contains("parameters") && !Method->getName().contains("buffers");
}

/// By a call on the tensor that OfTensor tells of.
Owner shownByCall(const clang::CallExpr& Call, llvm::function_ref<Owner()> OfTensor) {
  const Showing How = showingOf(Call);
  Owner Shown = How == Showing::Nothing ? Owner() : OfTensor();
  // The first conversion is the one whose tensor's dtype is known.
  if (How == Showing::Perhaps && (!Shown.Through || (isConversion(Call) && !isConversion(*Shown.Through)))) {
    Shown.Through = &Call;
  }
  return Shown;
}

/// A copy, a move, or a list or optional that shows what it is made of.
bool showsItsArgument(const clang::CXXConstructExpr& E) {
  const llvm::StringRef Class = libraryClass(E.getType());
  return E.getNumArgs() == 1 && (E.getConstructor()->isCopyOrMoveConstructor() || Class == "ArrayRef" || Class == "optional");
}

bool leadElsewhere(clang::QualType Elements) { return Elements->isPointerType() || libraryClass(Elements) == "reference_wrapper"; }

/// Of a container's elements: &k, std::ref(k)
bool holdsWhatLeadsElsewhere(clang::QualType Container) {
  const auto* Class = llvm::dyn_cast_if_present<clang::ClassTemplateSpecializationDecl>(Container.getNonReferenceType()->getAsRecordDecl());
  return Class && Class->getTemplateArgs().size() != 0 && Class->getTemplateArgs()[0].getKind() == clang::TemplateArgument::Type &&
         leadElsewhere(Class->getTemplateArgs()[0].getAsType());
}

}  // namespace

bool OwnerSearch::isAnyElementReassigned(const clang::VarDecl& Variable) const {
  const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(Variable.getDeclContext());
  const bool IsOfItsOwn = (Variable.getType()->isArrayType() || isList(Variable.getType())) && !holdsWhatLeadsElsewhere(Variable.getType());
  return IsOfItsOwn && (!Function || Bodies.isAnyReassigned(Variable, *Function));
}

Owner OwnerSearch::find(const clang::Expr& Given, Aspect Of) {
  if (++Steps > MostOwnerSteps) {
    return {};
  }
  const clang::Expr& E = withoutCasts(Given);
  if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E)) {
    if (const auto* Binding = llvm::dyn_cast<clang::BindingDecl>(Name->getDecl())) {
      return Binding->getBinding() ? find(*Binding->getBinding(), Of) : Owner();
    }
    const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Name->getDecl());
    return Variable ? ofVariable(*Variable, Of) : Owner();
  }
  if (llvm::isa<clang::CXXThisExpr>(E)) {
    return ofThis(Of);
  }
  if (const auto* Member = llvm::dyn_cast<clang::MemberExpr>(&E)) {
    return ofMember(*Member, Of);
  }
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&E)) {
    return ofOperator(*Operator, Of);
  }
  if (const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&E)) {
    return ofMethod(*Method, Of);
  }
  if (const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E)) {
    return ofFunction(*Call, Of);
  }
  if (const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(&E)) {
    if (Unary->getOpcode() == clang::UO_AddrOf) {
      return Of == Aspect::Variable ? MadeInCall : find(*Unary->getSubExpr(), Of == Aspect::Pointee ? Aspect::Variable : Of);
    }
    return Unary->getOpcode() == clang::UO_Deref ? ofTarget(*Unary->getSubExpr(), Of) : Owner();
  }
  if (const auto* Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(&E)) {
    const clang::Expr& Base = withoutCasts(*Element->getBase());
    return Base.getType()->isArrayType() ? ofElement(E, Base, Of) : ofTarget(Base, Of);
  }
  if (const auto* Choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(&E)) {
    return ofChoice(*Choice, Of);
  }
  if (const clang::InitListExpr* List = listIn(E)) {
    return ofList(*List, Of);
  }
  const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E);
  if (Of == Aspect::Variable) {
    return Construction ? MadeInCall : Owner();
  }
  return Construction && showsItsArgument(*Construction) ? find(*Construction->getArg(0), Of) : Owner();
}

Owner OwnerSearch::ofList(const clang::InitListExpr& List, Aspect Of) {
  Count = std::max(Count, List.getNumInits());
  if (Place >= List.getNumInits()) {
    return {};
  }
  const clang::Expr& Element = *List.getInit(Place);
  if (!leadElsewhere(Element.getType())) {
    return Of == Aspect::Variable ? MadeInCall : find(Element, Of);
  }
  const bool IsOfTarget = Of == Aspect::Variable || Of == Aspect::Pointee;
  return find(Element, !IsOfTarget ? Of : Element.getType()->isPointerType() ? Aspect::Pointee : Aspect::Variable);
}

/// Where it is known which one, that; else any.
Owner OwnerSearch::ofElement(const clang::Expr& E, const clang::Expr& List, Aspect Of) {
  const Selection Part = selection(E, In.Function->getASTContext());
  const Owner Found = Part.Index && !holdsWhatLeadsElsewhere(List.getType()) ? findPart(Part, Of) : Owner();
  if (Found.What != Owner::Kind::Unknown) {
    return Found;
  }
  Owner Any = find(List, Of);
  Any.IsAnyElement |= Any.What != Owner::Kind::Unknown && Count > 1;
  return Any;
}

Owner OwnerSearch::ofVariable(const clang::VarDecl& Variable, Aspect Of) {
  if (Variable.hasGlobalStorage()) {
    return {Owner::Kind::Global, &Variable};
  }
  if (const auto* Parameter = llvm::dyn_cast<clang::ParmVarDecl>(&Variable)) {
    return ofParameter(*Parameter, Of);
  }
  if (!Variable.getType()->isReferenceType()) {
    if (Of == Aspect::Variable) {
      return MadeInCall;
    }
    if (Bodies.isReassigned(Variable) || isAnyElementReassigned(Variable)) {
      return {};
    }
  }
  return Variable.getInit() ? find(*Variable.getInit(), Of) : Owner();
}

const Frame* OwnerSearch::frameOf(const clang::ParmVarDecl& Parameter) const {
  const Frame* Its = &In;
  while (Its && Its->Function != Parameter.getDeclContext()) {
    Its = Its->Caller;
  }
  return Its;
}

Owner OwnerSearch::ofParameter(const clang::ParmVarDecl& Parameter, Aspect Of) {
  const Frame* Its = frameOf(Parameter);
  const bool IsReference = Parameter.getType()->isReferenceType();
  if (!Its || (Of != Aspect::Variable && !IsReference && (Bodies.isReassigned(Parameter) || isAnyElementReassigned(Parameter)))) {
    return {};
  }
  if (Of == Aspect::Variable && !IsReference) {
    return MadeInCall;
  }
  if (!Its->Caller) {
    return {Owner::Kind::Argument, &Parameter};
  }
  const unsigned Index = Parameter.getFunctionScopeIndex();
  if (Index >= Its->Given.Parameters.size()) {
    return {};
  }
  const Owners& Given = Its->Given.Parameters[Index];
  if (Given.Parts.empty() || !isList(Parameter.getType())) {
    return Given.of(Of);
  }
  Count = std::max(Count, static_cast<unsigned>(Given.Parts.size()));
  return Place < Given.Parts.size() ? Given.Parts[Place].of(Of) : Owner();
}

const Frame* OwnerSearch::frameOfThis() const {
  const auto HasThis = [](const Frame& Each) {
    const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(Each.Function);
    return Method && !Method->isStatic() && !Method->getParent()->isLambda();
  };
  const Frame* Its = &In;
  while (Its && !HasThis(*Its)) {
    Its = Its->Caller;
  }
  return Its;
}

Owner OwnerSearch::ofThis(Aspect Of) const {
  const Frame* Its = frameOfThis();
  if (!Its || Of == Aspect::Variable) {
    return {};
  }
  return Its->Caller ? Its->Given.Object.of(Of) : Owner{Owner::Kind::Object};
}

Owner OwnerSearch::ofMember(const clang::MemberExpr& E, Aspect Of) {
  if (const auto* Variable = llvm::dyn_cast<clang::VarDecl>(E.getMemberDecl())) {
    return {Owner::Kind::Global, Variable};
  }
  const Selection Part = selection(E, In.Function->getASTContext());
  if (!Part || isKeptAnew(Part, Of)) {
    return {};
  }
  Owner Whole = E.isArrow() ? ofTarget(*E.getBase(), Of) : find(*E.getBase(), Of);
  switch (Whole.What) {
    case Owner::Kind::Object:
    case Owner::Kind::Global:
      return {Whole.What, Part.Field};
    case Owner::Kind::Argument:
      Whole.Part = Part.Field;
      return Whole;
    case Owner::Kind::Local:
    case Owner::Kind::Unknown:
      return ofMadePart(Part, Whole, Of);
  }
  llvm_unreachable("every kind is above");
}

Owner OwnerSearch::ofMadePart(const Selection& Part, const Owner& Whole, Aspect Of) {
  const Owner Found = findPart(Part, Of);
  const bool IsInWhole = Of == Aspect::Variable && !(Part.Field && Part.Field->getType()->isReferenceType());
  return Found.What == Owner::Kind::Unknown && IsInWhole ? Whole : Found;
}

bool OwnerSearch::isKeptAnew(const Selection& Part, Aspect Of) const {
  const bool IsOfVariable = Of != Aspect::Variable && holderOf(*Part.Whole, In.Function->getASTContext()).Variable;
  return IsOfVariable && Bodies.isReassigned(Part, *In.Function);
}

Owner OwnerSearch::ofMethod(const clang::CXXMemberCallExpr& Call, Aspect Of) {
  const clang::CXXMethodDecl* Method = Call.getMethodDecl();
  if (llvm::isa_and_nonnull<clang::CXXConversionDecl>(Method) && libraryClass(Call.getObjectType()) == "reference_wrapper") {
    return find(*Call.getImplicitObjectArgument(), Of);
  }
  if (!Method || !Method->getIdentifier() || !isOfLibrary(*Method)) {
    return {};
  }
  const clang::Expr& Object = *Call.getImplicitObjectArgument();
  const bool IsArrow = Object.getType()->isPointerType();
  const llvm::StringRef Name = Method->getName();
  const auto OfObject = [&](Aspect Asked) { return IsArrow ? ofTarget(Object, Asked) : find(Object, Asked); };
  if (isTensor(IsArrow ? Object.getType()->getPointeeType() : Object.getType())) {
    if (isTensor(Call.getType()) && Call.isGLValue() && Name != "grad" && Name != "mutable_grad") {
      return OfObject(Of);  // an in-place method gives what it was called on
    }
    if (Of == Aspect::Variable) {
      return MadeInCall;
    }
    return Of == Aspect::Values ? shownByCall(Call, [&] { return OfObject(Of); }) : Owner();
  }
  if (isPartOfModule(Name)) {
    return Of == Aspect::Variable ? MadeInCall : OfObject(Of);
  }
  if (isIterator(Name)) {
    const bool IsOfElement = Of == Aspect::Pointee && !holdsWhatLeadsElsewhere(Call.getObjectType()) && !givesModules(originOf(Object));
    return Of == Aspect::Variable ? MadeInCall : OfObject(IsOfElement ? Aspect::Variable : Of);
  }
  if (!isElement(Name) && Name != "ptr" && Name != "as") {
    return {};
  }
  return IsArrow ? OfObject(Of) : ofElement(Call, Object, Of);
}

Owner OwnerSearch::ofOperator(const clang::CXXOperatorCallExpr& Call, Aspect Of) {
  const clang::Expr& First = *Call.getArg(0);
  const auto* Method = llvm::dyn_cast_if_present<clang::CXXMethodDecl>(Call.getDirectCallee());
  if (isTensor(First.getType())) {
    if (Call.getOperator() == clang::OO_Subscript) {
      return Of == Aspect::Variable ? MadeInCall : Of == Aspect::Values ? find(First, Of) : Owner();
    }
    return Call.isGLValue() ? find(First, Of) : Of == Aspect::Variable ? MadeInCall : Owner();
  }
  if (!Method || !isOfLibrary(*Method)) {
    // An iterator's operators may be functions.
    const clang::FunctionDecl* Function = Call.getDirectCallee();
    return Function && isOfLibrary(*Function) && Call.getOperator() == clang::OO_Star ? ofTarget(First, Of) : Owner();
  }
  switch (Call.getOperator()) {
    case clang::OO_Subscript:
      return isPointerLike(*Method->getParent()) && libraryClass(First.getType()) != "ModuleHolder" ? ofTarget(First, Of)
                                                                                                    : ofElement(Call, First, Of);
    case clang::OO_Star:
      return isPointerLike(*Method->getParent()) ? ofTarget(First, Of) : find(First, Of);
    case clang::OO_Arrow:
      if (isPointerLike(*Method->getParent())) {
        return find(First, Of);
      }
      return find(First, Of == Aspect::Pointee ? Aspect::Variable : Of);
    default:
      return {};
  }
}

Owner OwnerSearch::ofFunction(const clang::CallExpr& Call, Aspect Of) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  if (!Function || !Function->getIdentifier() || !isOfLibrary(*Function) || Call.getNumArgs() == 0) {
    return {};
  }
  const llvm::StringRef Name = Function->getName();
  if (const Selection Part = selection(Call, In.Function->getASTContext())) {
    const Owner Whole = isKeptAnew(Part, Of) ? Owner() : find(*Part.Whole, Of);
    return isKeptAnew(Part, Of) || Whole.What == Owner::Kind::Argument || Whole.outlivesCall() ? Whole : ofMadePart(Part, Whole, Of);
  }
  if (llvm::is_contained({"move", "forward", "as_const", "get", "ref", "static_pointer_cast", "dynamic_pointer_cast"}, Name)) {
    return find(*Call.getArg(0), Of);
  }
  if (Of == Aspect::Variable) {
    return MadeInCall;
  }
  const clang::Expr& First = *Call.getArg(0);
  return isTensor(First.getType()) && Of == Aspect::Values ? shownByCall(Call, [&] { return find(First, Of); }) : Owner();
}

}  // namespace graphgen::check
