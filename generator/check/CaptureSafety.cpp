// SPDX-License-Identifier: Apache-2.0
//
// `allow` in an annotation suppresses findings, then comments do; a suppression without a finding is reported.
#include "check/Allowances.h"
#include "check/Check.h"
#include "check/Globs.h"
#include "check/Present.h"
#include "check/Registry.h"
#include "check/code/Library.h"
#include "check/code/Paths.h"
#include "check/conform/Conform.h"
#include "check/flow/Interpreter.h"
#include "check/join/Calls.h"
#include "check/rules/Rule.h"

#include "annotation/Words.h"
#include "scan/Types.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

namespace graphgen::check {
namespace {

constexpr llvm::StringLiteral AllowName = "graphed-allow";
constexpr llvm::StringLiteral UncheckedName = "graphed-unchecked";

bool isCheck(const Allowance& Silence) { return llvm::is_contained(checkNames(), Silence.Check); }

struct EnteredBody {
  std::shared_ptr<const flow::Summary> Whole;
  const clang::Stmt* LeftOut = nullptr;  // the first call that is not looked into, of a callable that is too large
};

class Runner {
 public:
  Runner(const clang::ASTContext& Context, const scan::Bodies& Bodies, const CheckOptions& Options, scan::Reporter& Report)
      : Sources(Context.getSourceManager()),
        Bodies(Bodies),
        Index(Context),
        Changed(Context, Index),
        Enabled("*," + Options.Checks),
        AsErrors(Options.WarningsAsErrors),
        IsJoined(Options.IsJoined),
        Report(Report),
        Facts(Bodies, Index),
        Elsewhere(Bodies, Index),
        Comments(Context.getSourceManager()) {}

  /// Of each callable before any is checked.
  void enter(const clang::FunctionDecl& Function, AnnotationsOfOne Annotations);
  void run(const clang::FunctionDecl& Function, AnnotationsOfOne Annotations);
  void finish();

 private:
  void tellUnchecked(const flow::Summary& Whole, const clang::Stmt* LeftOut, llvm::ArrayRef<const clang::FunctionDecl*> Run,
                     Findings& Here) const;
  void silence(AnnotationsOfOne Annotations, Findings& Here, bool IsJudged);
  void tellUseless(const Allowance& Silence);
  void tellNoCheck(const Allowance& Silence);
  clang::DiagnosticBuilder complain(clang::SourceLocation Where, const llvm::Twine& Message) {
    return AsErrors.contains(AllowName) ? Report.error(Where, AllowName, Message) : Report.warning(Where, AllowName, Message);
  }

