// SPDX-License-Identifier: Apache-2.0
//
// One section after another, each of lines that begin with its name.
#include "plan/Explain.h"

#include "plan/Explanation.h"
#include "plan/TextTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace graphgen::plan {
namespace {

void printSurface(raw_ostream& Out, const Callable& Callable, const Explanation& Told) {
  Out << Callable.QualifiedName << "  (" << Told.Place << ", " << Told.Kind << ")\n";
  if (Callable.IsOverloaded) {
    Out << "  overload " << *Callable.FunctionType << '\n';
  }
  TextTable Table;
  for (const Explanation::Parameter& Each : Told.Parameters) {
    Table.add({Each.Name, Each.Type, Each.Scalar, Each.Default.empty() ? "" : "default " + Each.Default});
  }
  Out << "\n  parameters\n" << (Told.Parameters.empty() ? "    none\n" : "");
  Table.print(Out, "    ");
  Out << "  result\n    " << Told.Result << '\n';
}

void printInputs(raw_ostream& Out, const Explanation::Inputs& Told) {
  Out << "\n  inputs of " << Told.Annotation << (Told.At.empty() ? "" : ", at " + Told.At) << '\n';
  TextTable Table(/*RightAligned=*/2);
  for (const Explanation::Input& Each : Told.Tensors) {
    Table.add({Each.Name, Each.Type, Each.Bytes.inWords(), Each.Fate});
  }
  Table.add({"in all", "static memory of a capture", Told.Static.inWords(), "besides results, saved tensors and temporaries"});
  Table.print(Out, "    ");
}

void printWatched(raw_ostream& Out, const char* Title, const std::optional<Explanation::WatchedGroup>& Told) {
  if (!Told) {
    return;
  }
  Out << "\n  " << Title << '\n' << (Told->Members.empty() ? "    none\n" : "");
  TextTable Table;
  for (const Explanation::Watched& Each : Told->Members) {
    Table.add({Each.Name, Each.What, Each.Effect});
  }
  Table.print(Out, "    ");
  Out << (Told->IsGuessed ? "    some of them because a body may name them that is not in this file\n" : "");
}

void printWrites(raw_ostream& Out, const std::optional<std::vector<annotation::Write>>& Writes) {
  Out << "\n  writes that outlive a call, besides those of LibTorch's modules\n";
  if (!Writes) {
    Out << "    unknown: the file has no body of it\n";
    return;
  }
  TextTable Table;
  for (const annotation::Write& Each : *Writes) {
    Table.add({Each.Target, Each.Operation, Each.Outcome});
  }
  Out << (Writes->empty() ? "    none\n" : "");
  Table.print(Out, "    ");
}

void printElsewhere(raw_ostream& Out, const Callable& Callable) {
  if (!Callable.Elsewhere || Callable.Elsewhere->empty()) {
    return;
  }
  Out << "\n  calls of functions that this file has no body of\n";
  for_each(*Callable.Elsewhere, [&](const std::string& Each) { Out << "    " << Each << '\n'; });
}

void printCaptures(raw_ostream& Out, const Explanation& Told) {
  Out << "\n  captures\n";
  for_each(Told.Captures, [&](const std::string& Each) { Out << "    " << Each << '\n'; });
  TextTable Table;
  for (const Explanation::Option& Each : Told.Options) {
    Table.add({Each.Name, Each.Value, Each.IsGiven ? "given" : "default"});
  }
  Out << "\n  options\n";
  Table.print(Out, "    ");
}

void printMisses(raw_ostream& Out, const Explanation& Told, bool IsStrict) {
  Out << "\n  " << (IsStrict ? "a call throws graphed::GuardError where" : "a call runs the original function, and counts as a miss, where")
      << '\n';
  for_each(Told.Misses, [&](const std::string& Each) { Out << "    - " << Each << '\n'; });
  Out << "  a call runs the original function inside of another capture, while another thread captures, and where graphs are disabled\n";
  for (const std::string& Each : Told.Consts) {
    Out << "  a call throws graphed::GuardError where " << Each << " has another value than in the first call\n";
  }
}

void print(raw_ostream& Out, const FilePlan& Plan, const Callable& Callable) {
  const Explanation Told = explanationOf(Plan, Callable);
  printSurface(Out, Callable, Told);
  for_each(Told.Samples, [&](const Explanation::Inputs& Each) { printInputs(Out, Each); });
  printWatched(Out,
               Callable.ObjectIsModule ? "members of the object that each call looks at, beside what it has registered"
                                       : "members of the object that each call looks at",
               Told.Object);
  printWatched(Out, "variables that each call looks at", Told.Variables);
  printWatched(Out, "objects among the arguments, and what each call looks at in them", Told.Arguments);
  printWrites(Out, Told.Writes);
  printElsewhere(Out, Callable);
  printCaptures(Out, Told);
  printMisses(Out, Told, Callable.Settings.Strict);
}

}  // namespace

std::string explain(const FilePlan& Plan) {
  std::string Text;
  raw_string_ostream Out(Text);
  for (const auto& [Index, Each] : enumerate(Plan.Callables)) {
    Out << (Index == 0 ? "" : "\n\n");
    print(Out, Plan, Each);
  }
  return Text;
}

}  // namespace graphgen::plan
