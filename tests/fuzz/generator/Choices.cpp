// SPDX-License-Identifier: Apache-2.0
//
// The fuzzer's bytes as decisions.
#include "Choices.h"

namespace graphgen::fuzz {

unsigned Choices::below(unsigned Count) {
  if (Rest.empty()) {
    return 0;
  }
  const auto Byte = static_cast<unsigned char>(Rest.front() - '0');
  Rest = Rest.drop_front();
  return Byte % Count;
}

llvm::StringRef Choices::text() {
  constexpr size_t Longest = 200;
  const auto [Text, After] = Rest.split('`');
  Rest = After;
  return Text.take_front(Longest);
}

}  // namespace graphgen::fuzz
