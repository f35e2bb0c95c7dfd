// SPDX-License-Identifier: Apache-2.0
//
// Arguments are matched to parameters by name.
#include "check/Arguments.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {

using annotation::ParameterType;

bool isListOfTensors(ParameterType Type) { return Type == ParameterType::TensorVector || Type == ParameterType::TensorList; }

bool isNumber(ParameterType Type) {
  return Type == ParameterType::Bool || Type == ParameterType::Integer || Type == ParameterType::FloatingPoint;
}

bool holdsTensors(ParameterType Type) {
  return Type == ParameterType::Tensor || Type == ParameterType::TensorLvalue || Type == ParameterType::OptionalTensor ||
         isListOfTensors(Type);
}

const annotation::Field* argumentOf(const annotation::Callable& Callable, const annotation::Parameter& Parameter) {
  const auto Found = llvm::find_if(Callable.Spec.Arguments, [&](const annotation::Field& F) { return F.Name == Parameter.Name; });
  return Found == Callable.Spec.Arguments.end() ? nullptr : &*Found;
}

annotation::FixIt additionOf(const annotation::Callable& Callable, llvm::StringRef Argument) {
  if (Callable.Spec.Arguments.empty()) {
    return {{}, Argument.str()};
  }
  const unsigned End = Callable.Spec.Arguments.back().Value.Range.End;
  return {{End, End}, (", " + Argument).str()};
}

}  // namespace graphgen::check
