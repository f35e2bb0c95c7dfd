// SPDX-License-Identifier: Apache-2.0
//
// Names, literals and lists in generated code.
#include "emit/Spelling.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

#include <gtest/gtest.h>

using namespace graphgen;
using namespace graphgen::emit;

namespace {

std::vector<plan::Parameter> called(const std::vector<std::string>& Names) {
  std::vector<plan::Parameter> Parameters;
  for (const std::string& Name : Names) {
    Parameters.emplace_back().Name = Name;
  }
  return Parameters;
}

TEST(Spelling, EscapesLiterals) {
  EXPECT_EQ(literal("app::policy"), "\"app::policy\"");
  EXPECT_EQ(literal("a\"b\\c\nd\x7f"), "\"a\\\"b\\\\c\\012d\\177\"");
  EXPECT_EQ(literal("a?b?\?/c?\?\?"), "\"a?b?\\?/c?\\?\\?\"");
  EXPECT_EQ(literal("\xc3\xa9"), "\"\xc3\xa9\"");
}

TEST(Spelling, TurnsCamelCaseIntoSnakeCase) {
  EXPECT_EQ(snakeCase("NetImplForward"), "net_impl_forward");
  EXPECT_EQ(snakeCase("MLPForward2"), "mlp_forward2");
  EXPECT_EQ(snakeCase("F"), "f");
}

TEST(Spelling, ReachesPastTheNamesOfGraphed) {
  EXPECT_EQ(reachable("app::policy"), "app::policy");
  EXPECT_EQ(reachable("app::impl::f"), "app::impl::f");
  EXPECT_EQ(reachable("impl::policy"), "::impl::policy");
  EXPECT_EQ(reachable("at::Tensor (const impl::T &, Graph, ::optim::T)"), "at::Tensor (const ::impl::T &, ::Graph, ::optim::T)");
  EXPECT_EQ(reachableFunction("policy"), "::policy");
  EXPECT_EQ(reachableFunction("app::policy"), "app::policy");
  EXPECT_EQ(reachableFunction("impl::policy"), "::impl::policy");
}

TEST(Spelling, RenamesParametersThatWouldHideAName) {
  EXPECT_EQ(argumentNames(called({"obs", "in", "engine_"})), (std::vector<std::string>{"obs", "in_argument", "engine_argument"}));
  EXPECT_EQ(argumentNames(called({"in", "in_argument"})), (std::vector<std::string>{"in_argument_argument", "in_argument"}));
}

TEST(Spelling, BreaksLongLists) {
  EXPECT_EQ(commaList({"a", "b"}, 0, 4), "a, b");
  EXPECT_EQ(commaList({}, 200, 4), "");
  EXPECT_EQ(commaList({"a", "b"}, 136, 4), "a, b");
  EXPECT_EQ(commaList({"a", "b"}, 137, 4), "\n    a,\n    b");
}

/// Whatever the runtime's headers declare in namespace graphed must be known to isNameOfGraphed.
TEST(Spelling, KnowsTheNamesOfTheRuntime) {
  std::error_code Failed;
  llvm::Regex Declaration("^(class|struct|enum class|using) (GRAPHED_API )?([A-Za-z_]+)( |;|$)");
  std::size_t Headers = 0;
  for (llvm::sys::fs::recursive_directory_iterator File(GRAPHED_HEADERS, Failed), End; File != End && !Failed;
       File.increment(Failed), ++Headers) {
    if (File->type() == llvm::sys::fs::file_type::directory_file) {
      continue;
    }
    auto Buffer = llvm::MemoryBuffer::getFile(File->path());
    ASSERT_TRUE(static_cast<bool>(Buffer));
    llvm::SmallVector<llvm::StringRef, 0> Lines;
    (*Buffer)->getBuffer().split(Lines, '\n');
    bool IsInner = true;
    for (const llvm::StringRef Line : Lines) {
      llvm::SmallVector<llvm::StringRef, 5> Match;
      if (Line.starts_with("namespace graphed::")) {
        break;
      }
      IsInner = Line.starts_with("namespace ") ? Line != "namespace graphed {" : IsInner && !Line.starts_with("}");
      if (IsInner || !Declaration.match(Line, &Match)) {
        continue;
      }
      EXPECT_TRUE(isNameOfGraphed(Match[3])) << Match[3].str() << " of " << File->path();
    }
  }
  EXPECT_GT(Headers, 10u);
}

}  // namespace
