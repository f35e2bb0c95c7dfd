// SPDX-License-Identifier: Apache-2.0
//
// One property is asked at a time. What a variable is given in a circle is assumed to have it: another of its values then decides.
#include "check/tensors/TensorForms.h"

#include "check/code/Callee.h"
#include "check/code/GivenArguments.h"
#include "check/code/Library.h"
#include "check/code/Paths.h"
#include "check/code/Reassigned.h"
#include "check/code/Returned.h"
#include "check/code/Spelled.h"
#include "check/code/TensorCalls.h"
#include "check/tensors/Devices.h"
#include "check/tensors/Dimensions.h"
#include "check/tensors/Integers.h"
#include "check/tensors/Masks.h"

#include "annotation/FlagRules.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>

namespace graphgen::check {
namespace {

constexpr unsigned MostFormSteps = 1024;  // of one question
constexpr unsigned MostBodies = 8;        // that it looks into
constexpr unsigned MostDimensions = 3;    // that a parameter's form tells

struct Property {
  enum class Kind { Mask, Integers, Dimensions, OnDevice };
  Kind What = Kind::Mask;
  unsigned Count = 0;  // Dimensions
};

bool has(const Form& Known, const Property& Wanted) {
  switch (Wanted.What) {
    case Property::Kind::Mask:
      return Known.IsMask;
    case Property::Kind::Integers:
      return Known.IsOfIntegers;
    case Property::Kind::Dimensions:
      return Known.Dimensions == Wanted.Count;
    case Property::Kind::OnDevice:
      return Known.IsOnDevice;
  }
  llvm_unreachable("every property is above");
}

bool mayHoldTensor(clang::QualType Type) {
  const llvm::StringRef Class = libraryClass(Type);
  return isTensor(Type) || Class == "TensorIndex" || Class == "optional";
}

/// Without casts, copies, and what only holds the tensor, as well.
const clang::Expr& tensorIn(const clang::Expr& Given) {
  const clang::Expr& E = spelled(Given);
  if (const auto* Cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&E)) {
    return tensorIn(*Cast->getSubExpr());
  }
  if (!mayHoldTensor(E.getType())) {
    return E;
  }
  if (const auto* List = llvm::dyn_cast<clang::InitListExpr>(&E)) {
    return List->getNumInits() == 1 ? tensorIn(*List->getInit(0)) : E;
  }
  const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E);
  return Construction && Construction->getNumArgs() == 1 ? tensorIn(*Construction->getArg(0)) : E;
}

bool isUndefined(const clang::Expr& E) {
  const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&tensorIn(E));
  return Construction && Construction->getNumArgs() == 0;
}

/// What gives back the tensor that it is given.
const clang::Expr* handedBack(const clang::CallExpr& Call) {
  const clang::FunctionDecl& Function = *Call.getDirectCallee();
  const llvm::StringRef Name = Function.getIdentifier() ? Function.getName() : "";
  if (llvm::is_contained({"move", "forward", "as_const"}, Name) && Call.getNumArgs() == 1) {
    return Call.getArg(0);
  }
  return Name == "register_buffer" || Name == "register_parameter" ? argumentGiven(Call, "tensor") : nullptr;
}

/// Whether S, a body, changes how many dimensions the variable's tensor has.
bool changesDimensionsOf(const clang::Stmt& S, const clang::VarDecl& Variable) {
  const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&S);
  const auto* Name = Call ? llvm::dyn_cast<clang::DeclRefExpr>(Call->getImplicitObjectArgument()->IgnoreParenImpCasts()) : nullptr;
  return (Name && Name->getDecl() == &Variable && changesDimensions(*Call)) ||
         llvm::any_of(S.children(), [&](const clang::Stmt* Each) { return Each && changesDimensionsOf(*Each, Variable); });
}

bool keepsDimensions(const clang::VarDecl& Variable) {
  const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(Variable.getDeclContext());
  return Function && Function->getBody() && !changesDimensionsOf(*Function->getBody(), Variable);
}

class FormSearch {
 public:
  FormSearch(const scan::Bodies& Bodies, const UnitIndex& Index, const Property& Wanted) : Bodies(Bodies), Index(Index), Wanted(Wanted) {}

