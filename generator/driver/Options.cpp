// SPDX-License-Identifier: Apache-2.0
//
// The options by LLVM's command line library; what follows `--` is the compiler's.
#include "driver/Options.h"

#include "check/Check.h"
#include "check/Globs.h"
#include "driver/CommandLine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstring>

namespace graphgen::driver {
namespace {

bool refuse(const llvm::Twine& Why) {
  llvm::errs() << "graphgen: " << Why << '\n';
  return false;
}

bool namesChecks(const cl::opt<std::string>& Option) {
  const check::Globs Given(Option.getValue());
  const llvm::StringRef Useless = Given.useless(check::checkNames());
  return Useless.empty() || refuse("--" + Option.ArgStr + ": '" + Useless + "' matches no check");
}

/// In bytes.
std::optional<uint64_t> cacheSize(const CommandLine& Line) {
  uint64_t Size = 2048;
  if (Line.CacheSize.getNumOccurrences() > 0) {
    Size = Line.CacheSize;
  } else if (const std::optional<std::string> Given = llvm::sys::Process::GetEnv("GRAPHGEN_CACHE_SIZE");
             Given && llvm::StringRef(*Given).getAsInteger(10, Size)) {
    refuse("GRAPHGEN_CACHE_SIZE: '" + *Given + "' is not a number of MiB");
    return std::nullopt;
  }
  constexpr unsigned MiBShift = 20;
  return llvm::SaturatingMultiply<uint64_t>(Size, uint64_t{1} << MiBShift);
}

/// Whether nothing is given but files and options of these.
bool takesOnly(std::initializer_list<const cl::Option*> Allowed) {
  return llvm::all_of(llvm::make_second_range(cl::getRegisteredOptions()),
                      [&](const cl::Option* Each) { return Each->getNumOccurrences() == 0 || llvm::is_contained(Allowed, Each); });
}

/// Nothing is scanned, so that there is nothing to say of scans.
bool comparesTwo(const CommandLine& Line, bool HasFlags) {
  return (Line.Files.size() == 2 && !HasFlags && takesOnly({&Line.What})) || refuse("--compare takes two manifests, and no other option");
}

bool isRightDoctor(const CommandLine& Line, bool HasFlags) {
  if (Line.Format == Format::Sarif) {
    return refuse("doctor: --diagnostics-format takes clang and json");
  }
  return !HasFlags || refuse("doctor takes no flags");
}

/// What prints something that graphgen knows without a file.
bool isRightQuestion(const CommandLine& Line, bool HasFlags) {
  if (!Line.Files.empty() || HasFlags) {
    return refuse("--list-checks, --explain-check, --completion and --man-page take no files");
  }
  const bool IsRight = Line.What == Mode::ListChecks ? takesOnly({&Line.What, &Line.Checks, &Line.WarningsAsErrors})
                                                     : takesOnly({&Line.What, &Line.ExplainCheck, &Line.Completion});
  return IsRight ||
         refuse("--list-checks takes --checks and --warnings-as-errors; --explain-check, --completion and --man-page no other option");
}

/// Says what is taken in the place of what LLVM's library would only call unknown.
template <class Parser>
bool isRightChoice(llvm::ArrayRef<const char*> Arguments, const cl::Option& Option, Parser& Values) {
  std::string Known;
  for (unsigned Index = 0; Index < Values.getNumOptions(); ++Index) {
    Known += (Index == 0 ? "" : Index + 1 == Values.getNumOptions() ? " or " : ", ") + Values.getOption(Index).str();
  }
  const std::string Name = ("--" + Option.ArgStr + "=").str();
  for (llvm::StringRef Each : Arguments.drop_front()) {
    if (Each.consume_front(Name) && Values.findOption(Each) == Values.getNumOptions()) {
      return refuse("--" + Option.ArgStr + " takes " + Known + ", not '" + Each + "'");
    }
  }
  return true;
}

/// What LLVM's library would refuse with a worse hint, or take for a file.
bool isRightlySpelt(llvm::ArrayRef<const char*> Arguments, CommandLine& Line) {
  for (const llvm::StringRef Each : Arguments.drop_front()) {
    if (Each == "--doctor" || Each == "-doctor") {
      return refuse("unknown option " + Each + "; did you mean 'graphgen doctor'?");
    }
  }
  return isRightChoice(Arguments, Line.Completion, Line.Completion.getParser()) &&
         isRightChoice(Arguments, Line.Format, Line.Format.getParser()) &&
         isRightChoice(Arguments, Line.ExplainAs, Line.ExplainAs.getParser());
}

bool isRightSummary(const CommandLine& Line) {
  if (Line.SourceLists.getNumOccurrences() > 0 && Line.What != Mode::Join) {
    return refuse("--sources is for --join");
  }
  if (Line.Program && Line.What != Mode::Join) {
    return refuse("--program is for --join");
  }
  if (Line.Summary.getNumOccurrences() == 0) {
    return !Line.NoJoin || refuse("--no-join is for --summary");
  }
  if (Line.What != Mode::Write && Line.What != Mode::Check && Line.What != Mode::CheckDefinitions) {
    return refuse("--summary is for --check, --check-definitions and what writes code");
  }
  return Line.Files.size() == 1 || refuse("--summary takes one file");
}

bool isMisspeltDoctor(const CommandLine& Line) {
  constexpr unsigned MostEdits = 2;
  const llvm::StringRef First = Line.Files.empty() ? llvm::StringRef() : llvm::StringRef(Line.Files.front());
  return Line.Files.size() == 1 && First.edit_distance("doctor", /*AllowReplacements=*/true, MostEdits) <= MostEdits &&
         !llvm::sys::fs::exists(First);
}

bool isRight(const CommandLine& Line, bool HasFlags) {
  if (Line.Doctor) {
    return isRightDoctor(Line, HasFlags);
  }
  if (Line.What.getNumOccurrences() + Line.ExplainCheck.getNumOccurrences() + Line.Completion.getNumOccurrences() > 1) {
    return refuse(
        "only one of --check, --check-definitions, --join, --print, --dump-plan, --debug-facts, --explain, --compare, --list-checks, "
        "--explain-check, "
        "--completion and --man-page can be given");
  }
  const bool Asks = Line.What == Mode::ListChecks || Line.What == Mode::ManPage || Line.ExplainCheck.getNumOccurrences() > 0 ||
                    Line.Completion.getNumOccurrences() > 0;
  if (Asks && !isRightQuestion(Line, HasFlags)) {
    return false;
  }
  if (isMisspeltDoctor(Line)) {
    return refuse("there is no file '" + Line.Files.front() + "'; did you mean 'graphgen doctor'?");
  }
  if (!Asks && Line.Files.empty() && Line.SourceLists.empty()) {
    return refuse("no file is given; --help prints what graphgen takes");
  }
  const bool Prints =
      Line.What == Mode::Print || Line.What == Mode::DumpPlan || Line.What == Mode::DebugFacts || Line.What == Mode::Explain;
  if (Prints && Line.Format != Format::Clang) {
    return refuse(
        "--diagnostics-format=sarif and json print to standard output, and so do --print, --dump-plan, --debug-facts and --explain");
  }
  if (!isRightSummary(Line)) {
    return false;
  }
  if (Line.ExplainAs.getNumOccurrences() > 0 && Line.What != Mode::Explain) {
    return refuse("--format is for --explain");
  }
  if (Line.Callables.getNumOccurrences() > 0 && Line.What != Mode::CheckDefinitions) {
    return refuse("--callables is for --check-definitions");
  }
  if (Line.What == Mode::Compare && !comparesTwo(Line, HasFlags)) {
    return false;
  }
  if (HasFlags && Line.BuildDir.getNumOccurrences() > 0) {
    return refuse("-p names flags, and so does what follows --: only one of them can be given");
  }
  return namesChecks(Line.Checks) && namesChecks(Line.WarningsAsErrors);
}

Mode modeOf(const CommandLine& Line) {
  if (Line.Doctor) {
    return Mode::Doctor;
  }
  if (Line.Completion.getNumOccurrences() > 0) {
    return Mode::Completion;
  }
  return Line.ExplainCheck.getNumOccurrences() > 0 ? Mode::ExplainCheck : Line.What.getValue();
}

}  // namespace

std::optional<Options> parseOptions(int Count, const char* const* Arguments) {
  const char* const* End = Arguments + Count;
  const char* const* Separator = std::find_if(Arguments, End, [](const char* A) { return std::strcmp(A, "--") == 0; });
  CommandLine Line;
  if (!isRightlySpelt({Arguments, Separator}, Line) || !Line.parse({Arguments, Separator}) || !isRight(Line, Separator != End)) {
    return std::nullopt;
  }
  const std::optional<uint64_t> CacheSize = cacheSize(Line);
  if (!CacheSize) {
    return std::nullopt;
  }
  Options Parsed;
  Parsed.Files = Line.Files;
  Parsed.BuildDir = Line.BuildDir;
  Parsed.OutDir = Line.OutDir;
  Parsed.Depfile = Line.Depfile;
  Parsed.Summary = Line.Summary;
  Parsed.NoJoin = Line.NoJoin;
  Parsed.SourceLists = Line.SourceLists;
  Parsed.IsProgram = Line.Program;
  Parsed.Checks = Line.Checks;
  Parsed.WarningsAsErrors = Line.WarningsAsErrors;
  Parsed.Callables = Line.Callables;
  Parsed.ExplainedId = Line.ExplainCheck;
  Parsed.What = modeOf(Line);
  Parsed.CompletedShell = Line.Completion;
  if (Parsed.What == Mode::Completion || Parsed.What == Mode::ManPage) {
    Parsed.Rows = optionRows(Line);
  }
  Parsed.UsePrecompiled = !Line.NoPch && *CacheSize > 0;
  Parsed.CacheDir = Line.CacheDir;
  Parsed.CacheSize = *CacheSize;
  Parsed.Timings = Line.Timings;
  Parsed.Format = Line.Format;
  Parsed.ExplainAs = Line.ExplainAs;
  Parsed.Fix = Line.Fix;
  Parsed.ExportFixes = Line.ExportFixes;
  if (Separator != End) {
    Parsed.Flags.emplace(Separator + 1, End);
  }
  return Parsed;
}

}  // namespace graphgen::driver
