// SPDX-License-Identifier: Apache-2.0
//
// The tensors of one annotation.
#include "plan/SamplesPlanner.h"

#include "annotation/Printer.h"
#include "annotation/Variables.h"
#include "plan/Flatten.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace graphgen::plan {
namespace {

constexpr std::size_t LongestText = 120;

/// A comment of one line can hold it: no line breaks, no backslash, no bytes that a reader cannot see.
std::string printable(StringRef Text) {
  std::string Result = "GRAPHED(" + Text.take_front(LongestText).str() + (Text.size() > LongestText ? "..." : "") + ")";
  for (char& C : Result) {
    if (!isPrint(C) || C == '\\') {
      C = '_';
    }
  }
  return Result;
}

class SamplesPlanner {
 public:
  explicit SamplesPlanner(const annotation::Callable& Declared) : Declared(Declared) {}

  Samples plan() {
    Result.AnnotationText = printable(annotation::print(Declared.Spec));
    for (const annotation::DimVariable& Each : Declared.Spec.Variables) {
      addVariable(Each);
    }
    for (const annotation::Parameter& Each : Declared.Parameters) {
      const auto Argument = find_if(Declared.Spec.Arguments, [&](const auto& Given) { return Given.Name == Each.Name; });
      flatten(Each, Argument->Value, Declared.Constants, Result);
    }
    return std::move(Result);
  }

 private:
  void addVariable(const annotation::DimVariable& Variable) {
    DimVariable New{Variable.Name, annotation::valuesOf(Variable, Declared.Constants), std::nullopt};
    if (Variable.Pad) {
      New.Pad = Variable.Pad->Fill;
    }
    Result.Variables.push_back(std::move(New));
  }

  const annotation::Callable& Declared;
  Samples Result;
};

}  // namespace

Samples planSamples(const annotation::Callable& Declared) { return SamplesPlanner(Declared).plan(); }

}  // namespace graphgen::plan
