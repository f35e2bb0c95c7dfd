// SPDX-License-Identifier: Apache-2.0
//
// A row is parsed when its name is asked for, once.
#include "check/torch/Corrections.h"
#include "check/torch/Operator.h"
#include "check/torch/Schema.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <mutex>

namespace graphgen::check {
namespace {

// Each row is a line: a schema, and behind bars its tags. One text, since a pointer for each row would make every start of graphgen slower.
constexpr llvm::StringLiteral OfSchemas =
#include "check/torch/Operators.inc"
    ;

/// What C++ has beside the schemas.
constexpr llvm::StringLiteral OfCpp =
#include "check/torch/OperatorsOfCpp.inc"
    ;

llvm::StringRef nameIn(llvm::StringRef Line) {
  return Line.take_until([](char Each) { return Each == '.' || Each == '('; });
}

llvm::StringRef lineAround(llvm::StringRef Text, size_t At) {
  const size_t Before = Text.take_front(At).rfind('\n');
  const size_t Begin = Before == llvm::StringRef::npos ? 0 : Before + 1;
  return Text.slice(Begin, Text.find('\n', At));
}

/// The end of the text that begins with the first line of the name, or of a later one: the lines are sorted by names.
llvm::StringRef fromName(llvm::StringRef Text, llvm::StringRef Name) {
  size_t Low = 0;
  size_t High = Text.size();
  while (Low < High) {
    const llvm::StringRef Line = lineAround(Text, Low + ((High - Low) / 2));
    const size_t Begin = Line.data() - Text.data();
    if (nameIn(Line) < Name) {
      Low = std::min(Begin + Line.size() + 1, Text.size());
    } else {
      High = Begin;
    }
  }
  return Text.substr(Low);
}

uint16_t tagNamed(llvm::StringRef Name) {
  return llvm::StringSwitch<uint16_t>(Name)
      .Case("Pointwise", Pointwise)
      .Case("Reduction", Reduction)
      .Case("InplaceView", InplaceView)
      .Case("DynamicOutputShape", DynamicOutputShape)
      .Case("DataDependentOutput", DataDependentOutput)
      .Case("NondeterministicSeeded", NondeterministicSeeded)
      .Case("ViewCopy", ViewCopy)
      .Case("MaybeAliasingOrMutating", MaybeAliasingOrMutating);
}

Operator operatorIn(llvm::StringRef Line) {
  auto [Schema, Tags] = Line.split(" | ");
  Operator Result = parseSchema(Schema);
  for (const llvm::StringRef Each : llvm::split(Tags, " | ")) {
    Result.Tags |= Each.empty() ? 0 : tagNamed(Each);
  }
  correct(Result);
  return Result;
}

std::vector<Operator> readRows(llvm::StringRef Name) {
  std::vector<Operator> Result;
  for (const llvm::StringRef Each : llvm::split(fromName(OfSchemas.trim(), Name), '\n')) {
    if (nameIn(Each) != Name) {
      break;
    }
    Result.push_back(operatorIn(Each));
  }
  for (const llvm::StringRef Each : llvm::split(OfCpp, '\n')) {
    if (!Each.empty() && nameIn(Each) == Name) {
      Result.push_back(operatorIn(Each));
    }
  }
  return Result;
}

bool isFresh(const Operator::Result& R) { return R.Type == Operator::Kind::Tensor && R.Memory.Set == 0; }

bool takesTensors(const Operator::Parameter& P) {
  return P.Type == Operator::Kind::Tensor || P.Type == Operator::Kind::OptionalTensor || P.Type == Operator::Kind::TensorList ||
         P.Type == Operator::Kind::OptionalTensorList;
}

}  // namespace

llvm::ArrayRef<Operator> operatorsNamed(llvm::StringRef Name) {
  static std::mutex Lock;
  static llvm::StringMap<std::vector<Operator>> Read;
  const std::lock_guard Guard(Lock);
  const auto [Found, IsNew] = Read.try_emplace(Name);
  if (IsNew) {
    Found->second = readRows(Name);
  }
  return Found->second;
}

const Operator::Parameter* Operator::parameter(llvm::StringRef Wanted) const {
  const auto Found = llvm::find_if(Parameters, [&](const Parameter& Each) { return Each.Name == Wanted; });
  return Found == Parameters.end() ? nullptr : &*Found;
}

llvm::SmallVector<const Operator::Parameter*, 1> Operator::aliasesOf(const Result& R) const {
  llvm::SmallVector<const Parameter*, 1> Found;
  for (const Parameter& Each : Parameters) {
    if (R.Memory.Set != 0 && Each.Memory.Set == R.Memory.Set) {
      Found.push_back(&Each);
    }
  }
  return Found;
}

bool Operator::isView() const {
  return llvm::any_of(Results, [&](const Result& Each) {
    return llvm::any_of(aliasesOf(Each), [](const Parameter* Its) { return !Its->Memory.IsWritten; });
  });
}

bool Operator::isInPlace() const { return !Parameters.empty() && Parameters[0].Memory.IsWritten && !Parameters[0].IsKeywordOnly; }

bool Operator::isOut() const {
  return llvm::any_of(Parameters, [](const Parameter& Each) { return Each.IsKeywordOnly && Each.Memory.IsWritten; });
}

bool Operator::isFactory() const {
  const bool Makes = Results.size() == 1 && isFresh(Results[0]);
  const bool Converts = parameter("non_blocking") != nullptr;
  return Makes && !Converts && ((parameter("dtype") && parameter("device")) || llvm::none_of(Parameters, takesTensors));
}

bool Operator::writes(llvm::StringRef Wanted) const {
  const Parameter* Its = parameter(Wanted);
  return Its && Its->Memory.IsWritten;
}

}  // namespace graphgen::check
