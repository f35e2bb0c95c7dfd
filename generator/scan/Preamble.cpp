// SPDX-License-Identifier: Apache-2.0
//
// Files of the precompiled header's own, and of the libraries, are read in any order. What other files have before the root must not be
// able to change it, nor be changed by it. It may be macros that its text does not name, and names and questions for macros that it does
// not define.
#include "scan/Preamble.h"

#include "scan/FrontEnd.h"
#include "scan/GeneratedHeaders.h"
#include "scan/Precompile.h"
#include "scan/Roots.h"
#include "scan/StandardHeaders.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <algorithm>

namespace graphgen::scan {
namespace {

/// Pragmas that change nothing for a scan.
bool isHarmlessPragma(llvm::StringRef Line) {
  Line = Line.ltrim().drop_front(Line.ltrim().starts_with("#") ? 1 : 0).ltrim();
  if (!Line.consume_front("pragma")) {
    return false;
  }
  const auto [First, Rest] = Line.ltrim().split(' ');
  const bool IsOfFile = Rest.ltrim().starts_with("diagnostic") || Rest.ltrim().starts_with("system_header");
  return First.rtrim() == "once" || ((First == "GCC" || First == "clang") && IsOfFile);
}

class Watcher : public clang::PPCallbacks {
 public:
  Watcher(clang::Preprocessor& PP, Preamble& Seen) : PP(PP), Sources(PP.getSourceManager()), Seen(Seen) {}

  void InclusionDirective(clang::SourceLocation, const clang::Token&, llvm::StringRef Name, bool, clang::CharSourceRange,
                          clang::OptionalFileEntryRef File, llvm::StringRef, llvm::StringRef, const clang::Module*, bool,
                          clang::SrcMgr::CharacteristicKind) override {
    if (Seen.Root.empty() && File && isRoot(Name)) {
      Seen.Root = Name.str();
      Seen.HasRelativeRoot = !llvm::sys::path::is_absolute(File->getName());
      Seen.RootPath = absolute({File->getName().str()}, Sources.getFileManager()).front();
    }
  }

  void MacroDefined(const clang::Token& Name, const clang::MacroDirective*) override { noteDefined(Name); }
  // Of what is not a macro, it is one that must not become a macro before.
  void MacroUndefined(const clang::Token& Name, const clang::MacroDefinition& Known, const clang::MacroDirective*) override {
    Known.getMacroInfo() ? noteDefined(Name) : noteAsked(Name);
  }
  void MacroExpands(const clang::Token& Name, const clang::MacroDefinition&, clang::SourceRange, const clang::MacroArgs*) override {
    noteAsked(Name);
  }
  void Defined(const clang::Token& Name, const clang::MacroDefinition&, clang::SourceRange) override { noteAsked(Name); }
  void Ifdef(clang::SourceLocation, const clang::Token& Name, const clang::MacroDefinition&) override { noteAsked(Name); }
  void Ifndef(clang::SourceLocation, const clang::Token& Name, const clang::MacroDefinition&) override { noteAsked(Name); }
  void Elifdef(clang::SourceLocation, const clang::Token& Name, const clang::MacroDefinition&) override { noteAsked(Name); }
  void Elifndef(clang::SourceLocation, const clang::Token& Name, const clang::MacroDefinition&) override { noteAsked(Name); }
  // A name that is not a macro yet counts as 0, and no other callback reports it.
  void If(clang::SourceLocation, clang::SourceRange Condition, ConditionValueKind) override { noteCondition(Condition); }
  void Elif(clang::SourceLocation, clang::SourceRange Condition, ConditionValueKind, clang::SourceLocation) override {
    noteCondition(Condition);
  }
  void PragmaDirective(clang::SourceLocation Where, clang::PragmaIntroducerKind Kind) override {
    Preamble::Text* Text = at(Where);
    if (Text && (Kind != clang::PIK_HashPragma || !isHarmlessPragma(restOfLine(Where)))) {
      Text->HasPragma = true;
    }
  }

  /// One that is not a directive's.
  void token(const clang::Token& Next) {
    Preamble::Text* Text = at(Next.getLocation());
    if (!Text) {
      return;
    }
    Text->HasMore = true;
    if (Next.getIdentifierInfo() && !Next.isExpandDisabled()) {
      Text->Named.insert(Next.getIdentifierInfo()->getName());
    }
  }

