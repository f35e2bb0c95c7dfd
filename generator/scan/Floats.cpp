// SPDX-License-Identifier: Apache-2.0
//
// The numbers are gathered in the order in which Clang prints them, and what it has printed of each is replaced.
#include "scan/Floats.h"

#include "clang/AST/APValue.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclTemplate.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace graphgen::scan {
namespace {

class Gatherer {
 public:
  void add(const clang::NamedDecl& D) {
    addScopes(D);
    add(argumentsOf(D));
  }

  void add(clang::QualType Type) {
    const clang::QualType T = Type.getCanonicalType();
    if (const auto* Tag = T->getAsTagDecl()) {
      addNamed(*Tag);
    } else if (const auto* Function = T->getAs<clang::FunctionProtoType>()) {
      add(Function->getReturnType());
      llvm::for_each(Function->param_types(), [&](clang::QualType Each) { add(Each); });
    } else if (const clang::QualType Pointee = T->getPointeeType(); !Pointee.isNull()) {
      add(Pointee);
    } else if (const auto* Array = T->getAsArrayTypeUnsafe()) {
      add(Array->getElementType());
    }
  }

  std::vector<llvm::APFloat> Found;

 private:
  using Arguments = llvm::ArrayRef<clang::TemplateArgument>;

  void addScopes(const clang::NamedDecl& D) {
    if (const auto* Scope = llvm::dyn_cast_or_null<clang::NamedDecl>(D.getDeclContext())) {
      addNamed(*Scope);
    }
  }

  /// Of what is named before the thing itself, the arguments are printed up to those that are defaults.
  void addNamed(const clang::NamedDecl& D) {
    addScopes(D);
    Arguments All = argumentsOf(D);
    while (!All.empty() && All.back().getIsDefaulted()) {
      All = All.drop_back();
    }
    add(All);
  }

  static Arguments argumentsOf(const clang::NamedDecl& D) {
    if (const auto* Class = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&D)) {
      return Class->getTemplateArgs().asArray();
    }
    const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(&D);
    return Function && Function->getTemplateSpecializationArgs() ? Function->getTemplateSpecializationArgs()->asArray() : Arguments();
  }

  void add(Arguments All) {
    for (const clang::TemplateArgument& Each : All) {
      if (Each.getKind() == clang::TemplateArgument::Type) {
        add(Each.getAsType());
      } else if (Each.getKind() == clang::TemplateArgument::StructuralValue) {
        add(Each.getAsStructuralValue());
      } else if (Each.getKind() == clang::TemplateArgument::Pack) {
        add(Each.pack_elements());
      } else if (Each.getKind() == clang::TemplateArgument::Declaration) {
        addValueOf(*Each.getAsDecl());
      }
    }
  }

  /// That of a class is an object.
  void addValueOf(const clang::ValueDecl& D) {
    if (const auto* Object = llvm::dyn_cast<clang::TemplateParamObjectDecl>(&D)) {
      add(Object->getValue());
    }
  }

  void add(const clang::APValue& Value) {
    if (Value.isFloat()) {
      Found.push_back(Value.getFloat());
    } else if (Value.isStruct()) {
      for (unsigned Index = 0; Index < Value.getStructNumBases(); ++Index) {
        add(Value.getStructBase(Index));
      }
      for (unsigned Index = 0; Index < Value.getStructNumFields(); ++Index) {
        add(Value.getStructField(Index));
      }
    } else if (Value.isArray()) {
      for (unsigned Index = 0; Index < Value.getArrayInitializedElts(); ++Index) {
        add(Value.getArrayInitializedElt(Index));
      }
    } else if (Value.isUnion()) {
      add(Value.getUnionValue());
    }
  }
};

std::string allDigits(const llvm::APFloat& Number) {
  llvm::SmallString<64> Text;
  Number.toString(Text);
  return Text.str().str();
}

std::string sixDigits(llvm::APFloat Number) {
  bool IsInexact = false;
  Number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &IsInexact);
  std::string Text;
  llvm::raw_string_ostream(Text) << Number.convertToDouble();
  return Text;
}

template <class T>
std::string shortest(T Number) {
  constexpr size_t Longest = 32;
  std::array<char, Longest> Text;
  return {Text.data(), std::to_chars(Text.begin(), Text.end(), Number).ptr};
}

/// As a literal; empty for a type without literals in C++17, and for what is not a number.
std::string literalOf(const llvm::APFloat& Number) {
  const bool IsFloat = &Number.getSemantics() == &llvm::APFloat::IEEEsingle();
  const bool IsDouble = &Number.getSemantics() == &llvm::APFloat::IEEEdouble();
  const bool IsLong = &Number.getSemantics() == &llvm::APFloat::x87DoubleExtended();
  if (Number.isNaN() || !(IsFloat || IsDouble || IsLong)) {
    return {};
  }
  const std::string Suffix = IsFloat ? "f" : IsLong ? "l" : "";
  if (Number.isInfinity()) {
    return (Number.isNegative() ? "-" : "") + ("__builtin_huge_val" + Suffix) + "()";
  }
  std::string Text = IsFloat ? shortest(Number.convertToFloat()) : IsDouble ? shortest(Number.convertToDouble()) : allDigits(Number);
  if (llvm::StringRef(Text).find_first_of(".eE") == llvm::StringRef::npos) {
    Text += ".0";
  }
  return Text + llvm::StringRef(Suffix).upper();
}

bool isBetweenArguments(llvm::StringRef Text, size_t Begin, size_t End) {
  return Begin > 0 && llvm::StringRef("<{ ").contains(Text[Begin - 1]) && End < Text.size() && llvm::StringRef(">},").contains(Text[End]);
}

size_t findArgument(const std::string& Text, const std::string& Printed, size_t From) {
  size_t At = Text.find(Printed, From);
  while (At != std::string::npos && !isBetweenArguments(Text, At, At + Printed.size())) {
    At = Text.find(Printed, At + 1);
  }
  return At;
}

/// Clang prints the arguments of a type as they were written, with all digits.
std::string replaced(std::string Text, llvm::ArrayRef<llvm::APFloat> Numbers) {
  size_t Done = 0;
  for (const llvm::APFloat& Each : Numbers) {
    const std::string Short = sixDigits(Each), Long = allDigits(Each), Literal = literalOf(Each);
    const size_t AtShort = findArgument(Text, Short, Done), AtLong = findArgument(Text, Long, Done);
    const size_t At = std::min(AtShort, AtLong);
    if (At != std::string::npos && !Literal.empty()) {
      Text.replace(At, At == AtShort ? Short.size() : Long.size(), Literal);
      Done = At + Literal.size();
    }
  }
  return Text;
}

/// Six digits and an exponent, or infinity. Nearly all names have none.
bool mayHoldFloats(llvm::StringRef Text) {
  return Text.contains('<') && (Text.contains("e+") || Text.contains("e-") || Text.contains("INF"));
}

template <class T>
std::string exact(std::string Printed, const T& Of) {
  if (!mayHoldFloats(Printed)) {
    return Printed;
  }
  Gatherer Gather;
  Gather.add(Of);
  return replaced(std::move(Printed), Gather.Found);
}

}  // namespace

std::string withExactFloats(std::string Printed, const clang::NamedDecl& D) { return exact(std::move(Printed), D); }
std::string withExactFloats(std::string Printed, clang::QualType Type) { return exact(std::move(Printed), Type); }

}  // namespace graphgen::scan
