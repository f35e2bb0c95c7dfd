// SPDX-License-Identifier: Apache-2.0
//
// An annotated declaration, free of any compiler: what scan finds, check judges and plan reads.
#pragma once

#include "annotation/Syntax.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace graphgen::annotation {

enum class CallableKind { Function, StaticMethod, Method };

/// A parameter's type, as far as the glue cares.
enum class ParameterType {
  Tensor,          // Tensor, const Tensor&
  TensorLvalue,    // Tensor&
  OptionalTensor,  // std::optional<Tensor>, by value or const&
  TensorVector,    // std::vector<Tensor>, by value or const&
  TensorList,      // at::TensorList, which is c10::ArrayRef<Tensor>
  Bool,
  Integer,
  FloatingPoint,
  Enum,
  String,
  LiveScalar,  // graphed::Scalar, by value or const&
  Unsupported
};

struct Parameter {
  std::string Name;  // empty when unnamed
  ParameterType Type = ParameterType::Unsupported;
  std::string Spelling;  // as written, for messages
  /// The default argument as generated code spells it: a literal, a cast of one, or `{}`.
  std::optional<std::string> Default;
};

enum class ResultType { Void, Tensor, TensorVector, TensorTuple, TensorPair, TensorArray };

struct Callable {
  std::string QualifiedName;  // "app::policy", "app::NetImpl::forward"; anonymous namespaces are left out
  CallableKind Kind = CallableKind::Function;
  /// For a callable whose name is overloaded: its function type, fully qualified, with cv and ref qualifiers.
  std::optional<std::string> OverloadType;  // "at::Tensor (const at::Tensor &) const"
  std::string ObjectType;                   // Method: "app::NetImpl"
  bool ObjectIsConst = false;               // Method: a const member function
  bool ObjectIsModule = false;              // Method: the class derives from torch::nn::Module
  std::vector<Parameter> Parameters;
  ResultType Result = ResultType::Void;

  std::string File;   // as given on the command line
  unsigned Line = 0;  // of the declaration's name

  std::string AnnotationText;
  Annotation Spec;
  /// The values of the names in dims and counts, looked up in the declaration's scope.
  std::map<std::string, int64_t> Constants;
};

}  // namespace graphgen::annotation
