// SPDX-License-Identifier: Apache-2.0
//
// A folder that stays the same one, whatever is put in the place of its path.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <utility>

namespace graphgen::emit {

/// Names are those of entries: without slashes. Errors are the reason alone.
class Folder {
 public:
  /// The folder at `Path`, made if need be. Links are followed.
  static llvm::Expected<Folder> make(llvm::StringRef Path);

  Folder(Folder&& Other) noexcept : Descriptor(std::exchange(Other.Descriptor, -1)) {}
  Folder& operator=(Folder&& Other) noexcept {
    std::swap(Descriptor, Other.Descriptor);
    return *this;
  }
  ~Folder();

  /// The folder `Name` in it, made if need be. A link is none.
  llvm::Expected<Folder> makeFolder(const std::string& Name) const;

  /// Makes the file `Name` in it hold `Content`, through a temporary file and a rename; one that does already is not touched. What is no
  /// regular file, a link among them, is an error.
  llvm::Error write(const std::string& Name, llvm::StringRef Content) const;

 private:
  explicit Folder(int Descriptor) : Descriptor(Descriptor) {}

  int Descriptor;
};

}  // namespace graphgen::emit
