// SPDX-License-Identifier: Apache-2.0
//
// The table is made from the documentation by RulesFromDocs.cmake.
#include "report/Rules.h"

#include "clang/Basic/Sarif.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace graphgen::report {
namespace {

namespace path = llvm::sys::path;

constexpr Rule All[] = {
#include "Rules.inc"
};

constexpr llvm::StringLiteral Published = GRAPHGEN_DOCS_URL;

/// Beside the program; empty where it is not installed there.
std::string installedDocs() {
  llvm::SmallString<256> Installed(path::parent_path(path::parent_path(llvm::sys::fs::getMainExecutable(nullptr, nullptr))));
  path::append(Installed, GRAPHGEN_INSTALLED_DOCS);
  return llvm::sys::fs::is_directory(Installed) ? Installed.str().str() : std::string();
}

std::string docsUri() {
  if (!Published.empty()) {
    return Published.rtrim('/').str();
  }
  const std::string Installed = installedDocs();
  return clang::SarifDocumentWriter::fileNameToURI(Installed.empty() ? GRAPHGEN_SOURCE_DOCS : Installed);
}

}  // namespace

llvm::ArrayRef<Rule> rules() { return All; }

const Rule* ruleNamed(llvm::StringRef Id) {
  const auto* Found = llvm::find_if(All, [&](const Rule& Each) { return Each.Id == Id; });
  return Found == std::end(All) ? nullptr : Found;
}

std::string helpUri(const Rule& R) {
  static const std::string Base = docsUri();
  return (Base + "/" + R.Page).str();
}

std::string helpLine(const Rule& R) {
  if (!Published.empty()) {
    return "help: " + helpUri(R) + '\n';
  }
  const std::string Installed = installedDocs();
  return ("help: " + (Installed.empty() ? "docs" : Installed) + "/" + R.Page + ", which graphgen --explain-check=" + R.Id + " prints\n")
      .str();
}

}  // namespace graphgen::report
