// SPDX-License-Identifier: Apache-2.0
//
// Reads integer literals digit by digit, so that an error points at the byte that is wrong.
#include "annotation/IntegerLiteral.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <optional>

namespace graphgen::annotation {
namespace {

struct Base {
  unsigned Radix;
  unsigned PrefixLength;
  const char* Name;
};

Base baseOf(llvm::StringRef Text) {
  if (Text.starts_with_insensitive("0x")) {
    return {16, 2, "a hexadecimal"};
  }
  if (Text.starts_with_insensitive("0b")) {
    return {2, 2, "a binary"};
  }
  if (Text.size() > 1 && Text[0] == '0' && (llvm::isDigit(Text[1]) || Text[1] == '\'')) {
    return {8, 0, "an octal"};
  }
  return {10, 0, "a decimal"};
}

bool isDigitOf(char C, unsigned Radix) { return llvm::hexDigitValue(C) < Radix; }

bool isSuffix(llvm::StringRef Text) {
  if (Text.contains("lL") || Text.contains("Ll")) {
    return false;
  }
  return llvm::is_contained({"", "u", "l", "ul", "lu", "ll", "ull", "llu", "z", "uz", "zu"}, Text.lower());
}

bool isFloating(llvm::StringRef Rest, unsigned Radix) {
  return Rest.starts_with(".") || Rest.starts_with_insensitive(Radix == 16 ? "p" : "e");
}

IntegerLiteral fail(std::string Message, size_t Begin, size_t End) {
  return {0, std::move(Message), {static_cast<unsigned>(Begin), static_cast<unsigned>(End)}};
}

IntegerLiteral checkRest(llvm::StringRef Text, size_t At, const Base& Format, int64_t Value) {
  const llvm::StringRef Rest = Text.substr(At);
  if (isFloating(Rest, Format.Radix)) {
    return fail("expected an integer, got a floating-point number", 0, Text.size());
  }
  if (At == Format.PrefixLength && Format.PrefixLength > 0 && Rest.empty()) {
    return fail(("expected digits after '" + Text + "'").str(), At, At);
  }
  if (!Rest.empty() && llvm::isDigit(Rest[0])) {
    return fail(std::string("digit '") + Rest[0] + "' in " + Format.Name + " integer", At, At + 1);
  }
  if (At == Format.PrefixLength || !isSuffix(Rest)) {
    return fail(("unknown suffix '" + Rest.take_front(16) + "' on an integer").str(), At, Text.size());
  }
  return {Value, {}, {}};
}

}  // namespace

IntegerLiteral readIntegerLiteral(llvm::StringRef Text) {
  const Base Format = baseOf(Text);
  std::optional<int64_t> Value = 0;
  size_t At = Format.PrefixLength;
  for (; At < Text.size(); ++At) {
    if (Text[At] == '\'') {
      const bool AfterDigit = At > Format.PrefixLength && isDigitOf(Text[At - 1], Format.Radix);
      if (!AfterDigit || At + 1 == Text.size() || !isDigitOf(Text[At + 1], Format.Radix)) {
        return fail("a digit separator must be between two digits", At, At + 1);
      }
      continue;
    }
    if (!isDigitOf(Text[At], Format.Radix)) {
      break;
    }
    if (Value) {
      Value = llvm::checkedMulAdd(*Value, static_cast<int64_t>(Format.Radix), static_cast<int64_t>(llvm::hexDigitValue(Text[At])));
    }
  }
  IntegerLiteral Result = checkRest(Text, At, Format, Value.value_or(0));
  if (Result.Error.empty() && !Value) {
    return fail("the integer exceeds 64 bits with a sign", 0, Text.size());
  }
  return Result;
}

}  // namespace graphgen::annotation
