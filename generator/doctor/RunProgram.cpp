// SPDX-License-Identifier: Apache-2.0
//
// The output goes through a temporary file, which is all that LLVM's support library offers.
#include "doctor/RunProgram.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

#include <vector>

namespace graphgen::doctor {

Answer ask(llvm::StringRef Path, llvm::ArrayRef<llvm::StringRef> Arguments) {
  constexpr unsigned MostSeconds = 5;
  llvm::SmallString<256> Output;
  if (llvm::sys::fs::createTemporaryFile("graphgen-doctor", "txt", Output)) {
    return {std::nullopt, "cannot be asked: no temporary file can be made"};
  }
  const llvm::FileRemover Remove(Output);
  std::vector<llvm::StringRef> Words = {Path};
  llvm::append_range(Words, Arguments);
  const llvm::StringRef NoFile;
  std::string Why;
  bool IsNotStarted = false;
  const int Code = llvm::sys::ExecuteAndWait(Path, Words, std::nullopt, {NoFile, Output.str(), NoFile}, MostSeconds, /*MemoryLimit=*/0,
                                             &Why, &IsNotStarted);
  constexpr int Ended = -2;  // by a signal, that of its time limit included
  if (Code == Ended && llvm::StringRef(Why).contains("timed out")) {
    return {std::nullopt, "does not answer within " + std::to_string(MostSeconds) + " seconds"};
  }
  if (IsNotStarted || Code < 0) {
    return {std::nullopt, (IsNotStarted ? "cannot be run: " : "crashes: ") + Why};
  }
  const auto Text = llvm::MemoryBuffer::getFile(Output, /*IsText=*/true);
  if (Code != 0 || !Text) {
    return {std::nullopt, "fails: exit code " + std::to_string(Code)};
  }
  return {(*Text)->getBuffer().str(), {}};
}

std::string remedyOf(llvm::StringRef Name, llvm::StringRef Path, llvm::StringRef Problem) {
  return (Name + ", " + Path + ", " + Problem + ": fix it, or install another one").str();
}

std::string programOnPath(llvm::StringRef Name) {
  const llvm::ErrorOr<std::string> Found = llvm::sys::findProgramByName(Name);
  return Found ? *Found : std::string();
}

std::string versionIn(llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef> Parts;
  return llvm::Regex("[0-9]+\\.[0-9]+(\\.[0-9]+)?").match(Text, &Parts) ? Parts.front().str() : std::string();
}

}  // namespace graphgen::doctor
