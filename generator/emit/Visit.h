// SPDX-License-Identifier: Apache-2.0
//
// The statements that visit each tensor of an aggregate, its access path spelled out.
#pragma once

#include "plan/Plan.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstddef>
#include <string>
#include <vector>

namespace graphgen::emit {

/// Whether its type does, be it of lists that are empty. Those that no call looks at do not count.
bool holdsTensors(const plan::Part& P);

/// Whether the arguments are passed on as they are: no aggregates, and no lists whose length is another in another annotation.
bool hasFlatArguments(const plan::Callable& Callable);
/// Whether the callable may assign members of arguments.
bool changesArguments(const plan::Callable& Callable);
/// Whether the result is void, a tensor, or a vector, tuple, pair or array of tensors, and all that a call gives.
bool hasFlatResult(const plan::Callable& Callable);

/// Whether the result has numbers, which the callable reads of tensors.
bool hasHostValues(const plan::Part& Result);

/// What the visitor is called beside parameters that are called `Names`.
std::string visitor(llvm::ArrayRef<std::string> Names);

/// Over the parameters that hold tensors, which are called `Names`: the visitor gets the tensors in the order of the table.
std::string visitArguments(llvm::ArrayRef<const plan::Parameter*> Parameters, llvm::ArrayRef<std::string> Names);

/// Over `result`: the callable's, or an Outcome, which has the arguments that it may have changed as well.
std::string visitResult(const plan::Callable& Callable);

/// What the callable's result is called in an Outcome: unlike the parameters.
std::string resultName(const plan::Callable& Callable);

/// "arguments.state = std::move(outcome.state)" for each argument that the callable may have changed. A live scalar, and what is
/// ignored, stays the caller's, and so does an `out` tensor that was not assigned.
std::vector<std::string> changesGivenBack(const plan::Callable& Callable);

/// ".key("b.flag", b.flag)" for each scalar of the parameter, which is called `Name`.
std::vector<std::string> scalarCalls(const plan::Parameter& Parameter, const std::string& Name);

/// "graphed::Scalar::over(in[7])" of a live scalar: they come after all tensors.
std::string staticScalar(const plan::Callable& Callable, const plan::Part& Live);

/// "static_b.loss = at::Tensor()" for each `out` tensor: a capture is not given the caller's.
std::vector<std::string> outsCleared(const plan::Part& P, const std::string& Expression);

/// "static_b.lr = graphed::Scalar::over(in[7])" for each live scalar of the parameter, whose copy is called `Name`.
std::vector<std::string> liveAssignments(const plan::Callable& Callable, const plan::Parameter& Parameter, const std::string& Name);

}  // namespace graphgen::emit
