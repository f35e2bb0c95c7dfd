// SPDX-License-Identifier: Apache-2.0
//
// Rebuilds the stringized argument of GRAPHED and GRAPHED_FOR from its tokens.
#include "scan/MacroText.h"

#include "clang/Basic/CharInfo.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroArgs.h"
#include "clang/Lex/Preprocessor.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::scan {

void MacroText::append(llvm::StringRef Spelling, bool SpaceBefore, clang::SourceLocation Location) {
  if (SpaceBefore && !Text.empty()) {
    Text += ' ';
  }
  Pieces.push_back({static_cast<unsigned>(Text.size()), Location});
  Text += Spelling;
}

clang::SourceLocation MacroText::byte(unsigned Offset) const {
  const auto After = llvm::upper_bound(Pieces, Offset, [](unsigned Value, const Piece& P) { return Value < P.Begin; });
  const Piece& P = *std::prev(After);
  return P.Location.getLocWithOffset(static_cast<int>(Offset - P.Begin));
}

clang::SourceLocation MacroText::insertion(unsigned Offset) const {
  if (Text.empty()) {
    return Macro.getEnd();
  }
  if (Offset == 0) {
    return byte(0);
  }
  return byte(Offset - 1).getLocWithOffset(1);
}

clang::CharSourceRange MacroText::range(annotation::TextRange Range) const {
  const unsigned Size = static_cast<unsigned>(Text.size());
  const unsigned Begin = std::min(Range.Begin, Size), End = std::min(Range.End, Size);
  if (Begin >= End) {
    return clang::CharSourceRange::getCharRange(insertion(Begin), insertion(Begin));
  }
  return clang::CharSourceRange::getCharRange(byte(Begin), byte(End - 1).getLocWithOffset(1));
}

namespace {

class MacroRecorder : public clang::PPCallbacks {
 public:
  MacroRecorder(clang::Preprocessor& PP, MacroTexts& Texts) : PP(PP), Texts(Texts) {}

  void MacroExpands(const clang::Token& Name, const clang::MacroDefinition&, clang::SourceRange Range,
                    const clang::MacroArgs* Arguments) override {
    const clang::IdentifierInfo* Identifier = Arguments ? Name.getIdentifierInfo() : nullptr;
    const bool NamesFunction = Identifier && Identifier->isStr("GRAPHED_FOR");
    if (!Identifier || (!NamesFunction && !Identifier->isStr("GRAPHED"))) {
      return;
    }
    MacroText Text({Name.getLocation(), Range.getEnd()}, NamesFunction);
    appendDropped(Text, NamesFunction ? afterFunction(*Arguments) : after(Name, clang::tok::l_paren));
    for (const clang::Token* T = Arguments->getUnexpArgument(NamesFunction ? 1 : 0); T->isNot(clang::tok::eof); ++T) {
      append(Text, *T);
      appendDropped(Text, PP.getSourceManager().getSpellingLoc(T->getLocation()).getLocWithOffset(static_cast<int>(T->getLength())));
    }
    Texts.insert_or_assign(Name.getLocation(), std::move(Text));
  }

 private:
  /// One that a backslash at a line's end or a trigraph is part of, byte by byte: each has a place of its own.
  void append(MacroText& Text, const clang::Token& T) const {
    const std::string Spelling = PP.getSpelling(T);
    const bool SpaceBefore = T.hasLeadingSpace() || T.isAtStartOfLine();
    if (!T.needsCleaning()) {
      return Text.append(Spelling, SpaceBefore, T.getLocation());
    }
    for (unsigned Index = 0; Index < Spelling.size(); ++Index) {
      Text.append(llvm::StringRef(Spelling).substr(Index, 1), SpaceBefore && Index == 0,
                  PP.AdvanceToTokenCharacter(T.getLocation(), Index));
    }
  }

  /// Behind the token of this kind that follows `Before`.
  clang::SourceLocation after(const clang::Token& Before, clang::tok::TokenKind Kind) const {
    const clang::SourceManager& Sources = PP.getSourceManager();
    const std::optional<clang::Token> Next =
        clang::Lexer::findNextToken(Sources.getSpellingLoc(Before.getLocation()), Sources, PP.getLangOpts());
    return Next && Next->is(Kind) ? Next->getEndLoc() : clang::SourceLocation();
  }

  /// Behind the comma after the first argument.
  clang::SourceLocation afterFunction(const clang::MacroArgs& Arguments) const {
    const clang::Token* Last = nullptr;
    for (const clang::Token* T = Arguments.getUnexpArgument(0); T->isNot(clang::tok::eof); ++T) {
      Last = T;
    }
    return Last ? after(*Last, clang::tok::comma) : clang::SourceLocation();
  }

  /// What Clang's lexer drops behind a token of a file, up to the next one: bytes that no token can have.
  void appendDropped(MacroText& Text, clang::SourceLocation Where) const {
    const clang::SourceManager& Sources = PP.getSourceManager();
    if (Where.isInvalid() || Sources.isWrittenInScratchSpace(Where)) {
      return;
    }
    const auto [File, Offset] = Sources.getDecomposedLoc(Where);
    const llvm::StringRef Source = Sources.getBufferData(File);
    clang::Lexer Lex(Sources.getLocForStartOfFile(File), PP.getLangOpts(), Source.begin(), Source.begin() + Offset, Source.end());
    Lex.SetKeepWhitespaceMode(true);
    clang::Token Next;
    for (bool IsAtEnd = Lex.LexFromRawLexer(Next); !IsAtEnd; IsAtEnd = Lex.LexFromRawLexer(Next)) {
      if (Next.is(clang::tok::comment)) {
        continue;
      }
      const llvm::StringRef Spelling = Source.substr(Sources.getFileOffset(Next.getLocation()), Next.getLength());
      if (Next.isNot(clang::tok::unknown) || !isNoToken(Spelling)) {
        return;
      }
      appendDropped(Text, Spelling, Next.getLocation());
    }
  }

  static bool isDropped(char C) { return C == '\0' || static_cast<unsigned char>(C) >= FirstNotAscii; }

  /// Blanks, lines that a backslash joins, and bytes that are dropped.
  static bool isNoToken(llvm::StringRef Spelling) {
    return Spelling != "\\" && llvm::all_of(Spelling, [](char C) { return clang::isWhitespace(C) || C == '\\' || isDropped(C); });
  }

  static void appendDropped(MacroText& Text, llvm::StringRef Spelling, clang::SourceLocation Where) {
    for (size_t Begin = Spelling.find_if(isDropped); Begin != llvm::StringRef::npos; Begin = Spelling.find_if(isDropped, Begin)) {
      const llvm::StringRef Bytes = Spelling.substr(Begin).take_while(isDropped);
      Text.append(Bytes, /*SpaceBefore=*/false, Where.getLocWithOffset(static_cast<int>(Begin)));
      Begin += Bytes.size();
    }
  }

  static constexpr unsigned char FirstNotAscii = 0x80;

  clang::Preprocessor& PP;
  MacroTexts& Texts;
};

}  // namespace

std::unique_ptr<clang::PPCallbacks> recordMacroTexts(clang::Preprocessor& PP, MacroTexts& Texts) {
  return std::make_unique<MacroRecorder>(PP, Texts);
}

}  // namespace graphgen::scan
