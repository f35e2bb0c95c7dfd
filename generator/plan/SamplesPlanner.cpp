// SPDX-License-Identifier: Apache-2.0
//
// The tensors of one annotation.
#include "plan/SamplesPlanner.h"

#include "annotation/Evaluate.h"
#include "annotation/Printer.h"
#include "annotation/Variables.h"

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
      if (Argument->Value.What != annotation::Spec::Kind::Scalar) {
        addTensors(Each.Name, Argument->Value);
      }
    }
    return std::move(Result);
  }

 private:
  void addVariable(const annotation::DimVariable& Variable) {
    DimVariable New{Variable.Name, annotation::valuesOf(Variable, Declared.Constants), std::nullopt};
    if (Variable.Pad) {
      New.Pad = Variable.Pad->Fill;
      Padded.push_back(Variable.Name);
    }
    Result.Variables.push_back(std::move(New));
  }

  void addTensors(const std::string& Name, const annotation::Spec& Spec) {
    Tensor New;
    New.Type = Spec.Type;
    for (const annotation::Expr& Dim : Spec.Dims) {
      New.Shape.push_back(annotation::print(annotation::fold(Dim, Declared.Constants)));
    }
    for (const annotation::FlagUse& Use : Spec.Flags) {
      New.Flags.insert(Use.Value);
    }
    if (!Spec.Repeat) {
      return addTensor(Name, Spec, New);
    }
    const int64_t Count = std::get<int64_t>(annotation::evaluateCount(*Spec.Repeat, Declared.Constants));
    for (int64_t I = 0; I < Count; ++I) {
      addTensor(Name + '[' + std::to_string(I) + ']', Spec, New);
    }
  }

  void addTensor(const std::string& Name, const annotation::Spec& Spec, Tensor New) {
    for (const auto& [Index, Dim] : enumerate(Spec.Dims)) {
      const auto Variable = find(Padded, Dim.Name);
      if (Dim.Op == annotation::Expr::Kind::Name && Variable != Padded.end()) {
        Result.PaddedDims.push_back({Result.Tensors.size(), Index, static_cast<std::size_t>(Variable - Padded.begin())});
      }
    }
    New.Name = Name;
    Result.Tensors.push_back(std::move(New));
  }

  const annotation::Callable& Declared;
  std::vector<std::string> Padded;
  Samples Result;
};

}  // namespace

Samples planSamples(const annotation::Callable& Declared) { return SamplesPlanner(Declared).plan(); }

}  // namespace graphgen::plan
