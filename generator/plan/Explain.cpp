// SPDX-License-Identifier: Apache-2.0
//
// One section after another, each of lines that begin with its name.
#include "plan/Explain.h"

#include "plan/ExplainMisses.h"
#include "plan/PlanWords.h"
#include "plan/Sizes.h"
#include "plan/TextTable.h"
#include "plan/Units.h"

#include "annotation/Evaluate.h"
#include "annotation/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

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

/// By what they are multiplied with: the extents that are open, or nothing.
class InputBytes {
 public:
  InputBytes() = default;
  InputBytes(annotation::DType Type, ArrayRef<std::string> Extents) {
    auto Known = static_cast<uint64_t>(annotation::elementSize(Type));
    std::vector<std::string> Open;
    for (const std::string& Each : Extents) {
      if (const std::optional<int64_t> Number = numberIn(Each)) {
        Known *= static_cast<uint64_t>(*Number);
      } else {
        Open.push_back(all_of(Each, [](char C) { return isAlnum(C) || C == '_'; }) ? Each : "(" + Each + ")");
      }
    }
    Parts[join(Open, " * ")] = Known;
  }

  void add(const InputBytes& Others) {
    for (const auto& [Factor, Bytes] : Others.Parts) {
      uint64_t& Sum = Parts[Factor];
      Sum = SaturatingAdd(Sum, Bytes);
    }
  }

  /// "40 B", "1.0 KiB and 32 B for each B"
  std::string inWords() const {
    std::vector<std::string> Words;
    for (const auto& [Factor, Bytes] : Parts) {
      if (Bytes != 0 || Parts.size() == 1) {
        Words.push_back(bytesInWords(Bytes) + (Factor.empty() ? "" : " for each " + Factor));
      }
    }
    return Words.empty() ? bytesInWords(0) : join(Words, " and ");
  }

 private:
  std::map<std::string, uint64_t> Parts;
};

/// Of a live scalar, the mark says the rest.
std::string kindOf(const Part& P) { return P.Type == annotation::TypeKind::LiveScalar ? "scalar" : wordFor(P); }

class Explanation {
 public:
  Explanation(const FilePlan& Plan, const Callable& Callable, raw_ostream& Out) : Plan(Plan), Callable(Callable), Out(Out) {}

  void print() {
    printSurface();
    for (const Samples& Each : Callable.SampleSets) {
      printInputs(Each);
    }
    printWatched();
    printWrites();
    printElsewhere();
    printCaptures();
    printOptions();
    printMisses();
  }

 private:
  void printSurface();
  void printInputs(const Samples& Set);
  void printWatched();
  void printWrites();
  void printElsewhere();
  void printCaptures();
  void printOptions();
  void printMisses();
  std::string fateOf(const Tensor& Input) const;

  const FilePlan& Plan;
  const plan::Callable& Callable;
  raw_ostream& Out;
};

void Explanation::printSurface() {
  Out << Callable.QualifiedName << "  (" << Plan.Input << ':' << Callable.Line << ", " << wordFor(Callable.Kind);
  if (Callable.Kind == annotation::CallableKind::Method) {
    Out << (Callable.ObjectIsModule ? " of the module " : " of ") << Callable.ObjectType;
  }
  Out << ")\n";
  if (Callable.OverloadType) {
    Out << "  overload " << *Callable.OverloadType << '\n';
  }
  TextTable Table;
  for (const Parameter& Each : Callable.Parameters) {
    const std::string What = Each.Scalar ? annotation::spelling(*Each.Scalar).str() : "";
    Table.add({Each.Name, kindOf(Each), What, Each.Default ? "default " + *Each.Default : ""});
    if (!Each.Scalar) {
      forEachScalar(Each, [&](const Part& Member, const std::string& Path) {
        Table.add({Path, kindOf(Member), annotation::spelling(*Member.Scalar).str()});
      });
    }
  }
  Out << "\n  parameters\n" << (Callable.Parameters.empty() ? "    none\n" : "");
  Table.print(Out, "    ");
  Out << "  result\n    " << wordFor(Callable.Result) << '\n';
}

