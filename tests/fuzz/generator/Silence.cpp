// SPDX-License-Identifier: Apache-2.0
//
// By the descriptors: LLVM's streams know no other way.
#include "Silence.h"

#include "llvm/Support/raw_ostream.h"

#include <sys/mman.h>
#include <unistd.h>
#include <cstdlib>

namespace graphgen::fuzz {
namespace {

int inMemory(const char* Name) {
  const int File = memfd_create(Name, MFD_CLOEXEC);
  return File < 0 ? (std::abort(), -1) : File;
}

int outputFile() {
  static const int File = inMemory("output");
  return File;
}

int errorFile() {
  static const int File = inMemory("errors");
  return File;
}

/// Gives what `Descriptor` was.
int replace(int Descriptor, int File) {
  const int Before = dup(Descriptor);
  if (ftruncate(File, 0) != 0 || lseek(File, 0, SEEK_SET) != 0 || dup2(File, Descriptor) < 0) {
    std::abort();
  }
  return Before;
}

}  // namespace

Silence::Silence() : Output(replace(STDOUT_FILENO, outputFile())), Errors(replace(STDERR_FILENO, errorFile())) {}

Silence::~Silence() {
  llvm::outs().flush();
  llvm::errs().flush();
  dup2(Output, STDOUT_FILENO);
  dup2(Errors, STDERR_FILENO);
  close(Output);
  close(Errors);
}

std::string Silence::output() {
  std::string Text(static_cast<size_t>(lseek(outputFile(), 0, SEEK_END)), '\0');
  const ssize_t Length = pread(outputFile(), Text.data(), Text.size(), 0);
  return Length == static_cast<ssize_t>(Text.size()) ? Text : (std::abort(), Text);
}

}  // namespace graphgen::fuzz
