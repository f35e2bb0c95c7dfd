// SPDX-License-Identifier: Apache-2.0
//
// LLVM registers options of its own in every program that links it: they are taken out, or described as this program's.
#include "driver/CommandLine.h"

#include "plan/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

namespace graphgen::driver {
namespace {

namespace cl = llvm::cl;

void printVersion(llvm::raw_ostream& Stream) { Stream << "graphgen " << plan::versionText() << " (Clang " LLVM_VERSION_STRING ")\n"; }

void keepOwnOptions(const cl::OptionCategory& Own, cl::SubCommand& In) {
  std::vector<cl::Option*> Others;
  for (const auto& [Name, Each] : cl::getRegisteredOptions(In)) {
    if (Name == "help") {
      Each->setDescription("print this");
    } else if (Name == "version") {
      Each->setDescription("print the version");
    } else if (!llvm::is_contained(Each->Categories, &Own)) {
      Others.push_back(Each);
    }
  }
  for (cl::Option* Each : Others) {
    Each->removeArgument();
  }
}

}  // namespace

CommandLine::CommandLine() {
  keepOwnOptions(Category, cl::SubCommand::getTopLevel());
  keepOwnOptions(Category, Doctor);
  cl::SetVersionPrinter(printVersion);
}

bool CommandLine::parse(llvm::ArrayRef<const char*> Arguments) {
  return cl::ParseCommandLineOptions(static_cast<int>(Arguments.size()), Arguments.data(), Overview, &llvm::errs());
}

}  // namespace graphgen::driver