/// What a call does with the argument.
std::string Explanation::fateOf(const Tensor& Input) const {
  const auto Has = [&](Flag Each) { return Input.Flags.count(Each) != 0; };
  std::string Fate = Has(Flag::Static) ? "read where it lies" : "copied in";
  if (Has(Flag::Inplace)) {
    Fate += Has(Flag::Static) ? ", written there" : ", and back";
  }
  if (Has(Flag::Grad)) {
    Fate += Callable.Settings.GradsInGraph ? "; its .grad is written by the graph" : "; gets a gradient";
  }
  return Fate;
}

/// With the bytes of the largest size.
void Explanation::printInputs(const Samples& Set) {
  const Size Largest = sizesOf(Set).back();
  Size Shown = Set.Lengths;
  Shown.insert(Largest.begin(), Largest.end());
  Out << "\n  inputs of " << Set.AnnotationText << (Shown.empty() ? "" : ", at " + textOf(Shown)) << '\n';
  TextTable Table(/*RightAligned=*/2);
  InputBytes Total;
  for (const Tensor& Each : Set.Tensors) {
    const std::vector<std::string> Extents = *extentsAt(Each, Largest, openSizesOf(Set));
    const InputBytes Bytes(Each.Type, Extents);
    if (Each.Flags.count(Flag::Static) == 0) {
      Total.add(Bytes);
    }
    const std::string Flags = join(map_range(Each.Flags, [](Flag F) { return " " + annotation::spelling(F).str(); }), "");
    Table.add({Each.Name, typeAndShape(Each.Type, Extents) + Flags, Bytes.inWords(), fateOf(Each)});
  }
  Table.add({"in all", "static memory of a capture", Total.inWords(), "besides results, saved tensors and temporaries"});
  Table.print(Out, "    ");
}

void Explanation::printWatched() {
  bool IsGuessed = false;
  TextTable Table;
  const auto Add = [&](ArrayRef<annotation::WatchedMember> Members) {
    for (const annotation::WatchedMember& Each : Members) {
      Table.add({Each.Name, kindInWords(Each.What).str(), effectInWords(Each.What).str()});
      IsGuessed |= Each.IsGuessed;
    }
  };
  const auto Print = [&](bool IsEmpty) {
    Out << (IsEmpty ? "    none\n" : "");
    Table.print(Out, "    ");
    Out << (IsGuessed ? "    some of them because a body may name them that is not in this file\n" : "");
    Table = TextTable();
    IsGuessed = false;
  };
  if (Callable.Kind == annotation::CallableKind::Method && !Callable.ObjectIsModule) {
    Out << "\n  members of the object that each call looks at\n";
    Add(Callable.Watched);
    Print(Callable.Watched.empty());
  }
  if (takesObjects(Callable)) {
    Out << "\n  objects among the arguments, and what each call looks at in them\n";
    for (const Parameter& Each : Callable.Parameters) {
      if (annotation::isObject(Each.Type)) {
        Table.add({Each.Name, wordFor(Each), effectInWords(Each.Type).str()});
        Add(Each.Watched);
      }
    }
    Print(false);
  }
}

void Explanation::printWrites() {
  Out << "\n  writes that outlive a call, besides those of LibTorch's modules\n";
  if (!Callable.Writes) {
    Out << "    unknown: the file has no body of it\n";
    return;
  }
  TextTable Table;
  for (const annotation::Write& Each : *Callable.Writes) {
    Table.add({Each.Target, Each.Operation, Each.Outcome});
  }
  if (Callable.Settings.Step) {
    Table.add({"the leaves' .grad", "backward()", "kept in place"});
    Table.add({"parameters, and states of optimizers", "step()", "kept in place"});
  } else if (Callable.Writes->empty()) {
    Out << "    none\n";
  }
  Table.print(Out, "    ");
}

