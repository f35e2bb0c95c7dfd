// SPDX-License-Identifier: Apache-2.0
//
// Clang's SarifDocumentWriter holds one translation unit's places, and neither fixes nor the texts of notes: only its URIs are used.
#include "report/Sarif.h"

#include "annotation/Utf8.h"
#include "report/Rules.h"

#include "clang/Basic/Sarif.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <map>
#include <set>

namespace graphgen::report {
namespace {

namespace json = llvm::json;

constexpr llvm::StringLiteral SchemaUri = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr llvm::StringLiteral Base = "SRCROOT";

json::Object message(llvm::StringRef Text) { return json::Object{{"text", utf8(Text)}}; }

class Writer {
 public:
  Writer(const Report& Told, const RunFacts& Facts)
      : Told(Told), Facts(Facts), BaseUri(clang::SarifDocumentWriter::fileNameToURI(Facts.Folder) + "/") {
    Artifacts.insert(Facts.Files.begin(), Facts.Files.end());
  }

  json::Object document() {
    json::Array Results, Notifications;
    std::vector<const Message*> Of;
    for (const Message& Each : Told.Messages) {
      if (Each.Where || ruleNamed(Each.Id)) {
        json::Value New = result(Each);
        if (!llvm::is_contained(Results, New)) {  // a header may have been read for several files
          Results.push_back(std::move(New));
          Of.push_back(&Each);
        }
      } else {
        Notifications.push_back(json::Object{{"level", level(Each.Severity)}, {"message", message(Each.Text)}});
      }
    }
    addFingerprints(Of, Results);
    json::Object Invocation{{"executionSuccessful", Facts.ExitCode == 0}, {"exitCode", Facts.ExitCode}};
    if (!Notifications.empty()) {
      Invocation["toolExecutionNotifications"] = std::move(Notifications);
    }
    json::Object Run{{"tool", json::Object{{"driver", driver()}}},
                     {"invocations", json::Array{std::move(Invocation)}},
                     {"originalUriBaseIds", json::Object{{Base, json::Object{{"uri", BaseUri}}}}},
                     {"columnKind", "unicodeCodePoints"},
                     {"artifacts", artifacts()},
                     {"results", std::move(Results)}};
    return json::Object{{"$schema", SchemaUri}, {"version", "2.1.0"}, {"runs", json::Array{std::move(Run)}}};
  }

 private:
  static llvm::StringRef level(Level Severity) { return Severity == Level::Error ? "error" : "warning"; }

  /// The same rules in each document, so that their indices are stable within a version.
  json::Object driver() const {
    json::Array Rules;
    for (const Rule& Each : rules()) {
      Rules.push_back(json::Object{{"id", Each.Id}, {"shortDescription", message(Each.Meaning)}, {"helpUri", helpUri(Each)}});
    }
    return json::Object{{"name", "graphgen"}, {"version", Facts.Version}, {"semanticVersion", Facts.Version}, {"rules", std::move(Rules)}};
  }

  json::Array artifacts() const {
    json::Array All;
    for (const std::string& Each : Artifacts) {
      All.push_back(json::Object{{"location", artifactLocation(Each)}});
    }
    return All;
  }

  json::Object artifactLocation(const std::string& File) const {
    const std::string Uri = clang::SarifDocumentWriter::fileNameToURI(File);
    llvm::StringRef Relative = Uri;
    if (Relative.consume_front(BaseUri)) {
      return json::Object{{"uri", Relative.str()}, {"uriBaseId", Base}};
    }
    return json::Object{{"uri", Uri}};
  }

  static json::Object region(const Region& Where) {
    return json::Object{{"startLine", Where.Begin.Line},
                        {"startColumn", Where.Begin.Character},
                        {"endLine", Where.End.Line},
                        {"endColumn", Where.End.Character}};
  }

  json::Object location(const Region& Where) {
    Artifacts.insert(Where.File);
    return json::Object{{"physicalLocation", json::Object{{"artifactLocation", artifactLocation(Where.File)}, {"region", region(Where)}}}};
  }

  json::Object location(const Region& Where, llvm::StringRef Text) {
    json::Object Place = location(Where);
    Place["message"] = message(Text);
    return Place;
  }

