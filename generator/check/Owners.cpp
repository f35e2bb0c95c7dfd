// SPDX-License-Identifier: Apache-2.0
//
// Goes down an expression, one kind of it in each function.
#include "check/Owners.h"

#include "check/Frame.h"
#include "check/GivenArguments.h"
#include "check/Library.h"
#include "check/Reassigned.h"
#include "check/Spelled.h"
#include "check/TensorCalls.h"
#include "check/Views.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

namespace graphgen::check {
namespace {

constexpr unsigned MostDepth = 64;
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
      .Default(false);
}

/// By a call on the tensor that OfTensor tells of.
Owner shownBy(const clang::CallExpr& Call, llvm::function_ref<Owner()> OfTensor) {
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

/// The list that a call, an array or a vector is given, where it is written out.
const clang::InitListExpr* listIn(const clang::Expr& E) {
  const clang::Expr* Inner = nullptr;
  if (const auto* Temporary = llvm::dyn_cast<clang::CXXStdInitializerListExpr>(&E)) {
    Inner = Temporary->getSubExpr();
  } else if (const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E)) {
    Inner = libraryClass(E.getType()) == "vector" && Construction->getNumArgs() != 0 ? Construction->getArg(0) : nullptr;
  } else if (const auto* List = llvm::dyn_cast<clang::InitListExpr>(&E)) {
    if (List->getType()->isArrayType()) {
      return List;
    }
    Inner = libraryClass(E.getType()) == "array" && List->getNumInits() == 1 ? List->getInit(0) : nullptr;
  }
  return Inner ? listIn(spelled(*Inner)) : nullptr;
}

bool leadElsewhere(clang::QualType Elements) { return Elements->isPointerType() || libraryClass(Elements) == "reference_wrapper"; }

/// Of a container's elements: &k, std::ref(k)
bool holdsWhatLeadsElsewhere(clang::QualType Container) {
  const auto* Class = llvm::dyn_cast_if_present<clang::ClassTemplateSpecializationDecl>(Container.getNonReferenceType()->getAsRecordDecl());
  return Class && Class->getTemplateArgs().size() != 0 && Class->getTemplateArgs()[0].getKind() == clang::TemplateArgument::Type &&
         leadElsewhere(Class->getTemplateArgs()[0].getAsType());
}

class Search {
 public:
  /// Of each list that is written out the element at `Place`.
  explicit Search(const Frame& In, unsigned Place = 0) : In(In), Place(Place) {}

  Owner find(const clang::Expr& E, Aspect Of);

  /// Of the longest such list on the way.
  unsigned countElements() const { return Count; }

 private:
  Owner ofVariable(const clang::VarDecl& Variable, Aspect Of);
  Owner ofParameter(const clang::ParmVarDecl& Parameter, Aspect Of);
  Owner ofThis(Aspect Of) const;
  Owner ofMember(const clang::MemberExpr& E, Aspect Of);
  Owner ofMethod(const clang::CXXMemberCallExpr& Call, Aspect Of);
  Owner ofOperator(const clang::CXXOperatorCallExpr& Call, Aspect Of);
  Owner ofFunction(const clang::CallExpr& Call, Aspect Of);
  Owner ofList(const clang::Expr& Whole, const clang::InitListExpr& List, Aspect Of);
  Owner ofTarget(const clang::Expr& Pointer, Aspect Of) { return find(Pointer, Of == Aspect::Variable ? Aspect::Pointee : Of); }
  Owner ofChoice(const clang::AbstractConditionalOperator& E, Aspect Of) {
    const Owner First = find(*E.getTrueExpr(), Of);
    return First == find(*E.getFalseExpr(), Of) ? First : Owner();
  }