void Explanation::printElsewhere() {
  if (!Callable.Elsewhere || Callable.Elsewhere->empty()) {
    return;
  }
  Out << "\n  calls of functions that this file has no body of\n";
  for_each(*Callable.Elsewhere, [&](const std::string& Each) { Out << "    " << Each << '\n'; });
}

void Explanation::printCaptures() {
  Out << "\n  captures\n";
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
      if (!Told.emplace(Set.Annotation, Each.Name).second) {
        continue;
      }
      if (Each.isOpen()) {
        Out << "    " << Each.Name << " is what the first calls bring, at most " << count(static_cast<std::size_t>(*Each.AtMost), "value")
            << '\n';
        continue;
      }
      Out << "    " << Each.Name << " is " << join(map_range(Each.Values, [](int64_t V) { return std::to_string(V); }), ", ")
          << (Each.Pad ? "; a size between is rounded up, the rows added are " : "")
          << (!Each.Pad                                ? ""
              : *Each.Pad == annotation::PadFill::Zero ? "zeros"
                                                       : "copies of the last")
          << '\n';
    }
    Sizes += OfSet;
  }
  for (const auto& [Name, Values] : Lengths) {
    Out << "    " << Name << " is " << join(map_range(Values, [](int64_t V) { return std::to_string(V); }), ", ") << '\n';
  }
  const std::vector<std::string> Keys = scalarsOf(Callable, ScalarKind::Key);
  Out << "    one for each of " << (IsMost ? "at most " : "") << count(Sizes, "size") << (Keys.empty() ? "" : ", each value of ")
      << join(Keys, ", ") << (hasFlag(Callable, Flag::Optional) ? ", which optional tensors are there" : "")
      << ", and each mode (grad, inference, autocast, device, the context's switches"
      << (Callable.ObjectIsModule    ? ", which modules train"
          : Callable.Watched.empty() ? ""
                                     : ", what the object holds")
      << (takesObjects(Callable) ? ", which objects the arguments are, what they hold" : "") << ")\n";
  if (Callable.Settings.Step) {
    Out << "    a graph of the whole step: what its body computes, its backward(), its optimizers' step()\n";
    return;
  }
  Out << "    a forward graph, and a backward graph for each pattern of gradients that come in\n"
      << "    up to " << count(static_cast<std::size_t>(Callable.Settings.Slots), "slot")
      << " of each, for forwards that come before earlier ones' backwards\n";
}

void Explanation::printOptions() {
  const Options& Settings = Callable.Settings;
  const auto yesOrNo = [](bool Value) { return Value ? "yes" : "no"; };
  TextTable Table;
  const auto Add = [&](OptionKind Kind, const Twine& Value) {
    Table.add({annotation::spelling(Kind).str(), Value.str(), Settings.Given.count(Kind) != 0 ? "given" : "default"});
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
  Out << "\n  options\n";
  Table.print(Out, "    ");
}

void Explanation::printMisses() {
  Out << "\n  "
      << (Callable.Settings.Strict ? "a call throws graphed::GuardError where"
                                   : "a call runs the plain callable, and is counted as a miss, where")
      << '\n';
  for (const std::string& Each : reasonsToMiss(Callable)) {
    Out << "    - " << Each << '\n';
  }
  Out << "  a call runs the plain callable inside of another capture, while another thread captures, and where graphs are disabled\n";
  for (const std::string& Each : scalarsOf(Callable, ScalarKind::Const)) {
    Out << "  a call throws graphed::GuardError where " << Each << " has another value than in the first call\n";
  }
}

}  // namespace

std::string explain(const FilePlan& Plan) {
  std::string Text;
  raw_string_ostream Out(Text);
  for (const auto& [Index, Each] : enumerate(Plan.Callables)) {
    Out << (Index == 0 ? "" : "\n\n");
    Explanation(Plan, Each, Out).print();
  }
  return Text;
}

}  // namespace graphgen::plan
