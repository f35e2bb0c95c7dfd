// SPDX-License-Identifier: Apache-2.0
#include "driver/Requests.h"

#include "driver/NvccFlags.h"
#include "driver/Outputs.h"
#include "driver/ResourceDir.h"
#include "plan/Units.h"
#include "scan/GeneratedHeaders.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

namespace graphgen::driver {
namespace {

/// For a user who waits; a build's log does not need it.
bool tellsMaking(const Options& Given) {
  return Given.Timings || (Given.Format == Format::Clang && llvm::sys::Process::StandardErrIsDisplayed());
}

}  // namespace

Requests::Requests(const Options& Given)
    : Given(Given),
      Commands(Given),
      Headers({Given.CacheDir.empty() ? CacheFolder::usual() : Given.CacheDir, Given.CacheSize}, tellsMaking(Given)) {}

llvm::Error Requests::setUp() {
  llvm::Expected<std::string> Found = findResourceDir();
  if (!Found) {
    return Found.takeError();
  }
  ResourceDir = std::move(*Found);
  return llvm::Error::success();
}

llvm::Expected<scan::ScanRequest> Requests::make(const Input& File, const Teller& Tell) {
  const std::string Generated = outputsOf(File, Given.OutDir).Source;
  llvm::Expected<CompileCommand> Command = Commands.find(File.Absolute, Generated.empty() ? Generated : absolute(Generated));
  if (!Command) {
    return Command.takeError();
  }
  scan::ScanRequest Request;
  Request.Prints = Tell.prints();
  Request.Explained = Tell.ids();
  Request.Files = scan::hideGeneratedHeaders(llvm::vfs::createPhysicalFileSystem(), {absolute("."), absolute(Given.OutDir)});
  if (const std::error_code Error = Request.Files->setCurrentWorkingDirectory(Command->Directory)) {
    return llvm::createStringError("cannot enter '" + Command->Directory + "', the folder of the compile command: " + Error.message());
  }
  Request.CommandLine = {"clang++", "-resource-dir", ResourceDir};
  Request.CommandLine.insert(Request.CommandLine.end(), Command->Flags.begin(), Command->Flags.end());
  // LibTorch's headers include <omp.h> then, which Debian's packages of Clang lack: without it they could not be precompiled.
  if (!llvm::sys::fs::exists(ResourceDir + "/include/omp.h")) {
    Request.CommandLine.push_back("-fno-openmp");
  }
  const std::string Path = isSame(Command->Directory, ".") ? File.Given : File.Absolute;
  if (File.IsCuda) {
    llvm::append_range(Request.CommandLine, flagsOfHostCode(Command->Flags));
  }
  const char* Language = File.IsHeader ? "c++-header" : File.IsCuda ? "cuda" : "c++";
  for (const llvm::StringRef Word : {"-DGRAPHGEN_SCAN", "-fsyntax-only", "-x", Language}) {
    Request.CommandLine.push_back(Word.str());
  }
  Request.CommandLine.push_back(Path);
  Request.Headers = Given.UsePrecompiled && !File.IsCuda ? &Headers : nullptr;
  Request.WhyNoFlags = Command->WhyNoFlags;
  return Request;
}

void tellTimes(const Input& File, const scan::ScanTimes& Times, scan::ScanTimes::Duration Checks) {
  const auto Tell = [](llvm::StringRef What, scan::ScanTimes::Duration Time) {
    if (Time.count() > 0) {
      llvm::errs() << ", " << What << ' ' << plan::timeInWords(Time);
    }
  };
  const auto Total = Times.Preamble + Times.Header + Times.Precompiled + Times.Plain;
  llvm::errs() << "graphgen: " << File.Given << ": " << plan::timeInWords(Total);
  Tell("preamble", Times.Preamble);
  Tell(Times.HeaderIsNew ? "precompiled header made in" : "precompiled header found in", Times.Header);
  Tell("scan with it", Times.Precompiled);
  Tell("scan without it", Times.Plain);
  Tell("checks", Checks);
  llvm::errs() << (Times.WhyPlain.empty() ? "" : "; no precompiled header because " + Times.WhyPlain) << '\n';
}

}  // namespace graphgen::driver
