// SPDX-License-Identifier: Apache-2.0
//
// Follows the parts of arguments and results downwards.
#include "emit/Visit.h"

#include "emit/Spelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace graphgen::emit {
namespace {

using annotation::TypeKind;
using plan::Part;

/// A tensor of an argument that a call looks at, or of a result; or a number in a result, in whose place a graph gives one.
bool isLeaf(const Part& P, bool IsOfResult) {
  return (annotation::isTensor(P.Type) && (IsOfResult || !P.IsOut)) || (IsOfResult && !P.Scalar && annotation::isNumber(P.Type));
}

bool holdsLeaves(const Part& P, bool IsOfResult) {
  return isLeaf(P, IsOfResult) || any_of(P.Parts, [&](const Part& Each) { return holdsLeaves(Each, IsOfResult); });
}

/// An expression: a value, or what `*` makes one of.
struct Access {
  std::string Text;
  bool IsPointer = false;

  std::string value() const { return (IsPointer ? "*" : "") + Text; }
  std::string member(const std::string& Name) const { return Text + (IsPointer ? "->" : ".") + Name; }
  std::string element(std::size_t Index) const { return "std::get<" + std::to_string(Index) + ">(" + value() + ")"; }
  Access pointee() const { return {IsPointer ? "(*" + Text + ")" : Text, /*IsPointer=*/true}; }
};

class VisitWriter {
 public:
  /// `Names` are those of the parameters.
  VisitWriter(bool IsResult, ArrayRef<std::string> Names)
      : IsResult(IsResult), Visitor(visitor(Names)), Variable(unlike("element", Names)) {}

  void write(const Part& P, const Access& A) {
    if (!holdsLeaves(P, IsResult)) {
      return;
    }
    if (isLeaf(P, IsResult)) {
      return line(Visitor + (P.IsOnHost ? ".on_host(" : "(") + A.value() + ");");
    }
    switch (P.Type) {
      case TypeKind::Optional:
      case TypeKind::UniquePointer:
        return writeOptional(P, A);
      case TypeKind::Vector:
      case TypeKind::ArrayRef:
      case TypeKind::List:
        return writeEach(Visitor + ".each(" + A.value() + ", ", P.Parts.front());
      case TypeKind::Array:
        if (!IsResult && any_of(P.Parts, [](const Part& Each) { return Each.IsOut; })) {
          return writeElements(P, A);
        }
        return writeEach(Visitor + ".each(" + A.value() + ", ", P.Parts.front());
      case TypeKind::Map:
        return IsResult ? writeEach(Visitor + ".each_value(" + A.value() + ", ", P.Parts.front()) : writeKeys(P, A);
      case TypeKind::Struct:
        for (const Part& Each : P.Parts) {
          write(Each, {A.member(Each.Name)});
        }
        return;
      case TypeKind::Tuple:
        return writeElements(P, A);
      default:
        return;
    }
  }

  std::string take() { return std::move(Text); }

 private:
  void line(const std::string& Statement) { Text += std::string(2 * Depth, ' ') + Statement + '\n'; }

  void writeElements(const Part& P, const Access& A) {
    for (const auto& [Index, Each] : enumerate(P.Parts)) {
      write(Each, {A.element(Index)});
    }
  }

  /// An argument's std::optional<Tensor> is a tensor that may be undefined.
  void writeOptional(const Part& P, const Access& A) {
    if (!IsResult && annotation::isTensor(P.Parts.front().Type)) {
      return line(Visitor + (P.Parts.front().IsOnHost ? ".on_host(" : "(") + A.value() + ");");
    }
    if (!IsResult) {
      line(Visitor + ".length(" + A.member("has_value()") + ");");
    }
    line("if (" + A.value() + ") {");
    ++Depth;
    write(P.Parts.front(), A.pointee());
    --Depth;
    line("}");
  }

  void writeKeys(const Part& P, const Access& A) {
    line(Visitor + ".length(" + A.member("size()") + ");");
    for (const Part& Each : P.Parts) {
      writeEach(Visitor + ".at(" + A.value() + ", " + literal(Each.Name) + ", /*tensors=*/" + std::to_string(Each.TensorCount) + ", ",
                Each);
    }
  }

