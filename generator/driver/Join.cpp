// SPDX-License-Identifier: Apache-2.0
//
// A source that was not scanned is scanned here where its text may define what a callable comes to, until nothing is missing that one has.
// What such a scan says is kept beside the place of the source's summary, and holds until a file changes that it read.
#include "driver/Join.h"

#include "check/Joined.h"
#include "check/join/Summarize.h"
#include "driver/Depfile.h"
#include "driver/Outputs.h"
#include "driver/Requests.h"
#include "emit/WriteFile.h"
#include "plan/Manifest.h"
#include "plan/Version.h"
#include "scan/DefinitionText.h"
#include "scan/Files.h"
#include "scan/IncludedText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <map>

namespace graphgen::driver {
namespace {

using check::join::Summary;
namespace fs = llvm::sys::fs;

std::optional<llvm::sys::TimePoint<>> timeOf(llvm::StringRef Path) {
  fs::file_status Status;
  return fs::status(Path, Status) ? std::nullopt : std::optional(Status.getLastModificationTime());
}

int64_t nanoseconds(llvm::sys::TimePoint<> Time) { return std::chrono::nanoseconds(Time.time_since_epoch()).count(); }

/// The clock of files goes in steps, of 10 ms at most, and is behind that of the system by one.
bool hasChangedSince(const std::string& Path, int64_t Begun) {
  constexpr int64_t Step = 20'000'000;
  const auto Changed = timeOf(Path);
  return !Changed || nanoseconds(*Changed) >= Begun - Step;
}

bool isOlder(llvm::StringRef Path, llvm::StringRef Other) {
  const auto Its = timeOf(Path), Others = timeOf(Other);
  return !Its || !Others || *Its < *Others;
}

llvm::Expected<Summary> readSummary(const std::string& Path) {
  const auto Text = llvm::MemoryBuffer::getFile(Path, /*IsText=*/true);
  if (!Text) {
    return llvm::createStringError("cannot read '" + Path + "': " + Text.getError().message());
  }
  if (plan::isTooDeep((*Text)->getBuffer())) {
    return llvm::createStringError("cannot read '" + Path + "': its brackets are nested too deeply");
  }
  llvm::Expected<Summary> Read = check::join::fromJson((*Text)->getBuffer());
  if (!Read) {
    return llvm::createStringError("cannot read '" + Path + "': " + toString(Read.takeError()));
  }
  if (Read->Version != plan::versionText()) {
    return llvm::createStringError("'" + Path + "' was written by graphgen " + Read->Version + ", and this is " + plan::versionText() +
                                   ": write it again with --summary");
  }
  return Read;
}

/// A source whose summary may be missing, or say that it was passed over.
struct Candidate {
  std::string Source, Kept, Folder;
};

class Join {
 public:
  explicit Join(const Options& Given) : Given(Given), Tell(Given), Joiner(Given.IsProgram) {}

  int run() { return Tell.finish(runAll(), {}); }

 private:
  int runAll();
  bool readAll();
  bool readCandidates(const std::string& List, bool IsOfTarget);
  bool scanWanted();
  bool mayChangeOneOf(const Candidate& Its, const llvm::StringSet<>& Names);
  std::optional<Summary> summaryOf(const Candidate& Its);
  std::optional<Summary> kept(const Candidate& Its) const;
  std::optional<Summary> scan(const Candidate& Its);
  Requests* requestsIn(const std::string& Folder);
  void add(Summary Read);
  bool complain(llvm::Error Error) {
    Tell.complain(toString(std::move(Error)), FileId);
    return false;
  }

