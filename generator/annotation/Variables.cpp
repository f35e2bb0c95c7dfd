// SPDX-License-Identifier: Apache-2.0
//
// Dimension variables: their values, and where they may stand.
#include "annotation/Variables.h"

#include "annotation/FlagRules.h"
#include "annotation/Printer.h"
#include "annotation/Walker.h"
#include "annotation/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>

namespace graphgen::annotation {
namespace {

/// The names in the counts of lists.
class CountNames final : public Walker {
 public:
  explicit CountNames(const Annotation& Tree) { walk(Tree); }

  std::set<std::string> Found;

 private:
  void tensor(const Spec&) override {}
  void count(const Expr& Count) override { add(Count); }
  void value(const Expr&) override {}
  void option(const Option&) override {}

  void add(const Expr& Value) {
    if (Value.Op == Expr::Kind::Name) {
      Found.insert(Value.Name);
    }
    llvm::for_each(Value.Operands, [this](const Expr& Operand) { add(Operand); });
  }
};

class VariableChecker final : public Walker {
 public:
  VariableChecker(const Annotation& Tree, const Constants& Known) : Known(Known) {
    for (const DimVariable& Variable : Tree.Variables) {
      Variables.insert(Variable.Name);
      if (Variable.Pad) {
        Padded.insert(Variable.Name);
      }
      if (Variable.AtMost) {
        Open.insert(Variable.Name);
      }
    }
    walk(Tree);
    llvm::for_each(Tree.Arguments, [this](const Field& Argument) { tell(Argument.Value); });
    for (const DimVariable& Variable : Tree.Variables) {
      checkValues(Variable);
      checkLimit(Variable);
      if (Used.count(Variable.Name) == 0) {
        report(Variable.NameRange, "the dimension variable " + quoted(Variable.Name) + " is in no dimension and no count");
      } else if (Variable.AtMost && Told.count(Variable.Name) == 0) {
        report(Variable.NameRange, "a call gives the value of " + quoted(Variable.Name) + " by a dimension that is " +
                                       quoted(Variable.Name) + " alone, of a tensor that is not 'optional', but there is none");
      }
    }
    checkCombinations(Tree);
  }

  std::vector<Diagnostic> take() { return std::move(Found); }

 private:
  void tensor(const Spec& Tensor) override {
    for (const Expr& Dim : Tensor.Dims) {
      use(Dim);
      if (Dim.Op != Expr::Kind::Name && usesAny(Dim, Padded)) {
        report(Dim.Range, "a padded dimension variable must be alone in its dimension, but here is " + quoted(print(Dim)));
      }
    }
  }
  void count(const Expr& Count) override {
    use(Count);
    if (usesAny(Count, Padded)) {
      report(Count.Range, "lists are not padded, but here the count of one is " + quoted(print(Count)));
    }
    if (usesAny(Count, Open)) {
      report(Count.Range, "the count of a list has declared values, but those of 'any' are not known before the calls, and here it is " +
                              quoted(print(Count)));
    }
  }

  /// By the dimensions that each call has.
  void tell(const Spec& Value) {
    const Evaluated<int64_t> Count = Value.Repeat ? evaluateCount(*Value.Repeat, Known) : Evaluated<int64_t>(1);
    const int64_t* Number = std::get_if<int64_t>(&Count);
    if (!Number || *Number == 0) {
      return;
    }
    for (const Expr& Dim : Value.Dims) {
      if (Dim.Op == Expr::Kind::Name && !findFlag(Value, Flag::Optional)) {
        Told.insert(Dim.Name);
      }
    }
    llvm::for_each(Value.Fields, [this](const Field& Member) { tell(Member.Value); });
  }
  void value(const Expr& Value) override { refuse(Value, "a dimension variable's value"); }
  void option(const Option& Parsed) override { refuse(*Parsed.Value, "the option " + quoted(spelling(Parsed.Kind))); }

  void use(const Expr& Value) {
    if (Value.Op == Expr::Kind::Name) {
      Used.insert(Value.Name);
    }
    llvm::for_each(Value.Operands, [this](const Expr& Operand) { use(Operand); });
  }

  void refuse(const Expr& Value, const std::string& What) {
    if (Value.Op == Expr::Kind::Name && Variables.count(Value.Name) > 0) {
      report(Value.Range, What + " is the same for all graphs: it cannot depend on the dimension variable " + quoted(Value.Name));
    }
    llvm::for_each(Value.Operands, [&](const Expr& Operand) { refuse(Operand, What); });
  }

  void checkValues(const DimVariable& Variable) {
    std::set<int64_t> Given;
    for (const Expr& Value : Variable.Values) {
      if (usesAny(Value, Variables)) {
        continue;
      }
      Evaluated<int64_t> Result = evaluateDim(Value, Known);
      if (Diagnostic* Error = std::get_if<Diagnostic>(&Result)) {
        addInOrder(Found, std::move(*Error));
      } else if (!Given.insert(std::get<int64_t>(Result)).second) {
        report(Value.Range, "the value " + std::to_string(std::get<int64_t>(Result)) + " of " + quoted(Variable.Name) + " is given twice");
      }
    }
  }

