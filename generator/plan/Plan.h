// SPDX-License-Identifier: Apache-2.0
//
// What is generated for a file, decided: every tensor of every callable with its evaluated shape, every option with its value.
#pragma once

#include "annotation/Callable.h"
#include "annotation/Diagnostic.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace graphgen::plan {

struct Tensor {
  std::string Name;  // "obs", "hs[1]" for an element of a list, "batch.obs" for a member
  std::string Stem;  // "batch_obs": an identifier, the same for those elements of a list that share a shape
  annotation::DType Type = annotation::DType::F32;
  std::vector<std::string> Shape;  // each an integer, or arithmetic on dimension variables as C++ spells it
  std::set<annotation::Flag> Flags;
};

/// A list or map, whose length a call decides; an optional aggregate is one of one element.
struct List {
  std::string Name;  // "hs", "batch.layers"
  int64_t Count = 0;

  bool operator!=(const List& Other) const { return Name != Other.Name || Count != Other.Count; }
  bool operator==(const List& Other) const { return !(*this != Other); }
};

using DimVariable = annotation::Variable;

/// Where a padded variable stands.
struct PaddedDim {
  std::size_t Tensor = 0;    // index into Samples::Tensors
  std::size_t Dim = 0;       // of the tensor
  std::size_t Variable = 0;  // among the padded ones

  bool operator==(const PaddedDim& Other) const { return Tensor == Other.Tensor && Dim == Other.Dim && Variable == Other.Variable; }
};

/// An extent that depends on open variables.
struct OpenDim {
  std::size_t Tensor = 0;  // index into Samples::Tensors
  std::size_t Dim = 0;     // of the tensor
};

/// What one annotation says of lists of one length: a graph for each combination of its other variables' values.
struct Samples {
  std::string AnnotationText;  // canonical, one line of printable characters
  std::size_t Annotation = 0;  // among those of the callable, in the order of the text
  std::vector<DimVariable> Variables;
  annotation::Constants Lengths;  // the values of the variables that are counts of lists; they are not among Variables
  std::vector<Tensor> Tensors;    // in the order of the parameters
  std::vector<List> Lists;        // the same
  std::vector<PaddedDim> PaddedDims;
  std::vector<OpenDim> OpenDims;  // in the order of the tensors
};

/// Where a call gives the value of the variable, which is open.
OpenDim placeOf(const Samples& Set, const DimVariable& Open);

/// A parameter, the result, or a part of one, as generated code walks it.
struct Part {
  std::string Name;  // of a parameter, a struct's member, a map's key
  annotation::TypeKind Type = annotation::TypeKind::Tensor;
  std::vector<Part> Parts;      // the members of a struct or tuple, the keys of a map, the elements of an array; the element of another
  std::size_t TensorCount = 0;  // with those of all elements; of a result, 0
  std::optional<annotation::ScalarKind> Scalar;
  bool IsOnHost = false;      // a tensor of an argument, marked `host`
  bool IsOut = false;         // a tensor that the callable assigns: no call looks at what it was
  std::size_t LiveIndex = 0;  // of a live scalar, among the callable's
};

/// It holds Samples::Tensors[FirstTensor] and the following.
struct Parameter : Part {
  std::optional<std::string> Default;
  std::size_t FirstTensor = 0;
  bool IsChangeable = false;                            // the callable may assign it, or its members: each call returns it
  std::vector<annotation::WatchedMember> Watched = {};  // as annotation::Parameter has them
};

/// A parameter that is a tensor in the memory of the host, where it may be absent.
bool isOnHost(const Part& P);
/// Of it or of its parts.
bool holdsTensorsOnHost(const Part& P);

/// A tensor, where it may be absent, a list of tensors on the device, a scalar, or an object: what a call passes on as it is.
bool isFlat(const Part& P);

/// Calls `F` for each scalar of `P` with its path: "batch.config.eps", "pair[1]".
void forEachScalar(const Part& P, llvm::function_ref<void(const Part&, const std::string&)> F);
bool hasScalars(const Part& P);

enum class OutputPolicy { Keep, Alias, Clone, Host };

struct Options {
  int64_t Warmup = 3;
  OutputPolicy Outputs = OutputPolicy::Keep;
  bool Strict = false;
  int64_t Slots = 2;
  std::string Pool;  // empty: a pool for each capture
  bool Step = false;
  bool GradsInGraph = false;
  std::vector<std::string> Allowed;        // checks that are silent
  std::set<annotation::OptionKind> Given;  // in an annotation; the others have their defaults
};

struct Callable : annotation::Function {
  /// Unlike any other of the file, in CamelCase: "Policy", "NetImplForward". Generated entities are named after it.
  std::string Identifier;
  /// Those of its enclosing scopes that Identifier leaves out, in CamelCase; other files may have the same Identifier in other scopes.
  std::string Scopes;
  /// Its file without the extension, in CamelCase; other files may have overloads of it.
  std::string File;
  std::vector<Parameter> Parameters;  // all of them, in the order of the declaration
  Part Result;
  std::vector<Samples> SampleSets;   // of each annotation, in the order of the text, and of each of its lists' lengths; never empty
  std::vector<std::string> Spelled;  // each annotation, as annotation::Callable has it, in the order of the text
  Options Settings;
  std::vector<annotation::WatchedMember> Watched;  // as annotation::Callable has them
  std::vector<annotation::WatchedMember> WatchedVariables;
  std::optional<std::vector<annotation::Write>> Writes;  // as annotation::Callable has them
  std::optional<std::vector<std::string>> Elsewhere;     // as annotation::Callable has them
  std::optional<annotation::SourceGraph> Outline;        // as annotation::Callable has it
};

/// Whether a parameter is a module or another object.
bool takesObjects(const Callable& Callable);

/// Of the lists of its annotations: each call shows where a parameter's tensors are.
bool hasVaryingLengths(const Callable& Callable);

struct FilePlan {
  /// Relative, with forward slashes: as generated code includes it.
  std::string Input;
  bool IsHeader = false;
  std::vector<Callable> Callables;
};

/// What is wrong with the annotation of Callables[CallableIndex].
struct Problem {
  std::size_t CallableIndex = 0;
  annotation::Diagnostic What;
  /// The place in another annotation that it contradicts.
  struct Note {
    std::size_t CallableIndex = 0;
    annotation::TextRange Range;
    std::string Message;
  };
  std::optional<Note> Contradicted;
};

/// Fails where generated code could not include a file of this name, or would be written outside its folder: an absolute path, `..`,
/// quotes, backslashes, control characters.
llvm::Error checkInputName(llvm::StringRef Input);

/// `Input` has passed checkInputName. Nothing where there are problems: annotations of one callable that contradict each other, or that no
/// call can choose. Callables of one name and overload are one callable with several annotations. The annotations must match the
/// declarations.
std::optional<FilePlan> makePlan(llvm::StringRef Input, bool IsHeader, llvm::ArrayRef<annotation::Callable> Callables,
                                 std::vector<Problem>& Problems);

}  // namespace graphgen::plan