  const Options& Given;
  Teller Tell;
  check::join::Joiner Joiner;
  std::vector<Candidate> Candidates;
  scan::IncludedText Texts;
  std::map<std::string, std::pair<Options, std::unique_ptr<Requests>>> Scans;  // by the folder of compile_commands.json
  std::set<std::string> Dependencies, Sources;
};

void Join::add(Summary Read) {
  Sources.insert(Read.Source);
  Joiner.add(std::move(Read));
}

bool Join::readAll() {
  for (const std::string& Path : Given.Files) {
    llvm::Expected<Summary> Read = readSummary(Path);
    if (!Read) {
      return complain(Read.takeError());
    }
    Dependencies.insert(absolute(Path));
    if (isOlder(Path, Read->Source)) {
      return complain(llvm::createStringError("'" + Path + "' is older than '" + Read->Source +
                                              "', which it describes: write it again with --summary"));
    }
    if (Read->IsScanned) {
      add(std::move(*Read));
    }
  }
  for (const std::string& Each : Given.SourceLists) {
    if (!readCandidates(Each, /*IsOfTarget=*/&Each == &Given.SourceLists.front())) {
      return false;
    }
  }
  return true;
}

/// Lines of paths with tabs between them: where the summary would be, the source, and the folder of its compile_commands.json, if that is
/// not the list's. Callables of libraries are checked with the library.
bool Join::readCandidates(const std::string& List, bool IsOfTarget) {
  const auto Text = llvm::MemoryBuffer::getFile(List, /*IsText=*/true);
  if (!Text) {
    return complain(llvm::createStringError("cannot read '" + List + "': " + Text.getError().message()));
  }
  Dependencies.insert(absolute(List));
  for (llvm::line_iterator Line(**Text); !Line.is_at_eof(); ++Line) {
    const auto [Path, Rest] = Line->split('\t');
    const auto [Source, Folder] = Rest.split('\t');
    if (fs::exists(Path)) {
      llvm::Expected<Summary> Read = readSummary(Path.str());
      if (!Read) {
        return complain(Read.takeError());
      }
      Dependencies.insert(absolute(Path));
      if (Read->IsScanned) {
        Read->Callables.resize(IsOfTarget ? Read->Callables.size() : 0);
        add(std::move(*Read));
        continue;
      }
    }
    if (!Source.empty()) {
      const std::string Flags = Folder.empty() ? llvm::sys::path::parent_path(absolute(List)).str() : Folder.str();
      Candidates.push_back({Source.str(), (Path + ".kept").str(), Flags});
    }
  }
  return true;
}

Requests* Join::requestsIn(const std::string& Folder) {
  auto& [Of, Made] = Scans[Folder];
  if (!Made) {
    Of = Given;
    Of.BuildDir = Folder;
    Made = std::make_unique<Requests>(Of);
    if (llvm::Error Error = Made->setUp()) {
      consumeError(std::move(Error));  // the scan of the target's own files says so
      Made.reset();
    }
  }
  return Made.get();
}

/// Flags of the command line may be others than before.
std::optional<Summary> Join::kept(const Candidate& Its) const {
  if (Given.Flags) {
    return std::nullopt;
  }
  llvm::Expected<Summary> Read = readSummary(Its.Kept);
  if (!Read) {
    consumeError(Read.takeError());
    return std::nullopt;
  }
  const bool Holds = llvm::none_of(Read->Read, [&](const std::string& Each) { return hasChangedSince(Each, Read->Begun); });
  return Holds ? std::optional(std::move(*Read)) : std::nullopt;
}

/// The compiler reports what is wrong with the source.
std::optional<Summary> Join::scan(const Candidate& Its) {
  llvm::Expected<Input> File = openInput(Its.Source);
  Requests* Requests = requestsIn(Its.Folder);
  if (!File || !Requests) {
    consumeError(File.takeError());
    return std::nullopt;
  }
  llvm::Expected<scan::ScanRequest> Request = Requests->make(*File, Tell);
  if (!Request) {
    consumeError(Request.takeError());
    return std::nullopt;
  }
  Request->DefinitionsOnly = true;
  Request->Prints = false;
  Summary Made;
  const int64_t Begun = nanoseconds(std::chrono::system_clock::now());
  scan::ScanOutcome Outcome =
      scan::scanFile(*Request, [&](llvm::ArrayRef<scan::ScannedCallable>, const scan::Bodies& Bodies, const scan::Macros&,
                                   scan::Reporter&) { Made = check::join::summarize({}, Bodies); });
  if (Given.Timings) {
    tellTimes(*File, Outcome.Times, {});
  }
  if (!Outcome.Ok) {
    return std::nullopt;
  }
  Made.Version = plan::versionText();
  Made.Source = Its.Source;
  Made.Read = std::move(Outcome.Dependencies);
  Made.Read.push_back(Its.Folder + "/compile_commands.json");
  Made.Begun = Begun;
  if (llvm::Error Error = writeSummary(Its.Kept, Its.Source, Made)) {
    consumeError(std::move(Error));  // it is scanned again the next time
  }
  return Made;
}

std::optional<Summary> Join::summaryOf(const Candidate& Its) {
  std::optional<Summary> Found = kept(Its);
  return Found ? std::move(Found) : scan(Its);
}

static llvm::StringSet<> unqualified(const std::set<std::string>& Names) {
  llvm::StringSet<> All;
  for (const std::string& Each : Names) {
    All.insert(scan::unqualifiedName(Each));
  }
  return All;
}

bool Join::mayChangeOneOf(const Candidate& Its, const llvm::StringSet<>& Names) {
  llvm::Expected<Input> File = openInput(Its.Source);
  Requests* Requests = Names.empty() ? nullptr : requestsIn(Its.Folder);
  llvm::Expected<scan::ScanRequest> Request =
      File && Requests ? Requests->make(*File, Tell) : llvm::Expected<scan::ScanRequest>(scan::ScanRequest());
  if (!File || !Requests || !Request) {
    consumeError(File.takeError());
    consumeError(Request.takeError());  // a scan of the target's own says so
    return false;
  }
  std::vector<std::string> Read;
  const std::string Folder = Request->Files->getCurrentWorkingDirectory().get();
  const bool IsFound = Texts.spells(Its.Source, Names, Request->CommandLine, Folder, Read);
  Dependencies.insert(Read.begin(), Read.end());
  return IsFound;
}

/// Of the candidates those whose text spells a body of what is missing, or what they may change. False where there is none.
bool Join::scanWanted() {
  const llvm::StringSet<> Names = unqualified(Joiner.missing()), Members = unqualified(Joiner.unchanged());
  std::vector<Candidate> Rest;
  bool IsFound = false;
  for (Candidate& Each : Candidates) {
    const auto Text = llvm::MemoryBuffer::getFile(Each.Source, /*IsText=*/true);
    Dependencies.insert(Each.Source);
    if (Sources.count(Each.Source) != 0 || !Text) {
      continue;
    }
    if (!scan::mayDefine((*Text)->getBuffer(), Names) && !mayChangeOneOf(Each, Members)) {
      Rest.push_back(std::move(Each));
    } else if (std::optional<Summary> Found = summaryOf(Each)) {
      Dependencies.insert(Found->Read.begin(), Found->Read.end());
      add(std::move(*Found));
      IsFound = true;
    }
  }
  Candidates = std::move(Rest);
  return IsFound;
}

int Join::runAll() {
  if (!readAll()) {
    return 1;
  }
  std::vector<check::join::Joined> All = Joiner.join();
  while (!(Joiner.missing().empty() && Joiner.unchanged().empty()) && scanWanted()) {
    All = Joiner.join();
  }
  unsigned Errors = 0;
  Tell.append(scan::tellOfFiles(Tell.prints(), Tell.ids(), [&](clang::SourceManager& Files, scan::Reporter& Report) {
    check::tellJoined(All, {Given.Checks, Given.WarningsAsErrors}, Files, Report);
    Errors = Report.errors();
  }));
  if (Errors != 0) {
    return 1;
  }
  if (!Given.Depfile.empty()) {
    llvm::Expected<std::string> Text = depfileText(Given.Depfile, Dependencies);
    if (llvm::Error Error = Text ? emit::writeIfChanged(Given.Depfile, *Text) : Text.takeError()) {
      complain(std::move(Error));
      return 1;
    }
  }
  return 0;
}

}  // namespace

llvm::Error writeSummary(llvm::StringRef Path, llvm::StringRef Source, Summary Its) {
  Its.Version = plan::versionText();
  Its.Source = Source.str();
  if (const std::error_code Error = fs::create_directories(llvm::sys::path::parent_path(absolute(Path)))) {
    return llvm::createStringError("cannot make the folder of '" + Path + "': " + Error.message());
  }
  return emit::replaceFile(Path, toJson(std::move(Its)));
}

int joinSummaries(const Options& Given) { return Join(Given).run(); }

}  // namespace graphgen::driver
