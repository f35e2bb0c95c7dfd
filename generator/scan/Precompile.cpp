// SPDX-License-Identifier: Apache-2.0
//
// The header is compiled by itself, with the flags of a file that includes it.
#include "scan/Precompile.h"

#include "scan/FrontEnd.h"
#include "scan/Roots.h"

#include "clang/Basic/FileManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/HeaderSearchOptions.h"
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

/// Remembers what was looked for in vain: were it there, another file might be read.
class Watched : public llvm::vfs::ProxyFileSystem {
 public:
  using ProxyFileSystem::ProxyFileSystem;

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& Path) override { return seen(Path, ProxyFileSystem::status(Path)); }
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& Path) override {
    return seen(Path, ProxyFileSystem::openFileForRead(Path));
  }

  /// Of paths below a folder that is missing, the folder alone.
  std::vector<std::string> missing() {
    std::set<std::string> Shortest;
    for (std::string Path : Missing) {
      for (llvm::StringRef Folder = path::parent_path(Path); !Folder.empty() && !ProxyFileSystem::exists(Folder);
           Folder = path::parent_path(Path)) {
        Path = Folder.str();
      }
      Shortest.insert(std::move(Path));
    }
    return {Shortest.begin(), Shortest.end()};
  }

 private:
  template <class T>
  llvm::ErrorOr<T> seen(const llvm::Twine& Path, llvm::ErrorOr<T> Answer) {
    if (!Answer) {
      llvm::SmallString<256> Full;
      Path.toVector(Full);
      makeAbsolute(Full);
      Missing.insert(Full.str().str());
    }
    return Answer;
  }

  std::set<std::string> Missing;
};

class Dependencies : public clang::DependencyCollector {
 public:
  bool needSystemDependencies() override { return true; }
  bool sawDependency(llvm::StringRef File, bool, bool, bool, bool) override { return !File.starts_with("<") && !isRootFile(File); }
};

uint64_t hashOf(llvm::StringRef Name) { return llvm::xxh3_64bits(Name); }

class Action : public clang::GeneratePCHAction {
 public:
  explicit Action(PrecompiledHeader& Made) : Made(Made) {}

  bool Compiles = false;

 protected:
  void EndSourceFileAction() override {
    const clang::Preprocessor& PP = getCompilerInstance().getPreprocessor();
    const clang::SourceManager& Sources = PP.getSourceManager();
    for (const auto& Each : getCompilerInstance().getPreprocessor().getIdentifierTable()) {
      Made.Identifiers.push_back(hashOf(Each.first()));
    }
    for (const auto& [Name, State] : PP.macros()) {
      const clang::MacroInfo* Macro = PP.getMacroInfo(Name);
      const clang::SourceLocation Where = Macro ? Macro->getDefinitionLoc() : clang::SourceLocation();
      if (Where.isValid() && Sources.getFileEntryRefForID(Sources.getFileID(Where))) {
        Made.Macros.push_back(hashOf(Name->getName()));
      }
    }
    llvm::sort(Made.Identifiers);
    llvm::sort(Made.Macros);
    Compiles = !getCompilerInstance().getDiagnostics().hasErrorOccurred();
    GeneratePCHAction::EndSourceFileAction();
  }

 private:
  PrecompiledHeader& Made;
};

void makeItPrecompile(clang::CompilerInvocation& Invocation, llvm::StringRef Root) {
  clang::FrontendOptions& Options = Invocation.getFrontendOpts();
  Options.Inputs = {clang::FrontendInputFile(rootFile(Root), clang::InputKind(clang::Language::CXX).getHeader())};
  Options.ProgramAction = clang::frontend::GeneratePCH;
  Options.IncludeTimestamps = false;
  Options.OutputFile.clear();
  Invocation.getLangOpts().IsHeaderFile = true;
  Invocation.getLangOpts().SpellChecking = false;
  Invocation.getCodeGenOpts().MainFileName.clear();
  Invocation.getDiagnosticOpts() = clang::DiagnosticOptions();
  Invocation.getDependencyOutputOpts() = clang::DependencyOutputOptions();
  Invocation.getPreprocessorOpts().Includes.clear();
  Invocation.getPreprocessorOpts().MacroIncludes.clear();
}

}  // namespace

bool PrecompiledHeader::reads(llvm::StringRef File) const { return std::binary_search(Files.begin(), Files.end(), File); }

bool contains(llvm::ArrayRef<uint64_t> Hashes, llvm::StringRef Name) { return llvm::binary_search(Hashes, hashOf(Name)); }

std::optional<std::vector<std::string>> precompileFlags(const FrontEnd& Compiler, llvm::StringRef Root) {
  const llvm::ErrorOr<std::string> Folder = Compiler.files().getVirtualFileSystem().getCurrentWorkingDirectory();
  const clang::PreprocessorOptions& Given = Compiler.invocation().getPreprocessorOpts();
  if (!Folder || Compiler.invocation().getHeaderSearchOpts().ImplicitModuleMaps || !Given.ImplicitPCHInclude.empty() ||
      !Given.RemappedFiles.empty()) {
    return std::nullopt;
  }
  clang::CompilerInvocation Own(Compiler.invocation());
  makeItPrecompile(Own, Root);
  std::vector<std::string> Flags = Own.getCC1CommandLine();
  Flags.push_back(*Folder);
  return Flags;
}

PrecompiledHeader precompile(const FrontEnd& Compiler, llvm::StringRef Root, llvm::StringRef Path) {
  auto Watch = llvm::makeIntrusiveRefCnt<Watched>(Compiler.files().getVirtualFileSystemPtr());
  const auto Files = llvm::makeIntrusiveRefCnt<clang::FileManager>(Compiler.files().getFileSystemOpts(), Watch);
  const auto Read = std::make_shared<Dependencies>();
  PrecompiledHeader Made;
  Action Generate(Made);
  clang::IgnoringDiagConsumer Silent;
  const FrontEnd Own(Compiler.invocation(), *Files);
  Own.run(Generate, Silent, Read, [&](clang::CompilerInvocation& Invocation) {
    makeItPrecompile(Invocation, Root);
    Invocation.getFrontendOpts().OutputFile = Path.str();
  });
  Made.Files = Read->getDependencies().vec();
  // With a precompiled header, diagnostics would tell relative paths as absolute ones.
  const bool IsFit = Generate.Compiles && llvm::all_of(Made.Files, [](llvm::StringRef Each) { return path::is_absolute(Each); });
  Made.Files = absolute(Made.Files, *Files);
  llvm::sort(Made.Files);
  Made.Files.erase(llvm::unique(Made.Files), Made.Files.end());
  Made.Missing = Watch->missing();
  Made.Path = IsFit ? Path.str() : "";
  return Made;
}

}  // namespace graphgen::scan
