// SPDX-License-Identifier: Apache-2.0
//
// C++ types as far as the glue cares, free of any compiler.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace graphgen::annotation {

enum class TypeKind {
  Void,
  Tensor,
  TensorLvalue,  // Tensor&
  Optional,      // std::optional
  Vector,        // std::vector
  ArrayRef,      // c10::ArrayRef, of which at::TensorList is one
  List,          // c10::List
  Array,         // std::array
  Map,           // std::map, std::unordered_map, c10::Dict, torch::OrderedDict: from std::string
  Struct,
  Tuple,  // std::tuple, std::pair
  Bool,
  Integer,
  FloatingPoint,
  Enum,
  String,
  Device,         // c10::Device
  AnyNumber,      // c10::Scalar
  ValueList,      // a vector, c10::ArrayRef or c10::List of what can be a key
  OptionalValue,  // std::optional of what can be a key
  LiveScalar,     // graphed::Scalar, by value or const&
  Module,         // torch::nn::Module: by reference, pointer, smart pointer or module holder
  Object,         // of another class: by reference, pointer or smart pointer
  Ignored,        // of any type: the annotation says `ignore`
  UniquePointer,  // std::unique_ptr, of a result
  Unsupported
};

struct Member;

/// References to const are looked through.
struct Type {
  TypeKind Kind = TypeKind::Unsupported;
  std::string Spelling;         // as written, for messages
  std::vector<Member> Members;  // of a struct or tuple; the element of an optional, list, array, map or pointer
  int64_t Length = 0;           // Array
  bool IsChangeable = false;    // of a parameter: by reference to non-const, an aggregate whose members the callable may assign
};

struct Member {
  std::string Name;  // of a struct's
  annotation::Type Type;
};

bool isTensor(TypeKind Kind);

bool isNumber(TypeKind Kind);

/// A graphed::Scalar could hold it.
bool couldBeLive(TypeKind Kind);

/// Neither a tensor nor an aggregate.
bool isScalar(TypeKind Kind);

/// What a call refers to, and does not copy.
bool isObject(TypeKind Kind);

/// A list whose length a call decides.
bool isList(TypeKind Kind);

}  // namespace graphgen::annotation
