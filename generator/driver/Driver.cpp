// SPDX-License-Identifier: Apache-2.0
//
// Each file is scanned, checked, planned and rendered; only then is anything written.
#include "driver/Driver.h"

#include "check/Check.h"
#include "check/Outline.h"
#include "check/WriteSet.h"
#include "check/flow/Print.h"
#include "check/join/Summarize.h"
#include "driver/Depfile.h"
#include "driver/ExplainDocument.h"
#include "driver/Input.h"
#include "driver/Join.h"
#include "driver/Outputs.h"
#include "driver/Requests.h"
#include "driver/Tell.h"
#include "emit/Emit.h"
#include "emit/WriteFile.h"
#include "plan/Explain.h"
#include "plan/Plan.h"
#include "plan/PlanJson.h"
#include "plan/Units.h"
#include "scan/DefinitionText.h"
#include "scan/ScanFile.h"
#include "scan/WatchedMembers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <set>

namespace graphgen::driver {
namespace {

class Run {
 public:
  explicit Run(const Options& Given) : Given(Given), Requested(Given), Tell(Given) {}

  int run() {
    const int Status = runFiles();
    constexpr int WrongUsage = 2;
    if (Given.What == Mode::Explain && Given.ExplainAs != Explained::Text && Status != WrongUsage) {
      llvm::outs() << explainDocument(Given.ExplainAs, Plans, Tell.told());
    }
    return Tell.finish(Status, Inputs);
  }

 private:
  int runFiles();
  bool openInputs();
  bool stayInside();
  std::optional<plan::FilePlan> makePlan(const Input& File);
  bool process(const Input& File);
  bool isPassedOver(const Input& File);
  bool checkDefinitions(const Input& File);
  bool debugFacts(const Input& File);
  void print(const plan::FilePlan& Plan, const emit::Rendered& Text) const;
  bool leaveSummary(const Input& File);
  check::CheckOptions chosenChecks() const {
    return {Given.Checks, Given.WarningsAsErrors, /*IsJoined=*/!Given.Summary.empty() && !Given.NoJoin};
  }
  bool canNameDependencies();
  llvm::Error writeDepfile() const;