 private:
  /// Null for what the command line says, and for what comes after the root.
  Preamble::Text* at(clang::SourceLocation Where) {
    if (!Seen.Root.empty()) {
      return nullptr;
    }
    const clang::FileID File = Sources.getFileID(Sources.getExpansionLoc(Where));
    const auto [Known, IsNew] = ByFile.try_emplace(File, nullptr);
    const clang::OptionalFileEntryRef Entry = IsNew ? Sources.getFileEntryRefForID(File) : std::nullopt;
    if (Entry) {
      Known->second = &Seen.Files[absolute({Entry->getName().str()}, Sources.getFileManager()).front()];
      Known->second->IsSystem = Sources.isInSystemHeader(Where);
    }
    return Known->second;
  }

  void noteDefined(const clang::Token& Name) {
    Preamble::Text* Text = at(Name.getLocation());
    if (Text && Name.getIdentifierInfo()) {
      Text->Defined.insert(Name.getIdentifierInfo()->getName());
    }
  }

  void noteAsked(const clang::Token& Name) {
    Preamble::Text* Text = at(Name.getLocation());
    if (Text && Name.getIdentifierInfo()) {
      noteAsked(*Text, *Name.getIdentifierInfo());
    }
  }

  void noteAsked(Preamble::Text& Text, const clang::IdentifierInfo& Name) {
    const clang::MacroInfo* Macro = PP.getMacroInfo(&Name);
    const clang::FileID File = Macro ? Sources.getFileID(Macro->getDefinitionLoc()) : clang::FileID();
    const clang::OptionalFileEntryRef Entry = Sources.getFileEntryRefForID(File);
    Text.Asked[Name.getName()] = Entry ? absolute({Entry->getName().str()}, Sources.getFileManager()).front() : "";
  }

  void noteCondition(clang::SourceRange Condition) {
    Preamble::Text* Text = at(Condition.getBegin());
    if (!Text) {
      return;
    }
    const llvm::StringRef Words = clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(Condition), Sources, PP.getLangOpts());
    const auto IsOfName = [](char C) { return llvm::isAlnum(C) || C == '_' || C == '$'; };
    for (size_t Begin = Words.find_if(IsOfName), End = 0; Begin != llvm::StringRef::npos; Begin = Words.find_if(IsOfName, End)) {
      End = std::min(Words.find_if_not(IsOfName, Begin), Words.size());
      noteAsked(*Text, *PP.getIdentifierInfo(Words.slice(Begin, End)));
    }
  }

  llvm::StringRef restOfLine(clang::SourceLocation Where) const {
    const auto [File, Offset] = Sources.getDecomposedLoc(Sources.getExpansionLoc(Where));
    return Sources.getBufferData(File).drop_front(Offset).split('\n').first;
  }

  clang::Preprocessor& PP;
  const clang::SourceManager& Sources;
  Preamble& Seen;
  std::map<clang::FileID, Preamble::Text*> ByFile;
};

class PreambleAction : public clang::PreprocessorFrontendAction {
 public:
  explicit PreambleAction(Preamble& Seen) : Seen(Seen) {}

 protected:
  void ExecuteAction() override {
    clang::Preprocessor& PP = getCompilerInstance().getPreprocessor();
    auto Owned = std::make_unique<Watcher>(PP, Seen);
    Watcher& Watch = *Owned;
    PP.addPPCallbacks(std::move(Owned));
    PP.addPPCallbacks(skipMissingGeneratedHeaders());
    PP.IgnorePragmas();
    PP.EnterMainSourceFile();
    clang::Token Next;
    for (PP.Lex(Next); Seen.Root.empty() && Next.isNot(clang::tok::eof); PP.Lex(Next)) {
      Watch.token(Next);
    }
  }