  const Frame& In;
  const unsigned Place;
  unsigned Count = 1;
  unsigned Depth = 0;
};

Owner Search::find(const clang::Expr& Given, Aspect Of) {
  if (++Depth > MostDepth) {
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
    return Base.getType()->isArrayType() ? find(Base, Of) : ofTarget(Base, Of);
  }
  if (const auto* Choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(&E)) {
    return ofChoice(*Choice, Of);
  }
  if (const clang::InitListExpr* List = listIn(E)) {
    return ofList(E, *List, Of);
  }
  const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E);
  if (Of == Aspect::Variable) {
    return Construction ? MadeInCall : Owner();
  }
  return Construction && showsItsArgument(*Construction) ? find(*Construction->getArg(0), Of) : Owner();
}

/// The elements of a container may be other tensors later; what its pointers lead to is written all the same.
Owner Search::ofList(const clang::Expr& Whole, const clang::InitListExpr& List, Aspect Of) {
  Count = std::max(Count, List.getNumInits());
  if (Place >= List.getNumInits()) {
    return {};
  }
  const clang::Expr& Element = *List.getInit(Place);
  if (!leadElsewhere(Element.getType())) {
    return Of == Aspect::Variable ? MadeInCall : llvm::isa<clang::CXXStdInitializerListExpr>(Whole) ? find(Element, Of) : Owner();
  }
  const bool IsOfTarget = Of == Aspect::Variable || Of == Aspect::Pointee;
  return find(Element, !IsOfTarget ? Of : Element.getType()->isPointerType() ? Aspect::Pointee : Aspect::Variable);
}

Owner Search::ofVariable(const clang::VarDecl& Variable, Aspect Of) {
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
    if (isReassigned(Variable)) {
      return {};
    }
  }
  return Variable.getInit() ? find(*Variable.getInit(), Of) : Owner();
}

Owner Search::ofParameter(const clang::ParmVarDecl& Parameter, Aspect Of) {
  const Frame* Its = &In;
  while (Its && Its->Function != Parameter.getDeclContext()) {
    Its = Its->Caller;
  }
  const bool IsReference = Parameter.getType()->isReferenceType();
  if (!Its || (Of != Aspect::Variable && !IsReference && isReassigned(Parameter))) {
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
  return Its->Given.Parameters[Index].of(Of);
}

Owner Search::ofThis(Aspect Of) const {
  const auto HasThis = [](const Frame& Each) {
    const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(Each.Function);
    return Method && !Method->isStatic() && !Method->getParent()->isLambda();
  };
  const Frame* Its = &In;
  while (Its && !HasThis(*Its)) {
    Its = Its->Caller;
  }
  if (!Its || Of == Aspect::Variable) {
    return {};
  }
  if (!Its->Caller) {
    return {Owner::Kind::Object};
  }
  return Its->Given.Object.of(Of);
}

Owner Search::ofMember(const clang::MemberExpr& E, Aspect Of) {
  if (const auto* Variable = llvm::dyn_cast<clang::VarDecl>(E.getMemberDecl())) {
    return {Owner::Kind::Global, Variable};
  }
  const auto* Field = llvm::dyn_cast<clang::FieldDecl>(E.getMemberDecl());
  if (!Field) {
    return {};
  }
  Owner Whole = E.isArrow() ? ofTarget(*E.getBase(), Of) : find(*E.getBase(), Of);
  switch (Whole.What) {
    case Owner::Kind::Object:
    case Owner::Kind::Global:
      return {Whole.What, Field};
    case Owner::Kind::Argument:
      Whole.Part = Field;
      return Whole;
    case Owner::Kind::Local:
      return Of == Aspect::Variable && !Field->getType()->isReferenceType() ? Whole : Owner();
    case Owner::Kind::Unknown:
      return Whole;
  }
  llvm_unreachable("every kind is above");
}

Owner Search::ofMethod(const clang::CXXMemberCallExpr& Call, Aspect Of) {
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
    return Of == Aspect::Values ? shownBy(Call, [&] { return OfObject(Of); }) : Owner();
  }
  if (isPartOfModule(Name)) {
    return Of == Aspect::Variable ? MadeInCall : OfObject(Of);
  }
  if (isIterator(Name)) {
    const bool IsOfElement = Of == Aspect::Pointee && !holdsWhatLeadsElsewhere(Call.getObjectType());
    return Of == Aspect::Variable ? MadeInCall : OfObject(IsOfElement ? Aspect::Variable : Of);
  }
  return isElement(Name) || Name == "ptr" ? OfObject(Of) : Owner();
}

