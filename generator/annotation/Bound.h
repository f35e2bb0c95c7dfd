// SPDX-License-Identifier: Apache-2.0
//
// The parameters of an annotated declaration as one tree: each node joins a type with what the annotation says of it, its names resolved.
// Whatever reads an annotated callable reads this.
#pragma once

#include "annotation/Evaluate.h"
#include "annotation/Type.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>
#include <vector>

namespace graphgen::annotation {

/// A parameter, a member of a struct or tuple, an element, or a map's key. Arithmetic in it has no names but those of dimension variables.
struct Bound {
  std::string Name;  // of a parameter, a struct's member, a map's key; else empty
  std::string Path;  // as the user spells it: "batch.obs", "hs[0]" for all elements of a list

  TypeKind Kind = TypeKind::Unsupported;
  std::string Spelling;       // of the type
  int64_t Length = 0;         // that the type of an array has
  bool IsChangeable = false;  // as Type has it; or a Tensor & that the callable assigns, and does not write in place

  /// Nothing where the annotation does not name it. Without the braces around a list that is an element; an element's has no count. Fields
  /// are those that no part has.
  std::optional<Spec> Said;

  /// Of a struct or tuple in the order of the declaration, of a map as the keys sort. Of another it is the element, or each of its elements
  /// where the annotation says them one by one. A map has one of no name where the annotation says no keys.
  std::vector<Bound> Parts;
  bool IsByPosition = false;  // of a list or array: `{f32[2], f32[3]}`
};

/// A tensor, where it may be absent, or a list of tensors: what a call passes on as it is.
bool isFlat(const Bound& B);

/// Whether the annotation says just this of it.
bool isSaid(const Bound& B, UnseenKind Kind);

/// The number of elements that the annotation says of a list or array; nothing where it says none, or a variable that has no value here.
std::optional<int64_t> countOf(const Bound& List, const Constants& Variables = {});

/// Of a tensor that the annotation says, where the dimension variables have these values.
std::vector<int64_t> shapeAt(const Spec& Tensor, const Constants& Values);

/// Calls `F` with what the annotation says of each tensor in `B`; once for all elements of a list.
void forEachTensor(const Bound& B, llvm::function_ref<void(const Spec&)> F);

/// Whether it, or a part of it, is marked so.
bool anyHasFlag(const Bound& B, Flag Value);

}  // namespace graphgen::annotation
