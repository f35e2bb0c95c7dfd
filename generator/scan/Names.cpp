// SPDX-License-Identifier: Apache-2.0
//
// Walks the scopes outwards from the declaration. What is declared later in the file is not seen, members of classes excepted.
#include "scan/Names.h"

#include "scan/Instances.h"
#include "scan/MacroConstants.h"
#include "scan/Types.h"

#include "annotation/Words.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Sema.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace graphgen::scan {
namespace {

std::optional<int64_t> valueOf(clang::Sema& Sema, const clang::NamedDecl& D, clang::SourceLocation Use) {
  if (const auto* Enumerator = llvm::dyn_cast<clang::EnumConstantDecl>(&D)) {
    return Enumerator->getInitVal().tryExtValue();
  }
  const auto* Variable = llvm::dyn_cast<clang::VarDecl>(&D);
  if (!Variable || !Variable->getType()->isIntegralOrEnumerationType()) {
    return std::nullopt;
  }
  if (Variable->getTemplateInstantiationPattern() && !Variable->getAnyInitializer()) {
    Sema.InstantiateVariableDefinition(Use, const_cast<clang::VarDecl*>(Variable));
  }
  const clang::VarDecl* Definition = nullptr;
  const clang::Expr* Initializer = Variable->getAnyInitializer(Definition);
  if (!Initializer || Initializer->isValueDependent() || !Definition->isUsableInConstantExpressions(Sema.Context)) {
    return std::nullopt;
  }
  const clang::APValue* Value = Definition->evaluateValue();
  if (!Value || !Value->isInt()) {
    return std::nullopt;
  }
  return Value->getInt().isUnsigned() && Value->getInt().getActiveBits() > 63 ? std::nullopt : Value->getInt().tryExtValue();
}

class NameLookup {
 public:
  NameLookup(clang::Sema& Sema, const clang::DeclContext& Scope, clang::SourceLocation Use)
      : Sema(Sema), Use(Use), Scope(const_cast<clang::DeclContext*>(&Scope)) {}

  /// The constants that the declaration sees without qualification.
  std::vector<llvm::StringRef> constants() const {
    std::vector<llvm::StringRef> Names;
    for (clang::DeclContext* Context = Scope; Context; Context = Context->getParent()) {
      llvm::SmallVector<clang::DeclContext*> Parts;
      Context->collectAllContexts(Parts);
      for (const clang::DeclContext* Part : Parts) {
        addConstants(*Part, Names);
      }
    }
    return Names;
  }

  /// Null where nothing or more than one thing has this name.
  const clang::NamedDecl* find(llvm::StringRef Name) {
    llvm::SmallVector<llvm::StringRef, 4> Parts;
    const bool FromGlobal = Name.consume_front("::");
    Name.split(Parts, "::");
    clang::DeclContext* Inside = FromGlobal ? Sema.Context.getTranslationUnitDecl() : nullptr;
    for (const llvm::StringRef Part : llvm::ArrayRef(Parts).drop_back()) {
      Inside = contextOf(lookUp(Part, Inside, clang::Sema::LookupNestedNameSpecifierName));
      if (!Inside) {
        return nullptr;
      }
    }
    return lookUp(Parts.back(), Inside, clang::Sema::LookupOrdinaryName);
  }

 private:
  static clang::DeclContext* contextOf(clang::NamedDecl* D) {
    if (!D) {
      return nullptr;
    }
    if (auto* Alias = llvm::dyn_cast<clang::NamespaceAliasDecl>(D)) {
      return Alias->getNamespace();
    }
    if (auto* Typedef = llvm::dyn_cast<clang::TypedefNameDecl>(D)) {
      D = Typedef->getUnderlyingType()->getAsTagDecl();
    }
    if (auto* Record = llvm::dyn_cast_or_null<clang::CXXRecordDecl>(D); Record && Record->isInjectedClassName()) {
      return Record->getDeclContext();
    }
    if (auto* Tag = llvm::dyn_cast_or_null<clang::TagDecl>(D)) {
      return Tag->getDefinition();
    }
    return llvm::dyn_cast_or_null<clang::NamespaceDecl>(D);
  }

