// SPDX-License-Identifier: Apache-2.0
//
// --compare.
#include "driver/CompareManifests.h"

#include "plan/Compare.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace graphgen::driver {
namespace {

std::optional<plan::Manifest> read(llvm::StringRef File) {
  const auto Text = llvm::MemoryBuffer::getFile(File);
  llvm::Expected<plan::Manifest> Read = Text ? plan::readManifest((*Text)->getBuffer()) : llvm::errorCodeToError(Text.getError());
  if (Read) {
    return std::move(*Read);
  }
  llvm::errs() << "graphgen: error: cannot read the manifest '" << File << "': " << toString(Read.takeError()) << '\n';
  return std::nullopt;
}

}  // namespace

int compareManifests(llvm::StringRef OldFile, llvm::StringRef NewFile) {
  const std::optional<plan::Manifest> Old = read(OldFile), New = read(NewFile);
  if (!Old || !New) {
    return 2;
  }
  const std::vector<plan::Loss> Losses = plan::compare(*Old, *New);
  for (const plan::Loss& Each : Losses) {
    llvm::outs() << Each.File << ':' << Each.Line << ": '" << Each.Callable << "': " << Each.What << '\n';
  }
  return Losses.empty() ? 0 : 1;
}

}  // namespace graphgen::driver
