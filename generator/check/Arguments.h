// SPDX-License-Identifier: Apache-2.0
//
// What several checks ask about a callable's parameters and the annotation's arguments.
#pragma once

#include "scan/Scan.h"

namespace graphgen::check {

bool holdsTensors(annotation::ParameterType Type);
/// Whether graphed::Scalar can stand in its place.
bool isNumber(annotation::ParameterType Type);
bool isListOfTensors(annotation::ParameterType Type);

/// Null where the annotation does not name `Parameter`.
const annotation::Field* argumentOf(const annotation::Callable& Callable, const annotation::Parameter& Parameter);

/// The empty range after the last argument, and what goes there to add `Argument`.
annotation::FixIt additionOf(const annotation::Callable& Callable, llvm::StringRef Argument);

}  // namespace graphgen::check
