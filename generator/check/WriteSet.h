// SPDX-License-Identifier: Apache-2.0
//
// The tensors that a callable writes and that outlive its call, and what a graph makes of each write.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

struct Write {
  enum class How {
    Rebound,  // `=`: the variable holds another tensor
    Module,   // a member leads to another module, and to its tensors
    Filled,   // a list of tensors or a map is given another one
    Values,   // an in-place operator
    Metadata  // shape, strides or memory: `t_`, `resize_`, `set_data`
  };
  enum class Fate {
    CopiedBack,   // from the static input to the caller's tensor, after each replay
    KeptInPlace,  // the graph writes where the tensor lies
    Refused,      // the capture ends, and the plain callable runs
    CaptureOnly   // a replay leaves the variable alone, which goes on showing the graph's memory
  };

  How Kind;
  bool IsPerhaps;  // it may be to a copy of the target
  bool IsFurther;  // what it is called on is a write: `x.add_(y).mul_(2)`
  Owner Target;
  std::string Operation;  // "=", "add_"
  Fate Outcome;
  clang::SourceLocation Where;
  clang::SourceRange Range;
  const clang::Expr* Value = nullptr;  // Rebound, Filled: the tensor that is given
};

/// Those of S to what outlives the call: arguments, members, globals. What `S` only leads to is not looked at.
std::vector<Write> writesOf(const clang::Stmt& S, const Place& At);

/// "argument 'x'", "member 'state'", "'count'".
std::string describe(const Owner& Target);

/// One for each target and way of writing, in the order of the translation unit.
class WriteSet {
 public:
  /// Of the callable and of every body that its calls come to.
  static WriteSet of(const clang::FunctionDecl& Annotated, AnnotationsOfOne Annotations, const scan::Bodies& Bodies,
                     const UnitIndex& Index);

  const std::vector<Write>& writes() const { return Writes; }

  std::vector<annotation::Write> inWords() const;

 private:
  class Collector;
  void add(Write New);

  std::vector<Write> Writes;
};

/// Those of each callable in words; nothing where the file has no body of it.
std::vector<std::optional<std::vector<annotation::Write>>> writesInWords(llvm::ArrayRef<scan::ScannedCallable> Callables,
                                                                         const scan::Bodies& Bodies);

}  // namespace graphgen::check
