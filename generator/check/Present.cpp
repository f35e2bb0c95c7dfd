// SPDX-License-Identifier: Apache-2.0
//
// Findings of one function with the same words, on one level, are equal.
#include "check/Present.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <set>
#include <tuple>

namespace graphgen::check {
namespace {

constexpr size_t MostSingly = 3;  // in text, of equal findings

using Kind = std::tuple<const clang::FunctionDecl*, llvm::StringRef, std::string, bool>;

/// With the words of the notes, which may say what to do.
Kind kindOf(const Finding& Its) {
  std::string Words = Its.Message;
  for (const Note& Each : Its.Notes) {
    Words += '\n' + Each.Message;
  }
  return {Its.In, Its.Check, std::move(Words), Its.IsCertain};
}

/// "12, 14, 20 to 31"
std::string rangesOf(const std::set<unsigned>& Lines) {
  std::vector<std::string> Ranges;
  for (auto First = Lines.begin(); First != Lines.end();) {
    auto Last = First;
    while (std::next(Last) != Lines.end() && *std::next(Last) == *Last + 1) {
      ++Last;
    }
    const llvm::StringRef Between = *Last == *First + 1 ? ", " : " to ";
    Ranges.push_back(std::to_string(*First) + (First == Last ? "" : (Between + llvm::Twine(*Last)).str()));
    First = std::next(Last);
  }
  return llvm::join(Ranges, ", ");
}

class Presenter {
 public:
  explicit Presenter(scan::Reporter& Report) : Report(Report), Sources(Report.engine().getSourceManager()) {}

  /// `First`: of equal ones, whose way back is mostly the same, and shown for the others where it is not.
  void tell(const Finding& Its, const Finding& First, bool IsInText) {
    const clang::SourceLocation Where = Sources.getFileLoc(Its.Where);
    {
      clang::DiagnosticBuilder Builder =
          Its.IsCertain ? Report.error(Where, Its.Check, Its.Message, IsInText) : Report.warning(Where, Its.Check, Its.Message, IsInText);
      Builder << Its.Range;
      llvm::for_each(Its.Fixes, [&](const clang::FixItHint& Each) { Builder << Each; });
    }
    tellMacro(Its.Where);
    for (const Note& Each : Its.Notes) {
      const bool IsInMacro = Its.Where.isMacroID() && Sources.getFileLoc(Each.Where) == Where;  // the same use of it
      if (!IsInMacro) {
        Report.note(Sources.getFileLoc(Each.Where), Each.Message);
      }
    }
    const bool IsOtherWay = &Its == &First || Its.Way != First.Way || Its.Callables != First.Callables;
    for (const Note& Each : Its.Way) {
      Report.call(Sources.getFileLoc(Each.Where), Each.Message, IsOtherWay);
    }
    if (Its.Callables.size() > 1) {
      Report.note({}, "reached from '" + llvm::join(Its.Callables, "', '") + "'", IsOtherWay);
    }
  }

  void tellLinesOf(llvm::ArrayRef<const Finding*> Others) {
    std::set<unsigned> Lines;
    for (const Finding* Each : Others) {
      Lines.insert(Sources.getPresumedLineNumber(Sources.getFileLoc(Each->Where)));
    }
    Report.noteInText((Lines.size() == 1 ? "also at line " : "also at lines ") + rangesOf(Lines));
  }

 private:
  /// Names the macro that the line uses, where the program's own text of it, or of one that it uses, is meant. Of a library's macro the
  /// line says all that a reader can change.
  void tellMacro(clang::SourceLocation Place) {
    clang::SourceLocation Written, Used;
    for (; Place.isMacroID(); Place = Sources.getImmediateMacroCallerLoc(Place)) {
      const clang::SourceLocation Text = Sources.getSpellingLoc(Place);
      if (Written.isInvalid() && !Sources.isInSystemHeader(Text) && !Sources.isWrittenInScratchSpace(Text)) {
        Written = Text;
      }
      if (Sources.isMacroBodyExpansion(Place)) {
        Used = Place;
      }
    }
    if (Written.isValid() && Used.isValid()) {
      Report.note(Written, "expanded from macro '" + clang::Lexer::getImmediateMacroName(Used, Sources, clang::LangOptions()) + "'");
    }
  }

  scan::Reporter& Report;
  const clang::SourceManager& Sources;
};

}  // namespace

void present(llvm::ArrayRef<Finding> All, scan::Reporter& Report) {
  std::map<Kind, std::vector<const Finding*>> Alike;
  for (const Finding& Each : All) {
    Alike[kindOf(Each)].push_back(&Each);
  }
  Presenter To(Report);
  for (const Finding& Each : All) {
    const llvm::ArrayRef<const Finding*> Same = Alike.at(kindOf(Each));
    const auto Place = static_cast<size_t>(llvm::find(Same, &Each) - Same.begin());
    To.tell(Each, *Same.front(), Place < MostSingly);
    if (Place + 1 == MostSingly && Same.size() > MostSingly) {
      To.tellLinesOf(Same.drop_front(MostSingly));
    }
  }
}

}  // namespace graphgen::check