  bool holds(const clang::Expr& Given, const Frame& In) { return holds(Given, In, Wanted.Count); }

 private:
  bool holds(const clang::Expr& Given, const Frame& In, unsigned Count);
  bool ofVariable(const clang::VarDecl& Variable, const Frame& In, unsigned Count);
  bool ofParameter(const clang::ParmVarDecl& Parameter, const Frame& In, unsigned Count);
  bool ofMember(const clang::MemberExpr& E, const Frame& In, unsigned Count);
  bool ofElement(const clang::Expr& Whole, unsigned Place, const Frame& In, unsigned Count);
  bool ofBinding(const clang::BindingDecl& Binding, const Frame& In, unsigned Count);
  bool ofCall(const clang::CallExpr& Call, const Frame& In, unsigned Count);
  bool byRule(const clang::CallExpr& Call, const Frame& In, unsigned Count);
  bool ofAll(llvm::ArrayRef<const clang::Expr*> Values, const Frame& In, unsigned Count);
  bool ofReturned(const clang::CallExpr& Call, const Frame& In, llvm::function_ref<bool(const clang::Expr&, const Frame&)> Visit);

  const scan::Bodies& Bodies;
  const UnitIndex& Index;
  const Property Wanted;
  unsigned Steps = 0;
  std::set<std::tuple<const clang::VarDecl*, const Frame*, unsigned>> Open;
  std::deque<Frame> Entered;
  std::map<const Frame*, llvm::ArrayRef<const clang::Expr*>> Arguments;  // of those
};

bool FormSearch::holds(const clang::Expr& Given, const Frame& In, unsigned Count) {
  if (++Steps > MostFormSteps || Given.isInstantiationDependent()) {
    return false;
  }
  const clang::Expr& E = tensorIn(Given);
  if (const auto* Choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(&E)) {
    return holds(*Choice->getTrueExpr(), In, Count) && holds(*Choice->getFalseExpr(), In, Count);
  }
  if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E)) {
    if (const auto* Binding = llvm::dyn_cast<clang::BindingDecl>(Name->getDecl())) {
      return ofBinding(*Binding, In, Count);
    }
    const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Name->getDecl());
    return Variable && ofVariable(*Variable, In, Count);
  }
  if (const auto* Member = llvm::dyn_cast<clang::MemberExpr>(&E)) {
    return ofMember(*Member, In, Count);
  }
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
  return Call && ofCall(*Call, In, Count);
}

bool FormSearch::ofAll(llvm::ArrayRef<const clang::Expr*> Values, const Frame& In, unsigned Count) {
  std::vector<const clang::Expr*> Defined;
  llvm::copy_if(Values, std::back_inserter(Defined), [](const clang::Expr* Each) { return !isUndefined(*Each); });
  return !Defined.empty() && llvm::all_of(Defined, [&](const clang::Expr* Each) { return holds(*Each, In, Count); });
}

bool FormSearch::ofVariable(const clang::VarDecl& Variable, const Frame& In, unsigned Count) {
  const auto Place = Open.insert({&Variable, &In, Count});
  if (!Place.second) {
    return true;
  }
  bool Result = false;
  if (Wanted.What == Property::Kind::Dimensions && !keepsDimensions(Variable)) {
    Result = false;
  } else if (Variable.hasGlobalStorage()) {
    Result = ofAll(Index.valuesOf(Variable), In, Count);
  } else if (std::optional<std::vector<const clang::Expr*>> Values = valuesAssigned(Variable)) {
    const auto* Parameter = llvm::dyn_cast<clang::ParmVarDecl>(&Variable);
    if (!Parameter && Variable.getInit()) {
      Values->push_back(Variable.getInit());
    }
    const bool IsMadeSo = !Parameter || ofParameter(*Parameter, In, Count);
    Result = IsMadeSo && ((Parameter && Values->empty()) || ofAll(*Values, In, Count));
  }
  Open.erase(Place.first);
  return Result;
}

