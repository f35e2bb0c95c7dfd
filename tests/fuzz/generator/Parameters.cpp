// SPDX-License-Identifier: Apache-2.0
//
// Types and specs are made together, so that they match.
#include "Parameters.h"

#include "Program.h"

#include "llvm/ADT/StringExtras.h"

namespace graphgen::fuzz {
namespace {

constexpr const char* DTypes[] = {"f32", "f64", "f16", "bf16", "i64", "i32", "i16", "i8", "u8", "bool", "c64", "c128", "f8e4m3", "f8e5m2"};
constexpr const char* Dims[] = {"2",     "64", "kSize", "BB",      "2 * BB + 1", "CC",    "app::kIn", "(kSize + 1) % 5", "0x10",
                                "-(-3)", "0",  "kE",    "::kSize", "BB / 1",     "1'000", "3",        "4 - 6",           "BB * kSize * 3"};
constexpr const char* Flags[] = {"", " grad", " inplace", " static", " channels_last", " grad inplace", " static inplace", " optional"};

constexpr const char* Counts[] = {" * 2", " * 0", " * BB", " * (kSize - 1)"};

std::string withMarker(llvm::StringRef Text) { return (Text + " " + Marker + " " + Text).str(); }

struct Member {
  std::string Type, Spec, Tensor;
};

Member member(Choices& From) {
  switch (From.below(6)) {
    case 1:
      return {"std::vector<torch::Tensor>", tensorSpec(From) + " * 2", "[0]"};
    case 2:
      return {"int64_t", From.oneIn(2) ? "const" : "key", ""};
    case 3:
      return {"bool", "key", ""};
    case 4:
      return {"std::array<torch::Tensor, 2>", tensorSpec(From) + " * 2", "[1]"};
    case 5:
      return {"std::optional<torch::Tensor>", tensorSpec(From) + " optional", ".value()"};
    default:
      return {"torch::Tensor", tensorSpec(From), "."};
  }
}

Parameter structOf(Choices& From, const std::string& Name, unsigned& Unique) {
  static constexpr const char* Names[] = {"obs", "a", "state", "graph", "engine_", "call", "x_1", "signature"};
  const std::string Class = "Batch" + std::to_string(++Unique);
  Parameter Result{Name, "const " + Class + "&", "{", "", "struct " + Class + " {", {}};
  for (unsigned I = 0, Count = From.below(4) + 1; I < Count; ++I) {
    const std::string Field = Names[(I + Unique) % std::size(Names)];
    const Member New = member(From);
    Result.Before += " " + New.Type + " " + Field + ";";
    Result.Spec += (I == 0 ? "" : ", ") + Field + ": " + New.Spec;
    if (!New.Tensor.empty()) {
      Result.Tensors.push_back(Name + "." + Field + (New.Tensor == "." ? "" : New.Tensor));
    }
  }
  Result.Before += " };\n";
  Result.Spec += "}";
  return Result;
}

Parameter scalarOf(Choices& From, const std::string& Name) {
  static constexpr const char* Types[] = {"bool",
                                          "int64_t",
                                          "double",
                                          "int",
                                          "float",
                                          "unsigned char",
                                          "Kind",
                                          "std::string",
                                          "std::vector<int64_t>",
                                          "at::IntArrayRef",
                                          "std::optional<double>",
                                          "torch::Device"};
  static constexpr const char* Defaults[] = {
      "", " = 1", " = {}", " = kSize", " = -1", " = 1 / 0", " = 1e300 * 1e300", " = '?\?/'", " = sizeof(int)", " = kSize << 2"};
  Parameter Result{Name, From.of(Types), From.oneIn(2) ? "const" : "key", "", "", {}};
  if (Result.Type == "Kind") {
    Result.Default = From.oneIn(2) ? " = Kind::on" : "";
  } else if (Result.Type != "std::string") {
    Result.Default = From.of(Defaults);
  } else if (From.oneIn(2)) {
    const std::string Text = withMarker(From.text());
    Result.Default = " = " + stringLiteral(From, Text);
  }
  return Result;
}

}  // namespace

std::string codeOf(llvm::StringRef Text) {
  std::string Code = Text.str();
  for (size_t At = Code.find(Marker.str()); At != std::string::npos; At = Code.find(Marker.str())) {
    Code.replace(At, Marker.size(), "injected");
  }
  return Code;
}

std::string stringLiteral(Choices& From, llvm::StringRef Text) {
  if (From.oneIn(4) && !Text.contains(")m\"") && !Text.contains('\0') && !Text.contains('\r')) {
    return ("R\"m(" + Text + ")m\"").str();
  }
  std::string Spelled = "\"";
  for (const char C : Text) {
    const auto Byte = static_cast<unsigned char>(C);
    if (llvm::isAlnum(C) || C == ' ') {
      Spelled += C;
    } else {
      Spelled +=
          {'\\', static_cast<char>('0' + (Byte >> 6u)), static_cast<char>('0' + ((Byte >> 3u) & 7u)), static_cast<char>('0' + (Byte & 7u))};
    }
  }
  return Spelled + "\"";
}

std::string tensorSpec(Choices& From) {
  std::string Spec = std::string(From.of(DTypes)) + "[";
  for (unsigned I = 0, Count = From.below(4); I < Count; ++I) {
    Spec += (I == 0 ? "" : ", ") + std::string(From.of(Dims));
  }
  return Spec + "]";
}

/// Of equal elements, or one by one.
static std::string listSpec(Choices& From) {
  return From.oneIn(3) ? "{" + tensorSpec(From) + ", " + tensorSpec(From) + "}" : tensorSpec(From) + From.of(Counts);
}

Parameter parameter(Choices& From, const std::string& Name, unsigned& Unique) {
  switch (From.below(13)) {
    case 1:
      return {Name, "torch::Tensor", tensorSpec(From) + From.of(Flags), "", "", {Name}};
    case 2:
      return {Name, "torch::Tensor&", tensorSpec(From) + " inplace", "", "", {Name}};
    case 3:
      return {Name, "const std::vector<torch::Tensor>&", tensorSpec(From) + " * 3", From.oneIn(4) ? " = {}" : "", "", {Name + "[0]"}};
    case 4:
      return {Name, "std::array<torch::Tensor, 2>", tensorSpec(From) + " * 2", "", "", {Name + "[1]"}};
    case 5:
      return {
          Name,        "const std::optional<torch::Tensor>&", tensorSpec(From) + " optional", From.oneIn(2) ? " = std::nullopt" : "", "",
          {"*" + Name}};
    case 6:
      return {Name, "torch::TensorList", listSpec(From), "", "", {Name + "[0]"}};
    case 7:
      return structOf(From, Name, Unique);
    case 8:
      return {Name,
              "const std::map<std::string, torch::Tensor>&",
              "{" + Marker.str() + ": " + tensorSpec(From) + ", b: " + tensorSpec(From) + "}",
              "",
              "",
              {Name + ".at(\"b\")"}};
    case 9:
      return {Name,
              "const std::tuple<torch::Tensor, std::vector<torch::Tensor>>&",
              "{" + tensorSpec(From) + ", " + tensorSpec(From) + " * 2}",
              "",
              "",
              {"std::get<0>(" + Name + ")"}};
    case 10:
      return {Name, "graphed::Scalar", "live", From.oneIn(2) ? " = 0.5" : "", "", {}};
    case 11:
    case 12:
      return scalarOf(From, Name);
    default:
      return {Name, "const torch::Tensor&", tensorSpec(From) + From.of(Flags), "", "", {Name}};
  }
}

}  // namespace graphgen::fuzz
