// SPDX-License-Identifier: Apache-2.0
//
// graphgen, the command.
#include "doctor/Doctor.h"
#include "driver/CheckPages.h"
#include "driver/CompareManifests.h"
#include "driver/Completion.h"
#include "driver/Driver.h"
#include "driver/Join.h"
#include "driver/ManPage.h"
#include "driver/StandardOutput.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"

namespace {

using namespace graphgen::driver;

/// Gives the program's exit status.
int act(const Options& Given) {
  switch (Given.What) {
    case Mode::Doctor:
      return graphgen::doctor::runDoctor(Given);
    case Mode::Compare:
      return compareManifests(Given.Files[0], Given.Files[1]);
    case Mode::Join:
      return joinSummaries(Given);
    case Mode::ListChecks:
      return listChecks(Given);
    case Mode::ExplainCheck:
      return explainCheck(Given.ExplainedId);
    case Mode::Completion:
      printCompletion(Given.CompletedShell, Given.Rows, llvm::outs());
      return 0;
    case Mode::ManPage:
      printManPage(Given.Rows, llvm::outs());
      return 0;
    default:
      return run(Given);
  }
}

}  // namespace

int main(int Count, const char** Arguments) {
  // A reader that closes standard output ends the program by SIGPIPE, as other programs of the shell.
  const llvm::InitLLVM Setup(Count, Arguments, /*InstallPipeSignalExitHandler=*/false);
  closeStandardOutputAtExit();
  llvm::setBugReportMsg("graphgen has crashed: please report it, with the file and the callable that are named below\n");
  const auto Given = parseOptions(Count, Arguments);
  return closeStandardOutput(Given ? act(*Given) : 2);
}
