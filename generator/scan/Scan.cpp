// SPDX-License-Identifier: Apache-2.0
//
// Connects the steps: find, refuse, read the signature, parse the annotation, look up its names, join.
#include "scan/Scan.h"

#include "scan/Eligibility.h"
#include "scan/Loose.h"
#include "scan/NamedFunction.h"
#include "scan/Names.h"
#include "scan/Signature.h"
#include "scan/Types.h"

#include "annotation/Bind.h"
#include "annotation/FlagRules.h"
#include "annotation/Parser.h"
#include "annotation/Printer.h"
#include "annotation/Supported.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/Sema.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "scan/Libraries.h"

#include <map>

namespace graphgen::scan {
namespace {

class Scanner {
 public:
  /// Without `Compiler` whatever is wrong is left to others to show, and what can be bound is kept. `Wanted` chooses the functions.
  /// `InHeaders`: what the headers of the file annotate.
  Scanner(clang::Sema& Sema, CompilerErrors* Compiler, Reporter& Report, llvm::function_ref<bool(const clang::FunctionDecl&)> Wanted,
          llvm::ArrayRef<AnnotatedDecl> InHeaders = {})
      : Sema(Sema), Compiler(Compiler), Report(Report), Wanted(Wanted), InHeaders(InHeaders) {}

  std::vector<ScannedCallable> run(llvm::ArrayRef<AnnotatedDecl> Found) {
    for (const AnnotatedDecl& Annotated : Found) {
      const CallableInHand Trace(*Annotated.Declaration);
      if (counts(Annotated)) {
        read(Annotated);
      }
    }
    return std::move(Callables);
  }

 private:
  /// What is the same for all annotations of a function, or of a template's instance.
  struct Declared {
    const clang::FunctionDecl* Function = nullptr;
    annotation::Declaration Declaration;
    bool IsRight = false;
  };

  bool counts(const AnnotatedDecl& Annotated);
  std::vector<const clang::AnnotateAttr*> namedInHeaders(const clang::NamedDecl& D) const;
  bool compiles(const AnnotatedDecl& Annotated);
  const std::vector<Declared>& declared(const AnnotatedDecl& Annotated);
  void read(const AnnotatedDecl& Annotated);
  bool read(const AnnotatedDecl& Annotated, const Declared& From);
  std::optional<annotation::Callable> bind(const AnnotatedDecl& Annotated, const Declared& From, const annotation::Annotation& Said);
  void tell(const AnnotatedDecl& Annotated, llvm::ArrayRef<annotation::Diagnostic> Errors);