  const Options& Given;
  Requests Requested;
  std::vector<Input> Inputs;
  std::set<std::string> Dependencies;
  std::vector<plan::FilePlan> Plans;  // to be explained in one document
  Teller Tell;
  check::join::Summary Told;  // to others, of the file in hand
};

int Run::runFiles() {
  if (!openInputs()) {
    return 1;
  }
  if (llvm::Error Clash = checkApart(Given, Inputs)) {
    Tell.complain(toString(std::move(Clash)));
    return 2;
  }
  if (Given.What == Mode::Write && !stayInside()) {
    return 1;
  }
  if (llvm::Error Error = Requested.setUp()) {
    Tell.complain(toString(std::move(Error)));
    return 2;
  }
  bool Ok = true;
  for (const Input& File : Inputs) {
    Ok &= process(File);
  }
  if (!Ok) {
    return 1;
  }
  if (llvm::Error Error = writeDepfile()) {
    Tell.complain(toString(std::move(Error)), FileId);
    return 1;
  }
  return 0;
}

bool Run::openInputs() {
  bool Ok = true;
  for (const std::string& Name : Given.Files) {
    llvm::Expected<Input> File = openInput(Name);
    if (File) {
      Inputs.push_back(std::move(*File));
      continue;
    }
    Tell.complain(toString(File.takeError()), FileId);
    Ok = false;
  }
  return Ok;
}

/// Before anything is written.
bool Run::stayInside() {
  for (const Input& File : Inputs) {
    if (llvm::Error Outside = emit::checkStayInside(Given.OutDir, outputsOf(File, Given.OutDir))) {
      Tell.complain(toString(std::move(Outside)), FileId);
      return false;
    }
  }
  return true;
}

std::vector<annotation::Callable> callablesOf(llvm::ArrayRef<scan::ScannedCallable> Scanned) {
  std::vector<annotation::Callable> Callables;
  for (const scan::ScannedCallable& Each : Scanned) {
    Callables.push_back(Each.Callable);
  }
  return Callables;
}

void addWrites(llvm::MutableArrayRef<annotation::Callable> Callables, llvm::ArrayRef<scan::ScannedCallable> Scanned,
               const scan::Bodies& Bodies) {
  for (auto [Callable, Writes] : llvm::zip_equal(Callables, check::writesInWords(Scanned, Bodies))) {
    Callable.Writes = std::move(Writes);
  }
}

void addOutlines(llvm::MutableArrayRef<annotation::Callable> Callables, llvm::ArrayRef<scan::ScannedCallable> Scanned,
                 const scan::Bodies& Bodies) {
  for (auto [Callable, Outline] : llvm::zip_equal(Callables, check::outlinesOf(Scanned, Bodies))) {
    Callable.Outline = std::move(Outline);
  }
}

std::optional<plan::FilePlan> planOf(const Input& File, llvm::ArrayRef<annotation::Callable> Callables,
                                     llvm::ArrayRef<scan::ScannedCallable> Scanned, scan::Reporter& Report) {
  std::vector<plan::Problem> Problems;
  std::optional<plan::FilePlan> Plan = plan::makePlan(File.Name, File.IsHeader, Callables, Problems);
  for (const plan::Problem& Each : Problems) {
    Report.error(*Scanned[Each.CallableIndex].Text, Each.What);
    if (Each.Contradicted) {
      const clang::CharSourceRange Range = Scanned[Each.Contradicted->CallableIndex].Text->range(Each.Contradicted->Range);
      Report.note(Range.getBegin(), Each.Contradicted->Message) << Range;
    }
  }
  return Plan;
}

void refuseMacros(const plan::FilePlan& Plan, const scan::Macros& Macros, scan::Reporter& Report) {
  if (llvm::Expected<emit::Rendered> Text = emit::render(Plan)) {
    Macros.refuse(Text->Header + Text->Source, Report);
  } else {
    consumeError(Text.takeError());  // reported when it is rendered to be written
  }
}

/// Nothing after complaining.
std::optional<plan::FilePlan> Run::makePlan(const Input& File) {
  const llvm::PrettyStackTraceFormat Trace("reading '%s'", File.Given.c_str());
  llvm::Expected<scan::ScanRequest> Request = Requested.make(File, Tell);
  if (!Request) {
    Tell.complain(toString(Request.takeError()), FileId);
    return std::nullopt;
  }
  std::optional<plan::FilePlan> Plan;
  scan::ScanTimes::Duration Checks{0};
  scan::ScanOutcome Outcome = scan::scanFile(*Request, [&](llvm::ArrayRef<scan::ScannedCallable> Scanned, const scan::Bodies& Bodies,
                                                           const scan::Macros& Macros, scan::Reporter& Report) {
    const auto Begin = std::chrono::steady_clock::now();
    const std::vector<scan::ScannedCallable> Fitting = check::runChecks(Scanned, Bodies, chosenChecks(), Report);
    Checks += std::chrono::steady_clock::now() - Begin;
    std::vector<annotation::Callable> Callables = callablesOf(Fitting);
    // After errors of some callables, too: one run says what is wrong with each.
    scan::addWatchedMembers(Callables, Fitting, Bodies, Report);
    if (!Given.Summary.empty() && Report.errors() == 0) {
      Told = check::join::summarize(Scanned, Bodies);
    }
    for (auto [Callable, Names] : llvm::zip_equal(Callables, check::join::namesElsewhere(Fitting, Bodies))) {
      Callable.Elsewhere = std::move(Names);
    }
    if (Given.What == Mode::Explain && Report.errors() == 0) {
      addWrites(Callables, Fitting, Bodies);
      if (Given.ExplainAs != Explained::Text) {
        addOutlines(Callables, Fitting, Bodies);
      }
    }
    Plan = planOf(File, Callables, Fitting, Report);
    if (Plan) {
      refuseMacros(*Plan, Macros, Report);
    }
    if (Given.What == Mode::Write && Report.errors() != 0 && !Scanned.empty()) {
      Report.noteInText("nothing is generated for '" + File.Given + "', also for its other callables, until it has no error");
    }
  });
  if (Given.Timings) {
    tellTimes(File, Outcome.Times, Checks);
  }
  Dependencies.insert(Outcome.Dependencies.begin(), Outcome.Dependencies.end());
  Tell.append(std::move(Outcome.Told));
  return Outcome.Ok ? Plan : std::nullopt;
}

/// A scan takes long: what the text shows suffices where it spells no body of a callable's name.
bool Run::isPassedOver(const Input& File) {
  if (Given.Callables.empty()) {
    return false;
  }
  const auto List = llvm::MemoryBuffer::getFile(Given.Callables, /*IsText=*/true);
  const auto Source = llvm::MemoryBuffer::getFile(File.Absolute, /*IsText=*/true);
  if (!List || !Source) {
    return false;
  }
  llvm::StringSet<> Names;
  for (llvm::line_iterator Line(**List); !Line.is_at_eof(); ++Line) {
    Names.insert(scan::unqualifiedName(*Line));
  }
  Dependencies.insert(File.Absolute);
  return !scan::mayDefine((*Source)->getBuffer(), Names);
}

bool Run::checkDefinitions(const Input& File) {
  const llvm::PrettyStackTraceFormat Trace("checking '%s'", File.Given.c_str());
  if (isPassedOver(File)) {
    return leaveSummary(File);
  }
  llvm::Expected<scan::ScanRequest> Request = Requested.make(File, Tell);
  if (!Request) {
    Tell.complain(toString(Request.takeError()), FileId);
    return false;
  }
  Request->DefinitionsOnly = true;
  scan::ScanTimes::Duration Checks{0};
  scan::ScanOutcome Outcome = scan::scanFile(*Request, [&](llvm::ArrayRef<scan::ScannedCallable> Scanned, const scan::Bodies& Bodies,
                                                           const scan::Macros&, scan::Reporter& Report) {
    const auto Begin = std::chrono::steady_clock::now();
    check::runCaptureChecks(Scanned, Bodies, chosenChecks(), Report);
    if (!Given.Summary.empty()) {
      Told = check::join::summarize(Scanned, Bodies);
    }
    Checks += std::chrono::steady_clock::now() - Begin;
  });
  if (Given.Timings) {
    tellTimes(File, Outcome.Times, Checks);
  }
  Dependencies.insert(Outcome.Dependencies.begin(), Outcome.Dependencies.end());
  Tell.append(std::move(Outcome.Told));
  return Outcome.Ok && leaveSummary(File);
}

bool Run::leaveSummary(const Input& File) {
  if (Given.Summary.empty()) {
    return true;
  }
  if (llvm::Error Error = writeSummary(Given.Summary, File.Absolute, std::move(Told))) {
    Tell.complain(toString(std::move(Error)), FileId);
    return false;
  }
  return true;
}

bool Run::debugFacts(const Input& File) {
  llvm::Expected<scan::ScanRequest> Request = Requested.make(File, Tell);
  if (!Request) {
    Tell.complain(toString(Request.takeError()), FileId);
    return false;
  }
  scan::ScanOutcome Outcome =
      scan::scanFile(*Request, [](llvm::ArrayRef<scan::ScannedCallable> Scanned, const scan::Bodies& Bodies, const scan::Macros&,
                                  scan::Reporter&) { check::printFacts(Scanned, Bodies, llvm::outs()); });
  Tell.append(std::move(Outcome.Told));
  return Outcome.Ok;
}

bool Run::process(const Input& File) {
  if (Given.What == Mode::DebugFacts) {
    return debugFacts(File);
  }
  if (Given.What == Mode::CheckDefinitions) {
    return checkDefinitions(File);
  }
  const std::optional<plan::FilePlan> Plan = makePlan(File);
  if (!Plan) {
    return false;
  }
  if (Given.What == Mode::DumpPlan) {
    llvm::outs() << plan::toJson(*Plan);
    return true;
  }
  if (Given.What == Mode::Explain) {
    if (Given.ExplainAs != Explained::Text) {
      Plans.push_back(*Plan);
      return true;
    }
    llvm::outs() << plan::explain(*Plan) << (&File == &Inputs.back() ? "" : "\n\n");
    return true;
  }
  const llvm::PrettyStackTraceFormat Trace("writing the code for '%s'", File.Given.c_str());
  llvm::Expected<emit::Rendered> Text = emit::render(*Plan);
  if (!Text) {
    Tell.complain(toString(Text.takeError()));
    return false;
  }
  if (Given.What == Mode::Print) {
    print(*Plan, *Text);
  }
  if (Given.What != Mode::Write) {
    return leaveSummary(File);
  }
  if (!canNameDependencies()) {
    return false;
  }
  if (llvm::Error Error = emit::writeOutputs(*Text, emit::outputPaths(Given.OutDir, *Plan))) {
    Tell.complain(toString(std::move(Error)), FileId);
    return false;
  }
  return leaveSummary(File);
}

void Run::print(const plan::FilePlan& Plan, const emit::Rendered& Text) const {
  const emit::OutputPaths Paths = emit::outputPaths("", Plan);
  llvm::outs() << "// " << Paths.Header << "\n\n" << Text.Header;
  if (!Paths.Source.empty()) {
    llvm::outs() << "\n// " << Paths.Source << "\n\n" << Text.Source;
  }
}

/// Before the code is written, which a build would take for made.
bool Run::canNameDependencies() {
  if (Given.Depfile.empty()) {
    return true;
  }
  if (llvm::Error Error = depfileText(Given.Depfile, Dependencies).takeError()) {
    Tell.complain(toString(std::move(Error)), FileId);
    return false;
  }
  return true;
}

llvm::Error Run::writeDepfile() const {
  if (Given.Depfile.empty()) {
    return llvm::Error::success();
  }
  llvm::Expected<std::string> Text = depfileText(Given.Depfile, Dependencies);
  return Text ? emit::writeIfChanged(Given.Depfile, *Text) : Text.takeError();
}

}  // namespace

int run(const Options& Given) { return Run(Given).run(); }

}  // namespace graphgen::driver