bool FormSearch::ofParameter(const clang::ParmVarDecl& Parameter, const Frame& In, unsigned Count) {
  const Frame* Its = &In;
  while (Its && Its->Function != Parameter.getDeclContext()) {
    Its = Its->Caller;
  }
  const unsigned Place = Parameter.getFunctionScopeIndex();
  if (const auto Given = Arguments.find(Its); Given != Arguments.end()) {
    return Place < Given->second.size() && holds(*Given->second[Place], *Its->Caller, Count);
  }
  return Its && Place < Its->Forms.size() && has(Its->Forms[Place], {Wanted.What, Count});
}

bool FormSearch::ofMember(const clang::MemberExpr& E, const Frame& In, unsigned Count) {
  if (const auto* Variable = llvm::dyn_cast<clang::VarDecl>(E.getMemberDecl())) {
    return ofVariable(*Variable, In, Count);
  }
  const auto* Field = llvm::dyn_cast<clang::FieldDecl>(E.getMemberDecl());
  return Field && pathOf(E).IsOnThis && ofAll(Index.valuesOf(*Field), In, Count);
}

bool FormSearch::ofBinding(const clang::BindingDecl& Binding, const Frame& In, unsigned Count) {
  const auto* Whole = llvm::dyn_cast_if_present<clang::DecompositionDecl>(Binding.getDecomposedDecl());
  if (!Whole || !Whole->getInit()) {
    return false;
  }
  const auto Place = llvm::find(Whole->bindings(), &Binding) - Whole->bindings().begin();
  return ofElement(*Whole->getInit(), static_cast<unsigned>(Place), In, Count);
}

/// Of a tuple, a pair or an aggregate.
bool FormSearch::ofElement(const clang::Expr& Whole, unsigned Place, const Frame& In, unsigned Count) {
  const clang::Expr& E = spelled(Whole);
  if (const auto* List = llvm::dyn_cast<clang::InitListExpr>(&E)) {
    return Place < List->getNumInits() && holds(*List->getInit(Place), In, Count);
  }
  if (const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E)) {
    return Construction->getNumArgs() == 1 ? ofElement(*Construction->getArg(0), Place, In, Count)
                                           : Place < Construction->getNumArgs() && holds(*Construction->getArg(Place), In, Count);
  }
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  if (!Function) {
    return false;
  }
  if (!isOfLibrary(*Function)) {
    return ofReturned(*Call, In, [&](const clang::Expr& Value, const Frame& There) { return ofElement(Value, Place, There, Count); });
  }
  const bool IsTuple = Function->getIdentifier() && llvm::is_contained({"make_tuple", "make_pair", "tuple"}, Function->getName());
  if (IsTuple) {
    return Place < Call->getNumArgs() && holds(*Call->getArg(Place), In, Count);
  }
  return Wanted.What == Property::Kind::Integers ? givesIntegersAt(*Call, Place)
                                                 : Wanted.What == Property::Kind::OnDevice && byRule(*Call, In, Count);
}

bool FormSearch::ofCall(const clang::CallExpr& Call, const Frame& In, unsigned Count) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  if (!Function) {
    return false;
  }
  if (!isOfLibrary(*Function) || isMadeForProgram(*Function)) {
    return ofReturned(Call, In, [&](const clang::Expr& Value, const Frame& There) { return holds(Value, There, Count); });
  }
  const clang::Expr* Same = handedBack(Call);
  return Same ? holds(*Same, In, Count) : byRule(Call, In, Count);
}

bool FormSearch::byRule(const clang::CallExpr& Call, const Frame& In, unsigned Count) {
  const auto Holds = [&](const clang::Expr& Each) { return holds(Each, In, Count); };
  switch (Wanted.What) {
    case Property::Kind::Mask:
      return givesMask(Call, Holds);
    case Property::Kind::Integers:
      return givesIntegers(Call, Holds);
    case Property::Kind::Dimensions:
      return givesDimensions(Call, Count, [&](const clang::Expr& Each, unsigned Of) { return holds(Each, In, Of); });
    case Property::Kind::OnDevice:
      return staysOnDevice(Call, Index, Holds);
  }
  llvm_unreachable("every property is above");
}