  json::Object result(const Message& M) {
    json::Object Result{{"ruleId", M.Id}, {"level", level(M.Severity)}, {"message", message(M.Text)}};
    if (const Rule* Known = ruleNamed(M.Id)) {
      Result["ruleIndex"] = static_cast<int64_t>(Known - rules().begin());
    }
    if (M.Where) {
      Result["locations"] = json::Array{location(*M.Where)};
    }
    json::Array Related;
    for (const Note& Each : M.Notes) {
      if (Each.Where && !Each.IsCall) {
        Related.push_back(location(*Each.Where, Each.Text));
        Related.back().getAsObject()->try_emplace("id", static_cast<int64_t>(Related.size()));
      }
    }
    if (!Related.empty()) {
      Result["relatedLocations"] = std::move(Related);
    }
    addCodeFlow(M, Result);
    addFixes(M, Result);
    return Result;
  }

  /// What stays when the lines around a result change: its rule, the callable, the line's text; counted where a file has several of that.
  static void addFingerprints(llvm::ArrayRef<const Message*> Of, json::Array& Results) {
    std::map<std::pair<std::string, uint64_t>, unsigned> Counts;
    for (const auto& [M, Result] : llvm::zip_equal(Of, Results)) {
      if (M->Where) {
        const auto Way = std::find_if(M->Notes.rbegin(), M->Notes.rend(), [](const Note& Each) { return Each.IsCall; });
        const std::string Callable = Way == M->Notes.rend() ? "" : Way->Text;
        const std::string Known = M->Id + '\n' + Callable + '\n' + M->Line;
        const uint64_t Hash = llvm::xxh3_64bits(llvm::StringRef(Known));
        const unsigned Count = ++Counts[{M->Where->File, Hash}];
        const std::string Text = llvm::utohexstr(Hash, /*LowerCase=*/true, /*Width=*/16) + ":" + std::to_string(Count);
        Result.getAsObject()->try_emplace("partialFingerprints", json::Object{{"primaryLocationLineHash", Text}});
      }
    }
  }

  /// From the annotated callable to the place.
  void addCodeFlow(const Message& M, json::Object& Result) {
    json::Array Steps;
    for (const Note& Each : llvm::reverse(M.Notes)) {
      if (Each.IsCall && Each.Where) {
        Steps.push_back(json::Object{{"location", location(*Each.Where, Each.Text)}});
      }
    }
    if (Steps.empty() || !M.Where) {
      return;
    }
    Steps.push_back(json::Object{{"location", location(*M.Where, M.Text)}});
    Result["codeFlows"] = json::Array{json::Object{{"threadFlows", json::Array{json::Object{{"locations", std::move(Steps)}}}}}};
  }

  /// The message's own, then the alternatives that its notes offer.
  void addFixes(const Message& M, json::Object& Result) {
    json::Array Fixes;
    if (!M.Fix.empty()) {
      Fixes.push_back(fix(M.Fix, M.Text));
    }
    for (const Note& Each : M.Notes) {
      if (!Each.Fix.empty()) {
        Fixes.push_back(fix(Each.Fix, Each.Text));
      }
    }
    if (!Fixes.empty()) {
      Result["fixes"] = std::move(Fixes);
    }
  }

  json::Object fix(const std::vector<Edit>& Edits, llvm::StringRef Text) {
    std::map<std::string, json::Array> Changes;
    for (const Edit& Each : Edits) {
      Artifacts.insert(Each.Where.File);
      Changes[Each.Where.File].push_back(json::Object{{"deletedRegion", region(Each.Where)}, {"insertedContent", message(Each.Text)}});
    }
    json::Array Files;
    for (auto& [File, Replacements] : Changes) {
      Files.push_back(json::Object{{"artifactLocation", artifactLocation(File)}, {"replacements", std::move(Replacements)}});
    }
    return json::Object{{"description", message(Text)}, {"artifactChanges", std::move(Files)}};
  }

  const Report& Told;
  const RunFacts& Facts;
  std::string BaseUri;
  std::set<std::string> Artifacts;  // in order, so that the document is the same from run to run
};

}  // namespace

std::string toSarif(const Report& Told, const RunFacts& Facts) {
  std::string Text;
  llvm::raw_string_ostream Stream(Text);
  json::OStream(Stream, /*IndentSize=*/2).value(Writer(Told, Facts).document());
  Stream << '\n';
  return Text;
}

}  // namespace graphgen::report