  /// Padding rounds up to a value that is declared.
  void checkLimit(const DimVariable& Variable) {
    if (!Variable.AtMost) {
      return;
    }
    if (!usesAny(*Variable.AtMost, Variables)) {
      const Evaluated<int64_t> Most = limitOf(Variable, Known);
      if (const Diagnostic* Error = std::get_if<Diagnostic>(&Most)) {
        addInOrder(Found, *Error);
      }
    }
    if (Variable.Pad) {
      report(Variable.Pad->Range, "'pad' rounds a size up to the next value of " + quoted(Variable.Name) +
                                      ", but those of 'any' are not known before the calls; give them, as in '" + Variable.Name +
                                      " in {1, 8, 64} pad'");
    } else if (!Padded.empty()) {
      report(Variable.NameRange, "the values of " + quoted(Variable.Name) + " are those of the calls, which no padding can round up, but " +
                                     quoted(*Padded.begin()) + " is padded; give the values of " + quoted(Variable.Name) +
                                     ", or leave out 'pad'");
    }
  }

  void checkCombinations(const Annotation& Tree) {
    size_t Count = 1;
    for (const DimVariable& Variable : Tree.Variables) {
      const Evaluated<int64_t> Most = Variable.AtMost ? limitOf(Variable, Known) : Evaluated<int64_t>(1);
      const int64_t* Number = std::get_if<int64_t>(&Most);
      Count *= std::max<size_t>(Variable.Values.size(), Number ? static_cast<size_t>(*Number) : 1);
      if (Count > MaxCombinations) {
        return report(Variable.NameRange, "one annotation asks for at most " + std::to_string(MaxCombinations) + " graphs, but with " +
                                              quoted(Variable.Name) + " there are " + std::to_string(Count) + " combinations of values");
      }
    }
  }

  void report(TextRange Range, const llvm::Twine& Message) { addInOrder(Found, {"graphed-dimension", Range, Message.str(), {}}); }

  const Constants& Known;
  std::set<std::string> Variables;
  std::set<std::string> Padded;
  std::set<std::string> Open;
  std::set<std::string> Used;
  std::set<std::string> Told;  // that are alone in a dimension of each call
  std::vector<Diagnostic> Found;
};

}  // namespace

bool usesAny(const Expr& Value, const std::set<std::string>& Variables) {
  return (Value.Op == Expr::Kind::Name && Variables.count(Value.Name) > 0) ||
         llvm::any_of(Value.Operands, [&](const Expr& Operand) { return usesAny(Operand, Variables); });
}

bool isOpen(const Expr& Dim, const std::vector<Variable>& Variables) {
  return llvm::any_of(Variables, [&](const Variable& Each) { return Each.isOpen() && usesAny(Dim, {Each.Name}); });
}

std::vector<Diagnostic> checkVariables(const Annotation& Tree, const Constants& Known) { return VariableChecker(Tree, Known).take(); }

std::vector<Variable> variablesOf(const Annotation& Tree, const Constants& Known) {
  const CountNames Counts(Tree);
  std::vector<Variable> Result;
  for (const DimVariable& Each : Tree.Variables) {
    std::map<int64_t, TextRange> Values;
    for (const Expr& Value : Each.Values) {
      Values.emplace(std::get<int64_t>(evaluateDim(Value, Known)), Value.Range);
    }
    Variable& New = Result.emplace_back(Variable{Each.Name, {}, Each.Pad ? std::optional(Each.Pad->Fill) : std::nullopt});
    New.IsCount = Counts.Found.count(Each.Name) > 0;
    if (Each.AtMost) {
      New.AtMost = std::get<int64_t>(limitOf(Each, Known));
    }
    for (const auto& [Value, Range] : Values) {
      New.Values.push_back(Value);
      New.Ranges.push_back(Range);
    }
  }
  return Result;
}

std::vector<Variable> variablesThat(const std::vector<Variable>& All, bool AreCounts) {
  std::vector<Variable> Result;
  llvm::copy_if(All, std::back_inserter(Result), [&](const Variable& Each) { return Each.IsCount == AreCounts; });
  return Result;
}

std::string placeOf(const std::vector<Variable>& Variables, const Constants& Values) {
  std::string Result;
  for (const Variable& Each : Variables) {
    if (Each.isOpen()) {
      continue;
    }
    Result += (Result.empty() ? " where " : " and ") + Each.Name + " is " + std::to_string(Values.at(Each.Name));
  }
  return Result;
}

std::vector<Constants> combinations(const std::vector<Variable>& Variables, const Constants& Known) {
  std::vector<Constants> Result{Known};
  for (const Variable& Each : Variables) {
    if (Each.isOpen()) {
      continue;
    }
    std::vector<Constants> Longer;
    for (const Constants& Shorter : Result) {
      for (const int64_t Value : Each.Values) {
        Longer.push_back(Shorter);
        Longer.back()[Each.Name] = Value;
      }
    }
    Result = std::move(Longer);
  }
  return Result;
}

}  // namespace graphgen::annotation
