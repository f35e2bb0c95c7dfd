// SPDX-License-Identifier: Apache-2.0
//
// A first line with the hash of the rest; a line for the binary, for each file, each missing path and each flag; the hashes of names as
// they are in memory.
#include "driver/Manifest.h"

#include "scan/Digest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <chrono>
#include <cstring>
#include <thread>

namespace graphgen::driver {
namespace {

constexpr llvm::StringLiteral Head = "graphgen precompiled header 2 ";

void append(std::string& Text, llvm::StringRef Word, const Manifest::File& Known, llvm::StringRef Path) {
  const Stamp& At = Known.At;
  Text += (Word + " " + llvm::Twine(At.Size) + " " + llvm::Twine(At.Node) + " " + llvm::Twine(At.Modified) + " " + llvm::Twine(At.Changed) +
           " " + Known.Digest + " " + Path + "\n")
              .str();
}

void append(std::string& Text, llvm::StringRef Word, const std::vector<uint64_t>& Hashes) {
  Text += (Word + " " + llvm::Twine(Hashes.size()) + "\n").str();
  Text.append(reinterpret_cast<const char*>(Hashes.data()), Hashes.size() * sizeof(uint64_t));
}

/// Takes one line after another, and fails for good at the first that is not as expected.
class Reader {
 public:
  explicit Reader(llvm::StringRef Rest) : Rest(Rest) {}

  bool at(llvm::StringRef Word) const { return !Failed && Rest.starts_with((Word + " ").str()); }

  Manifest::File file(llvm::StringRef Word, std::string& Path) {
    Manifest::File Result;
    word(Word);
    number(Result.At.Size);
    number(Result.At.Node);
    number(Result.At.Modified);
    number(Result.At.Changed);
    Result.Digest = upTo(' ').str();
    Path = upTo('\n').str();
    return Result;
  }

  std::string line(llvm::StringRef Word) {
    word(Word);
    return upTo('\n').str();
  }

  std::vector<uint64_t> hashes(llvm::StringRef Word) {
    size_t Count = 0;
    word(Word);
    Failed |= upTo('\n').getAsInteger(10, Count) || Count > Rest.size() / sizeof(uint64_t);
    std::vector<uint64_t> Result(Failed ? 0 : Count);
    if (!Result.empty()) {
      std::memcpy(Result.data(), Rest.data(), Count * sizeof(uint64_t));
      Rest = Rest.drop_front(Count * sizeof(uint64_t));
    }
    return Result;
  }

  bool isDone() const { return !Failed && Rest.empty(); }

 private:
  void word(llvm::StringRef Word) { Failed |= upTo(' ') != Word; }

  template <class T>
  void number(T& Value) {
    Failed |= upTo(' ').getAsInteger(10, Value);
  }

  llvm::StringRef upTo(char End) {
    const size_t At = Rest.find(End);
    Failed |= At == llvm::StringRef::npos;
    const llvm::StringRef Taken = Failed ? llvm::StringRef() : Rest.take_front(At);
    Rest = Failed ? llvm::StringRef() : Rest.drop_front(At + 1);
    return Taken;
  }

