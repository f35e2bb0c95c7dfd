// SPDX-License-Identifier: Apache-2.0
//
// Goes over every dimension, count and option value of a tree: for its names, and for its errors.
#include "annotation/Evaluate.h"
#include "annotation/Printer.h"
#include "annotation/Variables.h"
#include "annotation/Walker.h"
#include "annotation/Words.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <set>

namespace graphgen::annotation {
namespace {

class NameCollector final : public Walker {
 public:
  explicit NameCollector(const Annotation& Tree) {
    for (const DimVariable& Variable : Tree.Variables) {
      Variables.insert(Variable.Name);
    }
    walk(Tree);
  }

  std::vector<NameUse> take();

 private:
  void tensor(const Spec& Tensor) override {
    std::for_each(Tensor.Dims.begin(), Tensor.Dims.end(), [this](const Expr& E) { value(E); });
  }
  void count(const Expr& Count) override { value(Count); }
  void value(const Expr& Value) override;
  void option(const Option& Parsed) override { value(Parsed.Value.value_or(Expr())); }

  std::set<std::string> Variables;
  std::map<std::string, std::vector<TextRange>> Found;
};

/// What other tools write for a size that is not known.
bool isMinusOne(const Expr& Value) {
  return Value.Op == Expr::Kind::Negate && Value.Operands[0].Op == Expr::Kind::Integer && Value.Operands[0].Value == 1;
}

bool isBefore(TextRange Left, TextRange Right) { return Left.Begin < Right.Begin; }

std::vector<NameUse> NameCollector::take() {
  std::vector<NameUse> Result;
  for (auto& [Name, Ranges] : Found) {
    std::sort(Ranges.begin(), Ranges.end(), isBefore);
    Result.push_back({Name, std::move(Ranges)});
  }
  std::sort(Result.begin(), Result.end(),
            [](const NameUse& Left, const NameUse& Right) { return isBefore(Left.Ranges.front(), Right.Ranges.front()); });
  return Result;
}

void NameCollector::value(const Expr& Value) {
  if (Value.Op == Expr::Kind::Name && Variables.count(Value.Name) == 0) {
    Found[Value.Name].push_back(Value.Range);
  }
  for (const Expr& Operand : Value.Operands) {
    value(Operand);
  }
}

class ValueChecker final : public Walker {
 public:
  ValueChecker(const Annotation& Tree, const Constants& Known) : Known(Known), Found(checkVariables(Tree, Known)) {
    for (const DimVariable& Variable : Tree.Variables) {
      Variables.insert(Variable.Name);
    }
    if (Found.empty()) {
      Bound = variablesOf(Tree, Known);
      Sizes = combinations(Bound, Known);
    }
    walk(Tree);
    checkTotal(Tree);
  }

  std::vector<Diagnostic> take() { return std::move(Found); }

 private:
  static int64_t tensorsOf(const Spec& Value, const Constants& At);
  void checkTotal(const Annotation& Tree);
  void tensor(const Spec& Tensor) override;
  void count(const Expr& Count) override {
    if (!usesAny(Count, Variables)) {
      keep(evaluateCount(Count, Known));
      return;
    }
    llvm::any_of(Sizes, [&](const Constants& Size) { return keep(evaluateCount(Count, Size), Size); });
  }
  void value(const Expr&) override {}  // checkVariables has checked them
  void option(const Option& Parsed) override {
    if (!usesAny(*Parsed.Value, Variables)) {
      keep(evaluateOption(Parsed, Known));
    }
  }
  bool dimension(const Expr& Dim);
  bool openDimension(const Expr& Dim, const Constants& Size);
  bool shape(const Spec& Given);
  void checkFits(const Spec& Tensor);

  template <typename T>
  bool keep(Evaluated<T> Result) {
    const bool Failed = std::holds_alternative<Diagnostic>(Result);
    if (Failed) {
      addInOrder(Found, std::get<Diagnostic>(std::move(Result)));
    }
    return Failed;
  }
  template <typename T>
  bool keep(Evaluated<T> Result, const Constants& Size) {
    if (Diagnostic* Error = std::get_if<Diagnostic>(&Result)) {
      Error->Message += placeOf(Bound, Size);
    }
    return keep(std::move(Result));
  }

