// SPDX-License-Identifier: Apache-2.0
//
// The GRAPHED language as a tree: what the parser builds, the printer writes and the later layers read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphgen::annotation {

/// Bytes [Begin, End) of the annotation's text.
struct TextRange {
  unsigned Begin = 0;
  unsigned End = 0;
};

enum class DType { F64, F32, F16, BF16, F8E4M3, F8E5M2, C64, C128, I64, I32, I16, I8, U8, Bool };

/// A dimension or a count: an integer, a name, or arithmetic on them.
struct Expr {
  enum class Kind { Integer, Name, Negate, Add, Subtract, Multiply, Divide, Remainder };
  Kind Op = Kind::Integer;
  int64_t Value = 0;           // Integer
  std::string Name;            // Name: possibly qualified, as written ("config::kBatch")
  std::vector<Expr> Operands;  // one for Negate, two for the others
  TextRange Range;             // without the parentheses around it
};

enum class Flag { Grad, ChannelsLast, Inplace, Static, Optional, Host };
struct FlagUse {
  Flag Value = Flag::Grad;
  TextRange Range;
};

enum class ScalarKind { Key, Const, Live };

/// An argument that a call refers to: a torch::nn::Module, or an object of another class.
enum class ObjectKind { Module, Object };

/// What no call looks at: a tensor that the callable assigns before it reads it, or what takes no part.
enum class UnseenKind { Out, Ignore };

struct Spec;

/// A member of an aggregate: `obs: f32[64, 8]`, or without a name in a tuple or pair.
struct Field;

/// What an argument is said to be.
struct Spec {
  enum class Kind { Tensor, Scalar, Object, Unseen, Aggregate };
  Kind What = Kind::Tensor;
  TextRange Range;

  DType Type = DType::F32;                 // Tensor
  std::vector<Expr> Dims;                  // Tensor
  std::vector<FlagUse> Flags;              // Tensor
  ScalarKind Scalar = ScalarKind::Key;     // Scalar
  ObjectKind Object = ObjectKind::Module;  // Object
  UnseenKind Unseen = UnseenKind::Out;     // Unseen
  std::vector<Field> Fields;               // Aggregate
  std::optional<Expr> Repeat;              // `* n`, of all but an Object or what is Unseen
};

struct Field {
  std::string Name;  // empty: by position
  TextRange NameRange;
  Spec Value;
};

/// What fills the rows between a batch and the next value: zeros, or copies of the batch's last row.
enum class PadFill { Zero, Repeat };
struct Padding {
  PadFill Fill = PadFill::Zero;
  TextRange Range;
};

/// `B in {1, 8, 64} pad`, or `B in any 4`
struct DimVariable {
  std::string Name;
  TextRange NameRange;
  std::vector<Expr> Values;  // empty where calls provide them
  std::optional<Padding> Pad;
  TextRange Range;
  std::optional<Expr> AtMost = {};  // of the values that calls provide
};

enum class OptionKind { Outputs, Pool, Slots, Warmup, Step, Strict, Order, Grads, Allow };
struct Option {
  OptionKind Kind = OptionKind::Outputs;
  std::string Word;           // outputs, pool, grads, allow
  std::optional<Expr> Value;  // slots, warmup, order
  TextRange ValueRange;       // of Word or Value
  TextRange Range;
};

/// `GRAPHED(arguments; options)`
struct Annotation {
  std::vector<Field> Arguments;
  std::vector<DimVariable> Variables;
  std::vector<Option> Options;
};

}  // namespace graphgen::annotation
