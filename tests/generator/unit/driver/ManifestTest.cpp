// SPDX-License-Identifier: Apache-2.0
//
// What is kept of a precompiled header: by the bytes that went in, not by any clock.
#include "driver/Manifest.h"

#include "scan/Digest.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <fstream>

using graphgen::driver::Manifest;
using graphgen::scan::digestOf;
namespace fs = llvm::sys::fs;

namespace {

class ManifestOf : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("graphgen-manifest", Folder));
    write("a.h", "int a;");
    write("b.h", "int b;");
  }
  void TearDown() override { fs::remove_directories(Folder); }

  std::string path(const std::string& Name) const { return (Folder + "/" + Name).str(); }
  void write(const std::string& Name, const std::string& Text) const { std::ofstream(path(Name)) << Text; }

  /// Made of a.h and b.h, as they were read.
  graphgen::scan::PrecompiledHeader made(const std::string& DigestOfA) const {
    graphgen::scan::PrecompiledHeader Made;
    Made.Files = {path("a.h"), path("b.h")};
    Made.Digests = {DigestOfA, digestOf("int b;")};
    return Made;
  }

  llvm::SmallString<128> Folder;
};

TEST_F(ManifestOf, FilesThatWereWrittenThisMomentIsKept) {
  const std::optional<Manifest> Kept = Manifest::of(made(digestOf("int a;")));
  ASSERT_TRUE(Kept);
  bool IsRenewed = false;
  EXPECT_TRUE(Manifest(*Kept).holds(IsRenewed));
  EXPECT_FALSE(IsRenewed);
}

TEST_F(ManifestOf, FilesOfALaterDayIsKept) {
  const timespec Times[] = {{4102444800, 0}, {4102444800, 0}};  // 2100
  ASSERT_EQ(utimensat(AT_FDCWD, path("a.h").c_str(), Times, 0), 0);
  EXPECT_TRUE(Manifest::of(made(digestOf("int a;"))));
}

TEST_F(ManifestOf, AFileThatNoByteWentInOfIsKept) { EXPECT_TRUE(Manifest::of(made(""))); }

TEST_F(ManifestOf, AFileThatHoldsOtherBytesThanWentInIsNot) {
  EXPECT_FALSE(Manifest::of(made(digestOf("int c;"))));
  EXPECT_FALSE(Manifest::of(made("changed")));
}

TEST_F(ManifestOf, AFileThatIsGoneIsNot) {
  ASSERT_FALSE(fs::remove(path("b.h")));
  EXPECT_FALSE(Manifest::of(made(digestOf("int a;"))));
}

TEST_F(ManifestOf, FilesThatChangeLaterDoesNotHold) {
  std::optional<Manifest> Kept = Manifest::of(made(digestOf("int a;")));
  ASSERT_TRUE(Kept);
  write("a.h", "int x;");
  bool IsRenewed = false;
  EXPECT_FALSE(Kept->holds(IsRenewed));
}

TEST(ReadBytes, KnowsFilesByTheirIdentity) {
  graphgen::scan::ReadBytes Bytes;
  Bytes.add({1, 2}, "one");
  Bytes.add({1, 3}, "two");
  Bytes.add({1, 2}, "one");
  EXPECT_EQ(Bytes.digest({1, 2}), digestOf("one"));
  EXPECT_EQ(Bytes.digest({1, 4}), "");
  Bytes.add({1, 3}, "three");
  EXPECT_NE(Bytes.digest({1, 3}), digestOf("two"));
  EXPECT_NE(Bytes.digest({1, 3}), digestOf("three"));
  EXPECT_NE(Bytes.digest({1, 3}), "");
}

}  // namespace
