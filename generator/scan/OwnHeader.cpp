// SPDX-License-Identifier: Apache-2.0
//
// What includes a header's generated header includes the header; that of a source is known by its name.
#include "scan/OwnHeader.h"

#include "scan/GeneratedHeaders.h"

#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

namespace graphgen::scan {
namespace {

namespace path = llvm::sys::path;

class Finder : public clang::PPCallbacks {
 public:
  Finder(const clang::SourceManager& Sources, bool IsHeader, clang::SourceLocation& Where)
      : Sources(Sources), IsHeader(IsHeader), Where(Where) {}

  void InclusionDirective(clang::SourceLocation Hash, const clang::Token&, llvm::StringRef Name, bool, clang::CharSourceRange Range,
                          clang::OptionalFileEntryRef File, llvm::StringRef, llvm::StringRef, const clang::Module*, bool,
                          clang::SrcMgr::CharacteristicKind) override {
    const clang::OptionalFileEntryRef Main = Sources.getFileEntryRefForID(Sources.getMainFileID());
    if (!Main || Where.isValid()) {
      return;
    }
    if (!IsHeader && isGeneratedHeader(Name) && path::stem(path::stem(Name)) == path::stem(Main->getName())) {
      Where = Range.getBegin();
    } else if (IsHeader && File && *File == *Main && isGeneratedHeader(Sources.getFilename(Hash))) {
      Where = Sources.getIncludeLoc(Sources.getFileID(Hash));
    }
  }

 private:
  const clang::SourceManager& Sources;
  bool IsHeader;
  clang::SourceLocation& Where;
};

}  // namespace

std::unique_ptr<clang::PPCallbacks> findOwnHeader(const clang::SourceManager& Sources, bool IsHeader, clang::SourceLocation& Where) {
  return std::make_unique<Finder>(Sources, IsHeader, Where);
}

void refuseEarlyInclusion(const clang::SourceManager& Sources, clang::SourceLocation Inclusion, llvm::ArrayRef<ScannedCallable> Callables,
                          Reporter& Report) {
  if (Inclusion.isInvalid()) {
    return;
  }
  for (const ScannedCallable& Each : llvm::reverse(Callables)) {
    const clang::SourceLocation Declared = Sources.getExpansionLoc(Each.Declaration->getLocation());
    if (!Sources.isBeforeInTranslationUnit(Inclusion, Declared)) {
      continue;
    }
    const llvm::StringRef Main = path::filename(Sources.getFileEntryRefForID(Sources.getMainFileID())->getName());
    const std::string Name = "'" + Each.Declaration->getNameAsString() + "'";
    Report.error(
        Inclusion, "graphed-own-header",
        "'" + path::stem(Main) + ".graphed.h' is included before " + Name + " is declared, whose code it holds; " +
            (Sources.isInMainFile(Inclusion) ? "include it after that declaration"
                                             : "include it in the sources that use it, not in a header that '" + Main + "' includes"));
    Report.note(Declared, Name + " is declared here");
    return;
  }
}

}  // namespace graphgen::scan
