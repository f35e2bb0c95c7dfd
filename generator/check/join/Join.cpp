// SPDX-License-Identifier: Apache-2.0
//
// A function is entered once for each combination of what its parameters stand for.
#include "check/join/Join.h"

#include "check/code/FunctionObjects.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <deque>

namespace graphgen::check::join {
namespace {

constexpr size_t MostOfWay = 24;      // calls from file to file that a finding shows
constexpr size_t MostOverrides = 32;  // of one call, as within a source

/// Names that are longer than the subject are others: 'x' and 'xs'.
size_t findSubject(llvm::StringRef Message, llvm::StringRef Subject) {
  for (size_t At = Message.find(Subject); At != llvm::StringRef::npos; At = Message.find(Subject, At + 1)) {
    const llvm::StringRef Rest = Message.drop_front(At + Subject.size());
    if (Rest.starts_with("'") || Rest.starts_with(".")) {
      return At;
    }
  }
  return std::string::npos;
}

/// In the caller's words.
void rename(Told& Its, llvm::StringRef Words) {
  const size_t At = Its.Subject.empty() || Words.empty() ? std::string::npos : findSubject(Its.Message, Its.Subject);
  if (At != std::string::npos && Words.consume_back("'")) {
    Its.Message.replace(At, Its.Subject.size(), Words.str());
  }
}

}  // namespace

/// A body that a callable comes to.
struct Joiner::Reach {
  const Callable* Of;
  // In the callable's terms; none for the callable's own body
  std::vector<Given> Arguments = {};
  Given Object = {};
  // How it comes there; null for the callable's own body
  const Reach* Caller = nullptr;
  const Call* From = nullptr;
  const Function* Override = nullptr;  // of the method that the call names
  size_t Calls = 0;                    // in between
  bool IsCertain = true;
  bool IsSettled = false;
  bool IsReturned = true;      // what it gives is only returned, up to the callable
  bool IsOfContainer = false;  // by a module's `forward`: calls compare what that has registered

