// SPDX-License-Identifier: Apache-2.0
//
// What capture-safety checks have to say: of a place one check speaks, and one about what an operation does to its target.
#pragma once

#include "clang/Basic/Diagnostic.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace clang {
class FieldDecl;
class FunctionDecl;
class ParmVarDecl;
class SourceManager;
class ValueDecl;
}  // namespace clang

namespace graphgen::check::flow {
class PathNode;
}

namespace graphgen::check {

struct Note {
  clang::SourceLocation Where;
  std::string Message;

  bool operator==(const Note& Other) const { return Where == Other.Where && Message == Other.Message; }
};

struct Finding {
  llvm::StringRef Check;
  clang::SourceLocation Where;
  clang::SourceRange Range;
  std::string Message;
  std::vector<Note> Notes;
  bool IsCertain;         // an error, else a warning
  std::vector<Note> Way;  // from the place back to the annotated callable
  std::vector<clang::FixItHint> Fixes = {};
  const clang::FunctionDecl* In = nullptr;        // whose body has the place
  std::set<std::string> Callables = {};           // the annotated ones that come there, by their names
  std::vector<const flow::PathNode*> About = {};  // what is there before the call: that whose memory is meant, or that it is computed from
  const flow::PathNode* Replaced = nullptr;       // a tensor that the body reads and then replaces: calls carry it in members of the object
  const clang::ParmVarDecl* Handle = nullptr;     // that shares its elements with what the function is given: all it is about
  const clang::ValueDecl* Unchanged = nullptr;    // of which this file knows no change
  bool IsOfPart = false;                          // of a tensor or module, which the module around it may have registered
  bool IsOfItself = false;                        // and of which a change of what it leads to is none
  const clang::ValueDecl* Around = nullptr;       // that holds what it is about, and has a finding of its own, perhaps Unchanged
  bool IsOpen = false;                            // code that is not of the program's target may change that
  std::vector<const clang::FieldDecl*> Read = {};  // by a function of any callable's: nothing to say where calls look at all these members
};

class Findings {
 public:
  /// Of two checks about one place in the same callables, both of targets or neither, the finding of the earlier of checks() stays, unless
  /// it depends on what other files change. It is an error if one of them is. Other callables that come there may have other findings. One
  /// check may say several things: which argument is written depends on the call. All callables are kept that come there.
  void add(Finding New);

  void merge(Findings Other);

  void removeIf(llvm::function_ref<bool(const Finding&)> IsRemoved);

  /// By file and place.
  std::vector<Finding> take();

  /// In the order of the translation unit.
  std::vector<Finding> take(const clang::SourceManager& Sources);

 private:
  using Subject = std::pair<clang::SourceLocation, bool>;  // a place, and whether its target is meant
  std::map<Subject, std::vector<Finding>> Found;           // of one check for each callable
};

}  // namespace graphgen::check
