// SPDX-License-Identifier: Apache-2.0
#include "driver/ExplainDocument.h"

#include "plan/ExplainJson.h"
#include "plan/Version.h"
#include "report/HtmlPage.h"
#include "report/Json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace graphgen::driver {
namespace {

constexpr int SchemaVersion = 1;  // of docs/report.schema.json

std::string documentOf(llvm::ArrayRef<plan::FilePlan> Plans, const report::Report& Told) {
  std::string Text;
  llvm::raw_string_ostream Stream(Text);
  llvm::json::OStream Out(Stream, /*IndentSize=*/1);
  Out.object([&] {
    Out.attribute("schema", SchemaVersion);
    Out.attribute("graphed", plan::versionText());
    Out.attribute("before_running", true);
    Out.attributeArray("findings", [&] { report::writeFindings(Out, Told); });
    Out.attributeArray("callables",
                       [&] { llvm::for_each(Plans, [&](const plan::FilePlan& Each) { plan::writeExplanations(Out, Each); }); });
  });
  Out.flush();
  Stream << '\n';
  return Text;
}

}  // namespace

std::string explainDocument(Explained As, llvm::ArrayRef<plan::FilePlan> Plans, const report::Report& Told) {
  std::string Text = documentOf(Plans, Told);
  return As == Explained::Html ? report::htmlPage(Text) : Text;
}

}  // namespace graphgen::driver
