// SPDX-License-Identifier: Apache-2.0
//
// Tokens as Clang's lexer finds them without a preprocessor: both sides of each #if count.
#include "scan/IncludedText.h"

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace graphgen::scan {
namespace {

/// What LibTorch's headers spell is no name of a program's.
bool isOfLibTorch(llvm::StringRef Folder, llvm::StringRef Base) {
  return llvm::any_of(std::initializer_list<llvm::StringRef>{"ATen/ATen.h", "torch/all.h"}, [&](llvm::StringRef Header) {
    llvm::SmallString<256> Path(Folder);
    llvm::sys::path::append(Path, Header);
    llvm::sys::path::make_absolute(Base, Path);
    return llvm::sys::fs::exists(Path);
  });
}

std::vector<std::string> foldersOf(llvm::ArrayRef<std::string> CommandLine, llvm::StringRef Base) {
  std::vector<std::string> Found;
  for (size_t Place = 0; Place < CommandLine.size(); ++Place) {
    for (const llvm::StringRef Flag : {"-I", "-iquote", "-isystem", "-idirafter"}) {
      llvm::StringRef Word = CommandLine[Place];
      if (Word.consume_front(Flag)) {
        const bool IsNext = Word.empty() && Place + 1 < CommandLine.size();
        Found.push_back(IsNext ? CommandLine[Place + 1] : Word.str());
        break;
      }
    }
  }
  llvm::erase_if(Found, [&](const std::string& Each) { return isOfLibTorch(Each, Base); });
  return Found;
}

/// `"a.h"`, `<a.h>` or a macro that a line includes, with what follows; else empty.
llvm::StringRef includedBy(llvm::StringRef Line) {
  Line = Line.ltrim();
  const bool IsInclude = Line.consume_front("#") && (Line = Line.ltrim()).consume_front("include") && !Line.starts_with("_");
  return IsInclude ? Line.trim() : "";
}

/// Between the quotes; empty of a macro.
llvm::StringRef nameOf(llvm::StringRef Included) {
  const bool IsQuoted = Included.starts_with("<") || Included.starts_with("\"");
  const size_t End = IsQuoted ? Included.find(Included.front() == '<' ? '>' : '"', 1) : llvm::StringRef::npos;
  return End == llvm::StringRef::npos ? "" : Included.substr(1, End - 1);
}

std::string foundAs(llvm::StringRef Name, llvm::StringRef Beside, llvm::ArrayRef<std::string> Folders, llvm::StringRef Folder) {
  const auto At = [&](llvm::StringRef Base) {
    llvm::SmallString<256> Path(Base);
    llvm::sys::path::append(Path, Name);
    llvm::sys::path::make_absolute(Folder, Path);
    llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
    return llvm::sys::fs::is_regular_file(Path) ? std::string(Path) : std::string();
  };
  std::string Found = At(Beside);
  for (auto Each = Folders.begin(); Found.empty() && Each != Folders.end(); ++Each) {
    Found = At(*Each);
  }
  return Found;
}

}  // namespace

const IncludedText::File* IncludedText::fileAt(const std::string& Path) {
  const auto [Known, IsNew] = Files.try_emplace(Path);
  File& Its = Known->second;
  const auto Text = IsNew ? llvm::MemoryBuffer::getFile(Path) : std::error_code();
  if (!IsNew || !Text) {
    return &Its;
  }
  const llvm::StringRef All = (*Text)->getBuffer();
  clang::LangOptions Language;
  Language.CPlusPlus = Language.CPlusPlus17 = true;
  clang::Lexer Lexer(clang::SourceLocation(), Language, All.begin(), All.begin(), All.end());
  clang::Token Next;
  while (!Lexer.LexFromRawLexer(Next)) {
    if (Next.is(clang::tok::raw_identifier)) {
      Its.Words.insert(Next.getRawIdentifier());
    }
  }
  for (const llvm::StringRef Line : llvm::split(All, '\n')) {
    const llvm::StringRef Included = includedBy(Line), Name = nameOf(Included);
    if (!Name.empty()) {
      Its.Included.push_back(Name.str());
    }
    Its.IncludesMacro |= Name.empty() && !Included.empty();
  }
  return &Its;
}

bool IncludedText::spells(const std::string& Source, const llvm::StringSet<>& Names, llvm::ArrayRef<std::string> CommandLine,
                          llvm::StringRef Folder, std::vector<std::string>& Read) {
  const std::vector<std::string> Folders = foldersOf(CommandLine, Folder);
  llvm::StringSet<> Met = {Source};
  std::vector<std::string> Next = {Source};
  bool IsFound = false;
  while (!Next.empty() && !IsFound) {
    const std::string Path = std::move(Next.back());
    Next.pop_back();
    Read.push_back(Path);
    const File& Its = *fileAt(Path);
    IsFound = Its.IncludesMacro || llvm::any_of(Names.keys(), [&](llvm::StringRef Each) { return Its.Words.contains(Each); });
    for (const std::string& Each : Its.Included) {
      std::string Header = foundAs(Each, llvm::sys::path::parent_path(Path), Folders, Folder);
      if (!Header.empty() && Met.insert(Header).second) {
        Next.push_back(std::move(Header));
      }
    }
  }
  return IsFound;
}

}  // namespace graphgen::scan
