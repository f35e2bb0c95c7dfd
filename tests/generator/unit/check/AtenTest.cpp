// SPDX-License-Identifier: Apache-2.0
//
// The operators of C++ functions, against the one that each calls in the headers of the LibTorch that is there.
#include "CppUnit.h"
#include "check/torch/Calls.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"

#include <map>
#include <set>

namespace graphgen::check {
namespace {

/// The records at::_ops::X whose `call` a body names, and the functions that it calls.
class Body : public clang::DynamicRecursiveASTVisitor {
 public:
  bool VisitDeclRefExpr(clang::DeclRefExpr* Name) override {
    const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(Name->getDecl());
    const auto* Around = Method ? llvm::dyn_cast<clang::NamespaceDecl>(Method->getParent()->getDeclContext()) : nullptr;
    if (Around && Around->getName() == "_ops") {
      Operators.insert(Method->getParent());
    } else if (const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(Name->getDecl())) {
      Called.push_back(Function);
    }
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr* Name) override {
    if (const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(Name->getMemberDecl())) {
      Called.push_back(Function);
    }
    return true;
  }

  std::set<const clang::CXXRecordDecl*> Operators;
  std::vector<const clang::FunctionDecl*> Called;
};

constexpr unsigned MostCalls = 3;  // from a function to its operator

/// Those of the body; where it names none, those of the functions that it calls.
std::set<const clang::CXXRecordDecl*> operatorsIn(const clang::FunctionDecl& Function, unsigned Depth) {
  const clang::FunctionDecl* Definition = nullptr;
  if (!Function.hasBody(Definition)) {
    return {};
  }
  Body Its;
  Its.TraverseStmt(Definition->getBody());
  if (Its.Operators.empty() && Depth != 0) {
    for (const clang::FunctionDecl* Each : Its.Called) {
      Its.Operators.merge(operatorsIn(*Each, Depth - 1));
    }
  }
  return Its.Operators;
}

std::string fieldOf(const clang::CXXRecordDecl& Record, llvm::StringRef Name) {
  for (const clang::Decl* Each : Record.decls()) {
    const auto* Field = llvm::dyn_cast<clang::VarDecl>(Each);
    if (Field && Field->getName() == Name) {
      return llvm::cast<clang::StringLiteral>(Field->getInit()->IgnoreImpCasts())->getString().str();
    }
  }
  return "";
}

std::string called(const clang::CXXRecordDecl& Record) {
  return fieldOf(Record, "name").substr(sizeof("aten::") - 1) + "." + fieldOf(Record, "overload_name");
}

std::string said(const clang::FunctionDecl& Function) {
  const Operator* Its = operatorOf(Function);
  return Its ? (Its->Name + "." + Its->Overload).str() : "none";
}

/// Of the namespaces that have operators.
class Functions : public clang::DynamicRecursiveASTVisitor {
 public:
  bool VisitFunctionDecl(clang::FunctionDecl* Function) override {
    const auto* Around = llvm::dyn_cast<clang::NamedDecl>(Function->getDeclContext());
    static const llvm::StringSet<> Wanted = {"at", "at::symint", "at::Tensor", "at::TensorBase", "torch", "torch::special", "torch::fft"};
    if (Around && Function->isFirstDecl() && !Function->isImplicit() && Wanted.contains(Around->getQualifiedNameAsString())) {
      All.push_back(Function);
    }
    return true;
  }

  std::vector<const clang::FunctionDecl*> All;
};

struct Exception {
  llvm::StringLiteral Function;
  llvm::StringLiteral Said;  // the operator's name
};

/// Functions that call one operator, or choose among several, and are taken for another one.
constexpr Exception Exceptions[] = {
    // They give `to` a device or a type that no argument names, so each has a row of its own.
    {"at::Tensor::cpu", "cpu"},
    {"at::Tensor::cuda", "cuda"},
    {"at::Tensor::toType", "toType"},
    {"at::Tensor::to", "to"},
    // Devices that have no CUDA graphs.
    {"at::Tensor::hip", "none"},
    {"at::Tensor::meta", "none"},
    {"at::Tensor::metal", "none"},
    {"at::Tensor::toBackend", "none"},
    {"at::Tensor::ve", "none"},
    {"at::Tensor::vulkan", "none"},
    // The dimension is not an argument; an index that is a tensor is read.
    {"at::Tensor::operator[]", "select"},
    // `2 / x` makes a tensor of the number first.
    {"at::operator%", "remainder"},
    {"at::operator-", "rsub"},
    {"at::operator/", "div"},
    // A write of a tensor that nothing names.
    {"at::TensorBase::operator=", "copy_"},
    // Helpers of LibTorch's own kernels, which return tensors or references to them.
    {"at::Tensor::expect_contiguous", "none"},
    {"at::expand_inplace", "none"},
    {"at::expand_outplace", "none"},
    {"at::expand_size", "none"},
};

bool isException(const std::string& Function, llvm::StringRef Said) {
  return llvm::any_of(Exceptions, [&](const Exception& Each) { return Each.Function == Function && Each.Said == Said; });
}

std::string nameIn(const clang::FunctionDecl& Function) {
  llvm::StringRef Name = Function.getIdentifier() ? Function.getName() : "";
  Name.consume_front("__dispatch_");
  return Name.str();
}

TEST(Aten, OperatorsAreThoseThatTheFunctionsCall) {
  const std::string Torch = GRAPHGEN_TORCH_INCLUDE;
  const auto Unit = parsed("#include <torch/types.h>\n#include <torch/special.h>\n#include <torch/fft.h>\n",
                           {Torch, Torch + "/torch/csrc/api/include"}, GRAPHGEN_TORCH_STANDARD);
  Functions Found;
  Found.TraverseDecl(Unit->getASTContext().getTranslationUnitDecl());
  size_t Checked = 0;
  for (const clang::FunctionDecl* Each : Found.All) {
    const auto Operators = operatorsIn(*Each, MostCalls);
    const bool CallsOne = Operators.size() == 1;
    const std::string Said = said(*Each);
    const std::string Base = llvm::StringRef(Said).split('.').first.str();
    // A body that is in a source of LibTorch's, or calls several operators: the function's own name, or nothing.
    const bool IsRight = CallsOne ? Said == called(**Operators.begin()) : Said == "none" || Base == nameIn(*Each);
    EXPECT_TRUE(IsRight || isException(Each->getQualifiedNameAsString(), Base))
        << Each->getQualifiedNameAsString() << " " << Each->getType().getAsString() << ": " << Said << ", but calls "
        << (CallsOne ? called(**Operators.begin()) : std::to_string(Operators.size()));
    Checked += CallsOne ? 1 : 0;
  }
  EXPECT_GT(Checked, 7000U);  // else the headers were not read
}

}  // namespace
}  // namespace graphgen::check
