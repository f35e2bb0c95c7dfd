// SPDX-License-Identifier: Apache-2.0
//
// The options of the command line, in the terms of LLVM's command line library: --help, completions and the manual page are made of them.
#pragma once

#include "driver/Options.h"

#include "llvm/Support/CommandLine.h"

namespace graphgen::driver {

namespace cl = llvm::cl;

constexpr const char* Overview = R"(graphgen: writes the glue of callables marked with GRAPHED(...)

For policy.h: policy.graphed.h, policy.graphed.cpp and the manifest policy.graphed.json; for a source file policy.cpp: policy.graphed.h and the
manifest. The compiler's flags are taken from compile_commands.json, or from what follows --.
Exit status: 0 done, 1 errors in the input, or with --compare something is less graphable, 2 wrong usage.
)";

struct CommandLine {
  cl::OptionCategory Category{"Options"};
  cl::SubCommand Doctor{"doctor", "print what graphgen needs of this machine, where it is, and what to do about problems"};
  cl::list<std::string> Files{cl::Positional, cl::desc("<files> [-- <flags>]"), cl::cat(Category)};
  cl::opt<std::string> BuildDir{"p", cl::desc("folder of compile_commands.json; else it is looked for in the folders above each file"),
                                cl::value_desc("build"), cl::cat(Category)};
  cl::opt<std::string> OutDir{"out-dir", cl::desc("folder to write below, at each file's relative path"), cl::value_desc("dir"),
                              cl::init("."), cl::cat(Category)};
  cl::opt<std::string> Depfile{"depfile", cl::desc("write what was read, in Makefile syntax; x.d names x"), cl::value_desc("file"),
                               cl::cat(Category)};
  cl::opt<std::string> Checks{"checks", cl::desc("globs of capture-safety checks to run, after '*'; '-' before one leaves out"),
                              cl::value_desc("globs"), cl::cat(Category)};
  cl::opt<std::string> WarningsAsErrors{"warnings-as-errors", cl::desc("globs of capture-safety checks whose warnings are errors"),
                                        cl::value_desc("globs"), cl::cat(Category)};
  cl::opt<bool> NoPch{"no-pch", cl::desc("scan LibTorch's headers again for each file, without precompiled headers"), cl::cat(Category)};
  cl::opt<std::string> CacheDir{"cache-dir",
                                cl::desc("folder to keep precompiled headers in, instead of $GRAPHGEN_CACHE or ~/.cache/graphgen"),
                                cl::value_desc("dir"),
                                cl::cat(Category),
                                cl::sub(cl::SubCommand::getTopLevel()),
                                cl::sub(Doctor)};
  cl::opt<uint64_t> CacheSize{"cache-size", cl::desc("most MiB to keep there, instead of $GRAPHGEN_CACHE_SIZE or 2048; 0 keeps none"),
                              cl::value_desc("MiB"), cl::cat(Category)};
  cl::opt<bool> Timings{"timings", cl::desc("report the time of each file, and why no precompiled header was used"), cl::cat(Category)};
  cl::opt<std::string> Callables{"callables", cl::desc("with --check-definitions: pass over sources that spell no body of these names"),
                                 cl::value_desc("file"), cl::cat(Category)};
  cl::opt<std::string> Summary{
      "summary", cl::desc("write what the file's functions do, for --join: of the one file, as it is checked or its code written"),
      cl::value_desc("file"), cl::cat(Category)};
  cl::opt<bool> NoJoin{"no-join", cl::desc("with --summary: no --join follows, so that nothing is left to it"), cl::cat(Category)};
  cl::opt<bool> Program{"program", cl::desc("with --join: the sources are all of a program, and of what it changes"), cl::cat(Category)};
  cl::list<std::string> SourceLists{
      "sources",
      cl::desc("with --join: a list of a target's sources, which are scanned where they define what is missing; "
               "then those of libraries"),
      cl::value_desc("file"), cl::cat(Category)};
  cl::opt<Mode> What{
      cl::desc("instead of writing:"), cl::init(Mode::Write), cl::cat(Category),
      cl::values(clEnumValN(Mode::Check, "check", "diagnose only"),
                 clEnumValN(Mode::CheckDefinitions, "check-definitions",
                            "diagnose the bodies that sources give to callables which headers annotate"),
                 clEnumValN(Mode::Join, "join", "diagnose by summaries what callables do in other sources than their own"),
                 clEnumValN(Mode::Print, "print", "print the code to standard output"),
                 clEnumValN(Mode::DumpPlan, "dump-plan", "print the manifest to standard output"),
                 clEnumValN(Mode::DebugFacts, "debug-facts", "print what the checks see the body of each callable do, with which values"),
                 clEnumValN(Mode::Explain, "explain",
                            "print of each callable its inputs, writes, captures and options, and why a call would miss"),
                 clEnumValN(Mode::Compare, "compare", "report what is less graphable by the second of two manifests than by the first"),
                 clEnumValN(Mode::ListChecks, "list-checks", "print the capture-safety checks that --checks takes, with the level of each"),
                 clEnumValN(Mode::ManPage, "man-page", "print the manual page, which man -l - shows"))};
  cl::opt<std::string> ExplainCheck{"explain-check", cl::desc("print the page of a diagnostic's id, or of another name"),
                                    cl::value_desc("id"), cl::cat(Category)};
  cl::opt<Shell> Completion{
      "completion", cl::desc("print the completions of a shell, for it to read"),
      cl::values(clEnumValN(Shell::Bash, "bash", "Bash"), clEnumValN(Shell::Zsh, "zsh", "Zsh"), clEnumValN(Shell::Fish, "fish", "fish")),
      cl::cat(Category)};
  cl::opt<enum Format> Format{"diagnostics-format",
                              cl::desc("of diagnostics; the latter two are one document on standard output"),
                              cl::init(Format::Clang),
                              cl::values(clEnumValN(Format::Clang, "clang", "text on standard error, as Clang's; the default"),
                                         clEnumValN(Format::Sarif, "sarif", "SARIF 2.1.0"), clEnumValN(Format::Json, "json", "JSON")),
                              cl::cat(Category),
                              cl::sub(cl::SubCommand::getTopLevel()),
                              cl::sub(Doctor)};
  cl::opt<Explained> ExplainAs{"format", cl::desc("of what --explain prints; the latter two are one document for all files"),
                               cl::init(Explained::Text),
                               cl::values(clEnumValN(Explained::Text, "text", "for people; the default"),
                                          clEnumValN(Explained::Html, "html", "a page for a browser, as the report's"),
                                          clEnumValN(Explained::Json, "json", "JSON of the report's schema")),
                               cl::cat(Category)};
  cl::opt<bool> Fix{"fix", cl::desc("make the fixes of diagnostics in the files, all of them or none"), cl::cat(Category)};
  cl::opt<std::string> ExportFixes{"export-fixes", cl::desc("write the fixes as YAML, for clang-apply-replacements"),
                                   cl::value_desc("file"), cl::cat(Category)};

  CommandLine();

  /// As LLVM's library does, and ends the program for --help and --version.
  bool parse(llvm::ArrayRef<const char*> Arguments);
};

}  // namespace graphgen::driver
