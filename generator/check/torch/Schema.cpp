// SPDX-License-Identifier: Apache-2.0
//
// From left to right: a type's name, `(alias)`, `?` and `[]`, the name, `=default`.
#include "check/torch/Schema.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check {
namespace {

using Kind = Operator::Kind;

/// The parts between commas that are in no parentheses or brackets.
llvm::SmallVector<llvm::StringRef, 8> splitList(llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef, 8> Parts;
  size_t Depth = 0;
  size_t Begin = 0;
  for (size_t At = 0; At < Text.size(); ++At) {
    Depth += Text[At] == '(' || Text[At] == '[' ? 1 : 0;
    Depth -= Text[At] == ')' || Text[At] == ']' ? 1 : 0;
    if (Text[At] == ',' && Depth == 0) {
      Parts.push_back(Text.slice(Begin, At).trim());
      Begin = At + 1;
    }
  }
  if (const llvm::StringRef Last = Text.substr(Begin).trim(); !Last.empty()) {
    Parts.push_back(Last);
  }
  return Parts;
}

Kind kindNamed(llvm::StringRef Type) {
  return llvm::StringSwitch<Kind>(Type)
      .Case("Tensor", Kind::Tensor)
      .Cases({"int", "SymInt", "DeviceIndex"}, Kind::Integer)
      .Case("float", Kind::Float)
      .Case("Scalar", Kind::Scalar)
      .Case("bool", Kind::Bool)
      .Case("ScalarType", Kind::DType)
      .Case("Layout", Kind::Layout)
      .Case("Device", Kind::Device)
      .Case("MemoryFormat", Kind::MemoryFormat)
      .Case("Generator", Kind::Generator)
      .Case("str", Kind::String)
      .Default(Kind::Other);
}

/// Takes `(a)`, `(a!)` or `(a -> *)` off the text.
Operator::Alias takeAlias(llvm::StringRef& Text) {
  Operator::Alias Result;
  if (Text.starts_with("(")) {
    const llvm::StringRef Inner = Text.slice(1, Text.find(')'));
    Text = Text.drop_front(Inner.size() + 2);
    Result.Set = Inner.front();
    Result.IsWritten = Inner.contains('!');
    Result.OfElements = Inner.contains('*');
  }
  return Result;
}

struct Typed {
  Kind Type = Kind::Other;
  Operator::Alias Memory;
  bool IsOptional = false;
  llvm::StringRef Name;
};

Kind withSuffix(Kind Element, bool IsList, bool IsOptionalElement) {
  if (Element == Kind::Tensor) {
    return IsList ? (IsOptionalElement ? Kind::OptionalTensorList : Kind::TensorList)
                  : (IsOptionalElement ? Kind::OptionalTensor : Kind::Tensor);
  }
  return !IsList ? Element : Element == Kind::Integer ? Kind::IntegerList : Kind::Other;
}

/// `Tensor?[] indices`, `SymInt[1]? dim`, `Tensor(a!)`.
Typed parseTyped(llvm::StringRef Text) {
  Typed Result;
  const llvm::StringRef Type = Text.take_while(llvm::isAlnum);
  Text = Text.drop_front(Type.size());
  Result.Memory = takeAlias(Text);
  const llvm::StringRef Suffix =
      Text.take_while([](char Each) { return Each == '?' || Each == '[' || Each == ']' || llvm::isDigit(Each); });
  Result.IsOptional = Suffix.ends_with("?");
  Result.Type = withSuffix(kindNamed(Type), Suffix.contains('['), Suffix.starts_with("?"));
  Result.Name = Text.drop_front(Suffix.size()).trim();
  return Result;
}

std::vector<Operator::Parameter> parseParameters(llvm::StringRef Text) {
  std::vector<Operator::Parameter> Result;
  bool IsKeywordOnly = false;
  for (const llvm::StringRef Each : splitList(Text)) {
    if (Each == "*") {
      IsKeywordOnly = true;
      continue;
    }
    const Typed Its = parseTyped(Each.split('=').first);
    const std::optional<llvm::StringRef> Default = Each.contains('=') ? std::optional(Each.split('=').second) : std::nullopt;
    Result.push_back({Its.Name, Its.Type, Its.Memory, Its.IsOptional, IsKeywordOnly, Default});
  }
  return Result;
}

std::vector<Operator::Result> parseResults(llvm::StringRef Text) {
  if (Text.consume_front("(")) {
    Text.consume_back(")");
  }
  std::vector<Operator::Result> Result;
  for (const llvm::StringRef Each : splitList(Text)) {
    const Typed Its = parseTyped(Each);
    Result.push_back({Its.Name, Its.Type, Its.Memory});
  }
  return Result;
}

}  // namespace

Operator parseSchema(llvm::StringRef Text) {
  constexpr llvm::StringLiteral Arrow = ") -> ";
  const size_t Open = Text.find('(');
  const size_t Close = Text.rfind(Arrow);
  const auto [Name, Overload] = Text.take_front(Open).split('.');
  return {Name, Overload, parseParameters(Text.slice(Open + 1, Close)), parseResults(Text.substr(Close + Arrow.size()))};
}

}  // namespace graphgen::check
