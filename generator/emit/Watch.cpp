// SPDX-License-Identifier: Apache-2.0
//
// How generated code names the members of an object that each call looks at.
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
      Known->second = "get_" + Step.Member;
      while (!Taken.insert(Known->second).second) {
        Known->second += "_again";
      }
      const bool IsValue = Step.How == MemberStep::Way::Value;
      Texts.push_back(json::Object{{"getter", std::string(IsValue ? "auto " : "auto& ") + Known->second + "(const " + global(Step.Class) +
                                                  "& object) { return object." + Step.Member + "; }"}});
    }
    return Known->second;
  }
  json::Array take() { return std::move(Texts); }

 private:
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
      return "&" + Getters.nameOf(Step);
    case MemberStep::Way::Offset:
      return "&graphed::impl::referred_member<" + Class + ", decltype(" + Name + "), __builtin_offsetof(" + Class + ", " + Step.Member +
             ")>";
  }
  llvm_unreachable("every way is above");
}

}  // namespace

json::Array watched(const plan::Callable& Callable, StringRef ObjectType) {
  if (Callable.Watched.empty()) {
    return {};
  }
  Getters Getters;
  json::Array Members;
  std::vector<std::string> Names;
  for (const WatchedMember& Each : Callable.Watched) {
    const auto Steps = map_range(Each.Steps, [&](const MemberStep& Step) { return spell(Step, Getters); });
    Names.push_back(literal(Each.Name));
    Members.push_back(json::Object{{"member", "graphed::impl::WatchedMember<" + join(Steps, ", ") + ">"},
                                   {"last", Names.size() == Callable.Watched.size()}});
  }
  const auto HasOffset = [](const WatchedMember& Each) {
    return any_of(Each.Steps, [](const MemberStep& Step) { return Step.How == MemberStep::Way::Offset; });
  };
  const auto IsPrivate = [](const WatchedMember& Each) { return Each.IsPrivate; };
  ObjectType.consume_front("const ");
  return json::Array{json::Object{
      {"getters", Getters.take()},
      {"names", commaList(Names, StringRef("constexpr const char* watched_names[] = {};").size(), 4)},
      {"object_type", ObjectType.str()},
      {"has_private", any_of(Callable.Watched, IsPrivate)},
      {"has_offsets", any_of(Callable.Watched, HasOffset)},
      {"members", std::move(Members)},
  }};
}

}  // namespace graphgen::emit
