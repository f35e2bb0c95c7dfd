// SPDX-License-Identifier: Apache-2.0
//
// A macro that the text does not name expands nowhere. A folder without an entry that begins a path of the text's gives it no file.
#include "scan/HeaderText.h"

#include "scan/FrontEnd.h"
#include "scan/Roots.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/xxhash.h"

#include <set>

namespace graphgen::scan {
namespace {

namespace path = llvm::sys::path;

uint64_t hashOf(llvm::StringRef Name) { return llvm::xxh3_64bits(Name); }

class Inclusions : public clang::PPCallbacks {
 public:
  explicit Inclusions(std::set<uint64_t>& Names) : Names(Names) {}

  void InclusionDirective(clang::SourceLocation, const clang::Token&, llvm::StringRef Name, bool, clang::CharSourceRange,
                          clang::OptionalFileEntryRef, llvm::StringRef, llvm::StringRef, const clang::Module*, bool,
                          clang::SrcMgr::CharacteristicKind) override {
    note(Name);
  }
  void HasInclude(clang::SourceLocation, llvm::StringRef Name, bool, clang::OptionalFileEntryRef,
                  clang::SrcMgr::CharacteristicKind) override {
    note(Name);
  }
  void EmbedDirective(clang::SourceLocation, llvm::StringRef Name, bool, clang::OptionalFileEntryRef,
                      const clang::LexEmbedParametersResult&) override {
    note(Name);
  }
  void HasEmbed(clang::SourceLocation, llvm::StringRef Name, bool, clang::OptionalFileEntryRef) override { note(Name); }

 private:
  void note(llvm::StringRef Path) {
    if (!path::is_absolute(Path)) {
      Names.insert(hashOf(*path::begin(Path)));
    }
  }

  std::set<uint64_t>& Names;
};

class HeaderTextAction : public clang::PreprocessorFrontendAction {
 public:
  explicit HeaderTextAction(HeaderText& Text) : Text(Text) {}

 protected:
  void ExecuteAction() override {
    clang::Preprocessor& PP = getCompilerInstance().getPreprocessor();
    std::set<uint64_t> Included;
    PP.addPPCallbacks(std::make_unique<Inclusions>(Included));
    PP.IgnorePragmas();
    PP.EnterMainSourceFile();
    clang::Token Next;
    do {
      PP.Lex(Next);
    } while (Next.isNot(clang::tok::eof));
    Text.Included.assign(Included.begin(), Included.end());
    for (const auto& Each : PP.getIdentifierTable()) {
      Text.Identifiers.push_back(hashOf(Each.first()));
    }
    const clang::SourceManager& Sources = PP.getSourceManager();
    for (const auto& [Name, State] : PP.macros()) {
      const clang::MacroInfo* Macro = PP.getMacroInfo(Name);
      const clang::SourceLocation Where = Macro ? Macro->getDefinitionLoc() : clang::SourceLocation();
      if (Where.isValid() && Sources.getFileEntryRefForID(Sources.getFileID(Where))) {
        Text.Macros.push_back(hashOf(Name->getName()));
      }
    }
    llvm::sort(Text.Identifiers);
    llvm::sort(Text.Macros);
  }

 private:
  HeaderText& Text;
};

std::vector<std::string> keepMacros(clang::CompilerInvocation& Invocation, const HeaderText& Text) {
  std::vector<std::string> Kept;
  llvm::erase_if(Invocation.getPreprocessorOpts().Macros, [&](const auto& Each) {
    const auto& [Definition, IsUndefined] = Each;
    const bool Matters = contains(Text.Identifiers, llvm::StringRef(Definition).take_until([](char C) { return C == '=' || C == '('; }));
    if (Matters) {
      Kept.push_back((IsUndefined ? "-U" : "-D") + Definition);
    }
    return !Matters;
  });
  return Kept;
}

/// Of -I or -iquote, by its path as it is.
bool isOfUser(const clang::HeaderSearchOptions::Entry& Folder, const clang::HeaderSearchOptions& Options) {
  return (Folder.Group == clang::frontend::Angled || Folder.Group == clang::frontend::Quoted) && !Folder.IsFramework &&
         (Folder.IgnoreSysRoot || Options.Sysroot.empty() || Options.Sysroot == "/");
}

bool mayGiveFiles(llvm::StringRef Folder, const HeaderText& Text, llvm::vfs::FileSystem& Files) {
  std::error_code Error;
  for (llvm::vfs::directory_iterator Entry = Files.dir_begin(Folder, Error), End; !Error && Entry != End; Entry.increment(Error)) {
    if (contains(Text.Included, path::filename(Entry->path()))) {
      return true;
    }
  }
  return Error && Error != std::errc::no_such_file_or_directory;
}

std::vector<std::string> keepFolders(clang::CompilerInvocation& Invocation, const HeaderText& Text, llvm::vfs::FileSystem& Files) {
  std::vector<std::string> Kept;
  clang::HeaderSearchOptions& Search = Invocation.getHeaderSearchOpts();
  llvm::erase_if(Search.UserEntries, [&](const clang::HeaderSearchOptions::Entry& Each) {
    if (!isOfUser(Each, Search)) {
      return false;
    }
    const bool Matters = mayGiveFiles(Each.Path, Text, Files);
    if (Matters) {
      Kept.push_back((Each.Group == clang::frontend::Quoted ? "-iquote" : "-I") + Each.Path);
    }
    return !Matters;
  });
  return Kept;
}

}  // namespace

bool contains(llvm::ArrayRef<uint64_t> Hashes, llvm::StringRef Name) { return llvm::binary_search(Hashes, hashOf(Name)); }

// A macro of the command line is among the identifiers that the preprocessor has met, though no text names it: those of a run without it
// show.
HeaderText readHeaderText(const FrontEnd& Compiler, llvm::StringRef Root) {
  HeaderText Text;
  std::vector<std::string> Kept, Needed;
  do {
    Kept = std::move(Needed);
    HeaderText Read;
    HeaderTextAction Preprocess(Read);
    clang::IgnoringDiagConsumer Silent;
    Compiler.run(Preprocess, Silent, nullptr, [&](clang::CompilerInvocation& Invocation) {
      takeRootAlone(Invocation, Root);
      keepMacros(Invocation, Text);
    });
    Text = std::move(Read);
    clang::CompilerInvocation Next(Compiler.invocation());
    Needed = keepMacros(Next, Text);
  } while (Needed != Kept);
  return Text;
}

std::vector<std::string> keepWhatMatters(clang::CompilerInvocation& Invocation, const HeaderText& Text, llvm::vfs::FileSystem& Files) {
  std::vector<std::string> Kept = keepMacros(Invocation, Text);
  llvm::append_range(Kept, keepFolders(Invocation, Text, Files));
  return Kept;
}

}  // namespace graphgen::scan
