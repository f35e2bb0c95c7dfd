// SPDX-License-Identifier: Apache-2.0
//
// A template as a tree of its tags, for checking.
#include "emit/TemplateParser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace graphgen::emit {
namespace {

constexpr StringLiteral FirstLine = "{{=<% %>=}}\n";
constexpr StringLiteral Open = "<%";
constexpr StringLiteral Close = "%>";

class TagParser {
 public:
  TagParser(StringRef Name, StringRef Text) : Name(Name), Text(Text), Rest(Text) {}

  Expected<std::vector<Tag>> parse() {
    if (!Rest.consume_front(FirstLine)) {
      return error(1, "the first line must be {{=<% %>=}}");
    }
    Tag Root;
    Path.push_back(std::move(Root));
    while (true) {
      const std::size_t Begin = Rest.find(Open);
      if (Begin == StringRef::npos) {
        break;
      }
      Rest = Rest.drop_front(Begin);
      if (Error Failure = parseTag()) {
        return Failure;
      }
    }
    if (Path.size() > 1) {
      return error(Path.back().Line, "section '" + Twine(Path.back().Name) + "' is not closed");
    }
    return std::move(Path.back().Children);
  }

 private:
  Error parseTag() {
    const unsigned Begin = lineNumber();
    Rest = Rest.drop_front(Open.size());
    const std::size_t End = Rest.find(Close);
    if (End == StringRef::npos) {
      return error(Begin, "a tag is not closed");
    }
    StringRef Content = Rest.take_front(End);
    Rest = Rest.drop_front(End + Close.size());
    return addTag(Content.trim(), Begin);
  }

  Error addTag(StringRef Content, unsigned Line) {
    if (Content.consume_front("!")) {
      return Error::success();
    }
    if (Content.consume_front("/")) {
      return closeSection(Content.trim(), Line);
    }
    Tag New;
    New.What = consumeKind(Content);
    New.Name = Content.trim().str();
    New.Line = Line;
    if (!isName(New.Name)) {
      return error(Line, "'" + Twine(New.Name) + "' is not the name of a key or partial");
    }
    if (New.What == Tag::Kind::Section || New.What == Tag::Kind::Inverted) {
      Path.push_back(std::move(New));
    } else {
      Path.back().Children.push_back(std::move(New));
    }
    return Error::success();
  }

  Error closeSection(StringRef SectionName, unsigned Line) {
    if (Path.size() == 1) {
      return error(Line, "section '" + SectionName + "' is closed but was not opened");
    }
    if (Path.back().Name != SectionName) {
      return error(Line, "section '" + SectionName + "' is closed where '" + Path.back().Name + "' is open");
    }
    Tag Closed = std::move(Path.back());
    Path.pop_back();
    Path.back().Children.push_back(std::move(Closed));
    return Error::success();
  }

  static Tag::Kind consumeKind(StringRef& Content) {
    if (Content.consume_front("#")) {
      return Tag::Kind::Section;
    }
    if (Content.consume_front("^")) {
      return Tag::Kind::Inverted;
    }
    if (Content.consume_front(">")) {
      return Tag::Kind::Partial;
    }
    return Tag::Kind::Value;
  }

  static bool isName(StringRef Word) {
    return !Word.empty() && Word.find_if_not([](char C) { return isAlnum(C) || C == '_'; }) == StringRef::npos;
  }

  /// Of what Rest begins with.
  unsigned lineNumber() {
    const std::size_t Read = Text.size() - Rest.size();
    Line += static_cast<unsigned>(Text.slice(Counted, Read).count('\n'));
    Counted = Read;
    return Line;
  }

  Error error(unsigned Line, const Twine& What) const {
    return createStringError(inconvertibleErrorCode(), Twine("template ") + Name + ":" + Twine(Line) + ": " + What);
  }

  StringRef Name;
  StringRef Text;
  StringRef Rest;
  std::size_t Counted = 0;  // so many characters of Text come before Line
  unsigned Line = 1;
  std::vector<Tag> Path;  // the root and the open sections
};

}  // namespace

Expected<std::vector<Tag>> parseTemplate(StringRef Name, StringRef Text) { return TagParser(Name, Text).parse(); }

}  // namespace graphgen::emit
