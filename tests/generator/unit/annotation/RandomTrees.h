// SPDX-License-Identifier: Apache-2.0
//
// Random trees that the language can express, the same ones for the same seed.
#pragma once

#include "Trees.h"
#include "annotation/Words.h"

#include <random>

namespace graphgen::annotation {

class RandomTrees {
 public:
  explicit RandomTrees(unsigned Seed) : Random(Seed) {}

  Annotation annotation() {
    Annotation Tree;
    for (unsigned I = 0, Count = below(4); I < Count; ++I) {
      Tree.Arguments.push_back(field("arg" + std::to_string(I), below(4) == 0 ? randomValue() : holder(3)));
    }
    for (unsigned I = 0, Count = below(3); I < Count; ++I) {
      DimVariable Variable{"B" + std::to_string(I), {}, {}, std::nullopt, {}};
      if (below(3) == 0) {
        Variable.AtMost = expr(2);
      } else {
        Variable.Values = exprs(1);
      }
      if (below(2) == 0) {
        Variable.Pad = Padding{below(2) == 0 ? PadFill::Zero : PadFill::Repeat, {}};
      }
      Tree.Variables.push_back(std::move(Variable));
    }
    for (unsigned Kind = 0; Kind < static_cast<unsigned>(OptionKind::Allow); ++Kind) {
      if (below(4) == 0) {
        Tree.Options.push_back(option(static_cast<OptionKind>(Kind)));
      }
    }
    return Tree;
  }

 private:
  unsigned below(unsigned Limit) { return static_cast<unsigned>(Random() % Limit); }

  Expr expr(unsigned Depth) {
    switch (Depth == 0 ? below(2) : below(8)) {
      case 0:
        return integer(static_cast<int64_t>(Random() >> below(32)));
      case 1:
        return name(below(2) == 0 ? "n" + std::to_string(below(3)) : "::app::kSize");
      case 2:
        return negate(expr(Depth - 1));
      default:
        const auto Op = static_cast<Expr::Kind>(static_cast<unsigned>(Expr::Kind::Add) + below(5));
        return operation(Op, {expr(Depth - 1), expr(Depth - 1)});
    }
  }

  std::vector<Expr> exprs(unsigned Least) {
    std::vector<Expr> Result;
    for (unsigned Left = Least + below(4); Left > 0; --Left) {
      Result.push_back(expr(3));
    }
    return Result;
  }

  std::optional<Expr> repeat() { return below(3) == 0 ? std::optional<Expr>(expr(2)) : std::nullopt; }

  Spec holder(unsigned Depth) { return Depth == 0 || below(3) != 0 ? randomTensor() : randomAggregate(Depth); }

  Spec randomValue() { return below(2) == 0 ? randomMember() : randomObject(); }

  Spec randomMember() { return below(3) == 0 ? unseen(static_cast<UnseenKind>(below(2))) : randomScalar(); }

  Spec randomScalar() {
    Spec Result = scalar(static_cast<ScalarKind>(below(3)));
    Result.Repeat = repeat();
    return Result;
  }

  Spec randomObject() { return object(static_cast<ObjectKind>(below(2))); }

  Spec randomTensor() {
    std::vector<Flag> Flags;
    for (unsigned Value = 0; Value < 6; ++Value) {
      if (below(4) == 0) {
        Flags.push_back(static_cast<Flag>(Value));
      }
    }
    return tensor(static_cast<DType>(below(14)), exprs(0), Flags, repeat());
  }

  Spec randomAggregate(unsigned Depth) {
    const bool Named = below(2) == 0;
    std::vector<Field> Fields;
    for (unsigned I = 0, Count = 1 + below(3); I < Count; ++I) {
      Fields.push_back(field(Named ? "f" + std::to_string(I) : "", below(4) == 0 ? randomMember() : holder(Depth - 1)));
    }
    return aggregate(std::move(Fields), repeat());
  }

  Option option(OptionKind Kind) {
    Option Result{Kind, {}, std::nullopt, {}, {}};
    switch (valueOf(Kind)) {
      case OptionValue::Nothing:
        break;
      case OptionValue::Expr:
        Result.Value = expr(2);
        break;
      case OptionValue::Name:
        Result.Word = "pool" + std::to_string(below(3));
        break;
      case OptionValue::Id:
        Result.Word = "check-" + std::to_string(below(3));
        break;
      case OptionValue::Choice:
        Result.Word = choicesOf(Kind)[below(static_cast<unsigned>(choicesOf(Kind).size()))].str();
        break;
    }
    return Result;
  }

  std::mt19937 Random;
};

}  // namespace graphgen::annotation