  const Constants& Known;
  std::set<std::string> Variables;
  std::vector<Diagnostic> Found;
  std::vector<Variable> Bound;
  std::vector<Constants> Sizes;  // at each combination of the variables' values
};

/// With scalars; of those past MaxTensors, some are enough.
int64_t ValueChecker::tensorsOf(const Spec& Value, const Constants& At) {
  int64_t Total = Value.What == Spec::Kind::Aggregate ? 0 : 1;
  for (const Field& Member : Value.Fields) {
    Total += tensorsOf(Member.Value, At);
  }
  const Evaluated<int64_t> Count = Value.Repeat ? evaluateCount(*Value.Repeat, At) : Evaluated<int64_t>(1);
  const int64_t* Number = std::get_if<int64_t>(&Count);
  return std::min(Total, MaxTensors + 1) * (Number ? *Number : 1);
}

/// Of all lengths that lists may have.
void ValueChecker::checkTotal(const Annotation& Tree) {
  const std::vector<Constants> Lengths = combinations(variablesThat(Bound, /*AreCounts=*/true), Known);
  int64_t Total = 0;
  for (const Field& Argument : Tree.Arguments) {
    for (const Constants& At : Lengths) {
      Total += tensorsOf(Argument.Value, At);
    }
    if (Total > MaxTensors) {
      return addInOrder(Found, {"graphed-dimension",
                                Argument.NameRange,
                                "an annotation describes at most " + std::to_string(MaxTensors) + " tensors and values, but with " +
                                    quoted(Argument.Name) + " there are more",
                                {}});
    }
  }
}

/// Whether the dimension failed; the first combination at which it does is reported.
bool ValueChecker::dimension(const Expr& Dim) {
  if (!usesAny(Dim, Variables)) {
    Evaluated<int64_t> Result = evaluateDim(Dim, Known);
    if (Diagnostic* Error = std::get_if<Diagnostic>(&Result); Error && isMinusOne(Dim)) {
      Error->Message += VariableHint;
    }
    return keep(std::move(Result));
  }
  return llvm::any_of(
      Sizes, [&](const Constants& Size) { return isOpen(Dim, Bound) ? openDimension(Dim, Size) : keep(evaluateDim(Dim, Size), Size); });
}

/// Checks the parts that no call changes.
bool ValueChecker::openDimension(const Expr& Dim, const Constants& Size) {
  if (!isOpen(Dim, Bound)) {
    return keep(evaluate(Dim, Size), Size);
  }
  if (llvm::any_of(Dim.Operands, [&](const Expr& Each) { return openDimension(Each, Size); })) {
    return true;
  }
  const bool Divides = Dim.Op == Expr::Kind::Divide || Dim.Op == Expr::Kind::Remainder;
  if (!Divides || isOpen(Dim.Operands[1], Bound) || std::get<int64_t>(evaluate(Dim.Operands[1], Size)) != 0) {
    return false;
  }
  const std::string Message = "division by zero in " + quoted(print(Dim));
  return keep(Evaluated<int64_t>(Diagnostic{"graphed-dimension", Dim.Operands[1].Range, Message, {}}), Size);
}

/// An open dimension, which each call is asked for, counts as one.
bool ValueChecker::shape(const Spec& Given) {
  Spec Tensor = Given;
  for (Expr& Dim : Tensor.Dims) {
    if (isOpen(Dim, Bound)) {
      const TextRange Range = Dim.Range;
      Dim = Expr();
      Dim.Value = 1;
      Dim.Range = Range;
    }
  }
  const bool Varies = llvm::any_of(Tensor.Dims, [&](const Expr& Dim) { return usesAny(Dim, Variables); });
  if (!Varies) {
    return keep(evaluateShape(Tensor, Known));
  }
  return llvm::any_of(Sizes, [&](const Constants& Size) { return keep(evaluateShape(Tensor, Size), Size); });
}

void ValueChecker::tensor(const Spec& Tensor) {
  bool Failed = false;
  for (const Expr& Dim : Tensor.Dims) {
    Failed |= dimension(Dim);
  }
  if (!Failed && !shape(Tensor) && Found.empty()) {
    checkFits(Tensor);
  }
}

/// Sizes that a program may have, and far larger ones.
static std::vector<int64_t> triedValues() {
  std::vector<int64_t> Values;
  for (int64_t Small = 0; Small <= 4096; ++Small) {
    Values.push_back(Small);
  }
  for (int64_t Large = 8192; Large <= int64_t(1) << 40; Large *= 2) {
    Values.insert(Values.end(), {Large - 1, Large, Large + 1});
  }
  return Values;
}

/// Of the dimensions that one open variable decides alone. Each call would be a miss of them.
void ValueChecker::checkFits(const Spec& Tensor) {
  for (const Variable& Each : Bound) {
    std::set<std::string> Others = Variables;
    Others.erase(Each.Name);
    std::vector<const Expr*> Dims;
    for (const Expr& Dim : Tensor.Dims) {
      if (Each.isOpen() && usesAny(Dim, {Each.Name}) && !usesAny(Dim, Others)) {
        Dims.push_back(&Dim);
      }
    }
    const auto Fits = [&](int64_t Value) {
      Constants With = Known;
      With[Each.Name] = Value;
      return llvm::all_of(Dims, [&](const Expr* Dim) { return std::holds_alternative<int64_t>(evaluateDim(*Dim, With)); });
    };
    if (!Dims.empty() && llvm::none_of(triedValues(), Fits)) {
      const auto IsBare = [](const Expr* Dim) { return Dim->Op == Expr::Kind::Name; };
      const Expr& Wrong = **llvm::find_if_not(Dims, IsBare);
      return addInOrder(Found, {"graphed-dimension", Wrong.Range, "no value of " + quoted(Each.Name) + " gives this tensor a shape", {}});
    }
  }
}

}  // namespace

std::vector<NameUse> names(const Annotation& Tree) { return NameCollector(Tree).take(); }

std::vector<Diagnostic> checkValues(const Annotation& Tree, const Constants& Known) { return ValueChecker(Tree, Known).take(); }

}  // namespace graphgen::annotation
