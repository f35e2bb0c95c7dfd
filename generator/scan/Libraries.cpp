// SPDX-License-Identifier: Apache-2.0
//
// A program may declare something in those namespaces, too: only in the libraries' own files are bodies left out.
#include "scan/Libraries.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

namespace graphgen::scan {
namespace {

namespace path = llvm::sys::path;

/// `#include <ATen/ATen.h>` names such a folder, wherever LibTorch is.
bool isInLibrarysFile(const clang::Decl& D) {
  const clang::SourceManager& Sources = D.getASTContext().getSourceManager();
  const clang::SourceLocation Where = Sources.getFileLoc(D.getLocation());
  const clang::OptionalFileEntryRef File = Sources.getFileEntryRefForID(Sources.getFileID(Where));
  const auto IsFolder = [](llvm::StringRef Name) {
    return llvm::StringSwitch<bool>(Name).Cases({"ATen", "c10", "caffe2", "torch"}, true).Default(false);
  };
  if (!File || Sources.isInMainFile(Where)) {
    return false;
  }
  const llvm::StringRef Folder = File->getDir().getName();
  return Sources.isInSystemHeader(Where) || std::any_of(path::begin(Folder), path::end(Folder), IsFolder);
}

}  // namespace

bool isInMainFile(const clang::Decl& D) {
  const clang::SourceManager& Sources = D.getASTContext().getSourceManager();
  return Sources.isInMainFile(Sources.getExpansionLoc(D.getLocation()));
}

const clang::NamespaceDecl* outermostNamespace(const clang::Decl& D) {
  const clang::NamespaceDecl* Outermost = nullptr;
  for (const clang::DeclContext* Each = D.getDeclContext(); Each; Each = Each->getParent()) {
    if (const auto* Namespace = llvm::dyn_cast<clang::NamespaceDecl>(Each)) {
      Outermost = Namespace;
    }
  }
  return Outermost;
}

bool isLibrarys(const clang::NamespaceDecl& Namespace) {
  return llvm::StringSwitch<bool>(Namespace.getName())
      .Cases({"at", "c10", "c10d", "caffe2", "std", "torch", "__gnu_cxx"}, true)
      .Cases({"ska", "ska_ordered"}, true)  // of c10/util
      .Default(false);
}

bool isForeign(const clang::Decl& D) {
  const auto* Namespace = llvm::dyn_cast<clang::NamespaceDecl>(&D);
  const bool IsOutermost = Namespace && Namespace->getDeclContext()->getRedeclContext()->isTranslationUnit();
  return (IsOutermost && (isLibrarys(*Namespace) || Namespace->getName() == "graphed") && !isInMainFile(D)) ||
         D.getASTContext().getSourceManager().isInSystemHeader(D.getLocation());
}

bool isBodyNeverRead(const clang::Decl& D) {
  const clang::NamespaceDecl* Namespace = outermostNamespace(D);
  return !D.isTemplated() && Namespace && isLibrarys(*Namespace) && isInLibrarysFile(D);
}

}  // namespace graphgen::scan