  /// The first declaration counts: a namespace may be opened again later.
  bool isVisible(const clang::NamedDecl& D) const {
    return D.getDeclContext()->isRecord() || Sema.SourceMgr.isBeforeInTranslationUnit(D.getCanonicalDecl()->getLocation(), Use);
  }

  /// Of a precompiled header nothing is loaded for this.
  void addConstants(const clang::DeclContext& Context, std::vector<llvm::StringRef>& Names) const {
    for (const clang::Decl* Each : Context.noload_decls()) {
      if (const auto* Enum = llvm::dyn_cast<clang::EnumDecl>(Each); Enum && !Enum->isScoped()) {
        addConstants(*Enum, Names);
      }
      const auto* Named = llvm::dyn_cast<clang::NamedDecl>(Each);
      if (Named && Named->getIdentifier() && isVisible(*Named) && valueOf(Sema, *Named, Use)) {
        Names.push_back(Named->getName());
      }
    }
  }

  clang::NamedDecl* lookUp(llvm::StringRef Name, clang::DeclContext* Inside, clang::Sema::LookupNameKind Kind) {
    if (Inside) {
      return lookUpIn(Name, *Inside, Kind, /*Unqualified=*/false);
    }
    for (clang::DeclContext* Context = Scope; Context; Context = Context->getParent()) {
      if (clang::NamedDecl* Found = lookUpIn(Name, *Context, Kind, /*Unqualified=*/true)) {
        return Found;
      }
    }
    return nullptr;
  }

  clang::NamedDecl* lookUpIn(llvm::StringRef Name, clang::DeclContext& Context, clang::Sema::LookupNameKind Kind, bool Unqualified) {
    clang::LookupResult Result(Sema, clang::DeclarationName(&Sema.Context.Idents.get(Name)), Use, Kind);
    Result.suppressDiagnostics();
    Sema.LookupQualifiedName(Result, Context.getRedeclContext(), Unqualified);
    clang::LookupResult::Filter Filter = Result.makeFilter();
    while (Filter.hasNext()) {
      if (!isVisible(*Filter.next())) {
        Filter.erase();
      }
    }
    Filter.done();
    return Result.isSingleResult() ? Result.getFoundDecl()->getUnderlyingDecl() : nullptr;
  }