 private:
  Preamble& Seen;
};

/// LibTorch's headers, and graphgen's own, beside and below the one that defines GRAPHED: each compiles alone, and they are included in any
/// order.
bool isOfLibraries(const Preamble& Before, llvm::StringRef Path) {
  llvm::StringRef Folder = Before.RootPath;
  Folder.consume_back(Before.Root);
  Folder.consume_back("torch/csrc/api/include/");
  llvm::StringRef Below = Path;
  if (Below.consume_front(Folder) && llvm::is_contained({"ATen", "c10", "caffe2", "torch"}, Below.split('/').first)) {
    return true;
  }
  return llvm::any_of(Before.Files, [&](const auto& Each) {
    return Each.second.Defined.contains("GRAPHED") && llvm::sys::path::filename(Each.first) == "annotate.h" &&
           Path.starts_with((llvm::sys::path::parent_path(Each.first) + "/").str());
  });
}

struct FileBefore {
  llvm::StringRef Path;
  const Preamble::Text* Text;
  bool IsStandard;
};

/// Those before the root that are neither LibTorch's nor among those of the precompiled header.
std::vector<FileBefore> filesBefore(const Preamble& Before, const PrecompiledHeader* Header) {
  const std::optional<StandardHeaders> Standard = Header ? std::optional<StandardHeaders>(Header->Files) : std::nullopt;
  std::vector<FileBefore> Files;
  for (const auto& [Path, Text] : Before.Files) {
    if (!(Header ? Header->reads(Path) : Text.IsSystem) && !isOfLibraries(Before, Path)) {
      Files.push_back({Path, &Text, Standard && Standard->have(Path)});
    }
  }
  return Files;
}

bool isReserved(llvm::StringRef Name) { return Name.starts_with("__") || (Name.size() > 1 && Name[0] == '_' && llvm::isUpper(Name[1])); }

/// The macros that two headers of C both define are the same.
std::string whyOutOfOrderOfStandard(const Preamble::Text& Text, const PrecompiledHeader& Header, const std::string& Root) {
  for (const llvm::StringRef Name : Text.Defined.keys()) {
    if (!isReserved(Name) && contains(Header.Text.Identifiers, Name) && !contains(Header.Text.Macros, Name)) {
      return "defines " + Name.str() + ", which " + Root + " names, before that is included";
    }
  }
  return {};
}

std::string whyOutOfOrder(const Preamble::Text& Text, const PrecompiledHeader& Header, const std::string& Root) {
  const std::string End = ", before that is included";
  for (const llvm::StringRef Name : Text.Defined.keys()) {
    if (contains(Header.Text.Identifiers, Name)) {
      return "defines " + Name.str() + ", which " + Root + " names" + End;
    }
  }
  for (const auto& Each : Text.Asked) {
    if (contains(Header.Text.Macros, Each.getKey()) && !Header.reads(Each.getValue())) {
      return "asks for " + Each.getKey().str() + ", which " + Root + " defines" + End;
    }
  }
  for (const llvm::StringRef Name : Text.Named.keys()) {
    if (contains(Header.Text.Macros, Name)) {
      return "names " + Name.str() + ", which " + Root + " defines" + End;
    }
  }
  return {};
}

}  // namespace

Preamble readPreamble(const FrontEnd& Compiler) {
  Preamble Seen;
  PreambleAction Read(Seen);
  clang::IgnoringDiagConsumer Silent;
  Compiler.run(Read, Silent, nullptr, [](clang::CompilerInvocation&) {});
  return Seen;
}

std::string whyOutOfOrder(const Preamble& Before, const PrecompiledHeader* Header) {
  if (Before.Root.empty()) {
    return "it does not include torch/torch.h, torch/nn.h or their like";
  }
  if (Before.HasRelativeRoot) {
    return "<" + Before.Root + "> is found by a relative path";
  }
  if (Header && !Header->reads(Before.RootPath)) {
    return "<" + Before.Root + "> is " + Before.RootPath + " for it alone";
  }
  const std::string Root = "<" + Before.Root + ">";
  for (const FileBefore& Each : filesBefore(Before, Header)) {
    if (Each.Text->HasPragma && !Each.Text->IsSystem) {
      return (Each.Path + " has a pragma before " + Root + " is included").str();
    }
    const std::string Why = !Header           ? std::string()
                            : Each.IsStandard ? whyOutOfOrderOfStandard(*Each.Text, *Header, Root)
                                              : whyOutOfOrder(*Each.Text, *Header, Root);
    if (!Why.empty()) {
      return (Each.Path + " " + Why).str();
    }
  }
  return {};
}

bool hasDeclarations(const Preamble& Before, const PrecompiledHeader& Header) {
  return llvm::any_of(filesBefore(Before, &Header), [](const FileBefore& Each) { return Each.Text->HasMore && !Each.IsStandard; });
}

}  // namespace graphgen::scan
