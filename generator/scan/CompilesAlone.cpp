// SPDX-License-Identifier: Apache-2.0
//
// The preprocessor's tokens up to the root are parsed as if they were the whole file.
#include "scan/CompilesAlone.h"

#include "scan/FrontEnd.h"
#include "scan/GeneratedHeaders.h"
#include "scan/Roots.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Parse/Parser.h"
#include "clang/Sema/Sema.h"

#include <vector>

namespace graphgen::scan {
namespace {

class RootWatcher : public clang::PPCallbacks {
 public:
  explicit RootWatcher(bool& IsThere) : IsThere(IsThere) {}

  void InclusionDirective(clang::SourceLocation, const clang::Token&, llvm::StringRef Name, bool, clang::CharSourceRange,
                          clang::OptionalFileEntryRef File, llvm::StringRef, llvm::StringRef, const clang::Module*, bool,
                          clang::SrcMgr::CharacteristicKind) override {
    IsThere |= File && isRoot(Name);
  }

 private:
  bool& IsThere;
};

class ParseBeforeRoot : public clang::ASTFrontendAction {
 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&, llvm::StringRef) override {
    return std::make_unique<clang::ASTConsumer>();
  }

  void ExecuteAction() override {
    clang::CompilerInstance& Compiler = getCompilerInstance();
    clang::Preprocessor& PP = Compiler.getPreprocessor();
    const std::vector<clang::Token> Tokens = tokensBeforeRoot(PP);
    Compiler.createSema(getTranslationUnitKind(), nullptr);
    PP.EnterTokenStream(Tokens, /*DisableMacroExpansion=*/true, /*IsReinject=*/true);
    clang::Sema& Sema = Compiler.getSema();
    clang::Parser Parse(PP, Sema, /*SkipFunctionBodies=*/false);
    Parse.Initialize();
    clang::Parser::DeclGroupPtrTy Declared;
    clang::Sema::ModuleImportState Imports;
    for (bool IsEnd = Parse.ParseFirstTopLevelDecl(Declared, Imports); !IsEnd;) {
      IsEnd = Parse.ParseTopLevelDecl(Declared, Imports);
    }
  }

 private:
  static std::vector<clang::Token> tokensBeforeRoot(clang::Preprocessor& PP) {
    bool IsRootThere = false;
    PP.addPPCallbacks(std::make_unique<RootWatcher>(IsRootThere));
    PP.addPPCallbacks(skipMissingGeneratedHeaders());
    PP.IgnorePragmas();
    PP.EnterMainSourceFile();
    std::vector<clang::Token> Tokens;
    clang::Token Next;
    for (PP.Lex(Next); !IsRootThere && Next.isNot(clang::tok::eof); PP.Lex(Next)) {
      Tokens.push_back(Next);
    }
    clang::Token& End = Tokens.emplace_back();
    End.startToken();
    End.setKind(clang::tok::eof);
    End.setLocation(Next.getLocation());
    return Tokens;
  }
};

}  // namespace

bool compilesAlone(const FrontEnd& Compiler) {
  ParseBeforeRoot Parse;
  clang::DiagnosticConsumer Count;
  Compiler.run(Parse, Count, nullptr, [](clang::CompilerInvocation&) {});
  return Count.getNumErrors() == 0;
}

}  // namespace graphgen::scan