  clang::Sema& Sema;
  clang::SourceLocation Use;
  clang::DeclContext* Scope;
};

/// What was probably meant by a name that is none. `Known`: the names that could be meant.
void complainOfNothing(const MacroText& Text, const annotation::Annotation& Spec, const annotation::NameUse& Use,
                       llvm::ArrayRef<llvm::StringRef> Known, Reporter& Report) {
  const clang::CharSourceRange Range = Text.range(Use.Ranges.front());
  const std::string What = "'" + Use.Name + "' names nothing here, or more than one thing";
  if (const llvm::StringRef Near = annotation::nearestName(Known, Use.Name); !Near.empty()) {
    clang::DiagnosticBuilder Builder = Report.error(Range.getBegin(), "graphed-dimension", What + "; did you mean '" + Near + "'?");
    Builder << Range;
    for (const annotation::TextRange Each : Use.Ranges) {
      Builder << fixIt(Text.range(Each), Near);
    }
    return;
  }
  Report.error(Range.getBegin(), "graphed-dimension", What) << Range;
  const bool IsOfOption = llvm::any_of(Spec.Options, [&](const annotation::Option& Each) {
    return Each.Range.Begin <= Use.Ranges.front().Begin && Use.Ranges.front().End <= Each.Range.End;
  });
  if (!IsOfOption && !llvm::StringRef(Use.Name).contains("::")) {
    Report.note(Range.getBegin(),
                "a size that varies is a dimension variable, whose values follow the arguments: '; " + Use.Name + " in {1, 8, 64}'");
  }
}

/// `Found` is not what it should be; null for a macro that is none yet where the annotation stands.
void complain(const MacroText& Text, const annotation::NameUse& Use, const clang::NamedDecl* Found, Reporter& Report) {
  const clang::CharSourceRange Range = Text.range(Use.Ranges.front());
  const llvm::StringRef What = Found ? "is not an integer constant" : "is a macro that is defined after the annotation";
  Report.error(Range.getBegin(), "graphed-dimension", "'" + Use.Name + "' " + What) << Range;
  if (Found) {
    Report.note(Found->getLocation(), "'" + qualifiedName(*Found) +
                                          "' is declared here; a constexpr or static const integer, an enumerator or a macro can be used");
  } else {
    Report.note(Range.getBegin(), "define it before the annotation");
  }
}

void complain(const MacroText& Text, const annotation::NameUse& Use, const MacroProblem& Problem, Reporter& Report) {
  const clang::CharSourceRange Range = Text.range(Use.Ranges.front());
  Report.error(Range.getBegin(), "graphed-dimension", Problem.Why) << Range;
  Report.note(Problem.Place, Problem.Note);
}

/// A dimension variable is a template parameter of generated code, where what else has its name would be hidden, or hide it.
void checkVariable(clang::Sema& Sema, const clang::FunctionDecl& Function, const MacroText& Text, const annotation::DimVariable& Variable,
                   NameLookup& Lookup, Reporter& Report) {
  const clang::CharSourceRange Range = Text.range(Variable.NameRange);
  const std::string Name = "the dimension variable '" + Variable.Name + "' ";
  if (Sema.PP.isMacroDefined(Variable.Name)) {
    Report.error(Range.getBegin(), "graphed-dimension", Name + "has the name of a macro") << Range;
    return;
  }
  if (Sema.PP.getIdentifierInfo(Variable.Name)->getTokenID() != clang::tok::identifier) {
    Report.error(Range.getBegin(), "graphed-dimension", Name + "has the name of a keyword") << Range;
    return;
  }
  if (templateArgument(Function, Variable.Name)) {
    Report.error(Range.getBegin(), "graphed-dimension", Name + "hides a parameter of the template") << Range;
    return;
  }
  const clang::NamedDecl* Found = Lookup.find(Variable.Name);
  if (Found && valueOf(Sema, *Found, Text.location())) {
    Report.error(Range.getBegin(), "graphed-dimension", Name + "hides the constant '" + qualifiedName(*Found) + "'") << Range;
    Report.note(Found->getLocation(), "the constant is declared here");
  }
}

}  // namespace

annotation::Constants findConstants(clang::Sema& Sema, const clang::FunctionDecl& Function, const clang::DeclContext& Scope,
                                    const MacroText& Text, const annotation::Annotation& Spec, Reporter& Report) {
  annotation::Constants Values;
  NameLookup Lookup(Sema, Scope, Text.location());
  for (const annotation::DimVariable& Variable : Spec.Variables) {
    checkVariable(Sema, Function, Text, Variable, Lookup, Report);
  }
  const auto ConstantNamed = [&](llvm::StringRef Name) {
    const clang::NamedDecl* Found = Lookup.find(Name);
    return Found ? valueOf(Sema, *Found, Text.location()) : std::nullopt;
  };
  MacroConstants Macros(Sema.PP, Text.location(), ConstantNamed);
  for (const annotation::NameUse& Use : annotation::names(Spec)) {
    if (Macros.isMacro(Use.Name)) {
      const std::variant<int64_t, MacroProblem> Value = Macros.evaluate(Use.Name);
      if (const MacroProblem* Problem = std::get_if<MacroProblem>(&Value)) {
        complain(Text, Use, *Problem, Report);
      } else {
        Values.emplace(Use.Name, std::get<int64_t>(Value));
      }
      continue;
    }
    if (const std::optional<int64_t> Argument = templateArgument(Function, Use.Name)) {
      Values.emplace(Use.Name, *Argument);
      continue;
    }
    const clang::NamedDecl* Found = Lookup.find(Use.Name);
    const std::optional<int64_t> Value = Found ? valueOf(Sema, *Found, Text.location()) : std::nullopt;
    if (Value) {
      Values.emplace(Use.Name, *Value);
    } else if (Found || Sema.PP.isMacroDefined(Use.Name)) {
      complain(Text, Use, Found, Report);
    } else {
      std::vector<llvm::StringRef> Known = Lookup.constants();
      llvm::append_range(Known, llvm::map_range(Spec.Variables, [](const auto& Each) { return llvm::StringRef(Each.Name); }));
      complainOfNothing(Text, Spec, Use, Known, Report);
    }
  }
  return Values;
}

}  // namespace graphgen::scan
