// SPDX-License-Identifier: Apache-2.0
//
// Parameters of callables, each with what an annotation says of it.
#pragma once

#include "Choices.h"

#include <string>
#include <vector>

namespace graphgen::fuzz {

struct Parameter {
  std::string Name;
  std::string Type;
  std::string Spec;
  std::string Default;               // " = 3", or empty
  std::string Before;                // declarations that the type needs
  std::vector<std::string> Tensors;  // expressions of its tensors, for bodies
};

/// `Unique` keeps the names of classes apart.
Parameter parameter(Choices& From, const std::string& Name, unsigned& Unique);

/// "f32[4, B] grad"
std::string tensorSpec(Choices& From);

/// The bytes as a literal of C++, now and then a raw one.
std::string stringLiteral(Choices& From, llvm::StringRef Text);

/// What the fuzzer wrote, without the marker: it is code.
std::string codeOf(llvm::StringRef Text);

}  // namespace graphgen::fuzz
