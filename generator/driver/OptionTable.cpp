// SPDX-License-Identifier: Apache-2.0
//
// Read from what LLVM's command line library knows, as --help is.
#include "driver/OptionTable.h"

#include "driver/CommandLine.h"
#include "report/Rules.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::driver {
namespace {

template <class Parser>
std::vector<OptionRow::Choice> choicesOf(Parser& Values) {
  std::vector<OptionRow::Choice> Choices;
  for (unsigned Index = 0; Index < Values.getNumOptions(); ++Index) {
    Choices.push_back({Values.getOption(Index).str(), Values.getDescription(Index).str()});
  }
  return Choices;
}

std::vector<OptionRow::Choice> idsOfDiagnostics() {
  std::vector<OptionRow::Choice> Choices;
  for (const report::Rule& Each : report::rules()) {
    Choices.push_back({Each.Id.str(), Each.Meaning.str()});
  }
  return Choices;
}

OptionRow rowOf(const cl::Option& Given, llvm::StringRef Name) {
  OptionRow Row;
  Row.Name = Name.str();
  Row.Meaning = Given.HelpStr.str();
  if (Given.getValueExpectedFlag() == cl::ValueRequired) {
    Row.Value = Given.ValueStr.empty() ? "value" : Given.ValueStr.str();
  }
  return Row;
}

}  // namespace

std::vector<OptionRow> optionRows(CommandLine& Line) {
  std::vector<OptionRow> Rows;
  for (const OptionRow::Choice& Each : choicesOf(Line.What.getParser())) {
    Rows.push_back({Each.Word, "", Each.Meaning, {}, false});
  }
  for (const auto& [Name, Each] : cl::getRegisteredOptions()) {
    if (Each != &Line.What && Each->getOptionHiddenFlag() == cl::NotHidden) {
      Rows.push_back(rowOf(*Each, Name));
    }
  }
  for (OptionRow& Row : Rows) {
    Row.IsOfDoctor = cl::getRegisteredOptions(Line.Doctor).count(Row.Name) != 0;
    if (Row.Name == Line.Format.ArgStr) {
      Row.Choices = choicesOf(Line.Format.getParser());
    } else if (Row.Name == Line.Completion.ArgStr) {
      Row.Choices = choicesOf(Line.Completion.getParser());
    } else if (Row.Name == Line.ExplainCheck.ArgStr) {
      Row.Choices = idsOfDiagnostics();
    }
  }
  llvm::sort(Rows, [](const OptionRow& A, const OptionRow& B) { return A.Name < B.Name; });
  return Rows;
}

}  // namespace graphgen::driver
