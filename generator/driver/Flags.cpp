// SPDX-License-Identifier: Apache-2.0
//
// Clang's own table of options says what a flag is and where its value stands.
#include "driver/Flags.h"

#include "clang/Basic/Sanitizers.h"
#include "clang/Driver/ToolChain.h"
#include "clang/Options/Options.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/TargetParser/Triple.h"

#include <iterator>

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

/// Says how machine code is made, or which bytes literals have, with values that Clang does not know.
bool hasValuesOfOthers(const llvm::opt::Arg& A) {
  const llvm::StringRef Name = A.getOption().getPrefixedName();
  const auto Begins = [&](llvm::StringRef Each) { return Name.starts_with(Each); };
  const bool IsJobs =
      A.getOption().matches(options::OPT_flto_EQ) && !llvm::is_contained({"full", "thin", "auto", "jobserver"}, A.getValue());
  return IsJobs || llvm::any_of(llvm::ArrayRef<llvm::StringRef>{"-fprofile-", "-fno-profile-", "-fauto-profile", "-fcf-protection",
                                                                "-finput-charset", "-fexec-charset", "-traditional-cpp"},
                                Begins);
}

bool namesSanitizers(const llvm::opt::Option& O) {
  return O.matches(options::OPT_fsanitize_EQ) || O.matches(options::OPT_fno_sanitize_EQ) || O.matches(options::OPT_fsanitize_recover_EQ) ||
         O.matches(options::OPT_fno_sanitize_recover_EQ) || O.matches(options::OPT_fsanitize_trap_EQ);
}

/// With the sanitizers that Clang knows; empty where it knows none.
std::string withKnownSanitizers(const llvm::opt::Arg& A) {
  std::vector<llvm::StringRef> Known;
  llvm::copy_if(A.getValues(), std::back_inserter(Known),
                [](llvm::StringRef Each) { return bool(clang::parseSanitizerValue(Each, /*AllowGroups=*/true)); });
  return Known.empty() ? "" : A.getOption().getPrefixedName().str() + llvm::join(Known, ",");
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
    } else if (namesSanitizers(A->getOption())) {
      if (const std::string Known = withKnownSanitizers(*A); !Known.empty()) {
        Kept.push_back(Parsed.MakeArgString(Known));
      }
    } else if (concernsReading(*A) && !hasValuesOfOthers(*A)) {
      A->render(Parsed, Kept);
    }
  }
  return {Kept.begin(), Kept.end()};
}

}  // namespace graphgen::driver