Owner Search::ofOperator(const clang::CXXOperatorCallExpr& Call, Aspect Of) {
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
      return isPointerLike(*Method->getParent()) && libraryClass(First.getType()) != "ModuleHolder" ? ofTarget(First, Of) : find(First, Of);
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

Owner Search::ofFunction(const clang::CallExpr& Call, Aspect Of) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  if (!Function || !Function->getIdentifier() || !isOfLibrary(*Function) || Call.getNumArgs() == 0) {
    return {};
  }
  const llvm::StringRef Name = Function->getName();
  if (llvm::is_contained({"move", "forward", "as_const", "get", "ref", "static_pointer_cast", "dynamic_pointer_cast"}, Name)) {
    return find(*Call.getArg(0), Of);
  }
  if (Of == Aspect::Variable) {
    return MadeInCall;
  }
  const clang::Expr& First = *Call.getArg(0);
  return isTensor(First.getType()) && Of == Aspect::Values ? shownBy(Call, [&] { return find(First, Of); }) : Owner();
}

Owners ownersOf(const clang::Expr& E, const Frame& In) {
  return {ownerOf(E, Aspect::Variable, In), ownerOf(E, Aspect::Pointee, In), ownerOf(E, Aspect::Tensor, In),
          ownerOf(E, Aspect::Values, In)};
}

/// What `this` is, called on E.
Owners objectOf(const clang::Expr& E, const Frame& In) {
  const bool IsPointer = E.getType()->isPointerType();
  Owners Result = ownersOf(E, In);
  Result.Pointee = IsPointer ? Result.Pointee : Result.Variable;
  Result.Variable = MadeInCall;
  return Result;
}

}  // namespace

std::vector<Owner> ownersOfEach(const clang::Expr& E, Aspect Of, const Frame& In) {
  Search First(In);
  std::vector<Owner> Result = {First.find(E, Of)};
  for (unsigned Place = 1; Place < First.countElements(); ++Place) {
    const Owner Next = Search(In, Place).find(E, Of);
    if (!llvm::is_contained(Result, Next)) {
      Result.push_back(Next);
    }
  }
  return Result;
}

Owner ownerOf(const clang::Expr& E, Aspect Of, const Frame& In) {
  const std::vector<Owner> Each = ownersOfEach(E, Of, In);
  return Each.size() == 1 ? Each.front() : Owner();
}

bool outlivesCall(const clang::Expr& E, const Frame& In) { return ownerOf(E, Aspect::Variable, In).outlivesCall(); }

PassedOwners passedOwners(const clang::Stmt& S, const clang::FunctionDecl& Called, const Frame& In) {
  PassedOwners Result;
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Called);
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&S);
  if (llvm::isa<clang::CXXConstructExpr>(S)) {
    Result.Object.Pointee = MadeInCall;
  } else if (const auto* OnObject = llvm::dyn_cast<clang::CXXMemberCallExpr>(&S)) {
    Result.Object = objectOf(*OnObject->getImplicitObjectArgument(), In);
  } else if (Operator && Method && !Method->isStatic() && Operator->getNumArgs() != 0) {
    Result.Object = objectOf(*Operator->getArg(0), In);
  }
  for (const auto& [Parameter, Each] : llvm::zip(Called.parameters(), argumentsOf(S, Called))) {
    Result.Parameters.push_back(ownersOf(*Each, In));
  }
  return Result;
}

}  // namespace graphgen::check
