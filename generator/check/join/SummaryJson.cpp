// SPDX-License-Identifier: Apache-2.0
//
// The fields are listed once, for writing and for reading. What has its default value is left out.
#include "check/join/Summary.h"

#include "annotation/Utf8.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace graphgen::check::join {
namespace {

namespace json = llvm::json;

template <class Pass>
void eachField(Pass& Each, Place& Of) {
  Each("file", Of.File);
  Each("line", Of.Line);
  Each("column", Of.Column);
}

template <class Pass>
void eachField(Pass& Each, Note& Of) {
  Each("at", Of.Where);
  Each("message", Of.Message);
}

template <class Pass>
void eachField(Pass& Each, Given& Of) {
  Each("of", Of.What);
  Each("parameter", Of.Parameter);
  Each("words", Of.Words);
  Each("exact", Of.IsExact);
  Each("own_variable", Of.IsOwnVariable);
  Each("inplace", Of.IsInplace);
  Each("static", Of.IsStatic);
  Each("fixed", Of.IsFixed);
  Each("looked_at", Of.LookedAt);
}

template <class Pass>
void eachField(Pass& Each, Call& Of) {
  Each("callee", Of.Callee);
  Each("name", Of.Name);
  Each("below", Of.Below);
  Each("store", Of.Store);
  Each("followed", Of.Followed);
  Each("way", Of.Way);
  Each("arguments", Of.Arguments);
  Each("object", Of.Object);
  Each("certain", Of.IsCertain);
  Each("settled", Of.IsSettled);
  Each("returned", Of.IsReturned);
}

template <class Pass>
void eachField(Pass& Each, Told& Of) {
  Each("check", Of.Check);
  Each("at", Of.Where);
  Each("message", Of.Message);
  Each("notes", Of.Notes);
  Each("way", Of.Way);
  Each("subject", Of.Subject);
  Each("about", Of.About);
  Each("replaced", Of.Replaced);
  Each("read", Of.Read);
  Each("around", Of.Around);
  Each("unchanged", Of.Unchanged);
  Each("certain", Of.IsCertain);
  Each("open", Of.IsOpen);
  Each("returned", Of.IsReturned);
  Each("of_part", Of.IsOfPart);
  Each("of_all", Of.IsOfAll);
  Each("of_arguments", Of.IsOfArguments);
  Each("of_kept", Of.IsOfKept);
}

template <class Pass>
void eachField(Pass& Each, Function& Of) {
  Each("id", Of.Id);
  Each("name", Of.Name);
  Each("at", Of.Where);
  Each("overrides", Of.Overrides);
  Each("bases", Of.Bases);
  Each("store", Of.Store);
  Each("findings", Of.Findings);
  Each("calls", Of.Calls);
}

template <class Pass>
void eachField(Pass& Each, Callable& Of) {
  Each("name", Of.Name);
  Each("allowed", Of.Allowed);
  Each("looked_at", Of.LookedAt);
  Each("findings", Of.Findings);
  Each("calls", Of.Calls);
}

template <class Pass>
void eachField(Pass& Each, Change& Of) {
  Each("of", Of.Of);
  Each("at", Of.Where);
}

template <class Pass>
void eachField(Pass& Each, Summary& Of) {
  Each("graphgen", Of.Version);
  Each("source", Of.Source);
  Each("scanned", Of.IsScanned);
  Each("read", Of.Read);
  Each("begun", Of.Begun);
  Each("callables", Of.Callables);
  Each("functions", Of.Functions);
  Each("changes", Of.Changes);
}

struct Writer {
  template <class T>
  void operator()(llvm::StringRef Key, T& Of) {
    if (json::Value Made = valueOf(Of); !isEmpty(Made)) {
      Out.try_emplace(Key.str(), std::move(Made));
    }
  }

