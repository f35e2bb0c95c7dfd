// SPDX-License-Identifier: Apache-2.0
//
// A scan takes long, a look at a text does not: only sources that spell a body of that name are scanned.
#include "driver/DefiningSources.h"

#include "scan/DefinitionText.h"
#include "scan/Extensions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <set>

namespace graphgen::driver {
namespace {

namespace json = llvm::json;
namespace path = llvm::sys::path;

class Search {
 public:
  explicit Search(const llvm::StringSet<>& Names) : Names(Names) {}

  void look(const Source& At) {
    if (!isWorthReading(At.File) || !Seen.insert(At.File).second) {
      return;
    }
    const auto Buffer = llvm::MemoryBuffer::getFile(At.File, /*IsText=*/true);
    if (!Buffer) {
      return;
    }
    Found.Read.push_back(At.File);
    if (scan::mayDefine((*Buffer)->getBuffer(), Names)) {
      Found.MayDefine.push_back(At);
    }
    for (const std::string& Included : scan::includedSources((*Buffer)->getBuffer())) {
      llvm::SmallString<256> File(Included);
      if (!path::is_absolute(File)) {
        File = path::parent_path(At.File);
        path::append(File, Included);
      }
      path::remove_dots(File, /*remove_dot_dot=*/true);
      look({File.str().str(), At.Entry});
    }
  }

  DefiningSources take() { return std::move(Found); }

 private:
  static bool isWorthReading(llvm::StringRef File) {
    return llvm::is_contained(scan::sourceExtensions(), path::extension(File)) && !path::stem(File).ends_with(".graphed");
  }

  const llvm::StringSet<>& Names;
  std::set<std::string> Seen;
  DefiningSources Found;
};

}  // namespace

llvm::Expected<llvm::StringSet<>> readCallableNames(llvm::StringRef Manifest) {
  const auto Buffer = llvm::MemoryBuffer::getFile(Manifest, /*IsText=*/true);
  if (!Buffer) {
    return llvm::createStringError("cannot read the manifest '" + Manifest + "': " + Buffer.getError().message() +
                                   "; write the header's code first");
  }
  llvm::Expected<json::Value> Parsed = json::parse((*Buffer)->getBuffer());
  if (!Parsed) {
    return Parsed.takeError();
  }
  const json::Object* Whole = Parsed->getAsObject();
  const json::Array* Callables = Whole ? Whole->getArray("callables") : nullptr;
  if (!Callables) {
    return llvm::createStringError("'" + Manifest + "' is no manifest: it lists no callables");
  }
  llvm::StringSet<> Names;
  for (const json::Value& Each : *Callables) {
    const json::Object* Callable = Each.getAsObject();
    if (const auto Name = Callable ? Callable->getString("name") : std::nullopt) {
      Names.insert(scan::unqualifiedName(*Name));
    }
  }
  return Names;
}

DefiningSources findDefiningSources(llvm::ArrayRef<std::string> Files, const llvm::StringSet<>& Names) {
  Search Looking(Names);
  for (const std::string& File : Files) {
    Looking.look({File, File});
  }
  return Looking.take();
}

}  // namespace graphgen::driver
