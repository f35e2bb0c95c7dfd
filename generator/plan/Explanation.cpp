// SPDX-License-Identifier: Apache-2.0
#include "plan/Explanation.h"

#include "plan/ExplainMisses.h"
#include "plan/PlanWords.h"
#include "plan/Sizes.h"

#include "annotation/Evaluate.h"
#include "annotation/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>
#include <utility>

using namespace llvm;

namespace graphgen::plan {
namespace {

using annotation::Flag;
using annotation::OptionKind;
using annotation::ScalarKind;
using annotation::TypeKind;

std::string count(std::size_t Number, const std::string& What) { return std::to_string(Number) + ' ' + What + (Number == 1 ? "" : "s"); }

std::vector<std::string> scalarsOf(const Callable& Callable, ScalarKind Kind) {
  std::vector<std::string> Names;
  for (const Parameter& Each : Callable.Parameters) {
    forEachScalar(Each, [&](const Part& Scalar, const std::string& Path) {
      if (Scalar.Scalar == Kind) {
        Names.push_back(Path);
      }
    });
  }
  return Names;
}

bool hasFlag(const Callable& Callable, Flag Wanted) {
  return any_of(Callable.SampleSets,
                [&](const Samples& Set) { return any_of(Set.Tensors, [&](const Tensor& Each) { return Each.Flags.count(Wanted) != 0; }); });
}

StringRef kindInWords(annotation::WatchedMember::Kind What) {
  switch (What) {
    case annotation::WatchedMember::Kind::Module:
      return "module";
    case annotation::WatchedMember::Kind::Model:
      return "model";
    case annotation::WatchedMember::Kind::Tensor:
      return "tensor";
    case annotation::WatchedMember::Kind::Number:
      return "number";
  }
  llvm_unreachable("every kind is above");
}

/// What a change of it does.
StringRef effectInWords(annotation::WatchedMember::Kind What) {
  switch (What) {
    case annotation::WatchedMember::Kind::Module:
      return "its modes select a capture; captured again where it or one of its tensors is replaced";
    case annotation::WatchedMember::Kind::Model:
      return "each one selects a capture, and so do a script's numbers";
    case annotation::WatchedMember::Kind::Tensor:
      return "captured again where it is replaced";
    case annotation::WatchedMember::Kind::Number:
      return "each value selects a capture";
  }
  llvm_unreachable("every kind is above");
}

/// What another object in the argument does.
StringRef effectInWords(TypeKind What) {
  return What == TypeKind::Module ? "each one selects a capture, and so do its modes; captured again where one of its tensors is replaced"
                                  : "each one selects a capture";
}

/// Of a live scalar, the mark says the rest.
std::string kindOf(const Part& P) { return P.Type == annotation::TypeKind::LiveScalar ? "scalar" : wordFor(P); }

std::string kindOf(const Callable& Callable) {
  std::string Kind = wordFor(Callable.Kind).str();
  if (Callable.Kind == annotation::CallableKind::Method) {
    Kind += (Callable.ObjectIsModule ? " of the module " : " of ") + Callable.ObjectType;
  }
  return Kind;
}

std::vector<Explanation::Parameter> parametersOf(const Callable& Callable) {
  std::vector<Explanation::Parameter> Rows;
  for (const Parameter& Each : Callable.Parameters) {
    Rows.push_back({Each.Name, kindOf(Each), Each.Scalar ? annotation::spelling(*Each.Scalar).str() : "", Each.Default.value_or("")});
    if (!Each.Scalar) {
      forEachScalar(Each, [&](const Part& Member, const std::string& Path) {
        Rows.push_back({Path, kindOf(Member), annotation::spelling(*Member.Scalar).str(), ""});
      });
    }
  }
  return Rows;
}

/// What a call does with the argument.
std::string fateOf(const Callable& Callable, const Tensor& Input) {
  const auto Has = [&](Flag Each) { return Input.Flags.count(Each) != 0; };
  std::string Fate = Has(Flag::Static) ? "read in place" : Has(Flag::Host) ? "copied from the host" : "copied in";
  if (Has(Flag::Inplace)) {
    Fate += Has(Flag::Static) ? ", written there" : ", and back";
  }
  if (Has(Flag::Grad)) {
    Fate += Callable.Settings.GradsInGraph ? "; its .grad is written by the graph" : "; gets a gradient";
  }
  return Fate;
}

Explanation::Inputs inputsOf(const Callable& Callable, const Samples& Set) {
  const Size Largest = sizesOf(Set).back();
  Size Shown = Set.Lengths;
  Shown.insert(Largest.begin(), Largest.end());
  Explanation::Inputs Told;
  Told.Annotation = Set.AnnotationText;
  Told.At = textOf(Shown);
  for (const Tensor& Each : Set.Tensors) {
    const std::vector<std::string> Extents = *extentsAt(Each, Largest, openSizesOf(Set));
    const InputBytes Bytes(Each.Type, Extents);
    if (Each.Flags.count(Flag::Static) == 0) {
      Told.Static.add(Bytes);
    }
    const std::string Flags = join(map_range(Each.Flags, [](Flag F) { return " " + annotation::spelling(F).str(); }), "");
    Told.Tensors.push_back({Each.Name, typeAndShape(Each.Type, Extents) + Flags, Bytes, fateOf(Callable, Each)});
  }
  return Told;
}

void add(Explanation::WatchedGroup& To, ArrayRef<annotation::WatchedMember> Members) {
  for (const annotation::WatchedMember& Each : Members) {
    To.Members.push_back({Each.Name, kindInWords(Each.What).str(), effectInWords(Each.What).str()});
    To.IsGuessed |= Each.IsGuessed;
  }
}

void addWatched(Explanation& To, const Callable& Callable) {
  if (Callable.Kind == annotation::CallableKind::Method && (!Callable.ObjectIsModule || !Callable.Watched.empty())) {
    add(To.Object.emplace(), Callable.Watched);
  }
  if (!Callable.WatchedVariables.empty()) {
    add(To.Variables.emplace(), Callable.WatchedVariables);
  }
  if (!takesObjects(Callable)) {
    return;
  }
  Explanation::WatchedGroup& Group = To.Arguments.emplace();
  for (const Parameter& Each : Callable.Parameters) {
    if (annotation::isObject(Each.Type)) {
      Group.Members.push_back({Each.Name, wordFor(Each), effectInWords(Each.Type).str()});
      add(Group, Each.Watched);
    }
  }
}

std::optional<std::vector<annotation::Write>> writesOf(const Callable& Callable) {
  std::optional<std::vector<annotation::Write>> Writes = Callable.Writes;
  if (Writes && Callable.Settings.Step) {
    Writes->push_back({"the leaves' .grad", "backward()", "kept in place"});
    Writes->push_back({"parameters, and states of optimizers", "step()", "kept in place"});
  }
  return Writes;
}

std::string listed(const std::set<int64_t>& Values) {
  return join(map_range(Values, [](int64_t Value) { return std::to_string(Value); }), ", ");
}

std::string valuesOf(const DimVariable& Variable) {
  if (Variable.isOpen()) {
    return Variable.Name + " is what the first calls use, at most " + count(static_cast<std::size_t>(*Variable.AtMost), "value");
  }
  std::string Told = Variable.Name + " is " + listed({Variable.Values.begin(), Variable.Values.end()});
  if (Variable.Pad) {
    Told += "; a size between is rounded up, the rows added are ";
    Told += *Variable.Pad == annotation::PadFill::Zero ? "zeros" : "copies of the last";
  }
  return Told;
}

/// "one for each of 2 sizes, each value of causal, and each mode (...)"
std::string oneForEach(const Callable& Callable, std::size_t Sizes, bool IsMost) {
  const std::vector<std::string> Keys = scalarsOf(Callable, ScalarKind::Key);
  std::string Told = std::string("one for each of ") + (IsMost ? "at most " : "") + count(Sizes, "size");
  Told += (Keys.empty() ? "" : ", each value of ") + join(Keys, ", ");
  Told += hasFlag(Callable, Flag::Optional) ? ", which optional tensors are there" : "";
  Told += ", and each mode (grad, inference, autocast, device, the context's switches";
  Told += Callable.ObjectIsModule ? ", which modules train" : "";
  Told += Callable.Watched.empty() ? "" : ", what the object holds";
  Told += Callable.WatchedVariables.empty() ? "" : ", what variables hold";
  Told += takesObjects(Callable) ? ", which objects the arguments are, what they hold)" : ")";
  return Told;
}

std::vector<std::string> capturesOf(const Callable& Callable) {
  std::vector<std::string> Lines;
  std::size_t Sizes = 0;
  bool IsMost = false;
  std::map<std::string, std::set<int64_t>> Lengths;
  std::set<std::pair<std::size_t, std::string>> Told;  // variables of annotations
  for (const Samples& Set : Callable.SampleSets) {
    std::size_t OfSet = sizesOf(Set).size();
    for (const auto& [Name, Value] : Set.Lengths) {
      Lengths[Name].insert(Value);
    }
    for (const DimVariable& Each : Set.Variables) {
      OfSet *= Each.isOpen() ? static_cast<std::size_t>(*Each.AtMost) : 1;
      IsMost |= Each.isOpen();
      if (Told.emplace(Set.Annotation, Each.Name).second) {
        Lines.push_back(valuesOf(Each));
      }
    }
    Sizes += OfSet;
  }
  for (const auto& [Name, Values] : Lengths) {
    Lines.push_back(Name + " is " + listed(Values));
  }
  Lines.push_back(oneForEach(Callable, Sizes, IsMost));
  if (Callable.Settings.Step) {
    Lines.emplace_back("a graph of the whole step: what its body computes, its backward(), its optimizers' step()");
    return Lines;
  }
  if (Callable.Settings.Outputs == OutputPolicy::Host) {
    Lines.emplace_back("a graph of the forward: results in the memory of the host have no history");
    Lines.push_back("up to " + count(static_cast<std::size_t>(Callable.Settings.Slots), "slot") + ", for calls on several threads");
    return Lines;
  }
  Lines.emplace_back("a forward graph, and a backward graph for each pattern of gradients that come in");
  Lines.push_back("up to " + count(static_cast<std::size_t>(Callable.Settings.Slots), "slot") +
                  " of each, for forwards that come before earlier ones' backwards");
  return Lines;
}

std::vector<Explanation::Option> optionsOf(const Options& Settings) {
  const auto yesOrNo = [](bool Value) { return Value ? "yes" : "no"; };
  std::vector<Explanation::Option> Rows;
  const auto Add = [&](OptionKind Kind, const Twine& Value) {
    Rows.push_back({annotation::spelling(Kind).str(), Value.str(), Settings.Given.count(Kind) != 0});
  };
  Add(OptionKind::Warmup, Twine(Settings.Warmup));
  Add(OptionKind::Outputs, wordFor(Settings.Outputs));
  Add(OptionKind::Strict, yesOrNo(Settings.Strict));
  Add(OptionKind::Slots, Twine(Settings.Slots));
  Add(OptionKind::Pool, Settings.Pool.empty() ? "none, each capture has its own" : Settings.Pool);
  Add(OptionKind::Step, yesOrNo(Settings.Step));
  Add(OptionKind::Grads, Settings.GradsInGraph ? "in_graph" : "returned to autograd");
  for (const std::string& Each : Settings.Allowed) {
    Add(OptionKind::Allow, Each);
  }
  if (Settings.Allowed.empty()) {
    Add(OptionKind::Allow, "none");
  }
  return Rows;
}

}  // namespace

Explanation explanationOf(const FilePlan& Plan, const Callable& Callable) {
  Explanation Made;
  Made.Place = Plan.Input + ":" + std::to_string(Callable.Line);
  Made.Kind = kindOf(Callable);
  Made.Parameters = parametersOf(Callable);
  Made.Result = wordFor(Callable.Result);
  for (const Samples& Each : Callable.SampleSets) {
    Made.Samples.push_back(inputsOf(Callable, Each));
  }
  addWatched(Made, Callable);
  Made.Writes = writesOf(Callable);
  Made.Captures = capturesOf(Callable);
  Made.Options = optionsOf(Callable.Settings);
  Made.Misses = reasonsToMiss(Callable);
  Made.Consts = scalarsOf(Callable, ScalarKind::Const);
  return Made;
}

}  // namespace graphgen::plan
