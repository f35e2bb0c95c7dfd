// SPDX-License-Identifier: Apache-2.0
//
// What one source says to those that call its functions from other sources. It has findings with what they ask of a call, and its own calls
// of functions that it does not define. A file of JSON holds it.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace graphgen::check::join {

struct Place {
  std::string File;  // absolute; in JSON left out where it is the summary's source
  unsigned Line = 0;
  unsigned Column = 0;

  bool operator==(const Place& Other) const { return File == Other.File && Line == Other.Line && Column == Other.Column; }
};

struct Note {
  Place Where;
  std::string Message;

  bool operator==(const Note& Other) const { return Where == Other.Where && Message == Other.Message; }
};

/// The parameter that stands for a method's object.
constexpr int64_t ObjectParameter = -1;

/// Of what is replaced: the tensor that the parameter refers to.
constexpr llvm::StringLiteral ItsParameter = "*";

/// What a call gives a parameter, in the terms of the function that calls.
struct Given {
  enum class From : int64_t {
    Call,       // what the call makes, or unknown
    Parameter,  // memory of the caller's own parameter; of an annotated callable: of its argument
    Object,     // memory of the caller's object
    Global,     // memory of a variable that outlives the call
  };

  From What = From::Call;
  int64_t Parameter = 0;                   // of the caller, where it is of one
  std::string Words;                       // "the argument 'x'"
  bool IsExact = false;                    // it is certainly that
  bool IsOwnVariable = false;              // the caller's own: no other code sees that it is given another tensor
  bool IsInplace = false;                  // an argument that the annotation lets the callable write
  bool IsStatic = false;                   // an argument of which the graph has no copy
  bool IsFixed = false;                    // a tensor of the host, or a number that a graph keeps
  std::vector<std::string> LookedAt = {};  // of the object of an annotated callable: the members with tensors in it that calls look at
};

/// Of a function that the source does not define; or of those that override Callee in classes that derive from one of Below. Of a
/// std::function or a pointer to a function both are its signature, and what it may run overrides that.
struct Call {
  std::string Callee;  // as the linker names it
  std::string Name;    // as the program does
  std::vector<std::string> Below;
  std::string Store;                  // of those: the member or variable that holds it
  std::vector<std::string> Followed;  // overrides that the source has the bodies of, or calls as functions that it does not define
  std::vector<Note> Way;              // from the call back to the function
  std::vector<Given> Arguments;
  Given Object;
  bool IsCertain = false;   // each call of the function comes here
  bool IsSettled = false;   // the warm-ups come here, and no later call
  bool IsReturned = false;  // the function only returns what the call gives; an annotated callable as a number of its result
};

struct Told {
  std::string Check;
  Place Where;
  std::string Message;
  std::vector<Note> Notes;
  std::vector<Note> Way;       // back to the function
  std::string Subject;         // how the message names the parameter that it is about, without the last quote; may be empty
  std::vector<int64_t> About;  // parameters that it is about: one of them has to be what is asked for
  std::string Replaced;        // a member whose tensors the function reads and replaces, or ItsParameter: calls that look at it carry them
  std::vector<std::string> Read;  // members: nothing to say of a callable whose calls look at all of them
  std::string Around;             // a member or variable: nothing to say where something is said of that, which holds what this is about
  std::string Unchanged;          // a member or variable: nothing to say unless a source changes it once what holds it is made
  bool IsCertain = false;
  bool IsOpen = false;      // programs that use the library may change what is Unchanged
  bool IsReturned = false;  // it is about a number that the function only returns
  bool IsOfPart = false;    // it is about a tensor or module, which the module around it may have registered
  // For whatever is given; or for an argument of the annotated callable, or for what outlives its call.
  bool IsOfAll = false, IsOfArguments = false, IsOfKept = false;
};

/// With external linkage, or a method that overrides others.
struct Function {
  std::string Id;  // as the linker names it; without external linkage with the source behind it
  std::vector<Told> Findings;
  std::vector<Call> Calls;
  // Of a method that overrides others, and of what a function object may run
  std::string Name = {};
  Place Where = {};
  std::vector<std::string> Overrides = {};  // the methods, as the linker names them
  std::vector<std::string> Bases = {};      // from which its class derives
  std::string Store = {};                   // the only member or variable that gets it, as a function object
};

/// In the name of a member that a template changes: of objects of any class.
constexpr llvm::StringLiteral OfAnyClass = "*::";

/// Before the name of a member that gets another tensor or module, other than one of which that is changed.
constexpr llvm::StringLiteral OfItself = "=";

/// Of a member or variable, by its name.
struct Change {
  std::string Of;
  Place Where;
};

struct Callable {
  std::string Name;
  std::vector<std::string> Allowed;  // checks that its annotations suppress
  std::vector<Call> Calls;
  std::vector<std::string> LookedAt = {};  // members that each call looks at
  std::vector<Told> Findings = {};         // that depend on what other sources change
};

struct Summary {
  std::string Version;  // of graphgen
  std::string Source;   // absolute
  bool IsScanned = false;
  // Where a later run asks whether it still holds: what it was made of, and when that began to be read, in nanoseconds since 1970.
  std::vector<std::string> Read;
  int64_t Begun = 0;
  std::vector<Callable> Callables;
  std::vector<Function> Functions;
  std::vector<Change> Changes;
};

/// Why a call of `Method` comes to `Run`.
inline std::string wordsOfOverride(llvm::StringRef Run, llvm::StringRef Method) {
  return ("'" + Run + "' overrides '" + Method + "'").str();
}

/// Why a call of the std::function in `Store` may come to a function.
inline std::string wordsOfStored(llvm::StringRef Store) {
  return ("'" + Store.substr(Store.rfind(':') + 1) + "' may hold this function").str();
}

std::string toJson(Summary Of);
/// Fails for text that is not a summary.
llvm::Expected<Summary> fromJson(llvm::StringRef Text);

}  // namespace graphgen::check::join
