// SPDX-License-Identifier: Apache-2.0
//
// The header is compiled by itself, with the flags of a file that includes it.
#include "scan/Precompile.h"

#include "scan/Digest.h"
#include "scan/FrontEnd.h"
#include "scan/Libraries.h"
#include "scan/Roots.h"

#include "clang/Basic/FileManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PreprocessorOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <set>

namespace graphgen::scan {
namespace {

namespace path = llvm::sys::path;

/// Remembers what was read, and what was looked for in vain: were it there, another file might be read.
class Watched : public llvm::vfs::ProxyFileSystem {
 public:
  Watched(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Base, ReadBytes& Bytes) : ProxyFileSystem(std::move(Base)), Bytes(Bytes) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& Path) override { return seen(Path, ProxyFileSystem::status(Path)); }
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& Path) override {
    auto File = seen(Path, ProxyFileSystem::openFileForRead(Path));
    const auto Status = File ? (*File)->status() : File.getError();
    const auto Buffer = Status ? (*File)->getBuffer(Path, Status->getSize(), /*RequiresNullTerminator=*/false) : Status.getError();
    if (Buffer) {
      Bytes.add(Status->getUniqueID(), (*Buffer)->getBuffer());
    }
    return File;
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

  ReadBytes& Bytes;
  std::set<std::string> Missing;
};

class HeaderDependencies : public clang::DependencyCollector {
 public:
  bool needSystemDependencies() override { return true; }
  bool sawDependency(llvm::StringRef File, bool, bool, bool, bool IsMissing) override {
    return !IsMissing && !File.starts_with("<") && !isRootFile(File);
  }
};

class SkipBodies : public clang::ASTConsumer {
 public:
  bool shouldSkipFunctionBody(clang::Decl* D) override { return isBodyNeverRead(*D); }
};

class PrecompileAction : public clang::GeneratePCHAction {
 public:
  bool Compiles = false;

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& Compiler, llvm::StringRef File) override {
    std::vector<std::unique_ptr<clang::ASTConsumer>> All;
    All.push_back(GeneratePCHAction::CreateASTConsumer(Compiler, File));
    All.push_back(std::make_unique<SkipBodies>());
    return std::make_unique<clang::MultiplexConsumer>(std::move(All));
  }
  void EndSourceFileAction() override {
    Compiles = !getCompilerInstance().getDiagnostics().hasErrorOccurred();
    GeneratePCHAction::EndSourceFileAction();
  }
};

void makeItPrecompile(clang::CompilerInvocation& Invocation, llvm::StringRef Root) {
  takeRootAlone(Invocation, Root);
  clang::FrontendOptions& Options = Invocation.getFrontendOpts();
  Options.ProgramAction = clang::frontend::GeneratePCH;
  Options.IncludeTimestamps = false;
  Options.OutputFile.clear();
  Options.UseTemporary = false;  // what is left of one that cannot be written is removed by its name
  Invocation.getLangOpts().IsHeaderFile = true;
  Invocation.getLangOpts().SpellChecking = false;
  Invocation.getCodeGenOpts().MainFileName.clear();
  Invocation.getDiagnosticOpts() = clang::DiagnosticOptions();
  Invocation.getDependencyOutputOpts() = clang::DependencyOutputOptions();
}

}  // namespace

bool PrecompiledHeader::reads(llvm::StringRef File) const { return std::binary_search(Files.begin(), Files.end(), File); }

std::optional<std::vector<std::string>> precompileFlags(const FrontEnd& Compiler, llvm::StringRef Root) {
  const llvm::ErrorOr<std::string> Folder = Compiler.files().getVirtualFileSystem().getCurrentWorkingDirectory();
  const clang::PreprocessorOptions& Given = Compiler.invocation().getPreprocessorOpts();
  if (!Folder || Compiler.invocation().getHeaderSearchOpts().ImplicitModuleMaps || !Given.ImplicitPCHInclude.empty() ||
      !Given.RemappedFiles.empty()) {
    return std::nullopt;
  }
  clang::CompilerInvocation Own(Compiler.invocation());
  makeItPrecompile(Own, Root);
  keepWhatMatters(Own, {}, Compiler.files().getVirtualFileSystem());
  std::vector<std::string> Flags = Own.getCC1CommandLine();
  Flags.push_back(*Folder);
  return Flags;
}

bool suits(const PrecompiledHeader& Header, const FrontEnd& Compiler) {
  clang::CompilerInvocation Own(Compiler.invocation());
  return keepWhatMatters(Own, Header.Text, Compiler.files().getVirtualFileSystem()) == Header.Flags;
}

std::optional<PrecompiledHeader> precompile(const FrontEnd& Compiler, llvm::StringRef Root, llvm::StringRef Path) {
  ReadBytes Bytes;
  const auto Open = [&](const llvm::IntrusiveRefCntPtr<Watched>& Watch) {
    return llvm::makeIntrusiveRefCnt<clang::FileManager>(Compiler.files().getFileSystemOpts(), Watch);
  };
  PrecompiledHeader Made;
  const auto TextFiles = Open(llvm::makeIntrusiveRefCnt<Watched>(Compiler.files().getVirtualFileSystemPtr(), Bytes));
  Made.Text = readHeaderText(FrontEnd(Compiler.invocation(), *TextFiles), Root);
  auto Watch = llvm::makeIntrusiveRefCnt<Watched>(Compiler.files().getVirtualFileSystemPtr(), Bytes);
  const auto Files = Open(Watch);
  const auto Read = std::make_shared<HeaderDependencies>();
  PrecompileAction Generate;
  clang::IgnoringDiagConsumer Silent;
  const FrontEnd Own(Compiler.invocation(), *Files);
  const bool IsDone = Own.run(Generate, Silent, Read, [&](clang::CompilerInvocation& Invocation) {
    makeItPrecompile(Invocation, Root);
    Made.Flags = keepWhatMatters(Invocation, Made.Text, Compiler.files().getVirtualFileSystem());
    Invocation.getFrontendOpts().OutputFile = Path.str();
  });
  if (Generate.Compiles && !IsDone) {
    return std::nullopt;
  }
  Made.Files = Read->getDependencies().vec();
  // With a precompiled header, diagnostics would have relative paths as absolute ones.
  const bool IsFit = Generate.Compiles && llvm::all_of(Made.Files, [](llvm::StringRef Each) { return path::is_absolute(Each); });
  Made.Files = absolute(Made.Files, *Files);
  llvm::sort(Made.Files);
  Made.Files.erase(llvm::unique(Made.Files), Made.Files.end());
  for (const std::string& Path : Made.Files) {
    const clang::OptionalFileEntryRef Known = Files->getOptionalFileRef(Path);
    Made.Digests.push_back(Known ? Bytes.digest(Known->getUniqueID()) : "");
  }
  Made.Missing = Watch->missing();
  Made.Path = IsFit ? Path.str() : "";
  return Made;
}

}  // namespace graphgen::scan