  /// In the callable's terms.
  Given resolve(Given Its) const;
  std::optional<Told> apply(Told Its) const;
  const Given& given(int64_t Parameter) const;
  void appendWay(std::vector<Note>& To) const;
};

/// Back to the callable; of a long way both ends.
void Joiner::Reach::appendWay(std::vector<Note>& To) const {
  for (const Reach* Each = this; Each->Caller; Each = Each->Caller) {
    const size_t Place = Calls - Each->Calls;
    if (Calls > MostOfWay && Place >= MostOfWay / 2 && Place < Calls - MostOfWay / 2) {
      if (Place == MostOfWay / 2) {
        const std::string Count = std::to_string(Calls - MostOfWay);
        To.push_back({Each->From->Way.empty() ? join::Place() : Each->From->Way.front().Where, Count + " more calls, from here on"});
      }
      continue;
    }
    if (Each->Override) {
      To.push_back({Each->Override->Where, Each->From->Store.empty() ? wordsOfOverride(Each->Override->Name, Each->From->Name)
                                                                     : wordsOfStored(Each->From->Store)});
    }
    llvm::append_range(To, Each->From->Way);
  }
}

Given Joiner::Reach::resolve(Given Its) const {
  const bool IsPassedOn = Caller && (Its.What == Given::From::Parameter || Its.What == Given::From::Object);
  if (!IsPassedOn) {
    return Its;
  }
  Given Whole = given(Its.What == Given::From::Object ? ObjectParameter : Its.Parameter);
  Whole.IsExact &= Its.IsExact;
  Whole.IsFixed |= Its.IsFixed;
  Whole.IsOwnVariable |= Its.IsOwnVariable;
  if (Its.What == Given::From::Object && !Its.Words.empty()) {
    Whole.Words = Its.Words;
  }
  return Whole;
}

const Given& Joiner::Reach::given(int64_t Parameter) const {
  static const Given Nobody;
  const auto Place = static_cast<size_t>(Parameter);
  return Parameter == ObjectParameter ? Object : Place < Arguments.size() ? Arguments[Place] : Nobody;
}

/// Of the function that is reached what holds for what it is given; nothing where that does not apply.
std::optional<Told> Joiner::Reach::apply(Told Its) const {
  constexpr llvm::StringLiteral DoneByWarmups[] = {"graphed-host-copy", "graphed-host-item", "graphed-host-memory", "graphed-host-state",
                                                   "graphed-rebound"};
  if (llvm::is_contained(Of->Allowed, Its.Check) || (IsSettled && llvm::is_contained(DoneByWarmups, Its.Check))) {
    return std::nullopt;
  }
  if (Its.IsReturned && IsReturned && Its.Check == "graphed-host-item") {
    return std::nullopt;  // the callable gives the number as one of its result
  }
  if (IsOfContainer && Its.IsOfPart) {
    return std::nullopt;
  }
  const auto IsCarried = [&](int64_t Each) {
    const std::vector<std::string>& Members = given(Each).LookedAt;
    return Its.Replaced == ItsParameter ? Members.size() == 1 : llvm::is_contained(Members, Its.Replaced);
  };
  const bool IsLookedAt =
      !Its.Read.empty() && llvm::all_of(Its.Read, [&](const std::string& Each) { return llvm::is_contained(Of->LookedAt, Each); });
  if (IsLookedAt || (!Its.Replaced.empty() && llvm::any_of(Its.About, IsCarried))) {
    return std::nullopt;
  }
  Its.IsCertain &= IsCertain;
  if (Its.IsOfAll) {
    const bool IsFixed = !Its.About.empty() && llvm::all_of(Its.About, [&](int64_t Each) { return given(Each).IsFixed; });
    return IsFixed ? std::nullopt : std::optional(std::move(Its));
  }
  const auto IsGivenAs = [&](const Given& By) {
    return By.What != Given::From::Call && (By.What == Given::From::Parameter ? Its.IsOfArguments : Its.IsOfKept);
  };
  if (Its.About.empty() && (IsGivenAs(Object) || llvm::any_of(Arguments, IsGivenAs))) {
    return Its;
  }
  for (const int64_t Each : Its.About) {
    const Given& By = given(Each);
    const bool IsArgument = By.What == Given::From::Parameter;
    const bool IsMeant = IsGivenAs(By);
    const bool IsHarmless = (Its.Check == "graphed-unmarked-write" && By.IsInplace) ||
                            (Its.Check == "graphed-rebound" && By.IsOwnVariable) || (Its.Check == "graphed-frozen" && By.IsStatic);
    if (IsMeant && !IsHarmless) {
      Its.IsCertain &= IsArgument && By.IsExact;
      rename(Its, By.Words);
      return Its;
    }
  }
  return std::nullopt;
}

void Joiner::add(Summary One) {
  Summaries.push_back(std::make_unique<Summary>(std::move(One)));
  for (const Change& Each : Summaries.back()->Changes) {
    Changed.try_emplace(Each.Of, Each.Where);
  }
  for (const Function& Each : Summaries.back()->Functions) {
    if (!Functions.try_emplace(Each.Id, &Each).second) {
      continue;
    }
    for (const std::string& Method : Each.Overrides) {
      Overrides[Method].push_back(&Each);
    }
  }
}

/// Of those that the caller's source does not look at, in one order whatever that of the summaries is.
std::vector<const Function*> Joiner::overridesFor(const Call& From) const {
  std::vector<const Function*> Found;
  const auto All = Overrides.find(From.Callee);
  for (const Function* Each : All == Overrides.end() ? std::vector<const Function*>() : All->second) {
    const bool IsBelow = llvm::any_of(From.Below, [&](const std::string& Base) { return llvm::is_contained(Each->Bases, Base); });
    const bool IsOther = !From.Store.empty() && !Each->Store.empty() && From.Store != Each->Store;
    if (IsBelow && !IsOther && !llvm::is_contained(From.Followed, Each->Id)) {
      Found.push_back(Each);
    }
  }
  llvm::sort(Found, [](const Function* A, const Function* B) { return A->Id < B->Id; });
  Found.resize(std::min(Found.size(), MostOverrides));
  return Found;
}

/// What the calls come to, the first one last.
void Joiner::addSteps(llvm::ArrayRef<Call> Calls, const Reach& Caller, std::vector<Step>& To) {
  for (const Call& From : llvm::reverse(Calls)) {
    if (!From.Below.empty()) {
      (From.Store.empty() ? Missing : Unchanged).insert(From.Store.empty() ? From.Name : From.Store);
      const std::vector<const Function*> Overriding = overridesFor(From);
      for (const Function* Each : llvm::reverse(Overriding)) {
        To.push_back({Each, &From, &Caller});
      }
    } else if (const auto Known = Functions.find(From.Callee); Known != Functions.end()) {
      To.push_back({Known->second, &From, &Caller});
    } else {
      Missing.insert(From.Name);
    }
  }
}

Joiner::Reach Joiner::reachOf(const Step& By) {
  const Call& From = *By.From;
  const Reach& Caller = *By.Caller;
  std::vector<Given> Arguments;
  llvm::transform(From.Arguments, std::back_inserter(Arguments), [&](const Given& Each) { return Caller.resolve(Each); });
  return {Caller.Of,
          std::move(Arguments),
          Caller.resolve(From.Object),
          &Caller,
          &From,
          From.Below.empty() ? nullptr : By.To,
          Caller.Calls + 1,
          Caller.IsCertain && From.IsCertain,
          Caller.IsSettled || From.IsSettled,
          Caller.IsReturned && From.IsReturned,
          Caller.IsOfContainer || From.Callee == ModuleInContainer};
}

/// Whether nothing else came there with the same.
bool Joiner::isNew(const Function& Its, const Reach& Here) {
  std::string Key = Its.Id;
  const auto Add = [&](const Given& Each) {
    Key += '\n' + Each.Words + std::to_string(static_cast<int>(Each.What)) + (Each.IsFixed ? "f" : "") + (Each.IsInplace ? "i" : "") +
           (Each.IsStatic ? "t" : "") + (Each.IsOwnVariable ? "o" : "") + (Each.IsExact ? "e" : "") + llvm::join(Each.LookedAt, ",");
  };
  llvm::for_each(Here.Arguments, Add);
  Add(Here.Object);
  Key += std::string(Here.IsCertain ? "c" : "") + (Here.IsSettled ? "s" : "") + (Here.IsReturned ? "r" : "") + (Here.IsOfContainer ? "m" : "");
  return Seen.insert(std::move(Key)).second;
}

/// With the place of the change, if it is about what nothing else changes.
bool Joiner::isKept(Told& Its) {
  if (Its.Unchanged.empty()) {
    return true;
  }
  const llvm::StringRef Name = llvm::StringRef(Its.Unchanged).rsplit("::").second;
  auto Known = Changed.find(Its.Unchanged);
  Known = Known == Changed.end() ? Changed.find((OfAnyClass + Name).str()) : Known;
  if (Known != Changed.end()) {
    Its.Notes.push_back({Known->second, "it is changed here"});
    return true;
  }
  Unchanged.insert(Its.Unchanged);
  return Its.IsOpen && !IsProgram;
}

/// Depth first, without recursion: chains of calls can be long.
void Joiner::follow(const Callable& Of) {
  Seen.clear();
  const size_t First = Found.size();
  std::deque<Reach> Reached = {{&Of}};
  std::vector<Step> Next;
  addSteps(Of.Calls, Reached.front(), Next);
  for (const Told& Each : Of.Findings) {
    if (Told Its = Each; !llvm::is_contained(Of.Allowed, Its.Check) && isKept(Its)) {
      Found.push_back({std::move(Its), &Of});
    }
  }
  while (!Next.empty()) {
    const Step By = Next.back();
    Next.pop_back();
    Reach New = reachOf(By);
    if (!isNew(*By.To, New)) {
      continue;
    }
    const Reach& Here = Reached.emplace_back(std::move(New));
    for (const Told& Each : By.To->Findings) {
      if (std::optional<Told> Its = Here.apply(Each); Its && isKept(*Its)) {
        Here.appendWay(Its->Way);
        Found.push_back({std::move(*Its), &Of});
      }
    }
    addSteps(By.To->Calls, Here, Next);
  }
  removeParts(First);
}

/// Of the findings from the place on, those of a part whose whole has a finding, too.
void Joiner::removeParts(size_t First) {
  const auto Its = Found.begin() + static_cast<std::ptrdiff_t>(First);
  std::set<std::string> Whole;
  std::for_each(Its, Found.end(), [&](const Joined& Each) { Whole.insert(Each.Its.Unchanged); });
  const auto IsPart = [&](const Joined& Each) { return !Each.Its.Around.empty() && Whole.count(Each.Its.Around) != 0; };
  Found.erase(std::remove_if(Its, Found.end(), IsPart), Found.end());
}

std::vector<Joined> Joiner::join() {
  Missing.clear();
  Unchanged.clear();
  Found.clear();
  for (const auto& One : Summaries) {
    for (const Callable& Each : One->Callables) {
      follow(Each);
    }
  }
  return std::move(Found);
}

}  // namespace graphgen::check::join
