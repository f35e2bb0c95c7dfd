// SPDX-License-Identifier: Apache-2.0
//
// By the names of functions. The tables are read by people: one row a line, with the words that are defined here.
#include "check/torch/Overlay.h"

#include "check/code/Library.h"
#include "check/torch/Calls.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/GlobPattern.h"

namespace graphgen::check {
namespace {

constexpr Level Perhaps = Level::Perhaps;
constexpr Level Certain = Level::Certain;

using Text = llvm::StringLiteral;
using Kind = Condition::Kind;

constexpr Condition given(Text Parameter) { return {Kind::Given, Parameter}; }
constexpr Condition notGiven(Text Parameter) { return {Kind::NotGiven, Parameter}; }
constexpr Condition tensor(Text Parameter) { return {Kind::Tensor, Parameter}; }
constexpr Condition is(Text Parameter, Text Values) { return {Kind::Is, Parameter, Values}; }
constexpr Condition isNot(Text Parameter, Text Values) { return {Kind::IsNot, Parameter, Values}; }
constexpr Condition dataOfTensor(Text Parameter) { return {Kind::DataOfTensor, Parameter}; }
constexpr Condition sparse(Text Parameter) { return {Kind::Sparse, Parameter}; }
constexpr Condition sparseOrCoalesced(Text Parameter) { return {Kind::Sparse, Parameter, "any"}; }
constexpr Condition dimensions(Text Parameter, unsigned Least) { return {Kind::Dimensions, Parameter, {}, Least}; }
constexpr Condition mayHave(Text Parameter, unsigned Elements) { return {Kind::MayHave, Parameter, {}, Elements}; }
constexpr Condition longer(Text Parameter, unsigned Most) { return {Kind::Longer, Parameter, {}, Most}; }
constexpr Condition ofClass(Text Parameter, Text Class) { return {Kind::OfClass, Parameter, Class}; }
constexpr Condition livesOn(Text Parameter) { return {Kind::LivesOn, Parameter}; }
constexpr Condition mayLiveOn(Text Parameter) { return {Kind::MayLiveOn, Parameter}; }
constexpr Condition copied(Text Parameter, Text Flag = "") { return {Kind::Copied, Parameter, Flag}; }
constexpr Condition apart(Text Parameter) { return {Kind::Apart, Parameter}; }
constexpr Condition comparedApart() { return {Kind::ComparedApart}; }
constexpr Condition notBehind(Text Method) { return {Kind::NotBehind, {}, Method}; }
constexpr Condition notFor(Text Method) { return {Kind::NotFor, {}, Method}; }
constexpr Condition pointsIntoTensor() { return {Kind::PointsIntoTensor}; }
constexpr Condition inStep() { return {Kind::Step}; }
constexpr Condition outsideStep() { return {Kind::NoStep}; }
constexpr Condition usedNumber() { return {Kind::UsedNumber}; }
constexpr Condition withoutRuntime() { return {Kind::NoRuntime}; }
constexpr Condition inBackward() { return {Kind::Backward}; }

constexpr OverlayRow row(Text Name, const Effect& What, Condition First = {}, Condition Second = {}, Condition Third = {}) {
  return {Name, &What, {}, {First, Second, Third}};
}

constexpr OverlayRow instead(Text Instead, OverlayRow Row) {
  return {Row.Name, Row.What, Instead, {Row.Conditions[0], Row.Conditions[1], Row.Conditions[2]}};
}

#include "check/torch/Effects.inc"

constexpr OverlayRow Rows[] = {
#include "check/torch/OverlayOfTorch.inc"

#include "check/torch/OverlayOfHost.inc"

#include "check/torch/OverlayOfValues.inc"
};

void expand(const std::string& Pattern, std::vector<std::string>& Names) {
  const size_t Open = Pattern.find('{');
  const size_t Close = Pattern.find('}', Open);
  if (Open == std::string::npos) {
    Names.push_back(Pattern);
    return;
  }
  for (const llvm::StringRef Each : llvm::split(llvm::StringRef(Pattern).slice(Open + 1, Close), ',')) {
    expand(Pattern.substr(0, Open) + Each.str() + Pattern.substr(Close + 1), Names);
  }
}

/// The rows by their names; those with `*` apart.
class OverlayIndex {
 public:
  OverlayIndex() {
    for (const OverlayRow& Each : Rows) {
      if (Each.Name.contains('*')) {
        Globs.emplace_back(llvm::cantFail(llvm::GlobPattern::create(Each.Name, MostAlternatives)), &Each);
        continue;
      }
      for (const std::string& Name : namesOf(Each)) {
        Exact[Name].push_back(&Each);
      }
    }
  }

  void add(llvm::StringRef Name, llvm::SmallVectorImpl<const OverlayRow*>& Found) const {
    if (const auto Its = Exact.find(Name); Its != Exact.end()) {
      llvm::append_range(Found, Its->second);
    }
    for (const auto& [Glob, Each] : Globs) {
      if (Glob.match(Name)) {
        Found.push_back(Each);
      }
    }
  }

 private:
  static constexpr size_t MostAlternatives = 64;

  llvm::StringMap<std::vector<const OverlayRow*>> Exact;
  std::vector<std::pair<llvm::GlobPattern, const OverlayRow*>> Globs;
};

/// With namespaces and classes, without those that are inline and without arguments of templates; of a constructor that of the class.
std::string nameOf(const clang::FunctionDecl& Function) {
  const bool IsConstructor = llvm::isa<clang::CXXConstructorDecl>(Function);
  std::string Name = IsConstructor ? "" : Function.getNameAsString();
  for (const clang::DeclContext* Each = Function.getDeclContext(); Each; Each = Each->getParent()) {
    const auto* Namespace = llvm::dyn_cast<clang::NamespaceDecl>(Each);
    const bool IsNamed = (Namespace && !Namespace->isInline() && !Namespace->isAnonymousNamespace()) || Each->isRecord();
    if (IsNamed) {
      Name = llvm::cast<clang::NamedDecl>(Each)->getName().str() + (Name.empty() ? "" : "::") + Name;
    }
  }
  return Name;
}

bool isCopy(const clang::FunctionDecl& Function) {
  const auto* Constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&Function);
  return Constructor && Constructor->isCopyOrMoveConstructor();
}

}  // namespace

llvm::ArrayRef<OverlayRow> overlay() { return Rows; }

bool mayDifferOverRanks(const Effect& What) {
  return What.Its == Trait::GivesRank || &What == &ReadsEnvironment || What.Rule == "graphed-host-clock" ||
         What.Rule == "graphed-host-random";
}

std::vector<std::string> namesOf(const OverlayRow& Row) {
  std::vector<std::string> Names;
  expand(Row.Name.str(), Names);
  return Names;
}

llvm::SmallVector<const OverlayRow*, 2> overlayOf(const clang::FunctionDecl& Function) {
  static const OverlayIndex Known;
  llvm::SmallVector<const OverlayRow*, 2> Found;
  if (isCopy(Function)) {
    return Found;
  }
  if (const Operator* Its = operatorOf(Function)) {
    Known.add(("aten::" + Its->Name).str(), Found);
    Known.add(("aten::" + Its->Name + "." + Its->Overload).str(), Found);
  }
  if (const std::string Name = nameOf(Function); llvm::StringRef(Name).contains("::") || isOfC(Function)) {
    Known.add(Name, Found);
  }
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Function);
  if (Found.empty() && Method) {
    for (const clang::CXXMethodDecl* Each : Method->overridden_methods()) {
      llvm::append_range(Found, overlayOf(*Each));
    }
  }
  return Found;
}

}  // namespace graphgen::check
