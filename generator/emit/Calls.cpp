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

std::string address(const plan::Callable& Callable) {
  const std::string Address = "&" + global(Callable.QualifiedName);
  return Callable.FunctionType ? "graphed::overload<" + global(*Callable.FunctionType) + ">(" + Address + ")" : Address;
}

std::string pointer(const plan::Callable& Callable) {
  const std::string Glue = "graphed::" + glueNamespace(Callable);
  return Callable.IsHidden       ? "graphed::access::method<" + Glue + "::method>()"
         : Callable.FunctionType ? Glue + "::function()"
                                 : address(Callable);
}

std::string objectType(const plan::Callable& Callable) {
  if (Callable.Kind != CallableKind::Method) {
    return {};
  }
  const bool IsConst = Callable.ObjectIsConst && !Callable.ObjectIsModule;
  return (IsConst ? "const " : "") + global(Callable.ObjectType);
}

/// What is before the parenthesis of a call.
std::string callee(const plan::Callable& Callable) {
  const bool IsMethod = Callable.Kind == CallableKind::Method;
  if (isCalledByPointer(Callable)) {
    return IsMethod ? "(object.*function)" : "function";
  }
  if (!IsMethod) {
    return global(Callable.QualifiedName);
  }
  const StringRef Name = plan::componentsOf(Callable.QualifiedName).back();
  return Name == "operator()" ? "object" : "object." + Name.str();
}

/// How generated code reads the argument.
std::string passed(const plan::Parameter& Parameter) { return "arguments." + Parameter.Name; }

/// An aggregate of which the original function gets a copy, with the tensors on the device in it.
bool isMovedByCopy(const plan::Parameter& Parameter) { return plan::holdsTensorsOnHost(Parameter) && !plan::isOnHost(Parameter); }

/// What the original function gets of it.
std::string passedOn(const plan::Parameter& Parameter) {
  return plan::isOnHost(Parameter)  ? "call.on_device(" + passed(Parameter) + ")"
         : isMovedByCopy(Parameter) ? "moved_" + Parameter.Name
                                    : passed(Parameter);
}

/// "auto batch = arguments.batch"
std::string copyOf(const std::string& Name, const plan::Parameter& Parameter) {
  return "auto " + Name + " = " + passed(Parameter) + (Parameter.Type == TypeKind::ArrayRef ? ".vec()" : "");
}

std::string defaultArgument(const plan::Parameter& Parameter) {
  if (!Parameter.Default) {
    return {};
  }
  return " = " + (Parameter.Type == TypeKind::String ? *Parameter.Default : global(*Parameter.Default));
}

/// A call passes it on, to a capture as well.
bool isPassedOn(const plan::Parameter& Parameter) {
  return annotation::isObject(Parameter.Type) || Parameter.Type == TypeKind::Ignored ||
         (Parameter.Scalar && *Parameter.Scalar != ScalarKind::Live);
}

bool readsStaticInputs(const plan::Parameter& Parameter) {
  bool Reads = holdsTensors(Parameter);
  plan::forEachScalar(Parameter, [&](const plan::Part& Scalar, const std::string&) { Reads |= *Scalar.Scalar == ScalarKind::Live; });
  return Reads;
}

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

/// "{ return graphed::impl::Scalars().key("n", arguments.n); }", or nothing.
std::string scalarsBlock(ArrayRef<plan::Parameter> Parameters) {
  std::vector<std::string> Calls;
  for (const plan::Parameter& Each : Parameters) {
    append_range(Calls, scalarCalls(Each, passed(Each)));
  }
  if (Calls.empty()) {
    return {};
  }
  const std::string OneLine = "{ return graphed::impl::Scalars()" + join(Calls, "") + "; }";
  const bool Fits = StringRef("  const auto scalars = [&] ;").size() + OneLine.size() <= Columns;
  return Fits ? OneLine : "{\n    return graphed::impl::Scalars()\n        " + join(Calls, "\n        ") + ";\n  }";
}

/// The argument of a capture: a static input, or the value or object that is the capture's key or constant.
std::string captured(const plan::Callable& Callable, const plan::Parameter& Parameter) {
  if (isPassedOn(Parameter)) {
    return passed(Parameter);
  }
  return Parameter.Scalar ? staticScalar(Callable, Parameter) : staticInput(Callable, Parameter);
}

