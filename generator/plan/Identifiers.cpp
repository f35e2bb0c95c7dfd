// SPDX-License-Identifier: Apache-2.0
//
// Names for what is generated for a callable.
#include "plan/Identifiers.h"

#include "plan/QualifiedName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using namespace llvm;

namespace graphgen::plan {
namespace {

bool isIdentifierByte(char C) { return isAlnum(C) || static_cast<unsigned char>(C) >= 0x80; }

/// "train_step" -> "TrainStep", "operator()" -> "Call".
std::string camelCase(StringRef Name) {
  if (Name == "operator()") {
    return "Call";
  }
  std::string Result;
  bool BeginsWord = true;
  for (const char C : Name) {
    if (isIdentifierByte(C)) {
      Result += BeginsWord ? toUpper(C) : C;
    }
    BeginsWord = !isIdentifierByte(C);
  }
  return Result;
}

std::string joined(ArrayRef<StringRef> Parts) {
  std::string Result;
  for (const StringRef Part : Parts) {
    Result += camelCase(Part);
  }
  return Result;
}

/// The last `Components` parts of the qualified name.
std::string identifier(StringRef QualifiedName, std::size_t Components) {
  const std::vector<StringRef> Parts = componentsOf(QualifiedName);
  const std::string Result = joined(ArrayRef(Parts).take_back(Components));
  const bool CannotBegin = Result.empty() || isDigit(Result.front());
  return (CannotBegin ? "Callable" : "") + Result;
}

/// "nets/policy.h" -> "NetsPolicy". A file may have any name, of which an identifier holds letters, digits and underscores.
std::string identifierOf(StringRef Input) {
  std::string Result = camelCase(Input.drop_back(sys::path::extension(Input, sys::path::Style::posix).size()));
  erase_if(Result, [](char C) { return !isASCII(C); });
  return Result;
}

std::string keyOf(const Callable& Each) { return StringRef(Each.Identifier).lower(); }

StringMap<unsigned> countIdentifiers(ArrayRef<Callable> Callables) {
  StringMap<unsigned> Counts;
  for (const Callable& Each : Callables) {
    ++Counts[keyOf(Each)];
  }
  return Counts;
}

/// Appends numbers to all but the first of those that are called the same.
void numberEqual(std::vector<Callable>& Callables) {
  StringSet<> Taken;
  for (const Callable& Each : Callables) {
    Taken.insert(keyOf(Each));
  }
  StringSet<> Used;
  for (Callable& Each : Callables) {
    const std::string Base = Each.Identifier;
    bool IsNew = Used.insert(keyOf(Each)).second;
    for (unsigned Number = 2; !IsNew; ++Number) {
      Each.Identifier = Base + std::to_string(Number);
      IsNew = Taken.insert(keyOf(Each)).second && Used.insert(keyOf(Each)).second;
    }
  }
}

}  // namespace

void nameCallables(StringRef Input, std::vector<Callable>& Callables) {
  std::vector<std::size_t> Components;
  std::size_t Most = 0;
  for (Callable& Each : Callables) {
    Components.push_back(Each.Kind == annotation::CallableKind::Function ? 1 : 2);
    Most = std::max<std::size_t>(Most, componentsOf(Each.QualifiedName).size());
    Each.Identifier = identifier(Each.QualifiedName, Components.back());
  }
  for (std::size_t Round = 1; Round < Most; ++Round) {
    const StringMap<unsigned> Counts = countIdentifiers(Callables);
    for (auto [Each, Number] : zip_equal(Callables, Components)) {
      if (Counts.lookup(keyOf(Each)) > 1) {
        Each.Identifier = identifier(Each.QualifiedName, ++Number);
      }
    }
  }
  for (auto [Each, Number] : zip_equal(Callables, Components)) {
    const std::vector<StringRef> Parts = componentsOf(Each.QualifiedName);
    Each.Scopes = joined(ArrayRef(Parts).drop_back(std::min(Number, Parts.size())));
    Each.File = identifierOf(Input);
  }
  numberEqual(Callables);
}

}  // namespace graphgen::plan