  clang::Sema& Sema;
  CompilerErrors* Compiler;
  Reporter& Report;
  llvm::function_ref<bool(const clang::FunctionDecl&)> Wanted;
  llvm::ArrayRef<AnnotatedDecl> InHeaders;
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
  std::vector<const clang::AnnotateAttr*> Earlier = earlierAnnotations(Annotated);
  if (Annotated.Text->namesFunction()) {
    llvm::append_range(Earlier, namedInHeaders(D));
  }
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

/// What GRAPHED_FOR says of `D` in headers.
std::vector<const clang::AnnotateAttr*> Scanner::namedInHeaders(const clang::NamedDecl& D) const {
  std::vector<const clang::AnnotateAttr*> Found;
  for (const AnnotatedDecl& Each : InHeaders) {
    if (Each.Text->namesFunction() && Each.Declaration == &D) {
      Found.push_back(Each.Attribute);
    }
  }
  return Found;
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
  if (Broken && Compiler) {
    Compiler->tell(Sema.SourceMgr, {Annotated.Text->location(), Annotated.Text->namesFunction() ? Annotated.Text->end() : D.getEndLoc()});
    if (Annotated.Text->namesFunction()) {
      refuseNamed(Annotated, Report);
    } else {
      Report.error(D.getLocation(), "graphed-invalid", "the annotated declaration of '" + D.getNameAsString() + "' does not compile");
    }
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
  if (Compiler && isOpenEnded(*Annotated.Text, Sema)) {
    refuseOpenEnd(*Annotated.Text, Sema, Report);
  }
  const annotation::ParseResult Parsed = annotation::parse(Annotated.Text->text());
  const std::vector<annotation::Field> Said = Parsed.Tree ? Parsed.Tree->Arguments : std::vector<annotation::Field>();
  const unsigned ErrorsBefore = Report.errors();
  for (const clang::FunctionDecl* Function : eligibleFunctions(Annotated, Report)) {
    if (!Wanted(*Function)) {
      continue;
    }
    Declared New;
    New.Function = Function;
    const clang::SourceLocation Place = Annotated.Text->namesFunction() ? Annotated.Text->location() : Function->getLocation();
    New.Declaration.Line = Sema.SourceMgr.getSpellingLineNumber(Sema.SourceMgr.getFileLoc(Place));
    readSignature(Sema, *Function, Annotated.Text->location(), Said, Report, New.Declaration);
    New.IsRight = !Compiler || Report.errors() == ErrorsBefore;
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
  const annotation::ParseResult Parsed = annotation::parse(Annotated.Text->text());
  tell(Annotated, Parsed.Errors);
  if (!Parsed.Tree) {
    return false;
  }
  const unsigned ErrorsBefore = Report.errors();
  std::optional<annotation::Callable> Callable = bind(Annotated, From, *Parsed.Tree);
  if (!Callable) {
    return false;
  }
  Callable->Spelled = (Annotated.Text->namesFunction() ? "GRAPHED_FOR(&" + Callable->QualifiedName + ", " : std::string("GRAPHED(")) +
                      Annotated.Text->text().str() + ")";
  const bool IsRefused = !From.IsRight || (Compiler && Report.errors() != ErrorsBefore);
  if (!IsRefused) {
    tell(Annotated, annotation::checkFlags(*Parsed.Tree));
  }
  Callables.push_back({From.Function, Annotated.Text, std::move(*Callable), IsRefused});
  return From.IsRight && Report.errors() == ErrorsBefore;
}

std::optional<annotation::Callable> Scanner::bind(const AnnotatedDecl& Annotated, const Declared& From,
                                                  const annotation::Annotation& Said) {
  tell(Annotated, annotation::checkSupported(Said));
  const unsigned ErrorsBefore = Report.errors();
  const clang::DeclContext& Scope = Annotated.Text->namesFunction() ? *Annotated.Scope : *From.Function->getDeclContext();
  const annotation::Constants Known = findConstants(Sema, *From.Function, Scope, *Annotated.Text, Said, Report);
  if (Compiler && Report.errors() != ErrorsBefore) {
    return std::nullopt;
  }
  std::vector<annotation::Diagnostic> Errors;
  std::optional<annotation::Callable> Bound = annotation::bindAnnotation(From.Declaration, Said, Known, Errors);
  tell(Annotated, Errors);
  return Bound;
}

void Scanner::tell(const AnnotatedDecl& Annotated, llvm::ArrayRef<annotation::Diagnostic> Errors) {
  for (const annotation::Diagnostic& Error : Errors) {
    Report.error(*Annotated.Text, Error);
  }
}

/// An error of the compiler's may be why: it is then the one to begin with.
void tellNothing(const clang::SourceManager& Sources, CompilerErrors& Compiler, Reporter& Report) {
  const clang::SourceLocation Begin = Sources.getLocForStartOfFile(Sources.getMainFileID());
  if (Compiler.tellFirst(Sources, Begin)) {
    Report.fail();
  } else {
    Report.error(Begin, "graphed-nothing-annotated", "no GRAPHED declaration in this file");
  }
}

/// Only the headers that hold annotations are walked through: all of LibTorch's take long.
Findings findInHeaders(clang::ASTContext& Context, const MacroTexts& Texts) {
  const clang::SourceManager& Sources = Context.getSourceManager();
  llvm::DenseSet<clang::FileID> Headers;
  for (const auto& [Macro, Text] : Texts) {
    if (const clang::SourceLocation Place = Sources.getExpansionLoc(Macro); !Sources.isInMainFile(Place)) {
      Headers.insert(Sources.getFileID(Place));
    }
  }
  return findAnnotated(Context, Texts, [&](clang::SourceLocation Place) { return Headers.contains(Sources.getFileID(Place)); });
}

}  // namespace

std::vector<ScannedCallable> scanTranslationUnit(clang::Sema& Sema, const MacroTexts& Texts, CompilerErrors& Compiler, Reporter& Report) {
  const Findings Found = findAnnotated(Sema.Context, Texts);
  const auto All = [](const clang::FunctionDecl&) { return true; };
  const bool NamesAny = llvm::any_of(Found.Annotated, [](const AnnotatedDecl& Each) { return Each.Text->namesFunction(); });
  const Findings InHeaders = NamesAny ? findInHeaders(Sema.Context, Texts) : Findings();
  std::vector<ScannedCallable> Callables = Scanner(Sema, &Compiler, Report, All, InHeaders.Annotated).run(Found.Annotated);
  tellLoose(Sema, Found.Loose, Texts, Compiler, Report);
  if (Found.Annotated.empty() && Found.Loose.empty()) {
    tellNothing(Sema.SourceMgr, Compiler, Report);
  }
  return Callables;
}

std::vector<ScannedCallable> scanDefinitions(clang::Sema& Sema, const MacroTexts& Texts, const Bodies& Known) {
  clang::DiagnosticOptions Options;
  clang::IgnoringDiagConsumer Nobody;
  clang::DiagnosticsEngine Silent(clang::DiagnosticIDs::create(), Options, &Nobody, /*ShouldOwnClient=*/false);
  Reporter Report(Silent);
  const auto IsHere = [&](const clang::FunctionDecl& F) {
    const clang::FunctionDecl* Definition = Known.definitionOf(F);
    return Definition && isInMainFile(*Definition);
  };
  return Scanner(Sema, nullptr, Report, IsHere).run(findInHeaders(Sema.Context, Texts).Annotated);
}

void CallableInHand::print(llvm::raw_ostream& Stream) const {
  Stream << "working on the annotated '" << qualifiedName(D) << "' at ";
  D.getLocation().print(Stream, D.getASTContext().getSourceManager());
  Stream << '\n';
}

}  // namespace graphgen::scan