/// Fills in what aggregates and lists of several lengths need, and gives what the captured callable gets.
std::vector<std::string> spellAggregates(const plan::Callable& Callable, CallSpelling& Spelling) {
  const bool HasPlaces = !plan::hasVaryingLengths(Callable);
  std::vector<const plan::Parameter*> Holders;
  std::vector<std::string> Names;
  std::vector<std::string> Captured;
  std::string VisitedMoved;
  for (const plan::Parameter& Parameter : Callable.Parameters) {
    if (Parameter.Scalar || isPassedOn(Parameter)) {
      Captured.push_back(captured(Callable, Parameter));
      continue;
    }
    // The copy of an argument, or the place of its tensor.
    const std::string Static = "captured_" + Parameter.Name;
    std::string Visited = Static;
    if (!annotation::isTensor(Parameter.Type)) {
      Captured.push_back(Static);
      Spelling.StaticCopies.push_back(copyOf(Static, Parameter));
      append_range(Spelling.StaticCopies, liveAssignments(Callable, Parameter, Static));
      append_range(Spelling.StaticCopies, outsCleared(Parameter, Static));
    } else if (Parameter.IsChangeable) {
      Captured.push_back(Static);
      Spelling.StaticCopies.push_back("at::Tensor " + Static);
    } else if (HasPlaces) {
      Captured.push_back("in[" + std::to_string(Parameter.FirstTensor) + "]");
      Visited = Captured.back();
    } else {
      Captured.push_back("in[" + Static + "]");
      Spelling.StaticCopies.push_back("std::size_t " + Static + " = 0");
    }
    if (holdsTensors(Parameter)) {
      Holders.push_back(&Parameter);
      Names.push_back(Parameter.Name);
      Spelling.VisitParameters += ", auto& " + Parameter.Name;
      Spelling.Visited += ", " + passed(Parameter);
      Spelling.VisitedCopies += ", " + Visited;
      VisitedMoved += ", " + (isMovedByCopy(Parameter) ? passedOn(Parameter) : passed(Parameter));
    }
    if (isMovedByCopy(Parameter)) {
      Spelling.Moves.push_back(copyOf(passedOn(Parameter), Parameter));
    }
  }
  if (!Spelling.Moves.empty()) {
    Spelling.Moves.insert(Spelling.Moves.end(), {"graphed::impl::OnDevice move(call)", "visit_arguments(move" + VisitedMoved + ")"});
  }
  Spelling.Visitor = visitor(Names);
  Spelling.VisitStatements = visitArguments(Holders, Names);
  return Captured;
}

/// Statements, each with its line's end.
std::string lines(ArrayRef<std::string> Statements, const std::string& Break) {
  std::string Text;
  for (const std::string& Each : Statements) {
    Text += Each + ";" + Break;
  }
  return Text;
}

/// "{ return f(a, b); }", on several lines where there is something to do before, or where the line, of which `Around` is the rest, is too
/// short.
std::string returnBlock(ArrayRef<std::string> Before, const std::string& Callee, ArrayRef<std::string> Arguments, StringRef Around) {
  const std::size_t Indent = Around.find_first_not_of(' ');
  const std::string List = commaList(Arguments, Around.size() + Callee.size() + StringRef("{ return (); }").size(), Indent + 6);
  const std::string Call = "return " + Callee + "(" + List + ");";
  if (Before.empty() && !StringRef(List).contains('\n')) {
    return "{ " + Call + " }";
  }
  const std::string Break = "\n" + std::string(Indent + 2, ' ');
  return "{" + Break + lines(Before, Break) + Call + '\n' + std::string(Indent, ' ') + "}";
}

/// "{ return Outcome{f(captured_state, b), captured_state}; }".
std::string outcomeBlock(ArrayRef<std::string> Before, const plan::Callable& Callable, ArrayRef<std::string> Arguments, unsigned Indent) {
  const std::string Call = callee(Callable) + "(" + join(Arguments, ", ") + ")";
  const bool HasResult = Callable.Result.Type != TypeKind::Void;
  std::vector<std::string> Members;
  if (HasResult) {
    Members.push_back(Call);
  }
  for (const auto& [Parameter, Argument] : zip_equal(Callable.Parameters, Arguments)) {
    if (Parameter.IsChangeable) {
      Members.push_back(Argument);
    }
  }
  const std::string Break = "\n" + std::string(Indent + 2, ' ');
  return "{" + Break + lines(Before, Break) + (HasResult ? "" : Call + ";" + Break) + "return Outcome{" + join(Members, ", ") + "};\n" +
         std::string(Indent, ' ') + "}";
}

bool holdsPointer(const plan::Part& Result) { return Result.Type == TypeKind::UniquePointer || any_of(Result.Parts, holdsPointer); }

/// As it is kept for other calls, which get copies.
std::string resultType(const plan::Callable& Callable, const std::string& Signature) {
  const std::string Result = Signature + "::result";
  return holdsPointer(Callable.Result) ? "graphed::impl::Copied<" + Result + ">" : Result;
}

