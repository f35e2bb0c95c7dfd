// SPDX-License-Identifier: Apache-2.0
//
// The integers that macros stand for in an annotation, which the preprocessor leaves unexpanded.
#pragma once

#include "clang/Basic/SourceLocation.h"

#include "llvm/ADT/StringRef.h"

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace clang {
class IdentifierInfo;
class MacroInfo;
class Preprocessor;
}  // namespace clang

namespace graphgen::scan {

/// Why a macro stands for no integer.
struct MacroProblem {
  std::string Why;  // "the macro 'BATCH' is empty"
  std::string Note;
  clang::SourceLocation Place;  // of the note
};

class MacroConstants {
 public:
  /// The value of a name that is not a macro.
  using Constant = std::function<std::optional<int64_t>(llvm::StringRef Name)>;

  /// Macros are taken as they are at `Where`. The translation unit must have been read to its end.
  MacroConstants(clang::Preprocessor& PP, clang::SourceLocation Where, Constant ValueOf)
      : PP(PP), Where(Where), ValueOf(std::move(ValueOf)) {}

  /// Whether the name is a macro's there.
  bool isMacro(llvm::StringRef Name) const { return macro(Name) != nullptr; }

  /// Of a macro.
  std::variant<int64_t, MacroProblem> evaluate(llvm::StringRef Name);

 private:
  const clang::MacroInfo* macro(llvm::StringRef Name) const;
  std::optional<MacroProblem> whyNot(llvm::StringRef Name, const clang::MacroInfo& Macro) const;
  std::string textOf(const clang::MacroInfo& Macro) const;
  std::variant<int64_t, MacroProblem> evaluate(llvm::StringRef Name, const clang::MacroInfo& Macro);
  std::variant<int64_t, MacroProblem> evaluateName(llvm::StringRef Name, const MacroProblem& NoConstant);

  clang::Preprocessor& PP;
  clang::SourceLocation Where;
  Constant ValueOf;
  std::vector<std::string> Around;  // the macros that are being expanded
};

}  // namespace graphgen::scan
