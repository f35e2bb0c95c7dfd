// SPDX-License-Identifier: Apache-2.0
//
// Follows the type; the annotation is followed as far as it matches. Members and keys are matched by name, a tuple's members by position.
#include "annotation/Bind.h"

#include "annotation/FlagRules.h"
#include "annotation/Printer.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::annotation {
namespace {

/// `{f32[2], f32[3]}`, of a list or an array: each element by itself.
bool isByPosition(const Spec& Value) { return Value.What == Spec::Kind::Aggregate && !Value.Repeat && Value.Fields.front().Name.empty(); }

/// A list within a list is in braces of its own: `{f32[2] * 3} * 4`.
const Spec& withoutBraces(const Spec& Value, const Type& T) {
  const bool IsBraced = isByPosition(Value) && Value.Fields.size() == 1 && Value.Fields.front().Value.Repeat;
  return IsBraced && (isList(T.Kind) || T.Kind == TypeKind::Array) ? Value.Fields.front().Value : Value;
}

class Binder {
 public:
  explicit Binder(const Constants& Known) : Known(Known) {}

  Bound bind(const std::string& Name, const std::string& Path, const Type& T, const Spec* Given) const {
    const Spec* Said = Given ? &withoutBraces(*Given, T) : nullptr;
    Bound Result;
    Result.Name = Name;
    Result.Path = Path;
    Result.Kind = T.Kind;
    Result.Spelling = T.Spelling;
    Result.Length = T.Length;
    Result.IsChangeable = T.IsChangeable;
    if (Said) {
      Result.Said = resolved(*Said);
      Result.IsChangeable |= T.Kind == TypeKind::TensorLvalue && !findFlag(*Said, Flag::Inplace);
    }
    addParts(Result, T, Said);
    return Result;
  }

 private:
  Spec resolved(Spec Value) const {
    for (Expr& Each : Value.Dims) {
      Each = fold(Each, Known);
    }
    if (Value.Repeat) {
      Value.Repeat = fold(*Value.Repeat, Known);
    }
    return Value;
  }

  void addParts(Bound& Whole, const Type& T, const Spec* Said) const {
    const bool IsAggregate = Said && Said->What == Spec::Kind::Aggregate && !Said->Repeat;
    const bool IsNamed = IsAggregate && !Said->Fields.front().Name.empty();
    switch (T.Kind) {
      case TypeKind::Struct:
        return addMembers(Whole, T, IsNamed ? Said : nullptr);
      case TypeKind::Tuple:
        return addPositions(Whole, T, IsAggregate && !IsNamed && Said->Fields.size() == T.Members.size() ? Said : nullptr);
      case TypeKind::Map:
        return addKeys(Whole, T.Members.front().Type, IsNamed ? Said : nullptr);
      case TypeKind::Optional:
        Whole.Parts.push_back(bind("", Whole.Path, T.Members.front().Type, Said));
        return;
      case TypeKind::Vector:
      case TypeKind::ArrayRef:
      case TypeKind::List:
      case TypeKind::Array:
        return Said && isByPosition(*Said) ? addElements(Whole, T.Members.front().Type, *Said)
                                           : addElement(Whole, T.Members.front().Type, Said);
      default:
        return;
    }
  }

  // What matches is taken from the fields.

  void addMembers(Bound& Whole, const Type& T, const Spec* Said) const {
    std::vector<Field> Others = Said ? std::move(Whole.Said->Fields) : std::vector<Field>();
    for (const Member& Each : T.Members) {
      const auto Its = llvm::find_if(Others, [&](const Field& F) { return F.Name == Each.Name; });
      Whole.Parts.push_back(bind(Each.Name, Whole.Path + '.' + Each.Name, Each.Type, Its == Others.end() ? nullptr : &Its->Value));
      if (Its != Others.end()) {
        Others.erase(Its);
      }
    }
    if (Said) {
      Whole.Said->Fields = std::move(Others);
    }
  }

  void addPositions(Bound& Whole, const Type& T, const Spec* Said) const {
    for (const auto& [Index, Each] : llvm::enumerate(T.Members)) {
      Whole.Parts.push_back(
          bind("", Whole.Path + '[' + std::to_string(Index) + ']', Each.Type, Said ? &Said->Fields[Index].Value : nullptr));
    }
    if (Said) {
      Whole.Said->Fields.clear();
    }
  }

  void addKeys(Bound& Whole, const Type& Element, const Spec* Said) const {
    if (!Said) {
      Whole.Parts.push_back(bind("", Whole.Path, Element, nullptr));
      return;
    }
    for (const Field& Each : Said->Fields) {
      Whole.Parts.push_back(bind(Each.Name, Whole.Path + '.' + Each.Name, Element, &Each.Value));
    }
    llvm::sort(Whole.Parts, [](const Bound& Left, const Bound& Right) { return Left.Name < Right.Name; });
    Whole.Said->Fields.clear();
  }

  void addElements(Bound& Whole, const Type& Element, const Spec& Said) const {
    for (const auto& [Index, Each] : llvm::enumerate(Said.Fields)) {
      Whole.Parts.push_back(bind("", Whole.Path + '[' + std::to_string(Index) + ']', Element, &Each.Value));
    }
    Whole.IsByPosition = true;
    Whole.Said->Fields.clear();
  }

  void addElement(Bound& Whole, const Type& Element, const Spec* Said) const {
    std::optional<Spec> Each = Said ? std::optional(*Said) : std::nullopt;
    if (Each) {
      Each->Repeat.reset();
    }
    Whole.Parts.push_back(bind("", Whole.Path + "[0]", Element, Each ? &*Each : nullptr));
  }

  const Constants& Known;
};

std::vector<Setting> settingsOf(const Annotation& Said, const Constants& Known) {
  std::vector<Setting> Result;
  for (const Option& Each : Said.Options) {
    Result.push_back({Each, Each.Value ? std::get<int64_t>(evaluateOption(Each, Known)) : 0});
  }
  return Result;
}

}  // namespace

std::optional<Callable> bindAnnotation(Declaration Declared, const Annotation& Said, const Constants& Known,
                                       std::vector<Diagnostic>& Errors) {
  std::vector<Diagnostic> Found = checkValues(Said, Known);
  if (!Found.empty()) {
    llvm::append_range(Errors, std::move(Found));
    return std::nullopt;
  }
  Callable Result;
  static_cast<Declaration&>(Result) = std::move(Declared);
  Result.Unknown = Said.Arguments;
  Result.Variables = variablesOf(Said, Known);
  Result.Options = settingsOf(Said, Known);
  Result.Text = print(Said);
  Result.End = Said.Arguments.empty() ? 0 : Said.Arguments.back().Value.Range.End;
  for (const Parameter& Each : Result.Parameters) {
    Result.Arguments.push_back(Binder(Known).bind(Each.Name, Each.Name, Each.Type, specOf(Each.Name, Said.Arguments)));
    llvm::erase_if(Result.Unknown, [&](const Field& F) { return F.Name == Each.Name; });
  }
  return Result;
}

const Spec* specOf(llvm::StringRef Name, llvm::ArrayRef<Field> Said) {
  const auto* Its = llvm::find_if(Said, [&](const Field& Each) { return Each.Name == Name; });
  return Its == Said.end() ? nullptr : &Its->Value;
}

}  // namespace graphgen::annotation
