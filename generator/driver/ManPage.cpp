// SPDX-License-Identifier: Apache-2.0
//
// In the macros of man(7), without a date, so that every build makes the same.
#include "driver/ManPage.h"

#include "plan/Version.h"

namespace graphgen::driver {
namespace {

/// Text that roff takes for no request of its own.
std::string plain(llvm::StringRef Text) {
  std::string Result;
  for (const char Each : Text) {
    Result += Each == '\\' ? "\\e" : Each == '-' ? "\\-" : Each == '\'' ? "\\(aq" : std::string(1, Each);
  }
  return Result;
}

std::string bold(llvm::StringRef Text) { return "\\fB" + plain(Text) + "\\fR"; }
std::string italic(llvm::StringRef Text) { return "\\fI" + plain(Text) + "\\fR"; }

void printOptions(llvm::ArrayRef<OptionRow> Rows, llvm::raw_ostream& Out) {
  for (const OptionRow& Each : Rows) {
    Out << ".TP\n" << bold(Each.spelling());
    if (!Each.Value.empty()) {
      Out << (Each.Name.size() == 1 ? " " : "=") << italic(Each.Value);
    }
    Out << '\n' << plain(Each.Meaning) << '\n';
    if (Each.Value != "id") {  // of which there are many
      for (const OptionRow::Choice& Choice : Each.Choices) {
        Out << ".RS\n.TP\n" << bold(Choice.Word) << '\n' << plain(Choice.Meaning) << "\n.RE\n";
      }
    }
  }
}

}  // namespace

void printManPage(llvm::ArrayRef<OptionRow> Rows, llvm::raw_ostream& Out) {
  Out << ".TH GRAPHGEN 1 \"\" \"graphgen " << plan::versionText() << R"(" "User Commands"
.SH NAME
graphgen \- write the glue of callables marked with GRAPHED(...)
.SH SYNOPSIS
.B graphgen
[\fIoptions\fR] \fIfiles\fR [\fB\-\-\fR \fIflags\fR]
.br
.B graphgen doctor
[\fB\-\-cache\-dir\fR=\fIdir\fR] [\fB\-\-diagnostics\-format\fR=\fIvalue\fR]
.SH DESCRIPTION
graphgen reads C++ files, checks the GRAPHED annotations of callables, and writes the code that captures their CUDA work once and replays
it. For policy.h it writes policy.graphed.h, policy.graphed.cpp and the manifest policy.graphed.json; for a source file policy.cpp,
policy.graphed.h and the manifest. The compiler\(aqs flags are taken from compile_commands.json, or from what follows \-\-.
.PP
.B graphgen doctor
prints what graphgen needs of this machine, where it is, and what to do about problems.
.SH OPTIONS
)";
  printOptions(Rows, Out);
  Out << R"(.SH EXIT STATUS
.TP
0
Done; of doctor: code can be generated, compiled and run on the tape.
.TP
1
Errors in the input; with \-\-compare, something is less graphable; of doctor: something that is needed is missing.
.TP
2
Wrong usage.
.SH ENVIRONMENT
.TP
.B GRAPHGEN_CACHE
The folder to keep precompiled headers in.
.TP
.B GRAPHGEN_CACHE_SIZE
The most MiB to keep there.
)";
}

}  // namespace graphgen::driver
