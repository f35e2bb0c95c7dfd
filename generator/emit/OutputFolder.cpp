// SPDX-License-Identifier: Apache-2.0
//
// Each part of the path is asked about, from the folder downwards: what does not exist yet is made as a folder or a file, not as a link.
// The path that comes of it has no links: it is gone down again folder by folder, each opened in the one before.
#include "emit/OutputFolder.h"

#include "emit/Folder.h"

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

/// Of `File`, seen from `OutDir`, without links.
Expected<path> realPlace(StringRef OutDir, StringRef File) {
  std::error_code Failed;
  path Place = OutDir.empty() ? "." : OutDir.str();
  const path Folder = std::filesystem::weakly_canonical(Place, Failed);
  if (Failed) {
    return refuse(File, Failed.message());
  }
  path Real = Folder;
  for (const path& Part : path(File.drop_front(OutDir.size()).ltrim('/').str())) {
    Place /= Part;
    Real /= Part;
    std::error_code Missing;
    if (!std::filesystem::is_symlink(std::filesystem::symlink_status(Real, Missing))) {
      continue;
    }
    const path Target = destination(Real, Failed);
    if (!Failed && !isInside(Folder, Target)) {
      return refuse(
          File, "the symbolic link '" + Place.string() + "' leads out of the output folder '" + OutDir + "', to '" + Target.string() + "'");
    }
    if (!Failed && !std::filesystem::exists(Target, Failed) && !Failed) {
      Failed = std::make_error_code(std::errc::no_such_file_or_directory);
    }
    if (Failed) {
      return refuse(File, "the symbolic link '" + Place.string() + "' leads nowhere: " + Failed.message());
    }
    Real = Target;
  }
  return Real.lexically_relative(Folder);
}

}  // namespace

Error checkStaysInside(StringRef OutDir, StringRef File) { return realPlace(OutDir, File).takeError(); }

Error writeInside(StringRef OutDir, StringRef File, StringRef Content) {
  Expected<path> Place = realPlace(OutDir, File);
  if (!Place) {
    return Place.takeError();
  }
  Expected<Folder> Inside = Folder::make(OutDir.empty() ? "." : OutDir);
  for (const path& Part : Place->parent_path()) {
    if (Inside) {
      Inside = Inside->makeFolder(Part.string());
    }
  }
  if (!Inside) {
    return refuse(File, toString(Inside.takeError()));
  }
  Error Failed = Inside->write(Place->filename().string(), Content);
  return Failed ? refuse(File, toString(std::move(Failed))) : Error::success();
}

}  // namespace graphgen::emit
