// SPDX-License-Identifier: Apache-2.0
//
// Brings the steps together: find, refuse, read the signature, parse the annotation, look up its names.
#include "scan/Scan.h"

#include "scan/Eligibility.h"
#include "scan/Names.h"
#include "scan/Signature.h"
#include "scan/Types.h"

#include "annotation/Evaluate.h"
#include "annotation/Parser.h"
#include "annotation/Printer.h"
#include "annotation/Supported.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/Sema.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace graphgen::scan {
namespace {

class Scanner {
 public:
  Scanner(clang::Sema& Sema, llvm::StringRef File, CompilerErrors& Compiler, Reporter& Report)
      : Sema(Sema), File(File), Compiler(Compiler), Report(Report) {}

  std::vector<ScannedCallable> run(const Findings& Found) {
    for (const AnnotatedDecl& Annotated : Found.Annotated) {
      const CallableInHand Trace(*Annotated.Declaration);
      if (counts(Annotated)) {
        read(Annotated);
      }
    }
    for (const MacroText* Text : Found.Loose) {
      tellLoose(*Text);
    }
    if (Found.Annotated.empty() && Found.Loose.empty()) {
      tellNothing();
    }
    return std::move(Callables);
  }

 private:
  /// What is the same for all annotations of a function, or of a template's instance.
  struct Declared {
    const clang::FunctionDecl* Function = nullptr;
    annotation::Callable Callable;
    bool IsRight = false;
  };

  bool counts(const AnnotatedDecl& Annotated);
  bool compiles(const AnnotatedDecl& Annotated);
  const std::vector<Declared>& declared(const AnnotatedDecl& Annotated);
  void read(const AnnotatedDecl& Annotated);
  bool read(const AnnotatedDecl& Annotated, const Declared& From);
  bool readAnnotation(const AnnotatedDecl& Annotated, const clang::FunctionDecl& Function, annotation::Callable& Callable);
  void tell(const AnnotatedDecl& Annotated, llvm::ArrayRef<annotation::Diagnostic> Errors);
  void tellLoose(const MacroText& Text);
  void tellNothing();

