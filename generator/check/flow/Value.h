// SPDX-License-Identifier: Apache-2.0
//
// What is known of a value in one place of the program: a product of small lattices. A join keeps what agrees.
#pragma once

#include "annotation/Syntax.h"
#include "check/flow/Path.h"

#include "clang/AST/DeclCXX.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <set>
#include <tuple>

namespace graphgen::check::flow {

/// Memory that a tensor shows, that of the tensor that was in Of when the callable began; or, of a pointer or reference, what it leads to.
struct Target {
  Path Of;
  bool IsExact = true;                   // else perhaps: one of several, or a copy
  const clang::Expr* Through = nullptr;  // the call that gives this memory or a copy: `reshape`
  bool IsView = false;                   // it shows this memory, and is another tensor
  bool IsPart = false;                   // some of this memory

  bool operator<(const Target& Other) const { return key() < Other.key(); }
  bool operator==(const Target& Other) const { return key() == Other.key(); }

 private:
  std::tuple<unsigned, bool, const clang::Expr*, bool, bool> key() const { return {Of->id(), IsExact, Through, IsView, IsPart}; }
};

/// Whether a value is the same in the next call.
enum class Change : uint8_t {
  Never,     // a constant of the program
  PerKey,    // the same in all replays of a capture: sizes, `key`
  Settled,   // what the call found in the host's memory: the same while nothing changes that
  EachCall,  // computed from what the capture cannot keep: a clock, a random number, a tensor's values
};

enum class Device : uint8_t {
  Unknown,
  Unsaid,     // of options: the default device, which is the host
  Host,       // in memory that is not pinned, of a tensor
  Callables,  // the places of the callable's arguments
  Gpu,        // named as such
};

constexpr bool isOfGpu(Device Its) { return Its == Device::Callables || Its == Device::Gpu; }

enum class Sparsity : uint8_t {
  Unknown,    // or strided
  Perhaps,    // sparse: an element may be there twice
  Coalesced,  // sparse: each element is there once
};

/// What a truth value says of what it was computed from.
enum class Asks : uint8_t {
  Nothing,
  IsThere,  // or is not zero
  IsMissing,
  WasMissing,  // until the same call added it
  WasThere,
};

/// A function, with the object that a closure has.
struct Callable {
  const clang::FunctionDecl* Function = nullptr;
  Path Object = nullptr;
  const clang::ValueDecl* Store = nullptr;  // where the unit has put it, at a place that no call comes to
  clang::SourceLocation Stored = {};

  bool operator<(const Callable& Other) const { return key() < Other.key(); }
  bool operator==(const Callable& Other) const { return key() == Other.key(); }

 private:
  std::tuple<const clang::FunctionDecl*, Path, const clang::ValueDecl*, unsigned> key() const {
    return {Function, Object, Store, Stored.getRawEncoding()};
  }
};

struct Value {
  // What it leads to.
  llvm::SmallVector<Target, 1> Targets;  // sorted by path, each path once
  bool MayBeOther = false;               // it may lead to what Targets lacks
  Path Unset = nullptr;                  // of an object: parts that nothing has set since are those that were there at first

  // A tensor.
  std::optional<annotation::DType> Type;
  std::optional<unsigned> Dimensions;
  Device On = Device::Unknown;
  Sparsity Sparse = Sparsity::Unknown;
  bool IsTransposed = false;                  // its dimensions are in memory in another order: not contiguous
  llvm::SmallVector<Path, 1> Sources;         // what outlives the call, or is given, that its values are computed from, as it was at first
  llvm::SmallVector<Path, 1> Differentiable;  // marked arguments, tensors of the program's and modules that its gradient reaches

  llvm::SmallVector<std::pair<Path, const clang::Expr*>, 1>
      Cuts;  // marked arguments that its gradient does not reach, and where it was cut

  // Any value.
  std::optional<int64_t> Number;  // that it is: of a bool 0 or 1
  Change How = Change::EachCall;
  Asks For = Asks::Nothing;
  const clang::Expr* Data = nullptr;        // a number of the host: the call that read it, or what it was computed of, from a tensor
  bool IsComputed = false;                  // then: it is another number than that call gave
  const clang::CallExpr* OfRank = nullptr;  // the call that gave what other ranks may have otherwise, which it is computed from
  const clang::Expr* Made = nullptr;        // where it was made, if in one place; of a tensor of the host where its values come from
  llvm::SmallVector<const clang::CXXRecordDecl*, 1> Classes;  // of the object itself: one of them; none where unknown
  bool MayDerive = false;                                     // or one that derives from them
  llvm::SmallVector<Callable, 1> Callables;

  bool operator<(const Value& Other) const;
  bool operator==(const Value& Other) const { return !(*this < Other) && !(Other < *this); }

  void add(const Target& New);
  /// The one thing that it certainly leads to, or null.
  Path target() const { return Targets.size() == 1 && !MayBeOther && Targets[0].IsExact ? Targets[0].Of : nullptr; }
  /// Nothing is known.
  static Value unknown();
  /// Leads to `To`.
  static Value to(Path To);
  static Value number(int64_t Known, Change How = Change::Never);
  /// Of an index: a tensor, or unknown; not an integer, a slice or none.
  bool mayBeTensor() const { return Made || MayBeOther || !Targets.empty() || Type || On != Device::Unknown; }

  void print(llvm::raw_ostream& Out) const;
};

using ValueRef = const Value*;

/// Keeps each value once: references are equal where values are.
class Values {
 public:
  ValueRef keep(Value One) { return &*Known.insert(std::move(One)).first; }
  ValueRef unknown() { return Unknown; }
  /// Null is a value of a path that is not taken.
  ValueRef join(ValueRef A, ValueRef B) { return join(A, B, false); }
  /// What leads to both, as a list does to its elements.
  ValueRef both(ValueRef A, ValueRef B) { return join(A, B, true); }
  /// The same, or another one.
  ValueRef orOther(ValueRef One);
  /// The same, which may lead elsewhere.
  ValueRef perhaps(ValueRef One);

 private:
  ValueRef join(ValueRef A, ValueRef B, bool AreBoth);

  std::set<Value> Known;
  ValueRef Unknown = keep(Value::unknown());
};

}  // namespace graphgen::check::flow
