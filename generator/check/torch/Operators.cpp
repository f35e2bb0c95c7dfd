// SPDX-License-Identifier: Apache-2.0
//
// A row is parsed when its name is asked for, once.
#include "check/torch/Corrections.h"
#include "check/torch/Operator.h"
#include "check/torch/Schema.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <mutex>

namespace graphgen::check {
namespace {

struct Row {
  llvm::StringLiteral Schema;
  uint16_t Tags;

  llvm::StringRef name() const {
    return Schema.take_until([](char Each) { return Each == '.' || Each == '('; });
  }
};

constexpr Row OperatorRows[] = {
#include "check/torch/Operators.inc"
};

/// What C++ has beside the schemas.
constexpr Row OperatorRowsOfCpp[] = {
#include "check/torch/OperatorsOfCpp.inc"
};

Operator operatorOf(const Row& Each) {
  Operator Result = parseSchema(Each.Schema);
  Result.Tags = Each.Tags;
  correct(Result);
  return Result;
}

std::vector<Operator> readRows(llvm::StringRef Name) {
  std::vector<Operator> Result;
  for (const Row *Each = llvm::lower_bound(OperatorRows, Name, [](const Row& R, llvm::StringRef N) { return R.name() < N; });
       Each != std::end(OperatorRows) && Each->name() == Name; ++Each) {
    Result.push_back(operatorOf(*Each));
  }
  for (const Row& Each : OperatorRowsOfCpp) {
    if (Each.name() == Name) {
      Result.push_back(operatorOf(Each));
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
