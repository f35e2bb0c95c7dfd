// SPDX-License-Identifier: Apache-2.0
//
// An annotated declaration, free of any compiler: what scan finds, check judges and plan reads.
#pragma once

#include "annotation/Syntax.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace graphgen::annotation {

enum class CallableKind { Function, StaticMethod, Method };

enum class TypeKind {
  Void,
  Tensor,
  TensorLvalue,  // Tensor&
  Optional,      // std::optional
  Vector,        // std::vector
  ArrayRef,      // c10::ArrayRef, of which at::TensorList is one
  List,          // c10::List
  Array,         // std::array
  Map,           // std::map, std::unordered_map, c10::Dict, torch::OrderedDict: from std::string
  Struct,
  Tuple,  // std::tuple, std::pair
  Bool,
  Integer,
  FloatingPoint,
  Enum,
  String,
  LiveScalar,  // graphed::Scalar, by value or const&
  Unsupported
};

struct Member;

/// A type as far as the glue cares. References to const are looked through.
struct Type {
  TypeKind Kind = TypeKind::Unsupported;
  std::string Spelling;         // as written, for messages
  std::vector<Member> Members;  // of a struct or tuple; the element of an optional, list, array or map
  int64_t Length = 0;           // Array
};

struct Member {
  std::string Name;  // of a struct's
  annotation::Type Type;
};

/// Neither a tensor nor an aggregate.
bool isScalar(TypeKind Kind);

/// A list whose length a call decides.
bool isList(TypeKind Kind);

/// A tensor, where it may be absent, or a list of tensors: what a call passes on as it is.
bool isFlat(const Type& T);

/// `Value` as it is said of `T`: a list within a list stands in braces of its own, `{f32[2] * 3} * 4`.
const Spec& withoutBraces(const Spec& Value, const Type& T);

struct Parameter {
  std::string Name;  // empty when unnamed
  annotation::Type Type;
  /// The default argument as generated code spells it: a literal, a cast of one, or `{}`.
  std::optional<std::string> Default;
};

/// A tensor that a call writes and that outlives it, in words.
struct Write {
  std::string Target;     // "the member 'mean'"
  std::string Operation;  // "add_", "="
  std::string Outcome;    // what a graph makes of it: "kept in place"
};

/// One step from an object to a member of it, or from a member to one of its own.
struct MemberStep {
  enum class Way {
    Pointer,    // &app::Trainer::model
    Value,      // a bit-field, which has no address
    Reference,  // a member of reference type, to which no pointer to member leads
    Offset      // the same where it is private
  };
  Way How = Way::Pointer;
  std::string Class;   // "app::Trainer"
  std::string Member;  // "model"
};

/// A member of the method's object, or of a class that the object holds, that a call relies on.
struct WatchedMember {
  enum class Kind { Module, Tensor, Number };
  Kind What = Kind::Number;
  std::string Name;  // "config.gamma"
  std::vector<MemberStep> Steps;
  bool IsPrivate = false;  // ordinary code cannot name one of the steps
  bool IsGuessed = false;  // no body in this file names it, and one in another file may
};

struct Callable {
  std::string QualifiedName;  // "app::policy", "app::NetImpl::forward"; anonymous namespaces are left out
  CallableKind Kind = CallableKind::Function;
  /// For a callable whose name is overloaded: its function type, fully qualified, with cv and ref qualifiers.
  std::optional<std::string> OverloadType;  // "at::Tensor (const at::Tensor &) const"
  std::string ObjectType;                   // Method: "app::NetImpl"
  bool ObjectIsConst = false;               // Method: a const member function
  bool ObjectIsModule = false;              // Method: the class derives from torch::nn::Module
  std::vector<Parameter> Parameters;
  Type Result;

  std::string File;   // as given on the command line
  unsigned Line = 0;  // of the declaration's name

  std::string AnnotationText;
  Annotation Spec;
  /// The values of the names in dims and counts, looked up in the declaration's scope.
  std::map<std::string, int64_t> Constants;

  /// Of a method of a class that is no module: what each call looks at, in the order of the declarations.
  std::vector<WatchedMember> Watched;

  /// Nothing where the file has no body of it, or nobody asked.
  std::optional<std::vector<Write>> Writes;
};

}  // namespace graphgen::annotation
