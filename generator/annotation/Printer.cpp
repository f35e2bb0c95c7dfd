// SPDX-License-Identifier: Apache-2.0
//
// Writes each form as docs/reference/annotations.md spells it.
#include "annotation/Printer.h"

#include "annotation/Words.h"

namespace graphgen::annotation {
namespace {

struct Operator {
  const char* Sign;
  int Precedence;
};

Operator operatorOf(Expr::Kind Op) {
  switch (Op) {
    case Expr::Kind::Add:
      return {" + ", 1};
    case Expr::Kind::Subtract:
      return {" - ", 1};
    case Expr::Kind::Multiply:
      return {" * ", 2};
    case Expr::Kind::Divide:
      return {" / ", 2};
    case Expr::Kind::Remainder:
      return {" % ", 2};
    case Expr::Kind::Negate:
      return {"-", 3};
    case Expr::Kind::Integer:
    case Expr::Kind::Name:
      return {"", 4};
  }
  return {"", 4};
}

std::string printOperand(const Expr& Operand, int LeastPrecedence) {
  const std::string Text = print(Operand);
  return operatorOf(Operand.Op).Precedence < LeastPrecedence ? "(" + Text + ")" : Text;
}

std::string printExprs(const std::vector<Expr>& Values) {
  std::string Result;
  for (const Expr& Value : Values) {
    Result += (Result.empty() ? "" : ", ") + print(Value);
  }
  return Result;
}

std::string printFields(const std::vector<Field>& Fields) {
  std::string Result;
  for (const Field& Member : Fields) {
    Result += Result.empty() ? "" : ", ";
    Result += Member.Name.empty() ? "" : Member.Name + ": ";
    Result += print(Member.Value);
  }
  return Result;
}

std::string print(const DimVariable& Variable) {
  const bool Repeats = Variable.Pad && Variable.Pad->Fill == PadFill::Repeat;
  const std::string Values =
      Variable.AtMost ? "any " + graphgen::annotation::print(*Variable.AtMost) : "{" + printExprs(Variable.Values) + "}";
  return Variable.Name + " in " + Values + (Variable.Pad ? " pad" : "") + (Repeats ? " repeat" : "");
}

std::string print(const Option& Written) {
  const std::string Name = spelling(Written.Kind).str();
  if (Written.Value) {
    return Name + " = " + graphgen::annotation::print(*Written.Value);
  }
  return Written.Word.empty() ? Name : Name + " = " + Written.Word;
}

}  // namespace

std::string print(const Expr& Value) {
  const Operator Op = operatorOf(Value.Op);
  switch (Value.Op) {
    case Expr::Kind::Integer:
      return std::to_string(Value.Value);
    case Expr::Kind::Name:
      return Value.Name;
    case Expr::Kind::Negate:
      return Op.Sign + printOperand(Value.Operands[0], Op.Precedence);
    default:
      return printOperand(Value.Operands[0], Op.Precedence) + Op.Sign + printOperand(Value.Operands[1], Op.Precedence + 1);
  }
}

std::string print(const Spec& Value) {
  std::string Result;
  if (Value.What == Spec::Kind::Scalar) {
    Result = spelling(Value.Scalar).str();
  } else if (Value.What == Spec::Kind::Object) {
    Result = spelling(Value.Object).str();
  } else if (Value.What == Spec::Kind::Unseen) {
    Result = spelling(Value.Unseen).str();
  } else if (Value.What == Spec::Kind::Tensor) {
    Result = spelling(Value.Type).str() + "[" + printExprs(Value.Dims) + "]";
    for (const FlagUse& Use : Value.Flags) {
      Result += " " + spelling(Use.Value).str();
    }
  } else {
    Result = "{" + printFields(Value.Fields) + "}";
  }
  if (Value.Repeat) {
    Result += " * " + printOperand(*Value.Repeat, operatorOf(Expr::Kind::Integer).Precedence);
  }
  return Result;
}

std::string print(const Annotation& Tree) {
  std::string Options;
  for (const DimVariable& Variable : Tree.Variables) {
    Options += (Options.empty() ? "; " : ", ") + print(Variable);
  }
  for (const Option& Written : Tree.Options) {
    Options += (Options.empty() ? "; " : ", ") + print(Written);
  }
  return printFields(Tree.Arguments) + Options;
}

}  // namespace graphgen::annotation
