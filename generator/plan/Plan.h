// SPDX-License-Identifier: Apache-2.0
//
// What is generated for a file, decided: every tensor of every callable with its evaluated shape, every option with its value.
#pragma once

#include "annotation/Callable.h"
#include "annotation/Diagnostic.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace graphgen::plan {

struct Tensor {
  std::string Name;  // "obs", or "hs[1]" for an element of a list
  annotation::DType Type = annotation::DType::F32;
  std::vector<int64_t> Shape;
  std::set<annotation::Flag> Flags;
};

/// A parameter of the callable. It holds tensors, Callable::Tensors[FirstTensor] and the following, or it is a scalar.
struct Parameter {
  std::string Name;
  annotation::ParameterType Type = annotation::ParameterType::Tensor;
  std::optional<std::string> Default;
  std::size_t FirstTensor = 0;
  std::size_t TensorCount = 0;
  std::optional<annotation::ScalarKind> Scalar;
  std::size_t LiveIndex = 0;  // of a live scalar, among the callable's
};

enum class OutputPolicy { Keep, Alias, Clone };

struct Options {
  int64_t Warmup = 3;
  OutputPolicy Outputs = OutputPolicy::Keep;
  bool Strict = false;
  int64_t Slots = 2;
  std::string Pool;  // empty: a pool for each capture
  bool Retain = false;
};

struct Callable {
  std::string QualifiedName;
  annotation::CallableKind Kind = annotation::CallableKind::Function;
  std::optional<std::string> OverloadType;
  std::string ObjectType;
  bool ObjectIsConst = false;
  bool ObjectIsModule = false;
  unsigned Line = 0;
  std::string AnnotationText;  // canonical, one line of printable characters
  /// Unlike any other of the file, in CamelCase: "Policy", "NetImplForward". Generated entities are named after it.
  std::string Identifier;
  std::vector<Parameter> Parameters;  // all of them, in the order of the declaration
  std::vector<Tensor> Tensors;        // in the order of the parameters
  Options Settings;
};

struct FilePlan {
  /// Relative, with forward slashes: as generated code includes it.
  std::string Input;
  bool IsHeader = false;
  std::vector<Callable> Callables;
};

/// What is wrong with the annotation of Callables[CallableIndex].
struct Problem {
  std::size_t CallableIndex = 0;
  annotation::Diagnostic What;
};

/// Fails where generated code could not include a file of this name, or would be written outside its folder: an absolute path, `..`,
/// quotes, backslashes, control characters.
llvm::Error checkInputName(llvm::StringRef Input);

/// `Input` has passed checkInputName. Nothing where there are problems: a form that is not supported yet, a dimension, count or option
/// without a possible value, a flag that its tensor cannot have, a parameter without an argument, several annotations of one callable. That
/// the arguments fit the parameters' types is taken for granted.
std::optional<FilePlan> makePlan(llvm::StringRef Input, bool IsHeader, llvm::ArrayRef<annotation::Callable> Callables,
                                 std::vector<Problem>& Problems);

}  // namespace graphgen::plan
