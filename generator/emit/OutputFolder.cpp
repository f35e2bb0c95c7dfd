// SPDX-License-Identifier: Apache-2.0
//
// Each part of the path is asked about, from the folder downwards: what does not exist yet is made as a folder or a file, not as a link.
#include "emit/OutputFolder.h"

#include "llvm/ADT/Twine.h"

#include <filesystem>

using namespace llvm;

namespace graphgen::emit {
namespace {

using std::filesystem::path;

/// Where a link leads, which need not exist.
path destination(const path& Link, std::error_code& Failed) {
  path Real = std::filesystem::canonical(Link, Failed);
  if (!Failed) {
    return Real;
  }
  const path Target = std::filesystem::read_symlink(Link, Failed);
  return Failed ? path() : std::filesystem::weakly_canonical(Link.parent_path() / Target, Failed);
}

bool isInside(const path& Folder, const path& File) {
  const path Relative = File.lexically_relative(Folder);
  return !Relative.empty() && *Relative.begin() != "..";
}

Error refuse(StringRef File, const Twine& Why) {
  return createStringError(inconvertibleErrorCode(), "cannot write '" + File + "': " + Why);
}

}  // namespace

Error checkStaysInside(StringRef OutDir, StringRef File) {
  std::error_code Failed;
  path Place = OutDir.empty() ? "." : OutDir.str();
  const path Folder = std::filesystem::weakly_canonical(Place, Failed);
  if (Failed) {
    return refuse(File, Failed.message());
  }
  for (const path& Part : path(File.drop_front(OutDir.size()).ltrim('/').str())) {
    Place /= Part;
    std::error_code Missing;
    if (!std::filesystem::is_symlink(std::filesystem::symlink_status(Place, Missing))) {
      continue;
    }
    const path Target = destination(Place, Failed);
    if (Failed) {
      return refuse(File, "the symbolic link '" + Place.string() + "' leads nowhere: " + Failed.message());
    }
    if (!isInside(Folder, Target)) {
      return refuse(
          File, "the symbolic link '" + Place.string() + "' leads out of the output folder '" + OutDir + "', to '" + Target.string() + "'");
    }
  }
  return Error::success();
}

}  // namespace graphgen::emit