bool FormSearch::ofReturned(const clang::CallExpr& Call, const Frame& In,
                            llvm::function_ref<bool(const clang::Expr&, const Frame&)> Visit) {
  const Callee Called = calleeOf(Call);
  const clang::FunctionDecl* Definition = Called.IsCertain ? Bodies.definitionOf(*Called.Function) : nullptr;
  if (!Definition || Definition->isDependentContext() || Entered.size() == MostBodies) {
    return false;
  }
  const Frame& There = Entered.emplace_back(Frame{Definition, &In, Called.Call});
  Arguments[&There] = argumentsOf(Call, *Definition);
  const std::vector<const clang::ReturnStmt*> Returns = returnsIn(*Definition->getBody());
  return !Returns.empty() &&
         llvm::all_of(Returns, [&](const clang::ReturnStmt* Each) { return Each->getRetValue() && Visit(*Each->getRetValue(), There); });
}

Form formOf(const annotation::Bound& Argument) {
  if (!Argument.Said || Argument.Said->What != annotation::Spec::Kind::Tensor || Argument.Said->Repeat) {
    return {};
  }
  const annotation::Spec& Said = *Argument.Said;
  using annotation::DType;
  const bool IsMask = Said.Type == DType::Bool || Said.Type == DType::U8;
  const bool IsOfIntegers = llvm::is_contained({DType::I64, DType::I32, DType::I16, DType::I8}, Said.Type);
  return {IsMask, IsOfIntegers, static_cast<unsigned>(Said.Dims.size()), !annotation::findFlag(Said, annotation::Flag::Host)};
}

Form common(const Form& A, const Form& B) {
  return {A.IsMask && B.IsMask, A.IsOfIntegers && B.IsOfIntegers, A.Dimensions == B.Dimensions ? A.Dimensions : std::nullopt,
          A.IsOnDevice && B.IsOnDevice};
}

}  // namespace

bool TensorForms::isMask(const clang::Expr& E, const Frame& In) const {
  return FormSearch(Bodies, Index, {Property::Kind::Mask}).holds(E, In);
}

bool TensorForms::isOfIntegers(const clang::Expr& E, const Frame& In) const {
  return FormSearch(Bodies, Index, {Property::Kind::Integers}).holds(E, In);
}

bool TensorForms::hasDimensions(const clang::Expr& E, unsigned Count, const Frame& In) const {
  return FormSearch(Bodies, Index, {Property::Kind::Dimensions, Count}).holds(E, In);
}

bool TensorForms::isOnDevice(const clang::Expr& E, const Frame& In) const {
  return FormSearch(Bodies, Index, {Property::Kind::OnDevice}).holds(E, In);
}

std::vector<Form> TensorForms::given(const clang::Stmt& Call, const clang::FunctionDecl& Called, const Frame& In) const {
  std::vector<Form> Result;
  for (const auto& [Parameter, Given] : llvm::zip(Called.parameters(), argumentsOf(Call, Called))) {
    Form& Known = Result.emplace_back();
    if (!mayHoldTensor(Given->getType())) {
      continue;
    }
    Known.IsMask = isMask(*Given, In);
    Known.IsOfIntegers = !Known.IsMask && isOfIntegers(*Given, In);
    Known.IsOnDevice = isOnDevice(*Given, In);
    for (unsigned Count = 0; Count < MostDimensions && !Known.Dimensions; ++Count) {
      Known.Dimensions = hasDimensions(*Given, Count, In) ? std::optional(Count) : std::nullopt;
    }
  }
  return Result;
}

std::vector<Form> annotatedForms(llvm::ArrayRef<const scan::ScannedCallable*> Annotations) {
  std::vector<Form> Result;
  for (const scan::ScannedCallable* Each : Annotations) {
    Result.resize(Each->Callable.Arguments.size());
    for (auto [Known, Argument] : llvm::zip_equal(Result, Each->Callable.Arguments)) {
      Known = Each == Annotations.front() ? formOf(Argument) : common(Known, formOf(Argument));
    }
  }
  return Result;
}

}  // namespace graphgen::check
