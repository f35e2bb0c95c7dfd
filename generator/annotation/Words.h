// SPDX-License-Identifier: Apache-2.0
//
// The words of the GRAPHED language: how each is spelled, which value a spelling stands for, and which word a wrong one was meant to be.
#pragma once

#include "annotation/Syntax.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace graphgen::annotation {

llvm::StringRef spelling(DType Type);
llvm::StringRef spelling(Flag Value);
llvm::StringRef spelling(ScalarKind Kind);
llvm::StringRef spelling(ObjectKind Kind);
llvm::StringRef spelling(UnseenKind Kind);
llvm::StringRef spelling(OptionKind Kind);

std::optional<DType> dtypeNamed(llvm::StringRef Text);
std::optional<Flag> flagNamed(llvm::StringRef Text);
std::optional<ScalarKind> scalarNamed(llvm::StringRef Text);
std::optional<ObjectKind> objectNamed(llvm::StringRef Text);
std::optional<UnseenKind> unseenNamed(llvm::StringRef Text);
std::optional<OptionKind> optionNamed(llvm::StringRef Text);

/// What is after an option's `=`; Nothing for an option that is a word alone. An Id is names joined by '-'.
enum class OptionValue { Nothing, Expr, Name, Choice, Id };
OptionValue valueOf(OptionKind Kind);

/// The words that an option of OptionValue::Choice takes.
llvm::ArrayRef<llvm::StringRef> choicesOf(OptionKind Kind);

/// The known word that a wrong one was most likely meant to be; empty when none is near or two are equally near.
llvm::StringRef nearestDType(llvm::StringRef Wrong);
llvm::StringRef nearestDTypeOrWord(llvm::StringRef Wrong);
llvm::StringRef nearestFlag(llvm::StringRef Wrong);
llvm::StringRef nearestOption(llvm::StringRef Wrong);
llvm::StringRef nearestChoice(OptionKind Kind, llvm::StringRef Wrong);

/// The same of names with a meaning for upper and lower case; empty for a name of one or two letters.
llvm::StringRef nearestName(llvm::ArrayRef<llvm::StringRef> Known, llvm::StringRef Wrong);

/// The end of messages about a dimension that seems to stand for several sizes.
constexpr llvm::StringLiteral VariableHint =
    "; a size that varies is a dimension variable, as B in 'f32[B, 4]; B in {1, 8, 64}', or in 'B in any 4'";

/// "f64, f32, ... or bool": every word of a kind, for messages.
std::string allDTypes();
std::string allValueWords();  // key to ignore: what is said of an argument instead of a dtype and shape
std::string allFlags();
std::string allOptions();
std::string allChoices(OptionKind Kind);

}  // namespace graphgen::annotation