  const clang::SourceManager& Sources;
  const scan::Bodies& Bodies;
  const UnitIndex Index;
  const Changes Changed;
  Globs Enabled, AsErrors;
  const bool IsJoined;
  scan::Reporter& Report;
  flow::Interpreter Facts;
  join::CallsElsewhere Elsewhere;
  llvm::DenseMap<const clang::FunctionDecl*, EnteredBody> Entered;  // where there is a body
  Readers All;
  Findings Found;
  llvm::SetVector<const clang::FunctionDecl*> Judged;
  Allowances Comments;
  llvm::MapVector<clang::SourceLocation, Allowance> Options;  // `allow`, by the place of its value
};

void Runner::enter(const clang::FunctionDecl& Function, AnnotationsOfOne Annotations) {
  const scan::CallableInHand Trace(Function);
  if (const clang::FunctionDecl* Body = Bodies.definitionOf(Function)) {
    const std::shared_ptr<const flow::Summary> Whole = Facts.run(*Body, Annotations);
    Entered[&Function] = {Whole, Facts.leftOut()};
    All.add(Function, *Whole);
  }
}

void Runner::run(const clang::FunctionDecl& Function, AnnotationsOfOne Annotations) {
  const scan::CallableInHand Trace(Function);
  Findings Here;
  llvm::SetVector<const clang::FunctionDecl*> Run;
  bool IsJudged = false;  // all that it does
  if (const auto [Whole, LeftOut] = Entered.lookup(&Function); Whole) {
    Here = judge(*Whole, Annotations, Index, Changed, All, Run);
    tellUnchecked(*Whole, LeftOut, Run.getArrayRef(), Here);
    IsJudged = Elsewhere.of(*Whole, Annotations).empty();
    Here.removeIf([&](const Finding& Each) { return !Enabled.contains(Each.Check); });
  }
  for (const clang::FunctionDecl* Each : Run) {
    if (!isOfLibrary(*Each)) {
      Judged.insert(Each);
    }
  }
  silence(Annotations, Here, IsJudged);
  Found.merge(std::move(Here));
}

/// What the checks have not seen: what the compiler could not read, and what is too much.
void Runner::tellUnchecked(const flow::Summary& Whole, const clang::Stmt* LeftOut, llvm::ArrayRef<const clang::FunctionDecl*> Run,
                           Findings& Here) const {
  const std::string Callable = scan::instanceName(*Whole.Function);
  const auto Add = [&](clang::SourceLocation Where, const clang::FunctionDecl* In, const llvm::Twine& Message) {
    Finding New{UncheckedName, Sources.getTopMacroCallerLoc(Where), Where, Message.str(), {}, /*IsCertain=*/false, {}};
    New.In = In ? &patternOf(*In) : nullptr;
    New.Callables = {Callable};
    Here.add(std::move(New));
  };
  if (LeftOut) {
    Add(LeftOut->getBeginLoc(), nullptr,
        "'" + Callable + "' is too large to be checked in full: this call, and others after it, are not looked into");
  }
  for (const Way& Each : waysOf(Whole)) {
    if (Each.Of.IsCutShort) {
      const clang::FunctionDecl& Function = *Each.Of.Function;
      Add(Function.getLocation(), &Function, "'" + scan::instanceName(Function) + "' is too large to be checked in full");
    }
  }
  for (const clang::FunctionDecl* Each : Run) {
    if (const auto Error = isOfLibrary(*Each) ? std::nullopt : Bodies.firstErrorIn(*Each)) {
      Add(Error->Where, Each, "'" + scan::instanceName(*Each) + "' is checked in part, because the compiler refuses it: " + Error->Message);
    }
  }
}

void Runner::silence(AnnotationsOfOne Annotations, Findings& Here, bool IsJudged) {
  for (const scan::ScannedCallable* Each : Annotations) {
    for (const annotation::Option& Given : Each->Callable.Options) {
      if (Given.Kind == annotation::OptionKind::Allow) {
        const clang::CharSourceRange Range = Each->Text->range(Given.ValueRange);
        Allowance& Silence = Options.try_emplace(Range.getBegin(), Allowance{Given.Word, Range, 0, false, false}).first->second;
        Silence.IsJudged |= IsJudged;
        Here.removeIf([&](const Finding& F) {
          Silence.IsUsed |= F.Check == Given.Word;
          return F.Check == Given.Word;
        });
      }
    }
  }
}

void Runner::finish() {
  std::vector<Finding> All = Found.take(Sources);
  llvm::erase_if(All, [&](const Finding& Each) {
    return Comments.silences(Each) || (Each.Unchanged && (IsJoined || Each.IsOfItself)) || (!IsJoined && Each.Around);
  });
  llvm::for_each(All, [&](Finding& Each) { Each.IsCertain |= AsErrors.contains(Each.Check); });
  present(All, Report);
  if (!Enabled.contains(AllowName)) {
    return;
  }
  std::vector<Allowance> Silences = Comments.inside(Judged.getArrayRef());
  for (const auto& [Place, Each] : Options) {
    // An unknown name is reported with the file of the annotation, and not again with those that define its callable.
    if (isCheck(Each) ? Each.IsJudged : Sources.isInMainFile(Sources.getExpansionLoc(Place))) {
      Silences.push_back(Each);
    }
  }
  llvm::sort(Silences, [&](const Allowance& A, const Allowance& B) {
    return Sources.isBeforeInTranslationUnit(A.Range.getBegin(), B.Range.getBegin());
  });
  for (const Allowance& Each : Silences) {
    tellUseless(Each);
  }
}

void Runner::tellUseless(const Allowance& Silence) {
  if (!isCheck(Silence)) {
    tellNoCheck(Silence);
  } else if (!Silence.IsUsed && Enabled.contains(Silence.Check)) {
    complain(Silence.Range.getBegin(), "nothing to allow: '" + Silence.Check + "' finds nothing here") << Silence.Range;
  }
}

void Runner::tellNoCheck(const Allowance& Silence) {
  const std::string Near = annotation::nearestName(checkNames(), Silence.Check).str();
  const std::string Question = Near.empty() ? "" : "; did you mean '" + Near + "'?";
  clang::DiagnosticBuilder Builder = complain(Silence.Range.getBegin(), "'" + Silence.Check + "' is not a check" + Question);
  Builder << Silence.Range;
  if (!Near.empty()) {
    Builder << scan::fixIt(Silence.Range, Near);
  }
}

}  // namespace

std::vector<llvm::StringRef> checkNames() {
  std::vector<llvm::StringRef> Names = {AllowName};
  llvm::append_range(Names, llvm::map_range(checks(), [](const CheckInfo& Each) { return Each.Name; }));
  return Names;
}

std::vector<CheckLevel> chosenChecks(const CheckOptions& Options) {
  const Globs Enabled("*," + Options.Checks), AsErrors(Options.WarningsAsErrors);
  std::vector<CheckLevel> All = {{AllowName, false}};
  llvm::append_range(All, llvm::map_range(checks(), [](const CheckInfo& Each) { return CheckLevel{Each.Name, !Each.OnlyWarns}; }));
  llvm::erase_if(All, [&](const CheckLevel& Each) { return !Enabled.contains(Each.Name); });
  for (CheckLevel& Each : All) {
    Each.IsError |= AsErrors.contains(Each.Name);
  }
  llvm::sort(All, [](const CheckLevel& A, const CheckLevel& B) { return A.Name < B.Name; });
  return All;
}

void runCaptureChecks(llvm::ArrayRef<scan::ScannedCallable> Callables, const scan::Bodies& Bodies, const CheckOptions& Options,
                      scan::Reporter& Report) {
  if (Callables.empty()) {
    return;
  }
  Runner Run(Callables.front().Declaration->getASTContext(), Bodies, Options, Report);
  const AnnotationsByFunction Functions = byFunction(Callables);
  for (const auto& [Function, Annotations] : Functions) {
    Run.enter(*Function, Annotations);
  }
  for (const auto& [Function, Annotations] : Functions) {
    Run.run(*Function, Annotations);
  }
  Run.finish();
}

std::vector<scan::ScannedCallable> runChecks(llvm::ArrayRef<scan::ScannedCallable> Callables, const scan::Bodies& Bodies,
                                             const CheckOptions& Options, scan::Reporter& Report) {
  std::vector<scan::ScannedCallable> Fitting;
  for (const scan::ScannedCallable& Scanned : Callables) {
    if (Scanned.IsRefused) {
      continue;
    }
    const scan::CallableInHand Trace(*Scanned.Declaration);
    const unsigned ErrorsBefore = Report.errors();
    checkConformity(Scanned, Report);
    if (Report.errors() == ErrorsBefore) {
      Fitting.push_back(Scanned);
    }
  }
  runCaptureChecks(Callables, Bodies, Options, Report);
  return Fitting;
}

}  // namespace graphgen::check