  /// `Call` lacks its last argument, the function that visits `Element`.
  void writeEach(const std::string& Call, const Part& Element) {
    const std::string Name = Variable + (Elements == 0 ? "" : std::to_string(Elements + 1));
    if (isLeaf(Element, IsResult) && !Element.IsOnHost) {
      return line(Call + Visitor + ");");
    }
    line(Call + "[&](auto& " + Name + ") {");
    ++Depth;
    ++Elements;
    write(Element, {Name});
    --Elements;
    --Depth;
    line("});");
  }

  const bool IsResult;
  const std::string Visitor;
  const std::string Variable;  // begins the names of elements
  std::string Text;
  unsigned Depth = 1;
  unsigned Elements = 0;
};

/// Calls `F` for each scalar of `P` with its path and its expression.
void forEachScalar(const Part& P, const std::string& Path, const std::string& Expression,
                   function_ref<void(const Part&, const std::string&, const std::string&)> F) {
  if (P.Scalar) {
    return F(P, Path, Expression);
  }
  for (const auto& [Index, Each] : enumerate(P.Parts)) {
    if (P.Type == TypeKind::Struct) {
      forEachScalar(Each, Path + '.' + Each.Name, Expression + '.' + Each.Name, F);
    } else if (P.Type == TypeKind::Tuple || P.Type == TypeKind::Array) {
      forEachScalar(Each, Path + '[' + std::to_string(Index) + ']', Access{Expression}.element(Index), F);
    }
  }
}

std::size_t countLiveScalars(const plan::Callable& Callable) {
  std::size_t Count = 0;
  for (const plan::Parameter& Each : Callable.Parameters) {
    plan::forEachScalar(Each,
                        [&](const Part& Scalar, const std::string&) { Count += *Scalar.Scalar == annotation::ScalarKind::Live ? 1 : 0; });
  }
  return Count;
}

/// Of graphed::impl::Scalars.
std::string method(annotation::ScalarKind Kind) {
  switch (Kind) {
    case annotation::ScalarKind::Key:
      return ".key(";
    case annotation::ScalarKind::Const:
      return ".constant(";
    case annotation::ScalarKind::Live:
      return ".live(";
  }
  llvm_unreachable("a kind of scalar without a method");
}

}  // namespace

bool holdsTensors(const Part& P) { return holdsLeaves(P, /*IsOfResult=*/false); }

bool changesArguments(const plan::Callable& Callable) {
  return any_of(Callable.Parameters, [](const plan::Parameter& Each) { return Each.IsChangeable; });
}

bool hasFlatArguments(const plan::Callable& Callable) {
  return !plan::hasVaryingLengths(Callable) && !changesArguments(Callable) &&
         all_of(Callable.Parameters, [](const plan::Parameter& Each) { return plan::isFlat(Each); });
}

bool hasFlatResult(const plan::Callable& Callable) {
  if (changesArguments(Callable)) {
    return false;
  }
  switch (Callable.Result.Type) {
    case TypeKind::Void:
    case TypeKind::Tensor:
      return true;
    case TypeKind::Vector:
    case TypeKind::Array:
    case TypeKind::Tuple:
      return all_of(Callable.Result.Parts, [](const Part& Each) { return annotation::isTensor(Each.Type); });
    default:
      return false;
  }
}

bool hasHostValues(const plan::Part& Result) { return annotation::isNumber(Result.Type) || any_of(Result.Parts, hasHostValues); }

std::string visitor(ArrayRef<std::string> Names) { return unlike("visit", Names); }

std::string visitArguments(ArrayRef<const plan::Parameter*> Parameters, ArrayRef<std::string> Names) {
  VisitWriter Writer(/*IsResult=*/false, Names);
  for (const auto& [Parameter, Name] : zip_equal(Parameters, Names)) {
    Writer.write(*Parameter, {Name});
  }
  return Writer.take();
}

