// SPDX-License-Identifier: Apache-2.0
//
// What a run reported, in the form that was asked for.
#pragma once

#include "driver/Input.h"
#include "driver/Options.h"
#include "report/Message.h"

#include "llvm/ADT/Twine.h"

#include <set>
#include <string>

namespace graphgen::driver {

extern const llvm::StringLiteral FileId;  // of errors about files

/// The run's messages. Where text is asked for they are printed as they come, else at the end.
class Teller {
 public:
  explicit Teller(const Options& Given) : Given(Given) {}

  /// An error that is about no place in a file. `Id`: of its page, or empty.
  void complain(const llvm::Twine& What, llvm::StringRef Id = {});

  /// What a scan reported; it was printed if `prints()`.
  void append(report::Report Scanned);

  /// The ids that have been reported.
  const std::set<std::string>& ids() const { return Ids; }

  const report::Report& told() const { return Told; }

  bool prints() const { return Given.Format == Format::Clang; }

  /// Writes the document, exports the fixes, and makes them. Takes and gives the program's exit status.
  int finish(int Status, const std::vector<Input>& Inputs);

 private:
  void writeDocument(int Status, const std::vector<Input>& Inputs) const;
  bool makeFixes();

  const Options& Given;
  report::Report Told;
  std::set<std::string> Ids;
};

}  // namespace graphgen::driver
