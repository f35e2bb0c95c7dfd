// SPDX-License-Identifier: Apache-2.0
#include "check/Joined.h"

#include "check/Allowances.h"
#include "check/Globs.h"
#include "check/Present.h"
#include "check/Registry.h"
#include "scan/Files.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace graphgen::check {
namespace {

/// Below the current folder as seen from there, as files are named on the command line.
std::string shortened(llvm::StringRef Absolute) {
  llvm::SmallString<256> Folder;
  const bool IsKnown = !llvm::sys::fs::current_path(Folder);
  llvm::StringRef Below = Absolute;
  return IsKnown && Below.consume_front(Folder.str()) && Below.consume_front("/") ? Below.str() : Absolute.str();
}

clang::SourceLocation at(const join::Place& Its, clang::SourceManager& Sources) {
  return scan::locate(Sources, shortened(Its.File), Its.Line, Its.Column);
}

std::vector<Note> located(llvm::ArrayRef<join::Note> Notes, clang::SourceManager& Sources) {
  std::vector<Note> Result;
  llvm::transform(Notes, std::back_inserter(Result), [&](const join::Note& Each) { return Note{at(Each.Where, Sources), Each.Message}; });
  return Result;
}

const CheckInfo* infoNamed(llvm::StringRef Name) {
  const auto* Found = llvm::find_if(checks(), [&](const CheckInfo& Each) { return Each.Name == Name; });
  return Found == checks().end() ? nullptr : Found;
}

}  // namespace

void tellJoined(llvm::ArrayRef<join::Joined> All, const CheckOptions& Options, clang::SourceManager& Sources, scan::Reporter& Report) {
  const Globs Enabled("*," + Options.Checks), AsErrors(Options.WarningsAsErrors);
  Findings Found;
  for (const join::Joined& Each : All) {
    const CheckInfo* Check = infoNamed(Each.Its.Check);
    if (!Check || !Enabled.contains(Check->Name)) {
      continue;
    }
    Finding New{Check->Name,        at(Each.Its.Where, Sources),   {}, Each.Its.Message, located(Each.Its.Notes, Sources),
                Each.Its.IsCertain, located(Each.Its.Way, Sources)};
    New.Callables = {Each.Of->Name};
    Found.add(std::move(New));
  }
  Allowances Comments(Sources);
  std::vector<Finding> Kept = Found.take();
  llvm::erase_if(Kept, [&](const Finding& Each) { return Each.Where.isValid() && Comments.silences(Each); });
  llvm::for_each(Kept, [&](Finding& Each) { Each.IsCertain |= AsErrors.contains(Each.Check); });
  present(Kept, Report);
}

}  // namespace graphgen::check
