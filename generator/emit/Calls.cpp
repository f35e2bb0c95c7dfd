// SPDX-License-Identifier: Apache-2.0
//
// How a callable is named, declared and called: on the caller's arguments, and on the static inputs of a capture.
#include "emit/Calls.h"

#include "emit/Spelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace graphgen::emit {
namespace {

using annotation::CallableKind;
using annotation::ParameterType;
using annotation::ScalarKind;

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
  const StringRef Name = StringRef(Callable.QualifiedName).rsplit("::").second;
  return Name == "operator()" ? "(*object_)" : "object_->" + Name.str();
}

std::string signatureArgument(std::size_t Index, const std::string& Name) {
  return "signature::argument<" + std::to_string(Index) + "> " + Name;
}

std::string defaultArgument(const plan::Parameter& Parameter) {
  if (!Parameter.Default) {
    return {};
  }
  return " = " + (Parameter.Type == ParameterType::String ? *Parameter.Default : reachable(*Parameter.Default));
}

std::string staticInput(const plan::Callable& Callable, const plan::Parameter& Parameter) {
  const std::string First = std::to_string(Parameter.FirstTensor);
  if (!isList(Parameter)) {
    const bool MayBeAbsent = Parameter.Type == ParameterType::OptionalTensor && any_of(Callable.SampleSets, [&](const plan::Samples& Each) {
                               return Each.Tensors[Parameter.FirstTensor].Flags.count(annotation::Flag::Optional) > 0;
                             });
    return (MayBeAbsent ? "graphed::optional_tensor(in[" : "in[") + First + (MayBeAbsent ? "])" : "]");
  }
  const StringRef Type = Parameter.Type == ParameterType::TensorVector ? "graphed::tensor_list" : "at::TensorList";
  return ("graphed::slice<" + Type + ">(in, " + First + ", " + std::to_string(Parameter.TensorCount) + ")").str();
}

/// Of graphed::scalars.
std::string method(ScalarKind Kind) {
  switch (Kind) {
    case ScalarKind::Key:
      return ".key(";
    case ScalarKind::Const:
      return ".constant(";
    case ScalarKind::Live:
      return ".live(";
  }
  llvm_unreachable("a kind of scalar without a method");
}

std::string scalars(ArrayRef<plan::Parameter> Parameters, ArrayRef<std::string> Names) {
  std::string Calls;
  for (const auto& [Parameter, Name] : zip_equal(Parameters, Names)) {
    if (Parameter.Scalar) {
      Calls += method(*Parameter.Scalar) + literal(Parameter.Name) + ", " + Name + ")";
    }
  }
  return Calls.empty() ? "" : ", graphed::scalars()" + Calls;
}

/// The argument of a capture: a static input, or the value that is the capture's key or constant.
std::string captured(const plan::Callable& Callable, const plan::Parameter& Parameter, const std::string& Name) {
  if (!Parameter.Scalar) {
    return staticInput(Callable, Parameter);
  }
  if (*Parameter.Scalar != ScalarKind::Live) {
    return Name;
  }
  return "graphed::Scalar::over(in[" + std::to_string(Callable.SampleSets.front().Tensors.size() + Parameter.LiveIndex) + "])";
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

bool isList(const plan::Parameter& Parameter) {
  return Parameter.Type == ParameterType::TensorVector || Parameter.Type == ParameterType::TensorList;
}

CallSpelling spellCalls(const plan::Callable& Callable) {
  const std::vector<std::string> Names = argumentNames(Callable.Parameters);
  std::vector<std::string> Declared;
  std::vector<std::string> Defined;
  std::vector<std::string> Tensors;
  std::vector<std::string> Captured;
  for (const auto& [Index, Parameter, Name] : enumerate(Callable.Parameters, Names)) {
    Defined.push_back(signatureArgument(Index, Name));
    Declared.push_back(Defined.back() + defaultArgument(Parameter));
    Captured.push_back(captured(Callable, Parameter, Name));
    if (!Parameter.Scalar) {
      Tensors.push_back(Name);
    }
  }

  CallSpelling Spelling;
  Spelling.Pointer = pointer(Callable.QualifiedName, Callable.OverloadType);
  Spelling.ReachablePointer = reachablePointer(Callable);
  Spelling.ObjectType = objectType(Callable);
  Spelling.DeclaredParameters = commaList(Declared, StringRef("  signature::result operator()();").size(), 6);
  const StringRef Definition = "inline auto graphed::callable<>::operator()() -> signature::result {";
  Spelling.DefinedParameters = commaList(Defined, Definition.size() + Spelling.Pointer.size(), 4);
  Spelling.TensorArguments =
      Tensors.empty() ? "{}" : "(" + commaList(Tensors, StringRef("  const graphed::inputs inputs();").size(), 6) + ")";
  Spelling.Scalars = scalars(Callable.Parameters, Names);
  const bool HasStaticInputs =
      any_of(Callable.Parameters, [](const plan::Parameter& Each) { return !Each.Scalar || Each.Scalar == ScalarKind::Live; });
  Spelling.StaticInputs = HasStaticInputs ? "graphed::tensor_list& in" : "graphed::tensor_list&";
  Spelling.CapturedBlock = returnBlock(callee(Callable), Captured, "    return graphed::packed([&] );");
  Spelling.PlainBlock = returnBlock(callee(Callable), Names, "  return call.plain([&] );");
  return Spelling;
}

}  // namespace graphgen::emit
