// SPDX-License-Identifier: Apache-2.0
//
// A template as a tree of its tags, for checking.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace graphgen::emit {

struct Tag {
  enum class Kind { Value, Section, Inverted, Partial };
  Kind What = Kind::Value;
  std::string Name;
  unsigned Line = 0;
  std::vector<Tag> Children;  // of a section
};

/// `Name` is for messages: "header:3: ...".
llvm::Expected<std::vector<Tag>> parseTemplate(llvm::StringRef Name, llvm::StringRef Text);

}  // namespace graphgen::emit
