// SPDX-License-Identifier: Apache-2.0
//
// A first line with the hash of the rest, which holds one field after another as they are in memory, lists after their length.
#include "driver/Manifest.h"

#include "scan/Digest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <sys/stat.h>
#include <chrono>
#include <cstring>
#include <thread>
#include <type_traits>

namespace graphgen::driver {
namespace {

constexpr llvm::StringLiteral Head = "graphgen precompiled header 3 ";

struct Writer {
  template <class T>
  void operator()(const T& Field) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      append(&Field, sizeof(Field));
    } else {
      (*this)(Field.size());
      if constexpr (std::is_trivially_copyable_v<typename T::value_type>) {
        append(Field.data(), Field.size() * sizeof(*Field.data()));
      } else {
        for (const auto& Each : Field) {
          (*this)(Each);
        }
      }
    }
  }

  void append(const void* Bytes, size_t Count) { Text.append(static_cast<const char*>(Bytes), Count); }

  std::string Text;
};

/// Fails for good at the first field that is not there.
struct Reader {
  template <class T>
  void operator()(T& Field) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      take(&Field, sizeof(Field));
    } else {
      size_t Size = 0;
      (*this)(Size);
      Failed |= Size > Rest.size();
      Field.resize(Failed ? 0 : Size);
      if constexpr (std::is_trivially_copyable_v<typename T::value_type>) {
        take(Field.data(), Field.size() * sizeof(*Field.data()));
      } else {
        for (auto& Each : Field) {
          (*this)(Each);
        }
      }
    }
  }

  void take(void* Bytes, size_t Count) {
    Failed |= Count > Rest.size();
    if (!Failed && Count > 0) {
      std::memcpy(Bytes, Rest.data(), Count);
      Rest = Rest.drop_front(Count);
    }
  }

  llvm::StringRef Rest;
  bool Failed = false;
};

template <class Archive, class Header>
void eachField(Archive& Pass, Header& Made) {
  Pass(Made.Flags);
  Pass(Made.Files);
  Pass(Made.Digests);
  Pass(Made.Missing);
  Pass(Made.Text.Identifiers);
  Pass(Made.Text.Macros);
  Pass(Made.Text.Included);
}

/// Nothing where it is not a file that can be asked about.
std::optional<Stamp> stampOf(const std::string& Path) {
  const auto Nanoseconds = [](const timespec& Time) { return int64_t{Time.tv_sec} * 1'000'000'000 + Time.tv_nsec; };
  struct stat Known;
  if (stat(Path.c_str(), &Known) != 0) {
    return std::nullopt;
  }
  return Stamp{Known.st_size, static_cast<int64_t>(Known.st_ino), Nanoseconds(Known.st_mtim), Nanoseconds(Known.st_ctim)};
}

/// Empty where the file cannot be read.
std::string digestOfFile(const std::string& Path) {
  const auto Bytes = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return Bytes ? scan::digestOf((*Bytes)->getBuffer()) : std::string();
}

bool isAsItWas(const std::string& Path, Stamp& Known, llvm::StringRef Digest, bool& IsRenewed) {
  const std::optional<Stamp> Now = stampOf(Path);
  if (Now == Known) {
    return true;
  }
  if (!Now || Now->front() != Known.front() || digestOfFile(Path) != Digest) {
    return false;
  }
  Known = *Now;
  IsRenewed = true;
  return true;
}

}  // namespace

bool Manifest::holds(bool& IsRenewed) {
  if (!Header.Path.empty() && !isAsItWas(Header.Path, BinaryStamp, BinaryDigest, IsRenewed)) {
    return false;
  }
  for (auto&& [Path, Known, Digest] : llvm::zip_equal(Header.Files, Stamps, Header.Digests)) {
    if (!isAsItWas(Path, Known, Digest, IsRenewed)) {
      return false;
    }
  }
  return llvm::none_of(Header.Missing, [](const std::string& Path) { return llvm::sys::fs::exists(Path); });
}

bool Manifest::moveBinary(const std::string& Path) {
  BinaryDigest = digestOfFile(Header.Path);
  if (BinaryDigest.empty() || llvm::sys::fs::rename(Header.Path, Path)) {
    return false;
  }
  Header.Path = Path;
  const std::optional<Stamp> Now = stampOf(Path);
  BinaryStamp = Now.value_or(Stamp());
  return Now.has_value();
}

std::string Manifest::contentKey() const {
  Writer Write;
  eachField(Write, Header);
  return scan::digestOf(Write.Text);
}

std::optional<Manifest> Manifest::of(scan::PrecompiledHeader Made) {
  Manifest Result;
  for (const std::string& Path : Made.Files) {
    Result.Stamps.push_back(stampOf(Path).value_or(Stamp()));
  }
  // Two changes within a tick of the file system's clock have one stamp. A stamp that is a tick old is that of no later change.
  constexpr std::chrono::milliseconds ClockTick{20};
  std::this_thread::sleep_for(ClockTick);
  for (auto&& [Path, Old, Digest] : llvm::zip_equal(Made.Files, Result.Stamps, Made.Digests)) {
    const std::string Now = digestOfFile(Path);
    if (Now.empty() || stampOf(Path) != Old || (!Digest.empty() && Digest != Now)) {
      return std::nullopt;
    }
    Digest = Now;
  }
  Result.Header = std::move(Made);
  return Result;
}

std::string Manifest::text() const {
  Writer Write;
  Write(BinaryStamp);
  Write(BinaryDigest);
  Write(Stamps);
  eachField(Write, Header);
  return (Head + scan::digestOf(Write.Text) + "\n" + Write.Text).str();
}

std::optional<Manifest> Manifest::read(llvm::StringRef Text, const std::string& BinaryPath) {
  const auto [First, Rest] = Text.split('\n');
  if (First != Head.str() + scan::digestOf(Rest)) {
    return std::nullopt;
  }
  Manifest Result;
  Reader Read{Rest};
  Read(Result.BinaryStamp);
  Read(Result.BinaryDigest);
  Read(Result.Stamps);
  eachField(Read, Result.Header);
  Result.Header.Path = Result.BinaryDigest.empty() ? "" : BinaryPath;
  return Read.Failed || !Read.Rest.empty() ? std::nullopt : std::optional(std::move(Result));
}

}  // namespace graphgen::driver