  template <class T>
  static json::Value valueOf(T& Of) {
    if constexpr (std::is_enum_v<T> || std::is_same_v<T, unsigned>) {
      return static_cast<int64_t>(Of);
    } else if constexpr (std::is_same_v<T, std::string>) {
      return utf8(Of);
    } else if constexpr (std::is_arithmetic_v<T>) {
      return Of;
    } else {
      Writer Inner;
      eachField(Inner, Of);
      return std::move(Inner.Out);
    }
  }

  template <class T>
  static json::Value valueOf(std::vector<T>& Of) {
    json::Array All;
    for (T& Each : Of) {
      All.push_back(valueOf(Each));
    }
    return All;
  }

  static bool isEmpty(const json::Value& Of) {
    const json::Object* Fields = Of.getAsObject();
    const json::Array* List = Of.getAsArray();
    return (Fields && Fields->empty()) || (List && List->empty()) || Of == json::Value(false) || Of == json::Value(0) ||
           Of == json::Value("");
  }

  json::Object Out;
};

struct Reader {
  template <class T>
  void operator()(llvm::StringRef Key, T& Into) {
    const json::Value* Found = In.get(Key);
    IsRight &= !Found || read(*Found, Into);
  }

  template <class T>
  static bool read(const json::Value& From, T& Into) {
    if constexpr (std::is_same_v<T, bool>) {
      const std::optional<bool> Truth = From.getAsBoolean();
      Into = Truth.value_or(false);
      return Truth.has_value();
    } else if constexpr (std::is_enum_v<T> || std::is_arithmetic_v<T>) {
      const std::optional<int64_t> Number = From.getAsInteger();
      Into = static_cast<T>(Number.value_or(0));
      return Number.has_value();
    } else if constexpr (std::is_same_v<T, std::string>) {
      const std::optional<llvm::StringRef> Text = From.getAsString();
      Into = Text.value_or("").str();
      return Text.has_value();
    } else {
      const json::Object* Fields = From.getAsObject();
      if (!Fields) {
        return false;
      }
      Reader Inner{*Fields};
      eachField(Inner, Into);
      return Inner.IsRight;
    }
  }

  template <class T>
  static bool read(const json::Value& From, std::vector<T>& Into) {
    const json::Array* All = From.getAsArray();
    return All && llvm::all_of(*All, [&](const json::Value& Each) { return read(Each, Into.emplace_back()); });
  }

  const json::Object& In;
  bool IsRight = true;
};

/// Where a place is.
template <class Action>
struct Places {
  Action Act;

  template <class T>
  void operator()(llvm::StringRef, T& Of) {
    if constexpr (std::is_same_v<T, Place>) {
      Act(Of);
    } else if constexpr (!std::is_arithmetic_v<T> && !std::is_enum_v<T> && !std::is_same_v<T, std::string>) {
      visit(Of);
    }
  }

  template <class T>
  void visit(T& Of) {
    eachField(*this, Of);
  }

  template <class T>
  void visit(std::vector<T>& Of) {
    for (T& Each : Of) {
      (*this)("", Each);
    }
  }
};

template <class Action>
void eachPlace(Summary& Of, Action Act) {
  Places<Action> All{Act};
  eachField(All, Of);
}

}  // namespace

std::string toJson(Summary Of) {
  eachPlace(Of, [&](Place& Each) { Each.File = Each.File == Of.Source ? "" : Each.File; });
  std::string Text;
  llvm::raw_string_ostream(Text) << Writer::valueOf(Of) << '\n';
  return Text;
}

llvm::Expected<Summary> fromJson(llvm::StringRef Text) {
  llvm::Expected<json::Value> Parsed = json::parse(Text);
  if (!Parsed) {
    return Parsed.takeError();
  }
  Summary Read;
  if (!Reader::read(*Parsed, Read) || Read.Version.empty()) {
    return llvm::createStringError("it is not a summary of graphgen");
  }
  eachPlace(Read, [&](Place& Each) { Each.File = Each.File.empty() ? Read.Source : Each.File; });
  return Read;
}

}  // namespace graphgen::check::join
