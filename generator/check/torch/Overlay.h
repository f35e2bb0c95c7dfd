// SPDX-License-Identifier: Apache-2.0
//
// What functions do to a capture that no schema says: the tables OverlayOf*.inc have a row for each.
#pragma once

#include "clang/AST/Decl.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace graphgen::check {

enum class Level { Perhaps, Certain };

/// What a row shows to the analysis of values.
enum class Trait {
  None,
  TellsForm,          // of a tensor, and none of its values
  GivesMask,          // a tensor of bool
  GivesPlaces,        // a tensor of 64-bit integers
  GivesPlacesSecond,  // as its second result
  KeepsType,          // of its first tensor
  MakesOnHost,        // a tensor
  GivesPointer,       // into its tensor's memory
  GivesAccess,        // to that memory, by an object
  ComputesNumber,     // from its arguments alone
  IsFalse,            // it gives false, unless a program asks for more to be reported
  CallsOnce,          // what it is given, the first time only
  CallsEach,          // of the functions that it is given, in a capture
  WritesFirst,        // its first argument; perhaps: where the option `inplace` says so
  GivesFirst,         // its first argument, or a view of it
  ChangesMemory,      // its object, or `parameters`, gets the memory of another tensor
  ComparesInputs,     // query, key and value, on the host
  CutsGradient,       // its result has no gradient
  TurnsGrad,          // its object requires grad from now on, or does not
  JoinsStream,        // the work of another stream becomes part of the graph
  ChangesStream,      // its argument is the current stream from then on
  SetsMode,           // its last argument, or what the name says, lasts
  IsRemembered,       // by what it gives: which stream, whose generator
  GivesRank,          // the number of this rank
  IsCollective,       // it waits for its like on all ranks
  RunsOnHost,         // what it is given, in each replay, between two pieces of the graph
};

/// What a row shows of its function: a finding of a rule, or a fact.
struct Effect {
  llvm::StringLiteral Rule;  // "graphed-host-item"; empty of a fact
  Level How = Level::Certain;
  /// Behind the function's name: "waits for the device, which a graph cannot do". All of it behind a colon, where names stand
  /// for words: %n for the function, %c for the method's class, %o for what the method is called on.
  llvm::StringLiteral Says = "";
  Trait Its = Trait::None;
  llvm::StringLiteral At = "";  // the parameter whose argument is meant, in place of the call
};

/// What the function gives: the rank, the environment, a clock, a random number of the host.
bool mayDifferOverRanks(const Effect& What);

/// What has to hold for the row. A parameter is named as in the schema, or as in the C++ where there is none, "self" being a method's
/// object; or "0", "1" and so on.
struct Condition {
  enum class Kind {
    None,
    Given,             // an argument is given
    NotGiven,          // the default is taken, or nothing is given
    Tensor,            // the argument is a tensor
    Is,                // the argument is known to be one of Values: "true", "2|nuc", "<0", the name of a constant
    IsNot,             // the argument is not known to be one of Values
    DataOfTensor,      // the argument is computed from a tensor's values
    Sparse,            // the argument is a sparse tensor that may not be coalesced
    Dimensions,        // the argument is known to have as many dimensions, or more
    MayHave,           // the argument is a tensor that is not known to have fewer elements
    Longer,            // the argument is known to have a dimension that is longer
    OfClass,           // the argument is of this class, or of one that is made from it
    LivesOn,           // the argument outlives the call
    MayLiveOn,         // its place is unknown
    ComparedApart,     // what the call gives is compared with what a call on such a tensor gives
    NotBehind,         // the body calls no method of this name: the argument has what that leaves
    NotFor,            // what the call gives is no part of an argument of this method
    PointsIntoTensor,  // an argument points into a tensor's memory
    Copied,            // the argument is one of the callable's, or a view of it, which a graph has a copy of, marked by the flag, if any
    Apart,             // it and "self" are two tensors from outside, of which a graph has a copy, that no guard keeps apart
    Backward,          // gradients are asked for
    Step,              // the callable is marked so
    NoStep,            // it is not
    UsedNumber,        // something is done with the number that the call gives, or the callable's result has no numbers
    NoRuntime,         // the function is a library's, and the file does not include the runtime's optimizers
  };

  Kind What = Kind::None;
  llvm::StringRef Parameter = {};
  llvm::StringRef Values = {};
  unsigned Count = 0;  // of dimensions, elements
};

constexpr unsigned MostConditions = 3;

struct OverlayRow {
  llvm::StringLiteral Name;  // see README.md
  const Effect* What;
  llvm::StringRef Instead;  // what to call, or do, instead; mostly empty
  Condition Conditions[MostConditions];
};

/// All of them.
llvm::ArrayRef<OverlayRow> overlay();

/// What a row's name stands for, each alternative of `{a,b}` written out.
std::vector<std::string> namesOf(const OverlayRow& Row);

/// Those of the function: of its operator, of its name, or of the name of a method that it overrides.
llvm::SmallVector<const OverlayRow*, 2> overlayOf(const clang::FunctionDecl& Function);

}  // namespace graphgen::check
