// SPDX-License-Identifier: Apache-2.0
//
// How generated code names the objects, and their members, that each call looks at.
#include "emit/Watch.h"

#include "emit/Spelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

using namespace llvm;

namespace graphgen::emit {
namespace {

using annotation::MemberStep;
using annotation::WatchedMember;

/// A function for each member that no pointer to member leads to.
class Getters {
 public:
  std::string nameOf(const MemberStep& Step) {
    const auto [Known, IsNew] = Names.try_emplace({Step.Class, Step.Member});
    if (IsNew) {
      const std::size_t Scope = Step.Member.rfind("::");
      Known->second = "get_" + (Scope == std::string::npos ? Step.Member : Step.Member.substr(Scope + 2));
      while (!Taken.insert(Known->second).second) {
        Known->second += "_again";
      }
      Texts.push_back(json::Object{{"getter", textOf(Step, Known->second)}});
    }
    return Known->second;
  }
  json::Array take() { return std::move(Texts); }

 private:
  static std::string textOf(const MemberStep& Step, const std::string& Name) {
    if (Step.How == MemberStep::Way::Getter) {
      return "auto& " + Name + "() { return " + global(Step.Member) + "; }";
    }
    return (Step.How == MemberStep::Way::Value ? "auto " : "auto& ") + Name + "(const " + global(Step.Class) +
           "& object) { return object." + Step.Member + "; }";
  }

  std::map<std::pair<std::string, std::string>, std::string> Names;
  std::set<std::string> Taken;
  json::Array Texts;
};

std::string spell(const MemberStep& Step, Getters& Getters) {
  const std::string Class = global(Step.Class);
  const std::string Name = Class + "::" + Step.Member;
  switch (Step.How) {
    case MemberStep::Way::Pointer:
      return "&" + Name;
    case MemberStep::Way::Value:
    case MemberStep::Way::Reference:
    case MemberStep::Way::Getter:
      return "&" + Getters.nameOf(Step);
    case MemberStep::Way::Variable:
      return "&" + global(Step.Member);
    case MemberStep::Way::Objects:
      return "graphed::impl::held_objects";
    case MemberStep::Way::Element:
      return Step.Member == "-1" ? "graphed::impl::which_alternative" : "graphed::impl::element{" + Step.Member + "}";
    case MemberStep::Way::Offset:
      return "&graphed::impl::referred_member<" + Class + ", decltype(" + Name + "), __builtin_offsetof(" + Class + ", " + Step.Member +
             ")>";
  }
  llvm_unreachable("every way is above");
}

/// A function to the argument of the parameter.
std::string getterOf(const plan::Parameter& Parameter) { return "argument_" + Parameter.Name; }

struct Root {
  StringRef Comment;
  StringRef NamesOf;
  StringRef Watch;
  StringRef Struct;
  StringRef ObjectType;
};

class Members {
 public:
  explicit Members(Root From) : From(From) {}

  /// `Before` are steps that lead to it.
  void add(const WatchedMember& Member, std::vector<std::string> Before) {
    append_range(Before, map_range(Member.Steps, [&](const MemberStep& Step) { return spell(Step, Found); }));
    addTemplate("WatchedMember", Member.Name, Before);
    HasPrivate |= Member.IsPrivate;
    HasOffsets |= any_of(Member.Steps, [](const MemberStep& Step) { return Step.How == MemberStep::Way::Offset; });
  }

  void addArgument(const plan::Parameter& Parameter) {
    const std::string Getter = getterOf(Parameter);
    ArgumentGetters.push_back(
        json::Object{{"getter", "auto& " + Getter + "(const Arguments& arguments) { return arguments." + Parameter.Name + "; }"}});
    addTemplate("WatchedArgument", Parameter.Name, {"&" + Getter});
    for (const WatchedMember& Each : Parameter.Watched) {
      add(Each, {"&" + Getter});
    }
  }

  /// Nothing where there is no member.
  json::Array take() {
    json::Array Rows;
    for (const std::string& Each : Spelled) {
      Rows.push_back(json::Object{{"member", Each}, {"last", &Each == &Spelled.back()}});
    }
    if (Spelled.empty()) {
      return Rows;
    }
    json::Array All = std::move(ArgumentGetters);
    append_range(All, Found.take());
    const std::size_t Around = StringRef("constexpr const char* [] = {};").size() + From.NamesOf.size();
    return json::Array{json::Object{
        {"comment", From.Comment.str()},
        {"getters", std::move(All)},
        {"names_of", From.NamesOf},
        {"names", commaList(Names, Around, 4)},
        {"watch", From.Watch},
        {"watched_struct", From.Struct},
        {"object_type", From.ObjectType.str()},
        {"has_private", HasPrivate},
        {"has_offsets", HasOffsets},
        {"members", std::move(Rows)},
    }};
  }

 private:
  void addTemplate(const char* Template, const std::string& Name, ArrayRef<std::string> Steps) {
    Names.push_back(literal(Name));
    Spelled.push_back(std::string("graphed::impl::") + Template + "<" + join(Steps, ", ") + ">");
  }

  const Root From;
  Getters Found;
  json::Array ArgumentGetters;
  std::vector<std::string> Names;
  std::vector<std::string> Spelled;
  bool HasPrivate = false;
  bool HasOffsets = false;
};

}  // namespace

json::Array watched(const plan::Callable& Callable, StringRef ObjectType) {
  ObjectType.consume_front("const ");
  const bool HasObject = Callable.Kind == annotation::CallableKind::Method;
  const char* const What = Callable.WatchedVariables.empty() ? "The members of the object that a call depends on"
                           : Callable.Watched.empty()        ? "The variables that a call depends on"
                                                             : "The members of the object, and the variables, that a call depends on";
  const std::string Comment = std::string(What) + ": other values select another capture.";
  Members Found({Comment, "watched_names", "watch", "watched_members", HasObject ? ObjectType : StringRef("graphed::impl::Variables")});
  for (const std::vector<WatchedMember>* All : {&Callable.Watched, &Callable.WatchedVariables}) {
    for_each(*All, [&](const WatchedMember& Each) { Found.add(Each, {}); });
  }
  return Found.take();
}

json::Array watchedArguments(const plan::Callable& Callable) {
  Members Found({"The objects among the arguments, and what a call depends on in them: others select another capture.",
                 "names_of_arguments", "watch_arguments", "watched_arguments", "Arguments"});
  for (const plan::Parameter& Each : Callable.Parameters) {
    if (annotation::isObject(Each.Type)) {
      Found.addArgument(Each);
    }
  }
  return Found.take();
}

}  // namespace graphgen::emit
