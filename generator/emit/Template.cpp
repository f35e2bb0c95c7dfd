// SPDX-License-Identifier: Apache-2.0
//
// Mustache templates that fail loudly.
#include "emit/Template.h"

#include "emit/TemplateParser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Mustache.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

using namespace llvm;

namespace graphgen::emit {
namespace {

/// Looks up everything that a template names, as rendering will.
class TemplateCheck {
 public:
  explicit TemplateCheck(const TemplateSet& Templates) : Templates(Templates) {}

  Error check(StringRef Name, const json::Object& Scope) {
    const auto Found = Templates.find(Name);
    if (Found == Templates.end()) {
      return createStringError(inconvertibleErrorCode(), "no template is called '" + Name + "'");
    }
    Expected<std::vector<Tag>> Tags = parseTemplate(Name, Found->second);
    if (!Tags) {
      return Tags.takeError();
    }
    Open.push_back(Name);
    Error Failure = checkAll(*Tags, Scope);
    Open.pop_back();
    return Failure;
  }

 private:
  Error checkAll(ArrayRef<Tag> Tags, const json::Object& Scope) {
    for (const Tag& Each : Tags) {
      if (Error Failure = checkTag(Each, Scope)) {
        return Failure;
      }
    }
    return Error::success();
  }

  Error checkTag(const Tag& Each, const json::Object& Scope) {
    if (Each.What == Tag::Kind::Partial) {
      return checkPartial(Each, Scope);
    }
    const json::Value* Value = Scope.get(Each.Name);
    if (!Value) {
      return error(Each, "unknown key");
    }
    if (Each.What == Tag::Kind::Value) {
      return Value->kind() == json::Value::String ? Error::success() : error(Each, "the value is not a string");
    }
    return checkSection(Each, *Value, Scope);
  }

  Error checkPartial(const Tag& Each, const json::Object& Scope) {
    if (!Templates.count(Each.Name)) {
      return error(Each, "unknown partial");
    }
    if (is_contained(Open, Each.Name)) {
      return error(Each, "the partial includes itself");
    }
    return check(Each.Name, Scope);
  }

  /// Tags under a bool, in an inverted section or in a section that will not be rendered are in the scope around them.
  Error checkSection(const Tag& Each, const json::Value& Value, const json::Object& Scope) {
    if (Value.kind() == json::Value::Boolean) {
      return checkAll(Each.Children, Scope);
    }
    if (Each.What == Tag::Kind::Inverted && (Value.getAsArray() || Value.getAsObject())) {
      return checkAll(Each.Children, Scope);
    }
    if (const json::Object* Inner = Value.getAsObject()) {
      return checkAll(Each.Children, *Inner);
    }
    const json::Array* List = Value.getAsArray();
    if (!List) {
      return error(Each, "the section is not a bool, an object or a list of objects");
    }
    for (const json::Value& Element : *List) {
      const json::Object* Inner = Element.getAsObject();
      if (!Inner) {
        return error(Each, "an element of the section is not an object");
      }
      if (Error Failure = checkAll(Each.Children, *Inner)) {
        return Failure;
      }
    }
    return Error::success();
  }

  Error error(const Tag& Each, const Twine& What) const {
    return createStringError(inconvertibleErrorCode(),
                             Twine("template ") + Open.back() + ":" + Twine(Each.Line) + ": '" + Each.Name + "': " + What);
  }

  const TemplateSet& Templates;
  std::vector<StringRef> Open;  // the template and the partials that led here
};

}  // namespace

Expected<std::string> renderTemplate(const TemplateSet& Templates, StringRef Name, const json::Object& Data) {
  if (Error Failure = TemplateCheck(Templates).check(Name, Data)) {
    return Failure;
  }

  BumpPtrAllocator Allocator;
  StringSaver Saver(Allocator);
  mustache::MustacheContext Context(Allocator, Saver);
  mustache::Template Top(Templates.find(Name)->second, Context);
  Top.overrideEscapeCharacters(DenseMap<char, std::string>());
  for (const auto& [PartialName, Text] : Templates) {
    Top.registerPartial(PartialName, Text);
  }

  std::string Text;
  raw_string_ostream Out(Text);
  Top.render(json::Object(Data), Out);
  return Text;
}

}  // namespace graphgen::emit
