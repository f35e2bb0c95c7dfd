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

std::string docsFolder() {
  llvm::SmallString<256> Installed(path::parent_path(path::parent_path(llvm::sys::fs::getMainExecutable(nullptr, nullptr))));
  path::append(Installed, GRAPHGEN_INSTALLED_DOCS);
  return llvm::sys::fs::is_directory(Installed) ? Installed.str().str() : GRAPHGEN_SOURCE_DOCS;
}

std::string docsUri() {
  constexpr llvm::StringLiteral Named = GRAPHGEN_DOCS_URL;
  return Named.empty() ? clang::SarifDocumentWriter::fileNameToURI(docsFolder()) : Named.rtrim('/').str();
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

}  // namespace graphgen::report
