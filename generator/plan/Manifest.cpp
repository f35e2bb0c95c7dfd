// SPDX-License-Identifier: Apache-2.0
//
// Each value is asked for by its key; what is missing, of another type or no word of the language is an error that names its place.
#include "plan/Manifest.h"

#include "plan/PlanJson.h"
#include "plan/PlanWords.h"
#include "plan/Sizes.h"

#include "annotation/Variables.h"
#include "annotation/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace graphgen::plan {
namespace {

/// Text that can be printed.
bool read(const json::Value& From, std::string& Into, json::Path P) {
  if (!fromJSON(From, Into, P)) {
    return false;
  }
  const bool IsPlain = none_of(Into, [](char C) { return C == 0x7F || (C >= 0 && C < ' '); });
  if (!IsPlain) {
    P.report("a control character");
  }
  return IsPlain;
}
bool read(const json::Value& From, int64_t& Into, json::Path P) { return fromJSON(From, Into, P); }
bool read(const json::Value& From, bool& Into, json::Path P) { return fromJSON(From, Into, P); }

template <typename T, typename Named>
bool readWord(const json::Value& From, T& Into, Named Find, json::Path P) {
  std::string Word;
  if (!read(From, Word, P)) {
    return false;
  }
  const std::optional<T> Value = Find(StringRef(Word));
  if (!Value) {
    P.report("no word that this version knows");
    return false;
  }
  Into = *Value;
  return true;
}

bool read(const json::Value& From, annotation::DType& Into, json::Path P) { return readWord(From, Into, annotation::dtypeNamed, P); }
bool read(const json::Value& From, annotation::ScalarKind& Into, json::Path P) { return readWord(From, Into, annotation::scalarNamed, P); }
bool read(const json::Value& From, annotation::PadFill& Into, json::Path P) {
  return readWord(
      From, Into,
      [](StringRef Word) -> std::optional<annotation::PadFill> {
        if (Word == "zero" || Word == "repeat") {
          return Word == "zero" ? annotation::PadFill::Zero : annotation::PadFill::Repeat;
        }
        return std::nullopt;
      },
      P);
}

template <typename T>
bool readChoice(const json::Value& From, T& Into, ArrayRef<T> All, json::Path P) {
  return readWord(
      From, Into,
      [&](StringRef Word) {
        const auto Found = find_if(All, [&](T Each) { return wordFor(Each) == Word; });
        return Found == All.end() ? std::nullopt : std::optional<T>(*Found);
      },
      P);
}

bool read(const json::Value& From, OutputPolicy& Into, json::Path P) {
  return readChoice<OutputPolicy>(From, Into, {OutputPolicy::Keep, OutputPolicy::Alias, OutputPolicy::Clone, OutputPolicy::Host}, P);
}

bool read(const json::Value& From, DimVariable& Into, json::Path P);
bool read(const json::Value& From, Tensor& Into, json::Path P);
bool read(const json::Value& From, List& Into, json::Path P);
bool read(const json::Value& From, Samples& Into, json::Path P);
bool read(const json::Value& From, Options& Into, json::Path P);
bool read(const json::Value& From, ManifestCallable& Into, json::Path P);

template <typename T>
bool read(const json::Value& From, std::vector<T>& Into, json::Path P) {
  const json::Array* All = From.getAsArray();
  if (!All) {
    P.report("expected array");
    return false;
  }
  for (const auto& [Index, Each] : enumerate(*All)) {
    Into.emplace_back();
    if (!read(Each, Into.back(), P.index(static_cast<unsigned>(Index)))) {
      return false;
    }
  }
  return true;
}

/// Reads an object's members; ones that are not asked for are later versions' additions.
class Members {
 public:
  Members(const json::Value& From, json::Path P) : Object(From.getAsObject()), P(P) {
    if (!Object) {
      P.report("expected object");
    }
  }

  template <typename T>
  bool need(StringLiteral Key, T& Into) {
    const json::Value* Value = Object ? Object->get(Key) : nullptr;
    if (Object && !Value) {
      P.field(Key).report("missing value");
    }
    return Value && read(*Value, Into, P.field(Key));
  }

  template <typename T>
  bool take(StringLiteral Key, T& Into) {
    const json::Value* Value = Object ? Object->get(Key) : nullptr;
    return Object && (!Value || read(*Value, Into, P.field(Key)));
  }

  bool has(StringRef Key) const { return Object && Object->get(Key); }

