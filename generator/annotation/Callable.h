// SPDX-License-Identifier: Apache-2.0
//
// An annotated declaration, free of any compiler: what scan ends with, check checks and plan reads.
#pragma once

#include "annotation/Bound.h"
#include "annotation/Variables.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace graphgen::annotation {

enum class CallableKind { Function, StaticMethod, Method };

/// A tensor that a call writes and that outlives it, in words.
struct Write {
  std::string Target;     // "the member 'mean'"
  std::string Operation;  // "add_", "="
  std::string Outcome;    // what a graph does with it: "kept in place"
};

/// A call in a body that makes, writes or takes tensors, as far as the source shows it.
struct SourceNode {
  std::string Operator;            // "aten::addmm", "torch::nn::Linear", "app::other"
  std::string File;                // empty: the annotated file
  unsigned Line = 0;               // 0: unknown
  std::string Module;              // the member that holds the module: "block.fc"; empty of others
  std::vector<std::size_t> After;  // the calls whose results it uses, ascending
  std::vector<std::string> Reads;  // arguments and members that it uses
  bool IsPerhaps = false;          // a branch decides whether it is reached
  bool IsRepeated = false;         // in a loop, or called by one
  bool IsElsewhere = false;        // the file has no body of it
};

/// Of a body and those that its calls come to, in the order of the text.
struct SourceGraph {
  std::vector<SourceNode> Nodes;
  bool IsCutShort = false;  // there are more
};

/// One step from an object to a member of it, or from a member to one of its own; or to a variable.
struct MemberStep {
  enum class Way {
    Pointer,    // &app::Trainer::model
    Value,      // a bit-field, which has no address
    Reference,  // a member of reference type, to which no pointer to member leads
    Offset,     // the same where it is private
    Element,    // of a tuple or variant
    Objects,    // the last step: how many objects a member holds, and of which classes
    Variable,   // the first step: a variable by its address
    Getter      // the same where its address is not a constant
  };
  Way How = Way::Pointer;
  std::string Class;   // "app::Trainer"; empty of those below
  std::string Member;  // "model"; the number of an element, -1 for that of the alternative; "app::gain"
};

/// A member of an object that a call relies on, or of a class that the object holds.
struct WatchedMember {
  enum class Kind { Module, Model, Tensor, Number };  // a model is a script, or a compiled one
  Kind What = Kind::Number;
  std::string Name;  // "config.gamma", "::app::gain"
  std::vector<MemberStep> Steps;
  bool IsPrivate = false;  // ordinary code cannot name one of the steps
  bool IsGuessed = false;  // no body in this file names it, and one in another file may
};

struct Parameter {
  std::string Name;  // empty when unnamed
  annotation::Type Type;
  /// The default argument as generated code spells it: a literal, a cast of one, or `{}`.
  std::optional<std::string> Default;
  /// Of an object of another class than a module: what each call looks at in it.
  std::vector<WatchedMember> Watched = {};
};

/// The function or method that is annotated.
struct Function {
  std::string QualifiedName;  // "app::policy", "app::NetImpl::forward"; anonymous namespaces are left out
  CallableKind Kind = CallableKind::Function;
  /// Its function type, fully qualified, with cv and ref qualifiers: of a function in a namespace, which another file may overload, and of
  /// any other whose name is overloaded. A function whose types only its own scope can name has none unless it is overloaded.
  std::optional<std::string> FunctionType;  // "at::Tensor (const at::Tensor &) const"
  bool IsOverloaded = false;                // by a declaration that this file sees
  std::string ObjectType;                   // Method: "app::NetImpl"
  bool ObjectIsConst = false;               // Method: a const member function
  bool IsHidden = false;                    // private or protected: named by the class's friend graphed::access
  bool IsExported = false;                  // its declaration makes it visible outside of a shared library
  bool ObjectIsModule = false;              // Method: the class derives from torch::nn::Module
  unsigned Line = 0;                        // of the declaration's name
};

/// What is the same for all its annotations.
struct Declaration : Function {
  std::vector<Parameter> Parameters;
  Type Result;
};

/// An option and its number, of those that have one.
struct Setting : Option {
  int64_t Number = 0;
};

/// A declaration and one annotation of it.
struct Callable : Declaration {
  std::vector<Bound> Arguments;  // one for each parameter
  std::vector<Field> Unknown;    // that are named as no parameter is
  std::vector<Variable> Variables;
  std::vector<Setting> Options;
  std::string Text;     // the annotation in its canonical form
  std::string Spelled;  // with its macro, as the source has it, blanks and line breaks being one space each; empty where unknown
  unsigned End = 0;     // of its arguments, in its own text

  /// Of a method: what each call looks at in its object, in the order of the declarations; of a module beside what it has registered.
  std::vector<WatchedMember> Watched;
  /// Variables of namespaces and classes that each call looks at.
  std::vector<WatchedMember> WatchedVariables;

  /// Nothing where the file has no body of it, or nothing asked.
  std::optional<std::vector<Write>> Writes;

  /// Functions that it comes to and that the file has no body of: the program's own, other libraries', scripts. Nothing as with Writes.
  std::optional<std::vector<std::string>> Elsewhere;

  /// Nothing as with Writes.
  std::optional<SourceGraph> Outline;
};

}  // namespace graphgen::annotation
