// SPDX-License-Identifier: Apache-2.0
//
// The comments of a file are looked for when a place in it is asked about.
#include "check/Allowances.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <set>

namespace graphgen::check {
namespace {

constexpr llvm::StringLiteral Mark = "graphgen: allow(";

class Reader {
 public:
  Reader(const clang::SourceManager& Sources, clang::FileID File)
      : Sources(Sources), Begin(Sources.getLocForStartOfFile(File)), Text(Sources.getBufferData(File)) {}

  std::vector<Allowance> read() {
    for (size_t At = Text.find(Mark); At != llvm::StringRef::npos; At = Text.find(Mark, At + 1)) {
      const size_t LineEnd = Text.rfind('\n', At);
      const llvm::StringRef Before = Text.slice(LineEnd == llvm::StringRef::npos ? 0 : LineEnd + 1, At);
      if (Before.contains("//")) {
        readNames(At + Mark.size(), Before.trim().starts_with("//"));
      }
    }
    return std::move(Found);
  }

 private:
  void readNames(size_t At, bool IsAlone) {
    const llvm::StringRef Line = Text.drop_front(At).split('\n').first;
    const llvm::StringRef List = Line.take_front(Line.find(')'));
    const unsigned Number = Sources.getExpansionLineNumber(place(At)) + (IsAlone ? 1 : 0);
    llvm::SmallVector<llvm::StringRef, 4> Names;
    List.split(Names, ',');
    for (const llvm::StringRef Each : Names) {
      const llvm::StringRef Name = Each.trim();
      const auto Offset = static_cast<size_t>(Name.data() - Text.data());
      Found.push_back({Name.str(), clang::CharSourceRange::getCharRange(place(Offset), place(Offset + Name.size())), Number, false});
    }
  }

  clang::SourceLocation place(size_t Offset) const { return Begin.getLocWithOffset(static_cast<int>(Offset)); }

  const clang::SourceManager& Sources;
  clang::SourceLocation Begin;
  llvm::StringRef Text;
  std::vector<Allowance> Found;
};

}  // namespace

std::vector<Allowance>& Allowances::of(clang::FileID File) {
  const auto [Known, IsNew] = Files.try_emplace(File);
  if (IsNew) {
    Known->second = Reader(Sources, File).read();
  }
  return Known->second;
}

bool Allowances::silences(const Finding& Told) {
  const bool AtUse = silences(Told.Check, Sources.getFileLoc(Told.Where));
  const bool InMacro = silences(Told.Check, Sources.getSpellingLoc(Told.Where));
  return AtUse || InMacro;
}

bool Allowances::silences(llvm::StringRef Check, clang::SourceLocation Place) {
  const clang::FileID File = Sources.getFileID(Place);
  if (!Sources.getFileEntryRefForID(File)) {
    return false;  // a macro made it up
  }
  bool Found = false;
  for (Allowance& Each : of(File)) {
    if (Each.Check == Check && Each.Line == Sources.getExpansionLineNumber(Place)) {
      Each.IsUsed = Found = true;
    }
  }
  return Found;
}

std::vector<Allowance> Allowances::inside(llvm::ArrayRef<const clang::FunctionDecl*> Bodies) {
  std::set<clang::SourceLocation> Seen;
  std::vector<Allowance> Result;
  for (const clang::FunctionDecl* Body : Bodies) {
    const clang::SourceLocation First = Sources.getExpansionLoc(Body->getBeginLoc()), Last = Sources.getExpansionLoc(Body->getEndLoc());
    const unsigned FirstLine = Sources.getExpansionLineNumber(First), LastLine = Sources.getExpansionLineNumber(Last);
    for (const Allowance& Each : of(Sources.getFileID(First))) {
      if (FirstLine <= Each.Line && Each.Line <= LastLine && Seen.insert(Each.Range.getBegin()).second) {
        Result.push_back(Each);
      }
    }
  }
  return Result;
}

}  // namespace graphgen::check
