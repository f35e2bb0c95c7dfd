// SPDX-License-Identifier: Apache-2.0
//
// The tables of words, and the search for the word that was meant.
#include "annotation/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <array>

namespace graphgen::annotation {
namespace {

template <typename T>
struct Word {
  llvm::StringLiteral Text;
  T Value;
};

// Each table has the order of its enumeration.
constexpr Word<DType> DTypes[] = {
    {"f64", DType::F64},       {"f32", DType::F32}, {"f16", DType::F16},   {"bf16", DType::BF16}, {"f8e4m3", DType::F8E4M3},
    {"f8e5m2", DType::F8E5M2}, {"c64", DType::C64}, {"c128", DType::C128}, {"i64", DType::I64},   {"i32", DType::I32},
    {"i16", DType::I16},       {"i8", DType::I8},   {"u8", DType::U8},     {"bool", DType::Bool},
};

constexpr Word<Flag> Flags[] = {
    {"grad", Flag::Grad},     {"channels_last", Flag::ChannelsLast}, {"inplace", Flag::Inplace},
    {"static", Flag::Static}, {"optional", Flag::Optional},          {"host", Flag::Host},
};

constexpr Word<ScalarKind> Scalars[] = {{"key", ScalarKind::Key}, {"const", ScalarKind::Const}, {"live", ScalarKind::Live}};

constexpr Word<ObjectKind> Objects[] = {{"module", ObjectKind::Module}, {"object", ObjectKind::Object}};

constexpr Word<UnseenKind> Unseen[] = {{"out", UnseenKind::Out}, {"ignore", UnseenKind::Ignore}};

constexpr Word<OptionKind> Options[] = {
    {"outputs", OptionKind::Outputs}, {"pool", OptionKind::Pool},   {"slots", OptionKind::Slots},
    {"warmup", OptionKind::Warmup},   {"step", OptionKind::Step},   {"strict", OptionKind::Strict},
    {"order", OptionKind::Order},     {"grads", OptionKind::Grads}, {"allow", OptionKind::Allow},
};

constexpr std::array<llvm::StringRef, 4> OutputsChoices = {"keep", "alias", "clone", "host"};
constexpr std::array<llvm::StringRef, 1> GradsChoices = {"in_graph"};

/// What C++, Python and ATen call a word of this language, in lower case and divided by spaces.
struct Synonyms {
  llvm::StringLiteral Ours;
  llvm::StringLiteral Others;
};

constexpr Synonyms DTypeSynonyms[] = {
    {"f64", "double float64 fp64 kdouble kfloat64"}, {"f32", "float float32 fp32 kfloat kfloat32"},
    {"f16", "half float16 fp16 khalf kfloat16"},     {"bf16", "bfloat bfloat16 kbfloat16"},
    {"f8e4m3", "e4m3 float8_e4m3fn kfloat8_e4m3fn"}, {"f8e5m2", "e5m2 float8_e5m2 kfloat8_e5m2"},
    {"c64", "complex64 cfloat kcomplexfloat"},       {"c128", "complex128 cdouble kcomplexdouble"},
    {"i64", "long int64 int64_t klong kint64"},      {"i32", "int int32 int32_t kint kint32"},
    {"i16", "short int16 int16_t kshort kint16"},    {"i8", "int8 int8_t kchar kint8"},
    {"u8", "byte uint8 uint8_t kbyte kuint8"},       {"bool", "boolean kbool"},
};
constexpr Synonyms ValueSynonyms[] = {{"const", "constant constexpr"},
                                      {"live", "dynamic"},
                                      {"module", "model net"},
                                      {"out", "output result"},
                                      {"ignore", "ignored unused none"}};
constexpr Synonyms FlagSynonyms[] = {{"grad", "requires_grad"}, {"inplace", "mutable"}, {"host", "cpu pinned"}};
constexpr Synonyms OptionSynonyms[] = {{"warmup", "num_warmup_iters"}, {"pool", "mempool"}, {"order", "create_graph"}};

using Names = llvm::SmallVector<llvm::StringRef, 24>;

template <typename T, size_t N>
Names namesOf(const Word<T> (&Table)[N]) {
  Names Result;
  for (const Word<T>& Entry : Table) {
    Result.push_back(Entry.Text);
  }
  return Result;
}

template <typename T, size_t N>
std::optional<T> find(const Word<T> (&Table)[N], llvm::StringRef Text) {
  for (const Word<T>& Entry : Table) {
    if (Entry.Text == Text) {
      return Entry.Value;
    }
  }
  return std::nullopt;
}

/// The known word that two neighbouring letters of the wrong one are in the wrong order of.
llvm::StringRef swapped(llvm::ArrayRef<llvm::StringRef> Known, std::string Wrong) {
  for (size_t I = 1; I < Wrong.size(); ++I) {
    std::swap(Wrong[I - 1], Wrong[I]);
    const auto* Found = llvm::find(Known, Wrong);
    if (Found != Known.end()) {
      return *Found;
    }
    std::swap(Wrong[I - 1], Wrong[I]);
  }
  return {};
}

/// The known word that alone has the least edit distance, which is one, or a third of the wrong word's letters if that is more.
llvm::StringRef closest(llvm::ArrayRef<llvm::StringRef> Known, llvm::StringRef Wrong) {
  unsigned Least = std::max(1U, static_cast<unsigned>(Wrong.size()) / 3) + 1;
  llvm::StringRef Found;
  for (llvm::StringRef Word : Known) {
    const unsigned Distance = Word.edit_distance(Wrong, /*AllowReplacements=*/true, Least);
    if (Distance < Least) {
      Least = Distance;
      Found = Word;
    } else if (Distance == Least) {
      Found = {};
    }
  }
  return Found;
}

llvm::StringRef synonym(llvm::ArrayRef<Synonyms> Table, llvm::StringRef Wrong) {
  for (const Synonyms& Entry : Table) {
    llvm::SmallVector<llvm::StringRef, 8> Others;
    Entry.Others.split(Others, ' ');
    if (llvm::is_contained(Others, Wrong)) {
      return Entry.Ours;
    }
  }
  return {};
}

llvm::StringRef nearest(llvm::ArrayRef<llvm::StringRef> Known, llvm::ArrayRef<Synonyms> Table, llvm::StringRef Wrong) {
  constexpr size_t LongestWord = 32;
  if (Wrong.size() > LongestWord) {
    return {};
  }
  const std::string Lower = Wrong.lower();
  llvm::StringRef Found = synonym(Table, Lower);
  if (Found.empty()) {
    Found = swapped(Known, Lower);
  }
  return Found.empty() ? closest(Known, Lower) : Found;
}

std::string joined(llvm::ArrayRef<llvm::StringRef> Words) {
  std::string Result = Words.front().str();
  for (llvm::StringRef Word : Words.drop_front().drop_back(Words.size() > 1 ? 1 : 0)) {
    Result += ", " + Word.str();
  }
  if (Words.size() > 1) {
    Result += " or " + Words.back().str();
  }
  return Result;
}

}  // namespace

llvm::StringRef spelling(DType Type) { return DTypes[static_cast<size_t>(Type)].Text; }
llvm::StringRef spelling(Flag Value) { return Flags[static_cast<size_t>(Value)].Text; }
llvm::StringRef spelling(ScalarKind Kind) { return Scalars[static_cast<size_t>(Kind)].Text; }
llvm::StringRef spelling(ObjectKind Kind) { return Objects[static_cast<size_t>(Kind)].Text; }
llvm::StringRef spelling(UnseenKind Kind) { return Unseen[static_cast<size_t>(Kind)].Text; }
llvm::StringRef spelling(OptionKind Kind) { return Options[static_cast<size_t>(Kind)].Text; }

std::optional<DType> dtypeNamed(llvm::StringRef Text) { return find(DTypes, Text); }
std::optional<Flag> flagNamed(llvm::StringRef Text) { return find(Flags, Text); }
std::optional<ScalarKind> scalarNamed(llvm::StringRef Text) { return find(Scalars, Text); }
std::optional<ObjectKind> objectNamed(llvm::StringRef Text) { return find(Objects, Text); }
std::optional<UnseenKind> unseenNamed(llvm::StringRef Text) { return find(Unseen, Text); }
std::optional<OptionKind> optionNamed(llvm::StringRef Text) { return find(Options, Text); }

OptionValue valueOf(OptionKind Kind) {
  switch (Kind) {
    case OptionKind::Outputs:
    case OptionKind::Grads:
      return OptionValue::Choice;
    case OptionKind::Pool:
      return OptionValue::Name;
    case OptionKind::Allow:
      return OptionValue::Id;
    case OptionKind::Slots:
    case OptionKind::Warmup:
    case OptionKind::Order:
      return OptionValue::Expr;
    case OptionKind::Step:
    case OptionKind::Strict:
      return OptionValue::Nothing;
  }
  return OptionValue::Nothing;
}

llvm::ArrayRef<llvm::StringRef> choicesOf(OptionKind Kind) {
  switch (Kind) {
    case OptionKind::Outputs:
      return OutputsChoices;
    case OptionKind::Grads:
      return GradsChoices;
    default:
      return {};
  }
}

llvm::StringRef nearestDType(llvm::StringRef Wrong) { return nearest(namesOf(DTypes), DTypeSynonyms, Wrong); }

llvm::StringRef nearestDTypeOrWord(llvm::StringRef Wrong) {
  Names Known = namesOf(DTypes);
  Known.append(namesOf(Scalars));
  Known.append(namesOf(Objects));
  Known.append(namesOf(Unseen));
  const llvm::StringRef Word = synonym(ValueSynonyms, Wrong.lower());
  return Word.empty() ? nearest(Known, DTypeSynonyms, Wrong) : Word;
}

llvm::StringRef nearestFlag(llvm::StringRef Wrong) { return nearest(namesOf(Flags), FlagSynonyms, Wrong); }
llvm::StringRef nearestOption(llvm::StringRef Wrong) { return nearest(namesOf(Options), OptionSynonyms, Wrong); }
llvm::StringRef nearestChoice(OptionKind Kind, llvm::StringRef Wrong) { return nearest(choicesOf(Kind), {}, Wrong); }

llvm::StringRef nearestName(llvm::ArrayRef<llvm::StringRef> Known, llvm::StringRef Wrong) {
  constexpr size_t ShortestName = 3, LongestName = 256;
  if (Wrong.size() < ShortestName || Wrong.size() > LongestName) {
    return {};
  }
  const llvm::StringRef Found = swapped(Known, Wrong.str());
  return Found.empty() ? closest(Known, Wrong) : Found;
}

std::string allDTypes() { return joined(namesOf(DTypes)); }
std::string allValueWords() {
  Names Known = namesOf(Scalars);
  Known.append(namesOf(Objects));
  Known.append(namesOf(Unseen));
  return joined(Known);
}
std::string allFlags() { return joined(namesOf(Flags)); }
std::string allOptions() { return joined(namesOf(Options)); }
std::string allChoices(OptionKind Kind) { return joined(choicesOf(Kind)); }

}  // namespace graphgen::annotation