  clang::Sema& Sema;
  llvm::StringRef File;
  CompilerErrors& Compiler;
  Reporter& Report;
  std::map<const clang::Decl*, std::vector<Declared>> Declarations;
  std::vector<ScannedCallable> Callables;
};

/// The same for annotations that say the same; one that says nothing that can be read stays as it is.
std::string canonicalText(llvm::StringRef Text) {
  const annotation::ParseResult Parsed = annotation::parse(Text);
  return Parsed.Tree ? annotation::print(*Parsed.Tree) : Text.str();
}

/// A redeclaration may repeat annotations of the declarations before it, which are those that count.
bool Scanner::counts(const AnnotatedDecl& Annotated) {
  const clang::NamedDecl& D = *Annotated.Declaration;
  const std::vector<const clang::AnnotateAttr*> Earlier = annotationsOfEarlierDeclarations(&D);
  if (Earlier.empty()) {
    return true;
  }
  const std::string Text = canonicalText(Annotated.Text->text());
  if (llvm::none_of(Earlier, [&](const clang::AnnotateAttr* Each) { return canonicalText(attributeText(*Each)) == Text; })) {
    Report.error(Annotated.Text->location(), "graphed-repeated",
                 "this annotation of '" + D.getNameAsString() + "' differs from that of its earlier declaration, which counts");
    Report.note(Sema.SourceMgr.getExpansionLoc(Earlier.front()->getLocation()), "the earlier annotation is here");
  }
  return false;
}

bool Scanner::compiles(const AnnotatedDecl& Annotated) {
  const clang::NamedDecl& D = *Annotated.Declaration;
  bool Broken = D.isInvalidDecl();
  if (const auto* F = llvm::dyn_cast<clang::FunctionDecl>(&D)) {
    Broken |= F->getType()->containsErrors();
    for (const clang::ParmVarDecl* P : F->parameters()) {
      Broken |= P->isInvalidDecl() || P->getType()->containsErrors();
    }
  }
  if (Broken) {
    Compiler.tell(Sema.SourceMgr, {Annotated.Text->location(), D.getEndLoc()});
    Report.error(D.getLocation(), "graphed-invalid", "the annotated declaration of '" + D.getNameAsString() + "' does not compile");
  }
  return !Broken;
}

/// Reads the declaration at the first of its annotations.
const std::vector<Scanner::Declared>& Scanner::declared(const AnnotatedDecl& Annotated) {
  const auto [Known, IsNew] = Declarations.try_emplace(Annotated.Declaration);
  std::vector<Declared>& Result = Known->second;
  if (!IsNew || !compiles(Annotated)) {
    return Result;
  }
  for (const clang::FunctionDecl* Function : eligibleFunctions(Annotated, Report)) {
    const unsigned ErrorsBefore = Report.errors();
    Declared New;
    New.Function = Function;
    New.Callable.File = File.str();
    New.Callable.Line = Sema.SourceMgr.getSpellingLineNumber(Sema.SourceMgr.getFileLoc(Function->getLocation()));
    readSignature(Sema, *Function, Report, New.Callable);
    New.IsRight = Report.errors() == ErrorsBefore;
    Result.push_back(std::move(New));
    if (!Result.back().IsRight) {
      break;  // the other instances would have the same errors
    }
  }
  return Result;
}

void Scanner::read(const AnnotatedDecl& Annotated) {
  for (const Declared& From : declared(Annotated)) {
    if (!read(Annotated, From)) {
      return;
    }
  }
}

bool Scanner::read(const AnnotatedDecl& Annotated, const Declared& From) {
  const unsigned ErrorsBefore = Report.errors();
  annotation::Callable Callable = From.Callable;
  Callable.AnnotationText = Annotated.Text->text().str();
  if (!readAnnotation(Annotated, *From.Function, Callable) || !From.IsRight || Report.errors() != ErrorsBefore) {
    return false;
  }
  Callables.push_back({From.Function, Annotated.Text, std::move(Callable)});
  return true;
}

bool Scanner::readAnnotation(const AnnotatedDecl& Annotated, const clang::FunctionDecl& Function, annotation::Callable& Callable) {
  annotation::ParseResult Parsed = annotation::parse(Annotated.Text->text());
  tell(Annotated, Parsed.Errors);
  if (!Parsed.Tree) {
    return false;
  }
  Callable.Spec = std::move(*Parsed.Tree);
  tell(Annotated, annotation::checkSupported(Callable.Spec));
  const unsigned ErrorsBefore = Report.errors();
  Callable.Constants = findConstants(Sema, Function, *Annotated.Text, Callable.Spec, Report);
  if (Report.errors() == ErrorsBefore) {
    tell(Annotated, annotation::checkValues(Callable.Spec, Callable.Constants));
  }
  return true;
}

void Scanner::tell(const AnnotatedDecl& Annotated, llvm::ArrayRef<annotation::Diagnostic> Errors) {
  for (const annotation::Diagnostic& Error : Errors) {
    Report.error(*Annotated.Text, Error);
  }
}

void Scanner::tellLoose(const MacroText& Text) {
  Compiler.tellFirst(Sema.SourceMgr, Text.location());
  Report.error(Text.location(), "graphed-invalid", "no function that compiles follows this annotation");
}

/// An error of the compiler's may be why: it is then the one to begin with.
void Scanner::tellNothing() {
  const clang::SourceLocation Begin = Sema.SourceMgr.getLocForStartOfFile(Sema.SourceMgr.getMainFileID());
  if (Compiler.tellFirst(Sema.SourceMgr, Begin)) {
    Report.fail();
  } else {
    Report.error(Begin, "graphed-nothing-annotated", "no GRAPHED declaration in this file");
  }
}

}  // namespace

std::vector<ScannedCallable> scanTranslationUnit(clang::Sema& Sema, const MacroTexts& Texts, llvm::StringRef File, CompilerErrors& Compiler,
                                                 Reporter& Report) {
  return Scanner(Sema, File, Compiler, Report).run(findAnnotated(Sema.Context, Texts));
}

void CallableInHand::print(llvm::raw_ostream& Stream) const {
  Stream << "working on the annotated '" << qualifiedName(D) << "' at ";
  D.getLocation().print(Stream, D.getASTContext().getSourceManager());
  Stream << '\n';
}

}  // namespace graphgen::scan