std::string resultName(const plan::Callable& Callable) {
  std::vector<std::string> Names;
  append_range(Names, map_range(Callable.Parameters, [](const plan::Parameter& Each) { return Each.Name; }));
  return unlike("result", Names);
}

std::string visitResult(const plan::Callable& Callable) {
  VisitWriter Writer(/*IsResult=*/true, {});
  if (!changesArguments(Callable)) {
    Writer.write(Callable.Result, {"result"});
    return Writer.take();
  }
  Writer.write(Callable.Result, {"result." + resultName(Callable)});
  for (const plan::Parameter& Each : Callable.Parameters) {
    if (Each.IsChangeable) {
      Writer.write(Each, {"result." + Each.Name});
    }
  }
  return Writer.take();
}

/// A part of it that the caller's keeps; or that it keeps where the callable has not assigned it.
static bool keepsParts(const Part& P) {
  return P.Scalar == annotation::ScalarKind::Live || P.Type == TypeKind::Ignored || P.IsOut || any_of(P.Parts, keepsParts);
}

static void giveBack(const Part& P, const std::string& To, const std::string& From, std::vector<std::string>& Statements) {
  if (P.IsOut || !keepsParts(P)) {
    Statements.push_back((P.IsOut ? "if (" + From + ".defined()) " : "") + To + " = std::move(" + From + ")");
    return;
  }
  for (const auto& [Index, Each] : enumerate(P.Parts)) {
    if (P.Type == TypeKind::Struct) {
      giveBack(Each, To + '.' + Each.Name, From + '.' + Each.Name, Statements);
    } else {
      giveBack(Each, Access{To}.element(Index), Access{From}.element(Index), Statements);
    }
  }
}

std::vector<std::string> changesGivenBack(const plan::Callable& Callable) {
  std::vector<std::string> Statements;
  for (const plan::Parameter& Each : Callable.Parameters) {
    if (Each.IsChangeable) {
      giveBack(Each, "arguments." + Each.Name, "outcome." + Each.Name, Statements);
    }
  }
  return Statements;
}

std::vector<std::string> outsCleared(const plan::Part& P, const std::string& Expression) {
  std::vector<std::string> Statements;
  if (P.IsOut) {
    Statements.push_back(Expression + " = at::Tensor()");
  }
  for (const auto& [Index, Each] : enumerate(P.Parts)) {
    const Access Whole{Expression};
    append_range(Statements, outsCleared(Each, P.Type == TypeKind::Struct ? Whole.member(Each.Name) : Whole.element(Index)));
  }
  return Statements;
}

std::vector<std::string> scalarCalls(const plan::Parameter& Parameter, const std::string& Name) {
  std::vector<std::string> Calls;
  forEachScalar(Parameter, Parameter.Name, Name, [&](const Part& Scalar, const std::string& Path, const std::string& Expression) {
    Calls.push_back(method(*Scalar.Scalar) + literal(Path) + ", " + Expression + ")");
  });
  return Calls;
}

std::string staticScalar(const plan::Callable& Callable, const Part& Live) {
  if (!plan::hasVaryingLengths(Callable)) {
    return "graphed::Scalar::over(in[" + std::to_string(Callable.SampleSets.front().Tensors.size() + Live.LiveIndex) + "])";
  }
  const std::size_t FromTheEnd = countLiveScalars(Callable) - Live.LiveIndex;
  return "graphed::Scalar::over(in[in.size() - " + std::to_string(FromTheEnd) + "])";
}

std::vector<std::string> liveAssignments(const plan::Callable& Callable, const plan::Parameter& Parameter, const std::string& Name) {
  std::vector<std::string> Statements;
  forEachScalar(Parameter, "", Name, [&](const Part& Scalar, const std::string&, const std::string& Expression) {
    if (*Scalar.Scalar == annotation::ScalarKind::Live) {
      Statements.push_back(Expression + " = " + staticScalar(Callable, Scalar));
    }
  });
  return Statements;
}

}  // namespace graphgen::emit
