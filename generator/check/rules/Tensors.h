// SPDX-License-Identifier: Apache-2.0
//
// What rules ask about tensors, and about what an index is by.
#pragma once

#include "check/rules/Rule.h"

namespace graphgen::check {

/// Of what is at a place: of several, of each; null where unknown.
clang::QualType typeOf(const flow::PathNode& Of);

/// A tensor, or a list, a map or a tuple of them.
bool holdsTensors(clang::QualType Type);

/// Of an object of a class of the program's: the members that are tensors, or hold some, and those of its members, "cell.h".
std::vector<std::string> tensorsOf(clang::QualType Type);

/// The member itself where it holds tensors, or those of its class and of its members that do.
std::vector<const clang::FieldDecl*> tensorFieldsOf(const clang::FieldDecl& Member);
/// Those of the class, its bases and its members.
std::vector<const clang::FieldDecl*> tensorFieldsOf(const clang::CXXRecordDecl& Class);

/// Leads to a module of LibTorch's, or of a class that derives from it.
bool holdsModule(clang::QualType Type);

bool isOfHost(flow::ValueRef Known);
bool isOfDevice(flow::ValueRef Known);
bool isOfMask(flow::ValueRef Known);
bool isOfIntegers(flow::ValueRef Known);
bool hasNoDimensions(flow::ValueRef Known);
/// A number that is known to be true.
bool isTrue(flow::ValueRef Known);

/// All tensors that the call is given are of the host, and made of what is the same in each replay.
bool isOfKnownValues(const Occurrence& At);

/// At each annotation and all values of its dimensions; empty where it is not an argument.
std::vector<std::vector<int64_t>> sizesOf(flow::ValueRef Tensor, AnnotationsOfOne Annotations);

/// "the tensor is made here"
std::vector<Note> noteOfMade(flow::ValueRef Tensor);

/// x.index({i, 0}), x.index_put_({i}, v), at::index(x, {i}).
struct TensorIndexing {
  std::vector<flow::ValueRef> Tensors;  // that it is by
  std::optional<unsigned> Integers;     // that it is by, and by nothing else
  flow::ValueRef Written = nullptr;     // the tensor; null of a number
  bool IsIndex = false;                 // else the call is none
  bool IsWrite = false;
  bool IsByTensorIndex = false;  // each tensor of no dimensions becomes a number of the host
};
TensorIndexing indexingOf(const Occurrence& At);

}  // namespace graphgen::check
