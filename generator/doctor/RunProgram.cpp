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

std::optional<std::string> outputOf(llvm::StringRef Path, llvm::ArrayRef<llvm::StringRef> Arguments) {
  constexpr unsigned MostSeconds = 20;
  llvm::SmallString<256> Output;
  if (llvm::sys::fs::createTemporaryFile("graphgen-doctor", "txt", Output)) {
    return std::nullopt;
  }
  const llvm::FileRemover Remove(Output);
  std::vector<llvm::StringRef> Words = {Path};
  llvm::append_range(Words, Arguments);
  const llvm::StringRef NoFile;
  if (llvm::sys::ExecuteAndWait(Path, Words, std::nullopt, {NoFile, Output.str(), NoFile}, MostSeconds) != 0) {
    return std::nullopt;
  }
  const auto Text = llvm::MemoryBuffer::getFile(Output, /*IsText=*/true);
  return Text ? std::optional((*Text)->getBuffer().str()) : std::nullopt;
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
