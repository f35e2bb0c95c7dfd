// SPDX-License-Identifier: Apache-2.0
//
// The options by LLVM's command line library; what follows `--` is the compiler's.
#include "driver/Options.h"

#include "check/Check.h"
#include "check/Globs.h"
#include "plan/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstring>

namespace graphgen::driver {
namespace {

namespace cl = llvm::cl;

constexpr const char* Overview = R"(graphgen: writes the glue of callables marked with GRAPHED(...)

For policy.h: policy.graphed.h, policy.graphed.cpp and the manifest policy.graphed.json; for a source file policy.cpp: policy.graphed.h and the
manifest. The compiler's flags are taken from compile_commands.json, or from what follows --.
Exit status: 0 done, 1 errors in the input, or with --compare something is less graphable, 2 wrong usage.
)";

struct CommandLine {
  cl::OptionCategory Category{"Options"};
  cl::list<std::string> Files{cl::Positional, cl::OneOrMore, cl::desc("<files> [-- <flags>]"), cl::cat(Category)};
  cl::opt<std::string> BuildDir{"p", cl::desc("folder of compile_commands.json; else it is looked for in the folders above each file"),
                                cl::value_desc("build"), cl::cat(Category)};
  cl::opt<std::string> OutDir{"out-dir", cl::desc("folder to write below, at each file's relative path"), cl::value_desc("dir"),
                              cl::init("."), cl::cat(Category)};
  cl::opt<std::string> Depfile{"depfile", cl::desc("write what was read, in Makefile syntax; x.d names x"), cl::value_desc("file"),
                               cl::cat(Category)};
  cl::opt<std::string> Checks{"checks", cl::desc("globs of capture-safety checks to run, after '*'; '-' before one leaves out"),
                              cl::value_desc("globs"), cl::cat(Category)};
  cl::opt<std::string> WarningsAsErrors{"warnings-as-errors", cl::desc("globs of capture-safety checks whose warnings are errors"),
                                        cl::value_desc("globs"), cl::cat(Category)};
  cl::opt<bool> NoPch{"no-pch", cl::desc("scan LibTorch's headers anew for each file, without precompiled headers"), cl::cat(Category)};
  cl::opt<std::string> CacheDir{"cache-dir",
                                cl::desc("folder to keep precompiled headers in, instead of $GRAPHGEN_CACHE or ~/.cache/graphgen"),
                                cl::value_desc("dir"), cl::cat(Category)};
  cl::opt<uint64_t> CacheSize{"cache-size", cl::desc("most MiB to keep there, instead of $GRAPHGEN_CACHE_SIZE or 2048; 0 keeps none"),
                              cl::value_desc("MiB"), cl::cat(Category)};
  cl::opt<bool> Timings{"timings", cl::desc("tell how long each file took, and why it was scanned plainly"), cl::cat(Category)};
  cl::opt<std::string> Callables{"callables", cl::desc("with --check-definitions: pass over sources that spell no body of these names"),
                                 cl::value_desc("file"), cl::cat(Category)};
  cl::opt<Mode> What{
      cl::desc("instead of writing:"), cl::init(Mode::Write), cl::cat(Category),
      cl::values(
          clEnumValN(Mode::Check, "check", "diagnose only"),
          clEnumValN(Mode::CheckDefinitions, "check-definitions",
                     "diagnose the bodies that sources give to callables which headers annotate"),
          clEnumValN(Mode::Print, "print", "print the code to standard output"),
          clEnumValN(Mode::DumpPlan, "dump-plan", "print the manifest to standard output"),
          clEnumValN(Mode::Explain, "explain", "tell of each callable its inputs, writes, captures and options, and why a call would miss"),
          clEnumValN(Mode::Compare, "compare", "tell what is less graphable by the second of two manifests than by the first"))};
  cl::opt<enum Format> Format{"diagnostics-format", cl::desc("of diagnostics; the latter two are one document on standard output"),
                              cl::init(Format::Clang),
                              cl::values(clEnumValN(Format::Clang, "clang", "text on standard error, as Clang's; the default"),
                                         clEnumValN(Format::Sarif, "sarif", "SARIF 2.1.0"), clEnumValN(Format::Json, "json", "JSON")),
                              cl::cat(Category)};
  cl::opt<bool> Fix{"fix", cl::desc("make the fixes of diagnostics in the files, all of them or none"), cl::cat(Category)};
  cl::opt<std::string> ExportFixes{"export-fixes", cl::desc("write the fixes as YAML, for clang-apply-replacements"),
                                   cl::value_desc("file"), cl::cat(Category)};
};

void printVersion(llvm::raw_ostream& Stream) { Stream << "graphgen " << plan::versionText() << " (Clang " LLVM_VERSION_STRING ")\n"; }

/// LLVM registers options of its own in every program that links it: they are taken out, or described as this program's.
void keepOwnOptions(const cl::OptionCategory& Own) {
  std::vector<cl::Option*> Others;
  for (const auto& [Name, Each] : cl::getRegisteredOptions()) {
    if (Name == "help") {
      Each->setDescription("print this");
    } else if (Name == "version") {
      Each->setDescription("print the version");
    } else if (!llvm::is_contained(Each->Categories, &Own)) {
      Others.push_back(Each);
    }
  }
  for (cl::Option* Each : Others) {
    Each->removeArgument();
  }
}

bool refuse(const llvm::Twine& Why) {
  llvm::errs() << "graphgen: " << Why << '\n';
  return false;
}

bool namesChecks(const cl::opt<std::string>& Option) {
  const check::Globs Given(Option.getValue());
  const llvm::StringRef Useless = Given.useless(check::checkNames());
  return Useless.empty() || refuse("--" + Option.ArgStr + ": '" + Useless + "' fits no check");
}

/// In bytes.
std::optional<uint64_t> cacheSize(const CommandLine& Line) {
  uint64_t Size = 2048;
  if (Line.CacheSize.getNumOccurrences() > 0) {
    Size = Line.CacheSize;
  } else if (const std::optional<std::string> Given = llvm::sys::Process::GetEnv("GRAPHGEN_CACHE_SIZE");
             Given && llvm::StringRef(*Given).getAsInteger(10, Size)) {
    refuse("GRAPHGEN_CACHE_SIZE: '" + *Given + "' is no number of MiB");
    return std::nullopt;
  }
  constexpr unsigned MiBShift = 20;
  return llvm::SaturatingMultiply<uint64_t>(Size, uint64_t{1} << MiBShift);
}

/// Nothing is scanned, so that there is nothing to say of scans.
bool comparesTwo(const CommandLine& Line, bool HasFlags) {
  const cl::Option* const OfScans[] = {&Line.BuildDir,  &Line.OutDir, &Line.Depfile,     &Line.Checks, &Line.WarningsAsErrors,
                                       &Line.Format,    &Line.Fix,    &Line.ExportFixes, &Line.NoPch,  &Line.CacheDir,
                                       &Line.CacheSize, &Line.Timings};
  const auto IsGiven = [](const cl::Option* Each) { return Each->getNumOccurrences() > 0; };
  return (Line.Files.size() == 2 && !HasFlags && llvm::none_of(OfScans, IsGiven)) ||
         refuse("--compare takes two manifests, and no other option");
}

bool isRight(const CommandLine& Line, bool HasFlags) {
  if (Line.What.getNumOccurrences() > 1) {
    return refuse("only one of --check, --check-definitions, --print, --dump-plan, --explain and --compare can be given");
  }
  const bool Prints = Line.What == Mode::Print || Line.What == Mode::DumpPlan || Line.What == Mode::Explain;
  if (Prints && Line.Format != Format::Clang) {
    return refuse("--diagnostics-format=sarif and json print to standard output, and so do --print, --dump-plan and --explain");
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

}  // namespace

std::optional<Options> parseOptions(int Count, const char* const* Arguments) {
  const char* const* End = Arguments + Count;
  const char* const* Separator = std::find_if(Arguments, End, [](const char* A) { return std::strcmp(A, "--") == 0; });
  CommandLine Line;
  keepOwnOptions(Line.Category);
  cl::SetVersionPrinter(printVersion);
  if (!cl::ParseCommandLineOptions(static_cast<int>(Separator - Arguments), Arguments, Overview, &llvm::errs())) {
    return std::nullopt;
  }
  if (!isRight(Line, Separator != End)) {
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
  Parsed.Checks = Line.Checks;
  Parsed.WarningsAsErrors = Line.WarningsAsErrors;
  Parsed.Callables = Line.Callables;
  Parsed.What = Line.What;
  Parsed.UsePrecompiled = !Line.NoPch && *CacheSize > 0;
  Parsed.CacheDir = Line.CacheDir;
  Parsed.CacheSize = *CacheSize;
  Parsed.Timings = Line.Timings;
  Parsed.Format = Line.Format;
  Parsed.Fix = Line.Fix;
  Parsed.ExportFixes = Line.ExportFixes;
  if (Separator != End) {
    Parsed.Flags.emplace(Separator + 1, End);
  }
  return Parsed;
}

}  // namespace graphgen::driver
