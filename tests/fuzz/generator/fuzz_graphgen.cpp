// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a file with annotated callables, for graphgen as it is run by a build: from files to files, in this process.
#include "Folders.h"
#include "Oracle.h"
#include "Program.h"
#include "Silence.h"

#include "driver/Driver.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace fuzz = graphgen::fuzz;
using graphgen::driver::Format;
using graphgen::driver::Mode;

namespace {

struct Process {
  fuzz::Folders Work;
  unsigned long Runs = 0;
  unsigned long Done = 0;  // with exit status 0
  unsigned long Written = 0;
  int Errors = dup(STDERR_FILENO);  // where libFuzzer's messages go
};

std::unique_ptr<Process> Here;

void summarize() {
  dprintf(Here->Errors, "exit 0: %lu of %lu runs, of which %lu wrote files\n", Here->Done, Here->Runs, Here->Written);
  Here.reset();
}

void print(const fuzz::Contents& Files) {
  for (const auto& [Name, Content] : Files) {
    dprintf(Here->Errors, "--- %s\n%s\n", Name.c_str(), Content.c_str());
  }
}

/// libFuzzer keeps the input of a process that ends so.
void require(const std::string& Violation, const fuzz::Program& P) {
  if (!Violation.empty()) {
    print(P.Files);
    print(Here->Work.outputs());
    dprintf(Here->Errors, "violated: %s\n", Violation.c_str());
    std::abort();
  }
}

std::string violationIn(const std::string& Output, const std::string& Content, const std::string& Input) {
  return llvm::StringRef(Output).ends_with(".json") ? fuzz::violationInManifest(Content) : fuzz::violationInCode(Content, Input);
}

void checkOutputs(const fuzz::Program& P, int Status) {
  const fuzz::Contents Outputs = Here->Work.outputs();
  const bool IsWritten = P.Given.What == Mode::Write && Status == 0;
  require(IsWritten == !Outputs.empty() ? "" : "files are written where all is well, and only there", P);
  for (const auto& [Name, Content] : Outputs) {
    require(violationIn(Name, Content, P.Given.Files.front()), P);
  }
  Here->Written += IsWritten ? 1 : 0;
}

void checkPrinted(const fuzz::Program& P, int Status) {
  const std::string Printed = fuzz::Silence::output();
  if (P.Given.Format != Format::Clang) {
    require(fuzz::violationInJson(Printed), P);
  } else if (P.Given.What == Mode::DumpPlan && Status == 0) {
    require(fuzz::violationInManifest(Printed), P);
  } else {
    require(fuzz::violationInText(Printed), P);
  }
}

int run(fuzz::Program& P) {
  P.Given.OutDir = fuzz::Folders::OutDir;
  P.Given.Depfile = fuzz::Folders::Depfile;
  P.Given.CacheDir = Here->Work.cache();
  P.Given.CacheSize = uint64_t{1} << 30u;
  const fuzz::Silence Quiet;
  return graphgen::driver::run(P.Given);
}

}  // namespace

/// LLVM's arenas poison memory where they are compiled with sanitizers; its library, which is not, would not unpoison what it allocates.
extern "C" const char* __asan_default_options() { return "allow_user_poisoning=0"; }

extern "C" int LLVMFuzzerInitialize(int* Count, char*** Arguments) {
  Here = std::make_unique<Process>();
  std::atexit(summarize);
  // libFuzzer keeps a way to the terminal while standard error is elsewhere; LeakSanitizer looks once, at the end of the process: it takes
  // longer than a run.
  static char KeepErrors[] = "-close_fd_mask=2", LookAtTheEnd[] = "-detect_leaks=0";
  static std::vector<char*> Own(*Arguments, *Arguments + *Count);
  Own.insert(Own.end(), {KeepErrors, LookAtTheEnd, nullptr});
  *Arguments = Own.data();
  *Count += 2;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* Data, size_t Size) {
  fuzz::Program P = fuzz::programOf({reinterpret_cast<const char*>(Data), Size});
  if (!Here->Work.prepare(P)) {
    return -1;
  }
  if (std::getenv("FUZZ_PRINT")) {
    print(P.Files);
  }
  const fuzz::Contents Before = Here->Work.others();
  const int Status = run(P);
  ++Here->Runs;
  Here->Done += Status == 0 ? 1 : 0;
  require(Status == 0 || Status == 1 ? "" : "the exit status is 0 or 1", P);
  require(Here->Work.others() == Before ? "" : "nothing is written outside of the output folder", P);
  checkOutputs(P, Status);
  checkPrinted(P, Status);
  const std::string Depfile = fuzz::contentOf(fuzz::Folders::Depfile);
  require(Status == 0 ? fuzz::violationInDepfile(Depfile) : Depfile.empty() ? "" : "no depfile is written where something is wrong", P);
  return 0;
}
