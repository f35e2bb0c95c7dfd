// SPDX-License-Identifier: Apache-2.0
//
// Generated code is taken apart by Clang's lexer, and each of its names asked for.
#include "scan/Macros.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

#include <vector>

namespace graphgen::scan {
namespace {

namespace path = llvm::sys::path;

struct Word {
  llvm::StringRef Name;
  bool IsCalled = false;  // a parenthesis follows
};

/// The identifiers of `Code` outside of directives, in order.
std::vector<Word> wordsOf(const std::string& Code, const clang::LangOptions& Language) {
  clang::Lexer Lex(clang::SourceLocation(), Language, Code.data(), Code.data(), Code.data() + Code.size());
  std::vector<Word> Words;
  bool IsDirective = false, IsLast = false;
  clang::Token Next;
  for (Lex.LexFromRawLexer(Next); Next.isNot(clang::tok::eof); Lex.LexFromRawLexer(Next)) {
    IsDirective = Next.isAtStartOfLine() ? Next.is(clang::tok::hash) : IsDirective;
    if (IsLast && Next.is(clang::tok::l_paren)) {
      Words.back().IsCalled = true;
    }
    IsLast = !IsDirective && Next.is(clang::tok::raw_identifier);
    if (IsLast) {
      Words.push_back({Next.getRawIdentifier()});
    }
  }
  return Words;
}

/// Words of the language, and such that have a meaning in some places only.
bool isKeyword(const clang::IdentifierInfo& Name) {
  return Name.getTokenID() != clang::tok::identifier || Name.isStr("final") || Name.isStr("override");
}

bool expandsToItself(const clang::MacroInfo& Macro, const clang::IdentifierInfo& Name) {
  return Macro.isObjectLike() && Macro.getNumTokens() == 1 && Macro.tokens().front().getIdentifierInfo() == &Name;
}

}  // namespace

void Macros::refuse(const std::string& Code, Reporter& Report) const {
  llvm::StringSet<> Told;
  for (const Word& Each : wordsOf(Code, PP.getLangOpts())) {
    const clang::MacroInfo* Macro = find(Each.Name);
    if (!Macro || (Macro->isFunctionLike() && !Each.IsCalled) || !Told.insert(Each.Name).second) {
      continue;
    }
    Report.error(Macro->getDefinitionLoc(), "graphed-macro",
                 "the macro '" + Each.Name + "' would be expanded in the code that is generated for this file");
    Report.note(Macro->getDefinitionLoc(), Inclusion.isValid()
                                               ? "give it another name, or #undef it before the generated header is included"
                                               : "give it another name, or #undef it at the end of the file");
  }
}

/// Null where nothing, or nothing else, would be put in the place of the name.
const clang::MacroInfo* Macros::find(llvm::StringRef Name) const {
  const clang::IdentifierInfo& Identifier = *PP.getIdentifierInfo(Name);
  if (isKeyword(Identifier)) {
    return nullptr;
  }
  const clang::MacroInfo* Macro =
      Inclusion.isValid() ? PP.getMacroDefinitionAtLoc(&Identifier, Inclusion).getMacroInfo() : PP.getMacroInfo(&Identifier);
  const bool Counts =
      Macro && !Macro->isBuiltinMacro() && !expandsToItself(*Macro, Identifier) && !isOfLibraries(Macro->getDefinitionLoc());
  return Counts ? Macro : nullptr;
}

/// System headers, and graphed's own, which are beside the one that defines GRAPHED.
bool Macros::isOfLibraries(clang::SourceLocation Definition) const {
  const clang::SourceManager& Sources = PP.getSourceManager();
  if (Sources.isInSystemHeader(Definition) || Sources.isWrittenInBuiltinFile(Definition)) {
    return true;
  }
  const clang::MacroInfo* Graphed = PP.getMacroInfo(PP.getIdentifierInfo("GRAPHED"));
  const llvm::StringRef Folder = folderOf(Definition);
  return Graphed && !Folder.empty() && Folder == folderOf(Graphed->getDefinitionLoc());
}

llvm::StringRef Macros::folderOf(clang::SourceLocation Definition) const {
  const clang::OptionalFileEntryRef File = PP.getSourceManager().getFileEntryRefForID(PP.getSourceManager().getFileID(Definition));
  return File ? path::parent_path(File->getName()) : llvm::StringRef();
}

}  // namespace graphgen::scan