 private:
  const json::Object* Object;
  json::Path P;
};

bool read(const json::Value& From, DimVariable& Into, json::Path P) {
  Members In(From, P);
  annotation::PadFill Pad = annotation::PadFill::Zero;
  if (!In.need("name", Into.Name)) {
    return false;
  }
  if (In.has("at_most")) {
    return In.need("at_most", Into.AtMost.emplace());
  }
  if (!In.need("values", Into.Values) || !In.take("pad", Pad)) {
    return false;
  }
  if (In.has("pad")) {
    Into.Pad = Pad;
  }
  return true;
}

struct Extent {
  std::string Spelled;
};
bool read(const json::Value& From, Extent& Into, json::Path P) {
  if (const std::optional<int64_t> Number = From.getAsInteger()) {
    Into.Spelled = std::to_string(*Number);
    return true;
  }
  return read(From, Into.Spelled, P);
}

struct FlagWord {
  annotation::Flag Value;
};
bool read(const json::Value& From, FlagWord& Into, json::Path P) { return readWord(From, Into.Value, annotation::flagNamed, P); }

bool read(const json::Value& From, Tensor& Into, json::Path P) {
  Members In(From, P);
  std::vector<Extent> Shape;
  std::vector<FlagWord> Flags;
  if (!In.need("name", Into.Name) || !In.need("dtype", Into.Type) || !In.need("shape", Shape) || !In.need("flags", Flags)) {
    return false;
  }
  for (const Extent& Each : Shape) {
    Into.Shape.push_back(Each.Spelled);
  }
  for (const FlagWord& Each : Flags) {
    Into.Flags.insert(Each.Value);
  }
  return true;
}

bool read(const json::Value& From, List& Into, json::Path P) {
  Members In(From, P);
  return In.need("name", Into.Name) && In.need("count", Into.Count);
}

/// Every shape must have a value at every size.
bool read(const json::Value& From, Samples& Into, json::Path P) {
  Members In(From, P);
  if (!In.need("annotation", Into.AnnotationText) || !In.take("variables", Into.Variables) || !In.need("tensors", Into.Tensors) ||
      !In.take("lists", Into.Lists)) {
    return false;
  }
  std::size_t Combinations = 1;
  for (const DimVariable& Each : Into.Variables) {
    constexpr std::size_t TooMany = annotation::MaxCombinations + 1;
    const int64_t Count = Each.isOpen() ? *Each.AtMost : static_cast<int64_t>(Each.Values.size());
    Combinations *= Count < 0 ? 0 : std::min(static_cast<std::size_t>(Count), TooMany);
    if (Combinations == 0 || Combinations > annotation::MaxCombinations) {
      P.field("variables").report("no values, or too many combinations");
      return false;
    }
  }
  const std::vector<Size> Sizes = sizesOf(Into);
  const OpenSizes Open = openSizesOf(Into);
  for (const Tensor& Each : Into.Tensors) {
    if (any_of(Sizes, [&](const Size& At) { return !extentsAt(Each, At, Open); })) {
      P.field("tensors").report("a shape that has no value");
      return false;
    }
  }
  return true;
}

struct ParameterScalars {
  std::map<std::string, annotation::ScalarKind> ByPath;
  std::set<std::string> Objects;
};
bool read(const json::Value& From, ParameterScalars& Into, json::Path P) {
  Members In(From, P);
  std::string Name;
  std::string Type;
  annotation::ScalarKind Kind = annotation::ScalarKind::Key;
  std::vector<ParameterScalars> OfMembers;
  if (!In.need("name", Name) || !In.take("type", Type) || !In.take("scalar", Kind) || !In.take("scalars", OfMembers)) {
    return false;
  }
  if (In.has("scalar")) {
    Into.ByPath[Name] = Kind;
  }
  if (Type == "module" || Type == "object") {
    Into.Objects.insert(Name);
  }
  for (const ParameterScalars& Each : OfMembers) {
    Into.ByPath.insert(Each.ByPath.begin(), Each.ByPath.end());
  }
  return true;
}

bool read(const json::Value& From, Options& Into, json::Path P) {
  Members In(From, P);
  std::string Grads;
  if (!In.need("warmup", Into.Warmup) || !In.need("outputs", Into.Outputs) || !In.need("strict", Into.Strict) ||
      !In.need("slots", Into.Slots) || !In.take("pool", Into.Pool) || !In.need("step", Into.Step) || !In.take("grads", Grads)) {
    return false;
  }
  Into.GradsInGraph = Grads == "in_graph";
  return true;
}

bool read(const json::Value& From, ManifestCallable& Into, json::Path P) {
  Members In(From, P);
  int64_t Line = 0;
  std::vector<ParameterScalars> Parameters;
  if (!In.need("name", Into.Name) || !In.take("overload", Into.Overload) || !In.need("line", Line) || !In.need("parameters", Parameters) ||
      !In.need("samples", Into.SampleSets) || !In.need("options", Into.Settings)) {
    return false;
  }
  if (Into.SampleSets.empty()) {
    P.field("samples").report("expected at least one");
    return false;
  }
  Into.Line = static_cast<unsigned>(Line);
  for (const ParameterScalars& Each : Parameters) {
    Into.Scalars.insert(Each.ByPath.begin(), Each.ByPath.end());
    Into.Objects.insert(Each.Objects.begin(), Each.Objects.end());
  }
  return true;
}

}  // namespace

/// Brackets of strings are counted as well.
bool isTooDeep(StringRef Text) {
  constexpr int Deepest = 256;
  int Depth = 0;
  return any_of(Text, [&](char C) {
    Depth += C == '[' || C == '{' ? 1 : C == ']' || C == '}' ? -1 : 0;
    return Depth > Deepest;
  });
}

Expected<Manifest> readManifest(StringRef Text) {
  if (isTooDeep(Text)) {
    return createStringError("its brackets are nested too deeply");
  }
  Expected<json::Value> Parsed = json::parse(Text);
  if (!Parsed) {
    return Parsed.takeError();
  }
  json::Path::Root Root("manifest");
  Members In(*Parsed, Root);
  int64_t Version = 0;
  Manifest Result;
  if (!In.need("schema", Version)) {
    return Root.getError();
  }
  if (Version != SchemaVersion) {
    return createStringError("its schema is " + Twine(Version) + ", this version reads " + Twine(SchemaVersion));
  }
  if (!In.need("file", Result.File) || !In.need("callables", Result.Callables)) {
    return Root.getError();
  }
  return Result;
}

}  // namespace graphgen::plan
