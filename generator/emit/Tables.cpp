// SPDX-License-Identifier: Apache-2.0
//
// The tables of samples that a call's tensors are checked against.
#include "emit/Tables.h"

#include "annotation/Words.h"
#include "emit/Spelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace graphgen::emit {
namespace {

/// The tables of one annotation.
class SampleTables {
 public:
  /// `FirstOpen`: how many open variables those before it have.
  SampleTables(const plan::Samples& Samples, std::size_t FirstOpen) : Samples(Samples), FirstOpen(FirstOpen) {}

  json::Object context(const std::string& Name) const {
    json::Array Lists = lists();
    const bool HasLists = !Lists.empty();
    const bool HasPadding = !Samples.PaddedDims.empty();
    return json::Object{
        {"name", Name},
        {"parameters", parameters()},
        {"shapes", shapes()},
        {"tensors", tensors()},
        {"has_tensors", !Samples.Tensors.empty()},
        {"lists", std::move(Lists)},
        {"has_lists", HasLists},
        {"has_padding", HasPadding},
        {"padded", padded()},
        {"padded_dims", paddedDims()},
        {"has_open", hasOpen()},
        {"open", open()},
        {"open_dims", openDims()},
    };
  }

  std::size_t openCount() const {
    return static_cast<std::size_t>(count_if(Samples.Variables, [](const plan::DimVariable& Each) { return Each.isOpen(); }));
  }

  /// One for each combination of the known values, the last varying first.
  std::vector<std::string> rows(const std::string& Name) const {
    std::vector<std::string> Combinations{""};
    for (const plan::DimVariable& Variable : Samples.Variables) {
      if (Variable.isOpen()) {
        continue;
      }
      std::vector<std::string> Longer;
      for (const std::string& Before : Combinations) {
        for (const int64_t Value : Variable.Values) {
          Longer.push_back(Before + (Before.empty() ? "" : ", ") + std::to_string(Value));
        }
      }
      Combinations = std::move(Longer);
    }
    std::vector<std::string> Result;
    for (const std::string& Values : Combinations) {
      Result.push_back(row(Name + (Values.empty() ? "" : "<" + Values + ">")));
    }
    return Result;
  }

 private:
  /// `template <int64_t B>`: one text, or none.
  json::Array parameters() const {
    std::vector<std::string> Parameters;
    for (const plan::DimVariable& Each : Samples.Variables) {
      if (!Each.isOpen()) {
        Parameters.push_back("int64_t " + variableName(Each.Name));
      }
    }
    return Parameters.empty() ? json::Array() : json::Array{json::Object{{"variables", join(Parameters, ", ")}}};
  }

  bool hasOpen() const { return !Samples.OpenDims.empty(); }
  bool isOpen(std::size_t Tensor, std::size_t Dim) const {
    return any_of(Samples.OpenDims, [&](const plan::OpenDim& Each) { return Each.Tensor == Tensor && Each.Dim == Dim; });
  }

  /// The elements of a list share one shape.
  json::Array shapes() const {
    json::Array Result;
    StringSet<> Seen;
    for (const auto& [Index, Each] : enumerate(Samples.Tensors)) {
      if (Each.Shape.empty() || !Seen.insert(Each.Stem).second) {
        continue;
      }
      std::vector<std::string> Extents;
      for (const auto& [Dim, Extent] : enumerate(Each.Shape)) {
        Extents.push_back(isOpen(Index, Dim) ? "graphed::impl::open_extent" : extent(Extent));
      }
      Result.push_back(json::Object{{"shape", Each.Stem + "_shape"}, {"extents", join(Extents, ", ")}});
    }
    return Result;
  }

  json::Array tensors() const {
    json::Array Rows;
    for (const plan::Tensor& Each : Samples.Tensors) {
      Rows.push_back(tensor(Each));
    }
    return Rows;
  }

  static json::Object tensor(const plan::Tensor& Tensor) {
    return json::Object{
        {"tensor", literal(Tensor.Name)},
        {"dtype", dtypeName(Tensor.Type)},
        {"shape", Tensor.Shape.empty() ? "{}" : Tensor.Stem + "_shape"},
        {"flags", flagNames(Tensor)},
    };
  }

  /// What runtime/include/graphed/impl/spec.h calls it.
  static std::string flagName(annotation::Flag Flag) {
    return Flag == annotation::Flag::Static ? "static_address" : annotation::spelling(Flag).str();
  }

  /// A list of one text, or none.
  static json::Array flagNames(const plan::Tensor& Tensor) {
    std::vector<std::string> Names;
    for (const annotation::Flag Each : Tensor.Flags) {
      Names.push_back("graphed::impl::flags::" + flagName(Each));
    }
    return Names.empty() ? json::Array() : json::Array{json::Object{{"flags", join(Names, " | ")}}};
  }

