// SPDX-License-Identifier: Apache-2.0
//
// What kind of place a C++ type is: a tensor, a number, what leads elsewhere, what has parts.
#pragma once

#include "clang/AST/Type.h"

#include <cstdint>

namespace graphgen::check::flow {

enum class TypeKind : uint8_t {
  Tensor,    // also std::optional<Tensor>
  Number,    // arithmetic, an enumerator, at::Scalar, what options and dtypes are
  Pointer,   // also smart ones, holders of modules, iterators, std::reference_wrapper
  Function,  // std::function, a pointer to a function or to a method
  Sequence,  // elements by an index: std::vector, std::array, a C array, at::TensorList, std::initializer_list
  Map,       // elements by a key: std::map, c10::Dict, torch::OrderedDict
  Tuple,     // std::tuple
  Optional,  // std::optional of what is not a tensor
  Record,    // any other class
};

TypeKind kindOf(clang::QualType Type);

/// std::pair, a Record whose fields are the parts.
bool isPair(clang::QualType Type);

/// Of a Sequence, a Map or a Tuple's place; null where it is not known.
clang::QualType elementOf(clang::QualType Type, unsigned Index = 0);
/// What a Pointer leads to, or an Optional holds; null where it is not known.
clang::QualType pointeeOf(clang::QualType Type);

/// Whether a variable of the type holds its value by itself: no Sequence, Map, Tuple, Optional or Record.
bool isLeaf(clang::QualType Type);

/// torch::NoGradGuard and its like, which set the grad mode until they end.
bool isGradGuard(clang::QualType Type);

}  // namespace graphgen::check::flow