  llvm::StringRef Rest;
  bool Failed = false;
};

bool holds(Manifest::File& Known, const std::string& Path, bool& IsRenewed) {
  const std::optional<Stamp> Now = stampOf(Path);
  if (!Now) {
    return false;
  }
  if (*Now == Known.At) {
    return true;
  }
  if (Now->Size != Known.At.Size || digestOfFile(Path) != Known.Digest) {
    return false;
  }
  Known.At = *Now;
  IsRenewed = true;
  return true;
}

std::optional<Manifest::File> fileAt(const std::string& Path) {
  const std::optional<Stamp> Known = stampOf(Path);
  Manifest::File Result{Known.value_or(Stamp()), digestOfFile(Path)};
  const bool IsFit = Known && !Result.Digest.empty() && stampOf(Path) == Known && Path.find('\n') == std::string::npos;
  return IsFit ? std::optional(Result) : std::nullopt;
}

}  // namespace

bool Manifest::holds(bool& IsRenewed) {
  if (!Header.Path.empty() && !driver::holds(Binary, Header.Path, IsRenewed)) {
    return false;
  }
  for (auto&& [Known, Path] : llvm::zip(Files, Header.Files)) {
    if (!driver::holds(Known, Path, IsRenewed)) {
      return false;
    }
  }
  return llvm::none_of(Header.Missing, [](const std::string& Path) { return llvm::sys::fs::exists(Path); });
}

std::string Manifest::contentKey() const {
  std::string All;
  for (const auto& [Known, Path] : llvm::zip(Files, Header.Files)) {
    All += Known.Digest + " " + Path + "\n";
  }
  for (const std::string& Path : Header.Missing) {
    All += "- " + Path + "\n";
  }
  for (const std::string& Flag : Header.Flags) {
    All += Flag + '\0';
  }
  return scan::digestOf(All);
}

std::optional<Manifest> Manifest::of(scan::PrecompiledHeader Made) {
  // Two changes within a tick of the file system's clock have one stamp. A stamp that is a tick old is that of no later change.
  constexpr std::chrono::milliseconds ClockTick{20};
  std::vector<std::optional<Stamp>> Before;
  for (const std::string& Path : Made.Files) {
    Before.push_back(stampOf(Path));
  }
  std::this_thread::sleep_for(ClockTick);
  Manifest Result;
  for (const auto& [Path, Digest, Old] : llvm::zip_equal(Made.Files, Made.Digests, Before)) {
    const std::optional<File> Known = fileAt(Path);
    if (!Known || !(Old == Known->At) || (!Digest.empty() && Digest != Known->Digest)) {
      return std::nullopt;
    }
    Result.Files.push_back(*Known);
  }
  const auto HasLineEnd = [](llvm::StringRef Text) { return Text.contains('\n'); };
  if (llvm::any_of(Made.Missing, HasLineEnd) || llvm::any_of(Made.Flags, HasLineEnd)) {
    return std::nullopt;
  }
  Result.Header = std::move(Made);
  return Result;
}

std::string Manifest::text() const {
  std::string Rest;
  if (!Header.Path.empty()) {
    append(Rest, "binary", Binary, "");
  }
  for (const auto& [Known, Path] : llvm::zip(Files, Header.Files)) {
    append(Rest, "file", Known, Path);
  }
  for (const std::string& Path : Header.Missing) {
    Rest += "missing " + Path + "\n";
  }
  for (const std::string& Flag : Header.Flags) {
    Rest += "flag " + Flag + "\n";
  }
  append(Rest, "identifiers", Header.Text.Identifiers);
  append(Rest, "macros", Header.Text.Macros);
  append(Rest, "included", Header.Text.Included);
  return (Head + scan::digestOf(Rest) + "\n" + Rest).str();
}

std::optional<Manifest> Manifest::read(llvm::StringRef Text, std::string BinaryPath) {
  const auto [First, Rest] = Text.split('\n');
  if (First != Head.str() + scan::digestOf(Rest)) {
    return std::nullopt;
  }
  Manifest Result;
  Reader Read(Rest);
  std::string Path;
  if (Read.at("binary")) {
    Result.Binary = Read.file("binary", Path);
    Result.Header.Path = std::move(BinaryPath);
  }
  while (Read.at("file")) {
    Result.Files.push_back(Read.file("file", Path));
    Result.Header.Files.push_back(std::move(Path));
  }
  while (Read.at("missing")) {
    Result.Header.Missing.push_back(Read.line("missing"));
  }
  while (Read.at("flag")) {
    Result.Header.Flags.push_back(Read.line("flag"));
  }
  Result.Header.Text.Identifiers = Read.hashes("identifiers");
  Result.Header.Text.Macros = Read.hashes("macros");
  Result.Header.Text.Included = Read.hashes("included");
  return Read.isDone() ? std::optional(std::move(Result)) : std::nullopt;
}

}  // namespace graphgen::driver
