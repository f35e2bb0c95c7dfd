// SPDX-License-Identifier: Apache-2.0
//
// By names, as torchgen gives C++ those of the schema; operators of C++, and declarations with other names, by their order.
#include "check/torch/Calls.h"

#include "check/torch/CppForm.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

using Kind = Operator::Kind;

/// Of each C++ parameter, a method's object first, the place of the schema's.
using Places = llvm::SmallVector<size_t, 8>;

struct Binding {
  const Operator* Called = nullptr;
  Places Of;
  std::vector<bool> IsOptions;
  size_t Unbound = 0;

  explicit operator bool() const { return Called != nullptr; }
};

bool isNumber(Kind K) { return K == Kind::Integer || K == Kind::Float || K == Kind::Scalar; }
bool isTensor(Kind K) { return K == Kind::Tensor || K == Kind::OptionalTensor; }

enum class Match { Names, Order, Loosely };

bool accepts(const Operator::Parameter& Its, const CppParameter& Given, Match By) {
  const bool IsAlike = (isNumber(Its.Type) && isNumber(Given.Type)) || (isTensor(Its.Type) && isTensor(Given.Type)) ||
                       (Its.Type == Kind::Other && !isTensor(Given.Type));
  return (By != Match::Names || Its.Name == Given.Name) && (Its.Type == Given.Type || (By == Match::Loosely && IsAlike));
}

bool isFromOptions(const Operator::Parameter& P) { return llvm::is_contained({"dtype", "layout", "device", "pin_memory"}, P.Name); }

/// The place of the first parameter of the schema that may be what is given, none of those before it being needed; else their number.
size_t placeOf(const CppParameter& Given, const Operator& One, const std::vector<bool>& IsBound, size_t From, Match By) {
  for (size_t Place = By == Match::Names ? 0 : From; Place < One.Parameters.size(); ++Place) {
    const Operator::Parameter& Its = One.Parameters[Place];
    if (!IsBound[Place] && (Given.IsOptions ? Its.Name == "dtype" && One.parameter("layout") : accepts(Its, Given, By))) {
      return Place;
    }
    if (By != Match::Names && !Given.IsOptions && !Its.Default && !IsBound[Place]) {
      break;
    }
  }
  return One.Parameters.size();
}

Binding bind(const CppForm& Form, const Operator& One, Match By) {
  Binding Result;
  Result.Called = &One;
  Result.Of.resize(Form.Parameters.size());
  std::vector<bool> IsBound(One.Parameters.size());
  size_t Next = 0;
  for (const size_t Argument : Form.Order) {
    const CppParameter& Given = Form.Parameters[Argument];
    const size_t Place = placeOf(Given, One, IsBound, Next, By);
    if (Place == One.Parameters.size()) {
      return {};
    }
    for (size_t Each = 0; Each < One.Parameters.size(); ++Each) {
      IsBound[Each] = IsBound[Each] || Each == Place || (Given.IsOptions && isFromOptions(One.Parameters[Each]));
    }
    Result.Of[Argument] = Place;
    Next = Place + 1;
  }
  for (size_t Each = 0; Each < One.Parameters.size(); ++Each) {
    if (!IsBound[Each] && !One.Parameters[Each].Default) {
      return {};
    }
    Result.Unbound += IsBound[Each] ? 0 : 1;
  }
  for (const CppParameter& Each : Form.Parameters) {
    Result.IsOptions.push_back(Each.IsOptions);
  }
  return Result;
}

/// Of the overloads that take such parameters the one that has the fewest others.
Binding bindingOf(const clang::FunctionDecl& Function) {
  const CppForm Form = cppFormOf(Function);
  for (const Match By : {Match::Names, Match::Order, Match::Loosely}) {
    for (const std::string& Name : Form.Names) {
      Binding Best;
      for (const Operator& Each : operatorsNamed(Name)) {
        if (Binding Its = bind(Form, Each, By); Its && (!Best || Its.Unbound < Best.Unbound)) {
          Best = std::move(Its);
        }
      }
      if (Best) {
        return Best;
      }
    }
  }
  return {};
}

/// Of a call the binding of its function, and what is given, a method's object first.
struct Bound {
  Binding Its;
  llvm::SmallVector<const clang::Expr*, 8> Given;
};

Bound boundIn(const clang::Stmt& S) {
  Bound Result;
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  Result.Its = Function ? bindingOf(*Function) : Binding();
  if (!Result.Its) {
    return Result;
  }
  if (const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(Call)) {
    Result.Given.push_back(Method->getImplicitObjectArgument());
  }
  llvm::append_range(Result.Given, Call->arguments());
  Result.Given.truncate(std::min(Result.Given.size(), Result.Its.Of.size()));
  return Result;
}

}  // namespace

OperatorBinding operatorBinding(const clang::FunctionDecl& Function) {
  const Binding Its = bindingOf(Function);
  OperatorBinding Result{Its.Called, {}};
  for (const size_t Place : Its.Of) {
    Result.Parameters.push_back(&Its.Called->Parameters[Place]);
  }
  return Result;
}

const Operator* operatorOf(const clang::FunctionDecl& Function) { return bindingOf(Function).Called; }

const clang::Expr* argument(const clang::Stmt& Call, llvm::StringRef Parameter) {
  const Bound All = boundIn(Call);
  const Operator::Parameter* Wanted = All.Its ? All.Its.Called->parameter(Parameter) : nullptr;
  for (const auto& [Index, Given] : llvm::enumerate(All.Given)) {
    const bool IsIts =
        Wanted && (&All.Its.Called->Parameters[All.Its.Of[Index]] == Wanted || (All.Its.IsOptions[Index] && isFromOptions(*Wanted)));
    if (IsIts && !llvm::isa<clang::CXXDefaultArgExpr>(Given)) {
      return Given;
    }
  }
  return nullptr;
}

const Operator::Parameter* parameterOf(const clang::Stmt& Call, const clang::Expr& Argument) {
  const Bound All = boundIn(Call);
  for (const auto& [Index, Given] : llvm::enumerate(All.Given)) {
    if (Given->IgnoreParenImpCasts() == Argument.IgnoreParenImpCasts()) {
      return &All.Its.Called->Parameters[All.Its.Of[Index]];
    }
  }
  return nullptr;
}

}  // namespace graphgen::check
