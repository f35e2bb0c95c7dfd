// SPDX-License-Identifier: Apache-2.0
//
// Names as generated code spells them.
#include "scan/Types.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace graphgen::scan {

clang::PrintingPolicy namePolicy(const clang::ASTContext& Context) {
  clang::PrintingPolicy Policy(Context.getPrintingPolicy());
  Policy.SuppressUnwrittenScope = true;
  Policy.SuppressInlineNamespace = llvm::to_underlying(clang::PrintingPolicy::SuppressInlineNamespaceMode::All);
  return Policy;
}

std::string qualifiedName(const clang::NamedDecl& D) {
  std::string Name;
  llvm::raw_string_ostream Stream(Name);
  D.printQualifiedName(Stream, namePolicy(D.getASTContext()));
  return Name;
}

}  // namespace graphgen::scan
