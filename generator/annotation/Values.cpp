// SPDX-License-Identifier: Apache-2.0
//
// Goes over every dimension, count and option value of a tree: for its names, and for its errors.
#include "annotation/Evaluate.h"

#include <algorithm>
#include <set>

namespace graphgen::annotation {
namespace {

/// Calls its functions for each tensor, each `* n`, each value of a dimension variable and each option that has a value.
class Walker {
 public:
  virtual ~Walker() = default;
  void walk(const Annotation& Tree);

 protected:
  virtual void tensor(const Spec& Tensor) = 0;
  virtual void count(const Expr& Count) = 0;
  virtual void value(const Expr& Value) = 0;
  virtual void option(const Option& Parsed) = 0;

 private:
  void walk(const Spec& Value);
};

void Walker::walk(const Annotation& Tree) {
  for (const Field& Argument : Tree.Arguments) {
    walk(Argument.Value);
  }
  for (const DimVariable& Variable : Tree.Variables) {
    for (const Expr& Value : Variable.Values) {
      value(Value);
    }
  }
  for (const Option& Parsed : Tree.Options) {
    if (Parsed.Value) {
      option(Parsed);
    }
  }
}

void Walker::walk(const Spec& Value) {
  if (Value.What == Spec::Kind::Tensor) {
    tensor(Value);
  }
  for (const Field& Member : Value.Fields) {
    walk(Member.Value);
  }
  if (Value.Repeat) {
    count(*Value.Repeat);
  }
}

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
  ValueChecker(const Annotation& Tree, const Constants& Known) : Known(Known) { walk(Tree); }

  std::vector<Diagnostic> take() { return std::move(Found); }

 private:
  void tensor(const Spec& Tensor) override;
  void count(const Expr& Count) override { keep(evaluateCount(Count, Known)); }
  void value(const Expr& Value) override { keep(evaluateDim(Value, Known)); }
  void option(const Option& Parsed) override { keep(evaluateOption(Parsed, Known)); }

  template <typename T>
  bool keep(Evaluated<T> Result) {
    const bool Failed = std::holds_alternative<Diagnostic>(Result);
    if (Failed) {
      addInOrder(Found, std::get<Diagnostic>(std::move(Result)));
    }
    return Failed;
  }

  const Constants& Known;
  std::vector<Diagnostic> Found;
};

void ValueChecker::tensor(const Spec& Tensor) {
  bool Failed = false;
  for (const Expr& Dim : Tensor.Dims) {
    Failed |= keep(evaluateDim(Dim, Known));
  }
  if (!Failed) {
    keep(evaluateShape(Tensor, Known));
  }
}

}  // namespace

std::vector<NameUse> names(const Annotation& Tree) { return NameCollector(Tree).take(); }

std::vector<Diagnostic> checkValues(const Annotation& Tree, const Constants& Known) { return ValueChecker(Tree, Known).take(); }

}  // namespace graphgen::annotation
