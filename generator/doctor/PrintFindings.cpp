// SPDX-License-Identifier: Apache-2.0
//
// Errors are printed before notes.
#include "doctor/PrintFindings.h"

#include "annotation/Utf8.h"
#include "plan/TextTable.h"
#include "plan/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

namespace graphgen::doctor {
namespace {

const char* wordFor(State Is) {
  switch (Is) {
    case State::Fits:
      return "fits";
    case State::Note:
      return "note";
    case State::Error:
      return "error";
  }
  return "";
}

}  // namespace

void printText(llvm::ArrayRef<Finding> Findings, llvm::raw_ostream& Out) {
  plan::TextTable Table;
  for (const Finding& Each : Findings) {
    Table.add({Each.Subject, Each.What});
  }
  Table.print(Out, "");
  Out << '\n';
  for (const State Now : {State::Error, State::Note}) {
    for (const Finding& Each : Findings) {
      if (Each.Is == Now) {
        Out << wordFor(Now) << ": " << Each.Remedy << '\n';
      }
    }
  }
  if (llvm::all_of(Findings, [](const Finding& Each) { return Each.Is == State::Fits; })) {
    Out << "everything matches\n";
  }
}

void printJson(llvm::ArrayRef<Finding> Findings, llvm::raw_ostream& Out) {
  constexpr int SchemaVersion = 1;
  llvm::json::OStream Json(Out, /*IndentSize=*/2);
  Json.object([&] {
    Json.attribute("schema", SchemaVersion);
    Json.attribute("graphgen", plan::versionText());
    Json.attributeArray("findings", [&] {
      for (const Finding& Each : Findings) {
        Json.object([&] {
          Json.attribute("subject", Each.Subject);
          Json.attribute("state", wordFor(Each.Is));
          Json.attribute("what", utf8(Each.What));
          if (!Each.Remedy.empty()) {
            Json.attribute("remedy", utf8(Each.Remedy));
          }
        });
      }
    });
  });
  Json.flush();
  Out << '\n';
}

}  // namespace graphgen::doctor
