// SPDX-License-Identifier: Apache-2.0
//
// Which names of input files generated code can hold.
#include "plan/Plan.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace graphgen::plan {
namespace {

Error refuse(StringRef Input, const Twine& Reason) {
  std::string Printable;
  raw_string_ostream Out(Printable);
  printEscapedString(Input.take_front(200), Out);
  return createStringError(inconvertibleErrorCode(), "cannot generate code for '" + Printable + "': " + Reason);
}

/// Characters that no reader sees, and that steer terminals or change the order in which others are shown.
bool steersReaders(StringRef Utf8) {
  constexpr StringLiteral LastLatinControl = "\xc2\x9f";
  constexpr StringLiteral Others[] = {"\xd8\x9c",     "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8", "\xe2\x80\xa9",
                                      "\xe2\x80\xaa", "\xe2\x80\xab", "\xe2\x80\xac", "\xe2\x80\xad", "\xe2\x80\xae",
                                      "\xe2\x81\xa6", "\xe2\x81\xa7", "\xe2\x81\xa8", "\xe2\x81\xa9"};
  for (StringRef Rest = Utf8; !Rest.empty(); Rest = Rest.drop_front()) {
    if ((Rest.starts_with("\xc2") && Rest.take_front(2) <= LastLatinControl) ||
        any_of(Others, [&](StringRef Each) { return Rest.starts_with(Each); })) {
      return true;
    }
  }
  return false;
}

bool hasTrigraph(StringRef Text) {
  for (; Text.size() >= 3; Text = Text.drop_front()) {
    if (Text.starts_with("??") && StringRef("=/'()!<>-").contains(Text[2])) {
      return true;
    }
  }
  return false;
}

bool isUnspellable(char C) { return static_cast<unsigned char>(C) < 0x20 || C == 0x7f || StringRef("\"\\<>").contains(C); }

}  // namespace

Error checkInputName(StringRef Input) {
  if (Input.empty()) {
    return refuse(Input, "the name is empty");
  }
  if (any_of(Input, isUnspellable)) {
    return refuse(Input, "an #include cannot spell a name with quotes, backslashes, angle brackets or control characters");
  }
  if (!json::isUTF8(Input)) {
    return refuse(Input, "the name is not UTF-8, which manifests and other documents are written in");
  }
  if (steersReaders(Input)) {
    return refuse(Input, "the name holds control characters, or characters that change the direction of the text");
  }
  if (hasTrigraph(Input)) {
    return refuse(Input, "the name holds a trigraph, which stands for another character in an #include");
  }
  if (Input.contains("//") || Input.contains("/*")) {
    return refuse(Input, "the name holds '//' or '/*', which an #include cannot spell");
  }
  if (sys::path::is_absolute(Input, sys::path::Style::posix)) {
    return refuse(Input, "the path is absolute, generated code would depend on the machine");
  }
  for (auto Part = sys::path::begin(Input, sys::path::Style::posix); Part != sys::path::end(Input); ++Part) {
    if (*Part == "..") {
      return refuse(Input, "the path holds '..', the output would be outside the output folder");
    }
  }
  return Error::success();
}

}  // namespace graphgen::plan
