// SPDX-License-Identifier: Apache-2.0
//
// Which names a source and its headers spell.
#include "scan/IncludedText.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace graphgen::scan {
namespace {

class IncludedTextTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("graphgen-included", Folder)); }
  void TearDown() override { llvm::sys::fs::remove_directories(Folder); }

  std::string write(llvm::StringRef Name, llvm::StringRef Text) {
    llvm::SmallString<128> Path(Folder);
    llvm::sys::path::append(Path, Name);
    EXPECT_FALSE(llvm::sys::fs::create_directories(llvm::sys::path::parent_path(Path)));
    std::error_code Error;
    llvm::raw_fd_ostream(Path, Error) << Text;
    EXPECT_FALSE(Error);
    return std::string(Path);
  }

  bool spells(const std::string& Source, llvm::StringRef Name, const std::vector<std::string>& CommandLine = {}) {
    llvm::StringSet<> Names;
    Names.insert(Name);
    Read.clear();
    return IncludedText().spells(Source, Names, CommandLine, Folder, Read);
  }

  llvm::SmallString<128> Folder;
  std::vector<std::string> Read;
};

TEST_F(IncludedTextTest, AWholeWordThatIsNoCommentAndNoString) {
  const std::string Source = write("a.cpp", "int gains; // gain\nconst char* text = \"gain\"; /* gain */ int rate;");
  EXPECT_TRUE(spells(Source, "rate"));
  EXPECT_TRUE(spells(Source, "gains"));
  EXPECT_FALSE(spells(Source, "gain"));
}

TEST_F(IncludedTextTest, OfAHeaderBesideTheSourceOrInAFolderOfTheCommandLine) {
  const std::string Source = write("a.cpp", "#include \"b.h\"\n  #  include <c.h>\n");
  write("b.h", "#pragma once\n#include \"deep/d.h\"\n");
  write("deep/d.h", "int of_d;");
  write("include/c.h", "int of_c;");
  EXPECT_TRUE(spells(Source, "of_d"));
  EXPECT_FALSE(spells(Source, "of_c"));
  EXPECT_TRUE(spells(Source, "of_c", {"clang++", "-isystem", "include"}));
  EXPECT_TRUE(spells(Source, "of_c", {"clang++", "-I", "include"}));
  EXPECT_TRUE(spells(Source, "of_c", {"clang++", "-I" + std::string(Folder) + "/include"}));
  EXPECT_TRUE(spells(Source, "of_c", {"-iquoteinclude"}));
}

TEST_F(IncludedTextTest, OfNoHeaderOfLibTorch) {
  const std::string Source = write("a.cpp", "#include <ATen/ATen.h>\n#include <torch/all.h>\n");
  write("libtorch/ATen/ATen.h", "int of_aten;");
  write("libtorch/api/torch/all.h", "int of_torch;");
  EXPECT_FALSE(spells(Source, "of_aten", {"clang++", "-isystem", "libtorch"}));
  EXPECT_FALSE(spells(Source, "of_torch", {"clang++", "-isystem", "libtorch/api"}));
}

TEST_F(IncludedTextTest, OfHeadersThatIncludeOneAnother) {
  const std::string Source = write("a.cpp", "#include \"b.h\"");
  const std::string Header = write("b.h", "#include \"b.h\"\n#include \"a.cpp\"\n#include \"missing.h\"\nint x;");
  EXPECT_FALSE(spells(Source, "y"));
  EXPECT_EQ(Read, (std::vector<std::string>{Source, Header}));
}

TEST_F(IncludedTextTest, OfNoFile) { EXPECT_FALSE(spells(std::string(Folder) + "/missing.cpp", "x")); }

}  // namespace
}  // namespace graphgen::scan
