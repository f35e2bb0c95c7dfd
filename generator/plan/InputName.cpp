// SPDX-License-Identifier: Apache-2.0
//
// Which names of input files generated code can hold.
#include "plan/Plan.h"

#include "llvm/ADT/StringExtras.h"
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

bool isUnspellable(char C) { return static_cast<unsigned char>(C) < 0x20 || C == 0x7f || StringRef("\"\\<>").contains(C); }

}  // namespace

Error checkInputName(StringRef Input) {
  if (Input.empty()) {
    return refuse(Input, "the name is empty");
  }
  if (any_of(Input, isUnspellable)) {
    return refuse(Input, "an #include cannot spell a name with quotes, backslashes, angle brackets or control characters");
  }
  if (Input.contains("//") || Input.contains("/*")) {
    return refuse(Input, "the name holds '//' or '/*', which an #include cannot spell");
  }
  if (sys::path::is_absolute(Input, sys::path::Style::posix)) {
    return refuse(Input, "the path is absolute, generated code would depend on the machine");
  }
  for (auto Part = sys::path::begin(Input, sys::path::Style::posix); Part != sys::path::end(Input); ++Part) {
    if (*Part == "..") {
      return refuse(Input, "the path holds '..', the output would lie outside the output folder");
    }
  }
  return Error::success();
}

}  // namespace graphgen::plan
