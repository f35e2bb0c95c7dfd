// SPDX-License-Identifier: Apache-2.0
//
// Which bodies a scan leaves unread: those of LibTorch's and the standard library's own files, that nothing can ask for.
#include "scan/Libraries.h"

#include <gtest/gtest.h>

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"

namespace graphgen::scan {
namespace {

struct FindFunction : clang::DynamicRecursiveASTVisitor {
  bool VisitFunctionDecl(clang::FunctionDecl* F) override {
    Found = F->getDeclName().isIdentifier() && F->getName() == "f" ? F : Found;
    return true;
  }
  const clang::FunctionDecl* Found = nullptr;
};

/// Of the function `f` that `Header`, which the main file includes by its path, defines.
bool isNeverRead(const std::string& Path, const std::string& Header, const std::string& Flag = "-I/headers") {
  const auto Unit = clang::tooling::buildASTFromCodeWithArgs(
      "#include <" + Path + ">\n", {Flag, "-std=c++17"}, "/main.cpp", "graphgen", std::make_shared<clang::PCHContainerOperations>(),
      clang::tooling::getClangStripDependencyFileAdjuster(), {{"/headers/" + Path, Header}});
  FindFunction Find;
  Find.TraverseAST(Unit->getASTContext());
  EXPECT_NE(Find.Found, nullptr) << Header;
  return Find.Found && isBodyNeverRead(*Find.Found);
}

TEST(BodiesNeverRead, AreThoseOfLibTorchsOwnFiles) {
  EXPECT_TRUE(isNeverRead("ATen/ops/add.h", "namespace at { inline int f() { return 1; } }"));
  EXPECT_TRUE(isNeverRead("torch/nn/module.h", "namespace torch::nn { struct Module { int f() { return 1; } }; }"));
  EXPECT_TRUE(isNeverRead("bits/thing.h", "namespace std { inline int f() { return 1; } }", "-isystem/headers"));
}

TEST(BodiesNeverRead, AreNotTheProgramsIn) {
  EXPECT_FALSE(isNeverRead("app/net.h", "inline int f() { return 1; }"));
  EXPECT_FALSE(isNeverRead("app/net.h", "namespace torch::nn { inline int f() { return 1; } }"));
  EXPECT_FALSE(isNeverRead("torch/net.h", "inline int f() { return 1; }"));
  EXPECT_FALSE(isNeverRead("torch/net.h", "namespace app { inline int f() { return 1; } }"));
  EXPECT_FALSE(isNeverRead("equivariant/net.h", "namespace equivariant { inline int f() { return 1; } }", "-isystem/headers"));
}

TEST(BodiesNeverRead, AreNotTemplatesWhichCallWhatTheyAreMadeFor) {
  EXPECT_FALSE(isNeverRead("torch/nn/pimpl.h", "namespace torch::nn { template <class T> int f(T t) { return t.forward(); } }"));
  EXPECT_FALSE(
      isNeverRead("torch/nn/pimpl.h", "namespace torch::nn { template <class T> struct Holder { int f() { return T::size; } }; }"));
}

}  // namespace
}  // namespace graphgen::scan