  json::Array lists() const {
    json::Array Rows;
    for (const plan::List& Each : Samples.Lists) {
      Rows.push_back(json::Object{{"list", literal(Each.Name)}, {"count", std::to_string(Each.Count)}});
    }
    return Rows;
  }

  json::Array padded() const {
    json::Array Rows;
    for (const plan::DimVariable& Variable : Samples.Variables) {
      if (Variable.Pad) {
        const bool Repeats = *Variable.Pad == annotation::PadFill::Repeat;
        Rows.push_back(json::Object{
            {"variable", literal(Variable.Name)}, {"size", variableName(Variable.Name)}, {"fill", Repeats ? "Repeat" : "Zero"}});
      }
    }
    return Rows;
  }

  json::Array paddedDims() const {
    json::Array Rows;
    for (const plan::PaddedDim& Each : Samples.PaddedDims) {
      Rows.push_back(json::Object{
          {"tensor", std::to_string(Each.Tensor)}, {"dim", std::to_string(Each.Dim)}, {"variable", std::to_string(Each.Variable)}});
    }
    return Rows;
  }

  json::Array open() const {
    json::Array Rows;
    for (const plan::DimVariable& Variable : Samples.Variables) {
      if (Variable.isOpen()) {
        const plan::OpenDim Place = placeOf(Samples, Variable);
        Rows.push_back(json::Object{{"variable", literal(Variable.Name)},
                                    {"number", std::to_string(FirstOpen + Rows.size())},
                                    {"at_most", std::to_string(*Variable.AtMost)},
                                    {"tensor", std::to_string(Place.Tensor)},
                                    {"dim", std::to_string(Place.Dim)}});
      }
    }
    return Rows;
  }

  json::Array openDims() const {
    std::vector<std::string> Open;
    for (const plan::DimVariable& Variable : Samples.Variables) {
      if (Variable.isOpen()) {
        Open.push_back(Variable.Name);
      }
    }
    json::Array Rows;
    for (const plan::OpenDim& Each : Samples.OpenDims) {
      const std::string& Extent = Samples.Tensors[Each.Tensor].Shape[Each.Dim];
      Rows.push_back(json::Object{{"tensor", std::to_string(Each.Tensor)},
                                  {"dim", std::to_string(Each.Dim)},
                                  {"text", literal(Extent)},
                                  {"extent", openExtent(Extent, Open)}});
    }
    return Rows;
  }

  /// "sample<1>::tensors, /*lists=*/{}, sample<1>::padded, sample<1>::padded_dims"
  std::string row(const std::string& Name) const {
    const bool HasPadding = !Samples.PaddedDims.empty();
    const bool HasLists = !Samples.Lists.empty();
    std::string Result = Samples.Tensors.empty() ? "{}" : Name + "::tensors";
    if (HasLists || HasPadding || hasOpen()) {
      Result += HasLists ? ", " + Name + "::lists" : ", /*lists=*/{}";
    }
    if (hasOpen()) {
      return Result + ", /*padded=*/{}, /*padded_dims=*/{}, " + Name + "::open, " + Name + "::open_dims";
    }
    return Result + (HasPadding ? ", " + Name + "::padded, " + Name + "::padded_dims" : "");
  }

  const plan::Samples& Samples;
  const std::size_t FirstOpen;
};

}  // namespace

json::Object tables(const plan::Callable& Callable) {
  json::Array Plain;
  json::Array Structs;
  json::Array Rows;
  const bool IsOne = Callable.SampleSets.size() == 1;
  std::size_t OpenBefore = 0, OpenSoFar = 0, Annotation = 0;
  for (const auto& [Index, Each] : enumerate(Callable.SampleSets)) {
    const std::string Name = "sample" + (IsOne ? "" : std::to_string(Index + 1));
    OpenBefore = Each.Annotation == Annotation ? OpenBefore : OpenSoFar;
    Annotation = Each.Annotation;
    const SampleTables Tables(Each, OpenBefore);
    OpenSoFar = OpenBefore + Tables.openCount();
    if (IsOne && Each.Variables.empty()) {
      Plain.push_back(Tables.context(Name));
      continue;
    }
    Structs.push_back(Tables.context(Name));
    for (std::string& Row : Tables.rows(Name)) {
      Rows.push_back(json::Object{{"row", std::move(Row)}});
    }
  }
  const bool HasRows = !Rows.empty();
  return json::Object{{"plain", std::move(Plain)}, {"structs", std::move(Structs)}, {"has_rows", HasRows}, {"rows", std::move(Rows)}};
}

}  // namespace graphgen::emit
