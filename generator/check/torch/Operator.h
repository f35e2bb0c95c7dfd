// SPDX-License-Identifier: Apache-2.0
//
// Operators of LibTorch, as their schemas describe them: aten/src/ATen/native/README.md of PyTorch explains the notation.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace graphgen::check {

/// Of native_functions.yaml; its tags.yaml explains each.
enum Tag : uint16_t {
  Pointwise = 1 << 0,
  Reduction = 1 << 1,
  InplaceView = 1 << 2,
  DynamicOutputShape = 1 << 3,
  DataDependentOutput = 1 << 4,
  NondeterministicSeeded = 1 << 5,
  ViewCopy = 1 << 6,
  MaybeAliasingOrMutating = 1 << 7,
};

struct Operator {
  enum class Kind {
    Tensor,
    OptionalTensor,
    TensorList,
    OptionalTensorList,
    Integer,  // also symbolic
    Float,
    Scalar,
    Bool,
    IntegerList,
    DType,
    Layout,
    Device,
    MemoryFormat,
    Generator,
    String,
    Other,  // names of dimensions, lists of numbers, storages, streams
  };

  /// `(a)`, `(a!)`, `(a -> *)`. What is in one set may share memory.
  struct Alias {
    char Set = 0;             // 0: in none
    bool IsWritten = false;   // the values, or the metadata
    bool IsPerhaps = false;   // may be a copy, or may not be written: depends on other arguments
    bool OfElements = false;  // of the tensors that a list holds
  };

  struct Parameter {
    llvm::StringRef Name;
    Kind Type = Kind::Other;
    Alias Memory;
    bool IsOptional = false;  // `?`, also where Type does not say it
    bool IsKeywordOnly = false;
    std::optional<llvm::StringRef> Default;
  };

  struct Result {
    llvm::StringRef Name;  // mostly empty
    Kind Type = Kind::Other;
    Alias Memory;
  };

  llvm::StringRef Name;      // "add_"
  llvm::StringRef Overload;  // "Tensor", or empty
  std::vector<Parameter> Parameters;
  std::vector<Result> Results;
  uint16_t Tags = 0;

  bool has(Tag One) const { return (Tags & One) != 0; }
  /// Null where there is none.
  const Parameter* parameter(llvm::StringRef Name) const;

  /// A result shares the memory of an argument that is not written, perhaps: `view`, `reshape`, `unbind`.
  bool isView() const;
  /// Writes its first argument: `add_`, `_foreach_add_`, `set_data`.
  bool isInPlace() const;
  /// Writes results into arguments: `add.out`.
  bool isOut() const;
  /// Makes a tensor whose device and dtype its arguments say: `zeros`, `zeros_like`, `new_zeros`.
  bool isFactory() const;
  /// The values or the metadata of the argument; perhaps, where Memory.IsPerhaps.
  bool writes(llvm::StringRef Parameter) const;
  /// The parameters whose memory the result shares; perhaps, where their Memory.IsPerhaps.
  llvm::SmallVector<const Operator::Parameter*, 1> aliasesOf(const Result& R) const;
};

/// All overloads, of all the versions of LibTorch that are supported; empty where the name is not an operator's.
llvm::ArrayRef<Operator> operatorsNamed(llvm::StringRef Name);

}  // namespace graphgen::check
