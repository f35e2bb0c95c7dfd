// SPDX-License-Identifier: Apache-2.0
//
// Declarations at the scope of a file.
#pragma once

#include "Choices.h"

#include <string>

namespace graphgen::fuzz {

/// What all declarations of a program may use.
extern const char* const Prologue;

/// What a line of the input makes. `Number` keeps the names of its namespaces and classes apart from those of others.
std::string declaration(Choices From, unsigned Number, bool IsHeader);

/// A function that a header annotates, and its body in a source.
struct Split {
  std::string Header;
  std::string Source;
};
Split annotatedElsewhere(Choices From, unsigned Number);

}  // namespace graphgen::fuzz
