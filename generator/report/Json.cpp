// SPDX-License-Identifier: Apache-2.0
//
// Positions are those that Clang prints, and offsets in bytes.
#include "report/Json.h"

#include "annotation/Utf8.h"
#include "report/Rules.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace graphgen::report {

namespace json = llvm::json;

namespace {

constexpr int SchemaVersion = 1;

void writeRegion(json::OStream& Out, const Region& Where) {
  Out.attribute("file", utf8(Where.File));
  Out.attribute("line", Where.Begin.Line);
  Out.attribute("column", Where.Begin.Column);
  Out.attribute("end_line", Where.End.Line);
  Out.attribute("end_column", Where.End.Column);
  Out.attribute("offset", Where.Offset);
  Out.attribute("length", Where.Length);
}

void writeFix(json::OStream& Out, const std::vector<Edit>& Fix) {
  if (Fix.empty()) {
    return;
  }
  Out.attributeArray("fix", [&] {
    for (const Edit& Each : Fix) {
      Out.object([&] {
        writeRegion(Out, Each.Where);
        Out.attribute("text", utf8(Each.Text));
      });
    }
  });
}

void writeNote(json::OStream& Out, const Note& N) {
  Out.object([&] {
    Out.attribute("message", utf8(N.Text));
    if (N.Where) {
      writeRegion(Out, *N.Where);
    }
    Out.attribute("call", N.IsCall);
    writeFix(Out, N.Fix);
  });
}

void writeMessage(json::OStream& Out, const Message& M) {
  Out.object([&] {
    Out.attribute("id", M.Id);
    Out.attribute("level", M.Severity == Level::Error ? "error" : "warning");
    Out.attribute("message", utf8(M.Text));
    if (const Rule* Known = ruleNamed(M.Id)) {
      Out.attribute("help", helpUri(*Known));
    }
    if (M.Where) {
      writeRegion(Out, *M.Where);
    }
    writeFix(Out, M.Fix);
    Out.attributeArray("notes", [&] {
      for (const Note& Each : M.Notes) {
        writeNote(Out, Each);
      }
    });
  });
}

}  // namespace

void writeFindings(json::OStream& Out, const Report& Told) {
  for (const Message& Each : Told.Messages) {
    Out.object([&] {
      if (!Each.Id.empty()) {
        Out.attribute("id", Each.Id);
      }
      Out.attribute("level", Each.Severity == Level::Error ? "error" : "warning");
      Out.attribute("message", utf8(Each.Text));
      if (const Rule* Known = ruleNamed(Each.Id)) {
        Out.attribute("page", "docs/" + Known->Page.str());
      }
      if (Each.Where) {
        Out.attribute("file", utf8(Each.Where->File));
        Out.attribute("line", Each.Where->Begin.Line);
        Out.attribute("column", Each.Where->Begin.Column);
      }
    });
  }
}

std::string toJson(const Report& Told, const std::string& Version) {
  std::string Text;
  llvm::raw_string_ostream Stream(Text);
  json::OStream Out(Stream, /*IndentSize=*/2);
  Out.object([&] {
    Out.attribute("schema", SchemaVersion);
    Out.attribute("graphgen", Version);
    Out.attributeArray("diagnostics", [&] {
      for (const Message& Each : Told.Messages) {
        writeMessage(Out, Each);
      }
    });
  });
  Out.flush();
  Stream << '\n';
  return Text;
}

}  // namespace graphgen::report