std::vector<std::string> outcomeMembers(const plan::Callable& Callable, const std::string& Signature) {
  std::vector<std::string> Members;
  if (Callable.Result.Type != TypeKind::Void) {
    Members.push_back(resultType(Callable, Signature) + " " + resultName(Callable));
  }
  for (const auto& [Index, Parameter] : enumerate(Callable.Parameters)) {
    if (Parameter.IsChangeable) {
      Members.push_back("std::remove_reference_t<" + Signature + "::argument<" + std::to_string(Index) + ">> " + Parameter.Name);
    }
  }
  return Members;
}

}  // namespace

bool isCalledByPointer(const plan::Callable& Callable) { return Callable.IsOverloaded || Callable.IsHidden; }

std::string glueNamespace(const plan::Callable& Callable) {
  return snakeCase(Callable.Identifier) + "_glue" + (Callable.Scopes.empty() ? "" : "_of_" + snakeCase(Callable.Scopes)) +
         (Callable.File.empty() ? "" : "_in_" + snakeCase(Callable.File));
}

CallSpelling spellCalls(const plan::Callable& Callable) {
  std::vector<std::string> Names;
  append_range(Names, map_range(Callable.Parameters, [](const plan::Parameter& Each) { return Each.Name; }));
  CallSpelling Spelling;
  Spelling.Engine = unlike("engine_", Names);
  Spelling.Apart = unlike("apart", Names);
  Spelling.Object = unlike("object_", Names);
  Spelling.Signature = unlike("signature", Names);
  std::vector<std::string> Declared;
  std::vector<std::string> Defined;
  std::vector<std::string> Passed;
  std::vector<std::string> Tensors;
  std::vector<std::string> Captured;
  const bool IsFlat = hasFlatArguments(Callable);
  for (const auto& [Index, Parameter] : enumerate(Callable.Parameters)) {
    const std::string Type = Spelling.Signature + "::argument<" + std::to_string(Index) + ">";
    Spelling.Members.push_back(Type + "& " + Parameter.Name);
    Defined.push_back(Type + " " + Parameter.Name);
    Declared.push_back(Defined.back() + defaultArgument(Parameter));
    Passed.push_back(passedOn(Parameter));
    if (IsFlat) {
      Captured.push_back(captured(Callable, Parameter));
    }
    if (IsFlat && holdsTensors(Parameter)) {
      Tensors.push_back(plan::isOnHost(Parameter) ? "graphed::impl::OnHost(" + passed(Parameter) + ")" : passed(Parameter));
    }
  }
  if (!IsFlat) {
    Captured = spellAggregates(Callable, Spelling);
  }
  Spelling.Pointer = pointer(Callable);
  Spelling.Address = address(Callable);
  Spelling.ObjectType = objectType(Callable);
  Spelling.DeclaredParameters = commaList(Declared, StringRef("  signature::result operator()() const;").size(), 6);
  const StringRef Definition = "inline auto graphed::callable<>::operator()() const -> signature::result {";
  Spelling.DefinedParameters = commaList(Defined, Definition.size() + Spelling.Pointer.size(), 4);
  Spelling.Names =
      commaList(Names, StringRef("  return ::run</*Ahead=*/false>(engine_, *object_, {});").size() + glueNamespace(Callable).size(), 6);
  Spelling.TensorArguments =
      Tensors.empty() ? "{}" : "(" + commaList(Tensors, StringRef("  const graphed::impl::Inputs inputs();").size(), 6) + ")";
  Spelling.ScalarsBlock = scalarsBlock(Callable.Parameters);
  const bool HasStaticInputs = any_of(Callable.Parameters, readsStaticInputs);
  Spelling.ResultType = resultType(Callable, Spelling.Signature);
  Spelling.StaticInputs = HasStaticInputs ? "graphed::tensor_list& in" : "graphed::tensor_list&";
  if (changesArguments(Callable)) {
    Spelling.OutcomeMembers = outcomeMembers(Callable, Spelling.Signature);
    Spelling.CapturedBlock = outcomeBlock({}, Callable, Captured, 4);
    Spelling.OriginalBlock = outcomeBlock(Spelling.Moves, Callable, Passed, 4);
    return Spelling;
  }
  const bool HasFlatResult = hasFlatResult(Callable);
  Spelling.CapturedBlock = returnBlock(
      {}, callee(Callable), Captured,
      HasFlatResult ? "    return graphed::impl::packed([&] );" : "    return graphed::impl::packed([&] , visit_result, form);");
  const bool GivesFuture = Callable.Settings.Outputs == plan::OutputPolicy::Host;
  const StringRef Around = GivesFuture     ? "      return call.original([&] , visit_result);"
                           : HasFlatResult ? "    return call.original([&] );"
                                           : "    return call.original([&] , visit_result);";
  Spelling.OriginalBlock = returnBlock(Spelling.Moves, callee(Callable), Passed, Around);
  return Spelling;
}

}  // namespace graphgen::emit
