// SPDX-License-Identifier: Apache-2.0
//
// Documents go to standard output; fixes are made last.
#include "driver/Tell.h"

#include "driver/ReplaceFiles.h"
#include "emit/WriteFile.h"
#include "plan/Version.h"
#include "report/Fixes.h"
#include "report/FixesYaml.h"
#include "report/Json.h"
#include "report/Rules.h"
#include "report/Sarif.h"

#include "llvm/Support/raw_ostream.h"

namespace graphgen::driver {

const llvm::StringLiteral FileId = "graphed-file-name";

void Teller::complain(const llvm::Twine& What, llvm::StringRef Id) {
  if (prints()) {
    llvm::errs() << "graphgen: error: " << What << (Id.empty() ? "" : (" [" + Id + "]").str()) << '\n';
  }
  if (const report::Rule* Known = report::ruleNamed(Id); Known && Ids.insert(Id.str()).second && prints()) {
    llvm::errs() << report::helpLine(*Known);
  }
  report::Message New;
  New.Id = Id.str();
  New.Text = What.str();
  Told.Messages.push_back(std::move(New));
}

void Teller::append(report::Report Scanned) {
  for (const report::Message& Each : Scanned.Messages) {
    Ids.insert(Each.Id);
  }
  Told.append(std::move(Scanned));
}

int Teller::finish(int Status, const std::vector<Input>& Inputs) {
  if (Given.Fix && !makeFixes()) {
    Status = 1;
  }
  constexpr int WrongUsage = 2;  // the file may be one that must not be written
  if (Status != WrongUsage && !Given.ExportFixes.empty()) {
    const std::string Yaml = report::toYaml(Told, Inputs.empty() ? "" : Inputs.front().Absolute, currentFolder());
    if (llvm::Error Error = emit::writeIfChanged(Given.ExportFixes, Yaml)) {
      complain(toString(std::move(Error)));
      Status = 1;
    }
  }
  writeDocument(Status, Inputs);
  return Status;
}

bool Teller::makeFixes() {
  llvm::Expected<std::map<std::string, report::FixedFile>> Fixed = report::applyFixes(Told);
  llvm::Error Error = Fixed ? replaceFiles(*Fixed) : Fixed.takeError();
  if (Error) {
    complain("no fix was made: " + toString(std::move(Error)));
    return false;
  }
  for (const auto& [File, Each] : *Fixed) {
    llvm::errs() << "graphgen: " << File << ": " << Each.Edits << (Each.Edits == 1 ? " fix" : " fixes") << " made\n";
  }
  return true;
}

void Teller::writeDocument(int Status, const std::vector<Input>& Inputs) const {
  if (Given.Format == Format::Json) {
    llvm::outs() << report::toJson(Told, plan::versionText());
  }
  if (Given.Format == Format::Sarif) {
    report::RunFacts Facts{plan::versionText(), currentFolder(), {}, Status};
    for (const Input& Each : Inputs) {
      Facts.Files.push_back(Each.Absolute);
    }
    llvm::outs() << report::toSarif(Told, Facts);
  }
}

}  // namespace graphgen::driver
