// SPDX-License-Identifier: Apache-2.0
//
// Clang's own table of options says what a flag is and where its value stands.
#include "driver/Flags.h"

#include "clang/Driver/ToolChain.h"
#include "clang/Options/Options.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/TargetParser/Triple.h"

namespace graphgen::driver {
namespace {

namespace options = clang::options;

bool concernsReading(const llvm::opt::Arg& A) {
  const llvm::opt::Option& O = A.getOption();
  for (const unsigned Dropped :
       {options::OPT_INPUT, options::OPT_UNKNOWN, options::OPT_o, options::OPT_c, options::OPT_S, options::OPT_E, options::OPT_x,
        options::OPT_M_Group, options::OPT_W_Group, options::OPT_Wp_COMMA, options::OPT_include_pch, options::OPT_save_temps,
        options::OPT_save_temps_EQ, options::OPT__serialize_diags, options::OPT_fdiagnostics_format_EQ, options::OPT_fsyntax_only,
        options::OPT__DASH_DASH, options::OPT_emit_llvm}) {
    if (O.matches(Dropped)) {
      return false;
    }
  }
  return true;
}

/// -Xclang words that say to read or write a precompiled header.
unsigned wordsOfPrecompiledHeader(llvm::StringRef Word) {
  return llvm::StringSwitch<unsigned>(Word).Case("-include-pch", 2).Cases({"-emit-pch", "-fno-pch-timestamp"}, 1).Default(0);
}

bool isArchitecture(llvm::StringRef Target) {
  return !Target.empty() && llvm::Triple(llvm::Triple::normalize(Target)).getArch() != llvm::Triple::UnknownArch;
}

}  // namespace

std::vector<std::string> targetFlags(llvm::ArrayRef<std::string> CommandLine) {
  for (const std::string& Word : CommandLine) {
    if (llvm::StringRef(Word).starts_with("-")) {
      break;
    }
    const clang::driver::ParsedClangName Compiler = clang::driver::ToolChain::getTargetAndModeFromProgramName(Word);
    if (isArchitecture(Compiler.TargetPrefix)) {
      return {"--target=" + Compiler.TargetPrefix};
    }
  }
  return {};
}

std::vector<std::string> scanFlags(llvm::ArrayRef<std::string> CommandLine) {
  std::vector<const char*> Words;
  for (const std::string& Word : CommandLine) {
    Words.push_back(Word.c_str());
  }
  unsigned MissingIndex = 0, MissingCount = 0;
  const llvm::opt::InputArgList Parsed =
      clang::getDriverOptTable().ParseArgs(Words, MissingIndex, MissingCount, llvm::opt::Visibility(options::ClangOption));

  llvm::opt::ArgStringList Kept;
  unsigned Skipped = 0;
  for (const llvm::opt::Arg* A : Parsed) {
    if (A->getOption().matches(options::OPT_Xclang)) {
      if (Skipped == 0) {
        Skipped = wordsOfPrecompiledHeader(A->getValue());
      }
      if (Skipped > 0) {
        --Skipped;
        continue;
      }
    }
    // The driver would take a precompiled header beside the file, made without the scan's macro.
    if (A->getOption().matches(options::OPT_include)) {
      Kept.append({"-Xclang", "-include", "-Xclang", A->getValue()});
    } else if (concernsReading(*A)) {
      A->render(Parsed, Kept);
    }
  }
  return {Kept.begin(), Kept.end()};
}

}  // namespace graphgen::driver
