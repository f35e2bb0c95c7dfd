// SPDX-License-Identifier: Apache-2.0
//
// Collects syntax errors up to a number that a reader can still use.
#include "annotation/SyntaxErrors.h"

#include <utility>

namespace graphgen::annotation {
namespace {

constexpr const char* SyntaxId = "graphed-syntax";
constexpr size_t MostErrors = 20;

}  // namespace

void SyntaxErrors::add(TextRange Range, const llvm::Twine& Message, std::vector<FixIt> FixIts) {
  if (Found.size() == MostErrors) {
    ++LeftOut;
    return;
  }
  addInOrder(Found, {SyntaxId, Range, Message.str(), std::move(FixIts)});
}

std::vector<Diagnostic> SyntaxErrors::take() {
  if (LeftOut > 0) {
    Found.push_back({SyntaxId, Found.back().Range, "too many errors in one annotation: " + std::to_string(LeftOut) + " more left out", {}});
  }
  LeftOut = 0;
  return std::exchange(Found, {});
}

}  // namespace graphgen::annotation
