// SPDX-License-Identifier: Apache-2.0
//
// How a callable is named, declared and called: on the caller's arguments, and on the static inputs of a capture.
#include "emit/Calls.h"

#include "emit/Spelling.h"
#include "emit/Visit.h"
#include "plan/QualifiedName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;

namespace graphgen::emit {
namespace {

using annotation::CallableKind;
using annotation::ScalarKind;
using annotation::TypeKind;

std::string pointer(const std::string& Name, const std::optional<std::string>& OverloadType) {
  return OverloadType ? "graphed::overload<" + *OverloadType + ">(&" + Name + ")" : "&" + Name;
}

std::string reachablePointer(const plan::Callable& Callable) {
  std::optional<std::string> OverloadType = Callable.OverloadType;
  if (OverloadType) {
    OverloadType = reachable(*OverloadType);
  }
  return pointer(reachableFunction(Callable.QualifiedName), OverloadType);
}

std::string objectType(const plan::Callable& Callable) {
  if (Callable.Kind != CallableKind::Method) {
    return {};
  }
  const bool IsConst = Callable.ObjectIsConst && !Callable.ObjectIsModule;
  return (IsConst ? "const " : "") + reachable(Callable.ObjectType);
}

/// What stands before the parenthesis of a call.
std::string callee(const plan::Callable& Callable) {
  const bool IsMethod = Callable.Kind == CallableKind::Method;
  if (Callable.OverloadType) {
    return IsMethod ? "((*object_).*function)" : "function";
  }
  if (!IsMethod) {
    return reachableFunction(Callable.QualifiedName);
  }
  const StringRef Name = plan::componentsOf(Callable.QualifiedName).back();
  return Name == "operator()" ? "(*object_)" : "object_->" + Name.str();
}

std::string signatureArgument(std::size_t Index, const std::string& Name) {
  return "signature::argument<" + std::to_string(Index) + "> " + Name;
}

std::string defaultArgument(const plan::Parameter& Parameter) {
  if (!Parameter.Default) {
    return {};
  }
  return " = " + (Parameter.Type == TypeKind::String ? *Parameter.Default : reachable(*Parameter.Default));
}

bool isTensor(const plan::Parameter& Parameter) { return Parameter.Type == TypeKind::Tensor || Parameter.Type == TypeKind::TensorLvalue; }

/// In a call whose arguments are flat.
std::string staticInput(const plan::Callable& Callable, const plan::Parameter& Parameter) {
  const std::string First = std::to_string(Parameter.FirstTensor);
  if (!annotation::isList(Parameter.Type)) {
    const bool MayBeAbsent = Parameter.Type == TypeKind::Optional && any_of(Callable.SampleSets, [&](const plan::Samples& Each) {
                               return Each.Tensors[Parameter.FirstTensor].Flags.count(annotation::Flag::Optional) > 0;
                             });
    return (MayBeAbsent ? "graphed::impl::optional_tensor(in[" : "in[") + First + (MayBeAbsent ? "])" : "]");
  }
  const StringRef Type = Parameter.Type == TypeKind::Vector ? "graphed::tensor_list" : "at::TensorList";
  return ("graphed::impl::slice<" + Type + ">(in, " + First + ", " + std::to_string(Parameter.TensorCount) + ")").str();
}

std::string scalars(ArrayRef<plan::Parameter> Parameters, ArrayRef<std::string> Names) {
  std::string Calls;
  for (const auto& [Parameter, Name] : zip_equal(Parameters, Names)) {
    Calls += scalarCalls(Parameter, Name);
  }
  return Calls.empty() ? "" : ", graphed::impl::Scalars()" + Calls;
}

/// The argument of a capture: a static input, or the value that is the capture's key or constant.
std::string captured(const plan::Callable& Callable, const plan::Parameter& Parameter, const std::string& Name) {
  if (!Parameter.Scalar) {
    return staticInput(Callable, Parameter);
  }
  return *Parameter.Scalar == ScalarKind::Live ? staticScalar(Callable, Parameter) : Name;
}

/// A name for the copy of an argument that holds the static inputs, or for the place of a static input.
std::string staticName(const std::string& Name, ArrayRef<std::string> Taken) {
  std::string Result = "static_" + Name;
  while (is_contained(Taken, Result)) {
    Result += '_';
  }
  return Result;
}

/// Fills in what aggregates and lists of several lengths need, and gives what the captured callable gets.
std::vector<std::string> spellAggregates(const plan::Callable& Callable, ArrayRef<std::string> Names, CallSpelling& Spelling) {
  const bool HasPlaces = !plan::hasVaryingLengths(Callable);
  std::vector<const plan::Parameter*> Holders;
  std::vector<std::string> HolderNames;
  std::vector<std::string> Captured;
  for (const auto& [Parameter, Name] : zip_equal(Callable.Parameters, Names)) {
    if (Parameter.Scalar) {
      Captured.push_back(captured(Callable, Parameter, Name));
      continue;
    }
    const std::string Static = staticName(Name, Names);
    std::string Visited = Static;
    if (!isTensor(Parameter)) {
      Captured.push_back(Static);
      Spelling.StaticCopies.push_back("auto " + Static + " = " + Name + (Parameter.Type == TypeKind::ArrayRef ? ".vec()" : ""));
      append_range(Spelling.StaticCopies, liveAssignments(Callable, Parameter, Static));
    } else if (HasPlaces) {
      Captured.push_back("in[" + std::to_string(Parameter.FirstTensor) + "]");
      Visited = Captured.back();
    } else {
      Captured.push_back("in[" + Static + "]");
      Spelling.StaticCopies.push_back("std::size_t " + Static + " = 0");
    }
    if (Parameter.TensorCount != 0) {
      Holders.push_back(&Parameter);
      HolderNames.push_back(Name);
      Spelling.VisitParameters += ", auto& " + Name;
      Spelling.Visited += ", " + Name;
      Spelling.VisitedCopies += ", " + Visited;
    }
  }
  Spelling.VisitStatements = visitArguments(Holders, HolderNames);
  return Captured;
}

/// "{ return f(a, b); }", on several lines where the line, of which `Around` is the rest, is too short.
std::string returnBlock(const std::string& Callee, ArrayRef<std::string> Arguments, StringRef Around) {
  const std::size_t Indent = Around.find_first_not_of(' ');
  const std::string List = commaList(Arguments, Around.size() + Callee.size() + StringRef("{ return (); }").size(), Indent + 6);
  const std::string Call = "return " + Callee + "(" + List + ");";
  if (!StringRef(List).contains('\n')) {
    return "{ " + Call + " }";
  }
  return "{\n" + std::string(Indent + 2, ' ') + Call + '\n' + std::string(Indent, ' ') + "}";
}

}  // namespace

CallSpelling spellCalls(const plan::Callable& Callable) {
  const std::vector<std::string> Names = argumentNames(Callable.Parameters);
  std::vector<std::string> Declared;
  std::vector<std::string> Defined;
  std::vector<std::string> Tensors;
  std::vector<std::string> Captured;
  for (const auto& [Index, Parameter, Name] : enumerate(Callable.Parameters, Names)) {
    Defined.push_back(signatureArgument(Index, Name));
    Declared.push_back(Defined.back() + defaultArgument(Parameter));
    if (Parameter.TensorCount != 0) {
      Tensors.push_back(Name);
    }
  }

  CallSpelling Spelling;
  const bool IsFlat = hasFlatArguments(Callable);
  if (IsFlat) {
    for (const auto& [Parameter, Name] : zip_equal(Callable.Parameters, Names)) {
      Captured.push_back(captured(Callable, Parameter, Name));
    }
  } else {
    Captured = spellAggregates(Callable, Names, Spelling);
  }
  Spelling.Pointer = pointer(Callable.QualifiedName, Callable.OverloadType);
  Spelling.ReachablePointer = reachablePointer(Callable);
  Spelling.ObjectType = objectType(Callable);
  Spelling.DeclaredParameters = commaList(Declared, StringRef("  signature::result operator()();").size(), 6);
  const StringRef Definition = "inline auto graphed::callable<>::operator()() -> signature::result {";
  Spelling.DefinedParameters = commaList(Defined, Definition.size() + Spelling.Pointer.size(), 4);
  Spelling.TensorArguments =
      Tensors.empty() || !IsFlat ? "{}" : "(" + commaList(Tensors, StringRef("  const graphed::impl::Inputs inputs();").size(), 6) + ")";
  Spelling.Scalars = scalars(Callable.Parameters, Names);
  const bool HasStaticInputs =
      !IsFlat || any_of(Callable.Parameters, [](const plan::Parameter& Each) { return !Each.Scalar || Each.Scalar == ScalarKind::Live; });
  Spelling.StaticInputs = HasStaticInputs ? "graphed::tensor_list& in" : "graphed::tensor_list&";
  Spelling.CapturedBlock = returnBlock(callee(Callable), Captured, "    return graphed::impl::packed([&] );");
  Spelling.PlainBlock = returnBlock(callee(Callable), Names, "  return call.plain([&] );");
  return Spelling;
}

}  // namespace graphgen::emit
