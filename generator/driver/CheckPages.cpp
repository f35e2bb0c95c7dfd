// SPDX-License-Identifier: Apache-2.0
//
// The pages are part of the program.
#include "driver/CheckPages.h"

#include "annotation/Words.h"
#include "check/Check.h"
#include "plan/TextTable.h"
#include "report/Rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace graphgen::driver {
namespace {

constexpr llvm::StringLiteral Prefix = "graphed-";  // of every id

/// Empty where none is near.
std::string nearestId(llvm::StringRef Id) {
  std::vector<llvm::StringRef> Names;
  llvm::append_range(Names, llvm::map_range(report::rules(), [](const report::Rule& Each) { return Each.Id.substr(Prefix.size()); }));
  Id.consume_front(Prefix);
  const llvm::StringRef Near = annotation::nearestName(Names, Id);
  return Near.empty() ? std::string() : (Prefix + Near).str();
}

}  // namespace

int listChecks(const Options& Given) {
  plan::TextTable Table;
  for (const check::CheckLevel& Each : check::chosenChecks({Given.Checks, Given.WarningsAsErrors})) {
    Table.add({Each.Name.str(), Each.IsError ? "error" : "warning", report::ruleNamed(Each.Name)->Meaning.str()});
  }
  Table.print(llvm::outs(), "");
  return 0;
}

int explainCheck(llvm::StringRef Id) {
  if (const report::Rule* Known = report::ruleNamed(Id)) {
    llvm::outs() << report::pageText(*Known);
    return 0;
  }
  if (const llvm::StringRef Other = report::pageNamed(Id); !Other.empty()) {
    llvm::outs() << Other;
    return 0;
  }
  const std::string Near = nearestId(Id);
  llvm::errs() << "graphgen: --explain-check: no diagnostic has the id '" << Id << "'"
               << (Near.empty() ? "; --list-checks prints those of checks" : "; did you mean '" + Near + "'?") << '\n';
  constexpr int WrongUsage = 2;
  return WrongUsage;
}

}  // namespace graphgen::driver
