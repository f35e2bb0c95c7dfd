// SPDX-License-Identifier: Apache-2.0
//
// Files that appear whole or not at all, and keep their time when nothing changed.
#include "emit/WriteFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <unistd.h>
#include <string>

using namespace graphgen::emit;
namespace fs = llvm::sys::fs;

namespace {

class WriteFile : public testing::Test {
 protected:
  void SetUp() override { ASSERT_FALSE(fs::createUniqueDirectory("graphgen-write", Folder)); }
  void TearDown() override { fs::remove_directories(Folder); }

  std::string path(const std::string& Name) const { return (Folder + "/" + Name).str(); }

  std::size_t entries() const {
    std::error_code Failed;
    std::size_t Count = 0;
    for (fs::directory_iterator Entry(Folder, Failed), End; Entry != End && !Failed; Entry.increment(Failed)) {
      ++Count;
    }
    return Count;
  }

  static std::string content(const std::string& Path) {
    auto Buffer = llvm::MemoryBuffer::getFile(Path);
    return Buffer ? (*Buffer)->getBuffer().str() : "nothing";
  }

  static fs::file_status status(const std::string& Path) {
    fs::file_status Status;
    EXPECT_FALSE(fs::status(Path, Status));
    return Status;
  }

  static std::string write(const std::string& Path, const std::string& Content) { return llvm::toString(writeIfChanged(Path, Content)); }

  llvm::SmallString<128> Folder;
};

TEST_F(WriteFile, WritesANewFileInANewFolder) {
  EXPECT_EQ(write(path("a/b/c.h"), "text\n"), "");
  EXPECT_EQ(content(path("a/b/c.h")), "text\n");
}

TEST_F(WriteFile, WritesAnEmptyFile) {
  EXPECT_EQ(write(path("c.h"), ""), "");
  EXPECT_EQ(content(path("c.h")), "");
}

TEST_F(WriteFile, ReplacesWhatChangedAndLeavesNothingBehind) {
  EXPECT_EQ(write(path("c.h"), "old"), "");
  EXPECT_EQ(write(path("c.h"), "new"), "");
  EXPECT_EQ(content(path("c.h")), "new");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(WriteFile, DoesNotTouchWhatDidNotChange) {
  EXPECT_EQ(write(path("c.h"), "text"), "");
  const fs::UniqueID Before = status(path("c.h")).getUniqueID();
  EXPECT_EQ(write(path("c.h"), "text"), "");
  EXPECT_EQ(status(path("c.h")).getUniqueID(), Before);
}

TEST_F(WriteFile, MakesFilesThatOthersMayRead) {
  EXPECT_EQ(write(path("c.h"), "text"), "");
  EXPECT_TRUE(status(path("c.h")).permissions() & fs::owner_read);
  EXPECT_FALSE(status(path("c.h")).permissions() & fs::all_exe);
}

TEST_F(WriteFile, NamesPathAndReasonWhenItFails) {
  EXPECT_EQ(write(path("file"), "text"), "");
  EXPECT_NE(write(path("file/c.h"), "text").find("cannot write '" + path("file/c.h") + "': "), std::string::npos);
}

TEST_F(WriteFile, RemovesTheTemporaryFileWhenItFails) {
  ASSERT_FALSE(fs::create_directories(path("c.h/inside")));
  EXPECT_NE(write(path("c.h"), "text").find("cannot write '" + path("c.h") + "': "), std::string::npos);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(WriteFile, KeepsALinkAndReplacesWhatItNames) {
  ASSERT_EQ(write(path("real.h"), "old"), "");
  ASSERT_EQ(symlink("real.h", path("link.h").c_str()), 0);
  EXPECT_EQ(write(path("link.h"), "new"), "");
  EXPECT_EQ(content(path("real.h")), "new");
  EXPECT_TRUE(fs::is_symlink_file(path("link.h")));
}

TEST_F(WriteFile, StaysInsideOfTheOutputFolder) {
  ASSERT_FALSE(fs::create_directories(path("out/real")));
  ASSERT_FALSE(fs::create_directory(path("elsewhere")));
  ASSERT_EQ(symlink("real", path("out/inside").c_str()), 0);
  ASSERT_EQ(symlink("../elsewhere", path("out/outside").c_str()), 0);
  ASSERT_EQ(symlink("out", path("also_out").c_str()), 0);
  const auto Check = [&](const std::string& Out, const std::string& File) {
    return llvm::toString(checkStaysInside(path(Out), path(Out + "/" + File)));
  };
  EXPECT_EQ(Check("out", "c.h"), "");
  EXPECT_EQ(Check("out", "not/there/yet/c.h"), "");
  EXPECT_EQ(Check("out", "inside/c.h"), "");
  EXPECT_EQ(Check("also_out", "inside/c.h"), "");
  EXPECT_EQ(llvm::toString(checkStaysInside("", "not/there/yet/c.h")), "");
  EXPECT_EQ(llvm::toString(checkStaysInside("", "c.h")), "");
  EXPECT_NE(Check("out", "outside/c.h").find("leads it out of the output folder"), std::string::npos);
  EXPECT_NE(Check("also_out", "outside/not/there/c.h").find("leads it out of the output folder"), std::string::npos);
}

}  // namespace
