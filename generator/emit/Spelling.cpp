// SPDX-License-Identifier: Apache-2.0
//
// How generated code spells names, literals and lists.
#include "emit/Spelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace llvm;

namespace graphgen::emit {
namespace {

/// Words of the language that types and constants are spelled with, and namespaces that are not the user's.
constexpr StringLiteral NotTheUsers[] = {
    "at",    "bool", "char",     "char16_t", "char32_t", "char8_t",  "const",   "double", "false",
    "float", "int",  "int64_t",  "long",     "noexcept", "nullptr",  "short",   "signed", "static_cast",
    "std",   "true", "uint64_t", "unsigned", "void",     "volatile", "wchar_t",
};

bool isIdentifierByte(char C) { return isAlnum(C) || C == '_' || C == '$' || static_cast<unsigned char>(C) >= 0x80; }

/// The bytes of the literal that `Code` begins with, of characters in `Code.front()`.
std::size_t literalLength(StringRef Code) {
  std::size_t End = 1;
  while (End < Code.size() && Code[End] != Code.front()) {
    End += Code[End] == '\\' ? 2 : 1;
  }
  return std::min(End + 1, Code.size());
}

/// `Code` with each word replaced by what `Spell` returns for it, the text before it and that after it. Literals are not words.
std::string rewritten(StringRef Code, function_ref<std::string(StringRef Word, StringRef Before, StringRef After)> Spell) {
  std::string Result;
  while (!Code.empty()) {
    std::size_t Length = std::min(Code.size(), Code.find_if_not(isIdentifierByte));
    if (Length > 0) {
      Result += Spell(Code.take_front(Length), Result, Code.drop_front(Length));
    } else {
      Length = Code.front() == '\'' || Code.front() == '"' ? literalLength(Code) : 1;
      Result += Code.take_front(Length);
    }
    Code = Code.drop_front(Length);
  }
  return Result;
}

bool isReserved(StringRef Name) { return Name.starts_with("__") || (Name.size() > 1 && Name[0] == '_' && isUpper(Name[1])); }

}  // namespace

std::string literal(StringRef Text) {
  std::string Spelled = "\"";
  raw_string_ostream Out(Spelled);
  for (const char C : Text) {
    const bool MayBeTrigraph = C == '?' && StringRef(Spelled).ends_with("?");
    if (C == '\n') {
      Out << "\\n";
    } else if (C == '"' || C == '\\' || MayBeTrigraph) {
      Out << '\\' << C;
    } else if (static_cast<unsigned char>(C) < 0x20 || C == 0x7f) {
      Out << format("\\%03o", static_cast<unsigned>(C));
    } else {
      Out << C;
    }
  }
  return Spelled + '"';
}

std::string dtypeName(annotation::DType Type) {
  switch (Type) {
    case annotation::DType::F64:
      return "at::kDouble";
    case annotation::DType::F32:
      return "at::kFloat";
    case annotation::DType::F16:
      return "at::kHalf";
    case annotation::DType::BF16:
      return "at::kBFloat16";
    case annotation::DType::F8E4M3:
      return "at::kFloat8_e4m3fn";
    case annotation::DType::F8E5M2:
      return "at::kFloat8_e5m2";
    case annotation::DType::C64:
      return "at::kComplexFloat";
    case annotation::DType::C128:
      return "at::kComplexDouble";
    case annotation::DType::I64:
      return "at::kLong";
    case annotation::DType::I32:
      return "at::kInt";
    case annotation::DType::I16:
      return "at::kShort";
    case annotation::DType::I8:
      return "at::kChar";
    case annotation::DType::U8:
      return "at::kByte";
    case annotation::DType::Bool:
      return "at::kBool";
  }
  llvm_unreachable("a dtype without a name");
}

std::string snakeCase(StringRef CamelCase) {
  std::string Result;
  for (std::size_t I = 0; I < CamelCase.size(); ++I) {
    const bool BeginsWord =
        isUpper(CamelCase[I]) && I > 0 && (!isUpper(CamelCase[I - 1]) || (I + 1 < CamelCase.size() && isLower(CamelCase[I + 1])));
    if (BeginsWord) {
      Result += '_';
    }
    Result += toLower(CamelCase[I]);
  }
  return Result;
}

std::string global(StringRef Code) {
  return rewritten(Code, [](StringRef Word, StringRef Before, StringRef After) {
    const bool IsWhole = !Before.ends_with("::") && !After.starts_with("'") && !isDigit(Word.front());
    return (IsWhole && !isReserved(Word) && !is_contained(NotTheUsers, Word) ? "::" : "") + Word.str();
  });
}

std::string variableName(StringRef Name) { return (Name + (any_of(Name, isLower) ? "_dim" : "")).str(); }

std::string extent(StringRef Shape) {
  return rewritten(Shape, [](StringRef Word, StringRef, StringRef) { return isDigit(Word.front()) ? Word.str() : variableName(Word); });
}

std::string openExtent(StringRef Shape, ArrayRef<std::string> Open) {
  return rewritten(Shape, [&](StringRef Word, StringRef, StringRef) {
    const auto* const Found = find(Open, Word);
    return Found != Open.end()     ? "values[" + std::to_string(Found - Open.begin()) + "]"
           : isDigit(Word.front()) ? Word.str()
                                   : variableName(Word);
  });
}

std::string unlike(std::string Name, ArrayRef<std::string> Others) {
  while (any_of(Others, [&](StringRef Other) { return Other.starts_with(Name); })) {
    Name.insert(0, "the_");
  }
  return Name;
}

std::string commaList(ArrayRef<std::string> Items, std::size_t Around, std::size_t Indent) {
  const std::string OneLine = join(Items, ", ");
  if (Items.empty() || Around + OneLine.size() <= Columns) {
    return OneLine;
  }
  constexpr std::size_t Rest = StringLiteral(") const -> signature::result {").size();  // the longest that follows
  const std::string NewLine = '\n' + std::string(Indent, ' ');
  return NewLine + (Indent + OneLine.size() + Rest <= Columns ? OneLine : join(Items, "," + NewLine));
}

}  // namespace graphgen::emit
