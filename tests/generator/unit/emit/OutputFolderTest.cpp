// SPDX-License-Identifier: Apache-2.0
//
// Nothing is written outside of the output folder, whatever becomes of its folders meanwhile.
#include "emit/OutputFolder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>

using namespace graphgen::emit;
namespace fs = llvm::sys::fs;

namespace {

class OutputFolder : public testing::Test {
 protected:
  void SetUp() override {
    llvm::SmallString<128> Made;
    ASSERT_FALSE(fs::createUniqueDirectory("graphgen-output", Made));
    ASSERT_FALSE(fs::real_path(Made, Root));
    ASSERT_FALSE(fs::create_directory(path("out")));
    ASSERT_FALSE(fs::create_directory(path("elsewhere")));
  }
  void TearDown() override { fs::remove_directories(Root); }

  std::string path(const std::string& Name) const { return (Root + "/" + Name).str(); }

  std::string write(const std::string& Name, const std::string& Content) const {
    return llvm::toString(writeInside(path("out"), path("out/" + Name), Content));
  }

  static std::string content(const std::string& Path) {
    auto Buffer = llvm::MemoryBuffer::getFile(Path);
    return Buffer ? (*Buffer)->getBuffer().str() : "nothing";
  }

  std::size_t entries(const std::string& Name) const {
    std::error_code Failed;
    std::size_t Count = 0;
    for (fs::directory_iterator Entry(path(Name), Failed), End; Entry != End && !Failed; Entry.increment(Failed)) {
      ++Count;
    }
    return Count;
  }

  void link(const std::string& Target, const std::string& Name) const { ASSERT_EQ(symlink(Target.c_str(), path(Name).c_str()), 0); }

  llvm::SmallString<128> Root;
};

TEST_F(OutputFolder, MakesFoldersAndFiles) {
  EXPECT_EQ(write("a/b/c.h", "text\n"), "");
  EXPECT_EQ(content(path("out/a/b/c.h")), "text\n");
  EXPECT_EQ(write("a/b/c.h", "other\n"), "");
  EXPECT_EQ(content(path("out/a/b/c.h")), "other\n");
  EXPECT_EQ(entries("out/a/b"), 1U);
}

TEST_F(OutputFolder, LeavesAFileThatHoldsTheText) {
  ASSERT_EQ(write("c.h", "text\n"), "");
  fs::file_status Before, After;
  ASSERT_FALSE(fs::status(path("out/c.h"), Before));
  EXPECT_EQ(write("c.h", "text\n"), "");
  ASSERT_FALSE(fs::status(path("out/c.h"), After));
  EXPECT_EQ(Before.getUniqueID(), After.getUniqueID());
}

TEST_F(OutputFolder, FollowsLinksThatStay) {
  ASSERT_EQ(write("real/c.h", "text\n"), "");
  link("real", "out/folder");
  link("c.h", "out/real/file.h");
  EXPECT_EQ(write("folder/file.h", "other\n"), "");
  EXPECT_EQ(content(path("out/real/c.h")), "other\n");
  EXPECT_TRUE(fs::is_symlink_file(path("out/real/file.h")));
}

TEST_F(OutputFolder, RefusesLinksThatLeadNowhere) {
  link("missing.h", "out/file.h");
  link("missing", "out/folder");
  EXPECT_NE(write("file.h", "text\n").find("file.h' leads nowhere: "), std::string::npos);
  EXPECT_NE(write("folder/c.h", "text\n").find("folder' leads nowhere: "), std::string::npos);
  EXPECT_TRUE(fs::is_symlink_file(path("out/file.h")));
  EXPECT_EQ(entries("out"), 2U);
}

TEST_F(OutputFolder, RefusesWhatIsNoFile) {
  ASSERT_EQ(mkfifo(path("out/pipe.h").c_str(), 0600), 0);
  ASSERT_FALSE(fs::create_directory(path("out/folder.h")));
  EXPECT_NE(write("pipe.h", "text\n").find("it is no regular file"), std::string::npos);
  EXPECT_NE(write("folder.h", "text\n").find("it is no regular file"), std::string::npos);
}

/// While it lives, out/net is a folder and a link to elsewhere by turns.
class Swapper {
 public:
  Swapper(std::string Folder, std::string Link)
      : Turns([this, Folder = std::move(Folder), Link = std::move(Link)] {
          while (!IsOver) {
            renameat2(AT_FDCWD, Folder.c_str(), AT_FDCWD, Link.c_str(), RENAME_EXCHANGE);
            std::this_thread::yield();
          }
        }) {}
  ~Swapper() {
    IsOver = true;
    Turns.join();
  }
  Swapper(const Swapper&) = delete;
  Swapper& operator=(const Swapper&) = delete;

 private:
  std::atomic<bool> IsOver = false;
  std::thread Turns;
};

TEST_F(OutputFolder, IsNotLeftThroughALinkThatIsPutInAFoldersPlace) {
  ASSERT_FALSE(fs::create_directory(path("out/net")));
  link(path("elsewhere"), "link");
  {
    const Swapper Swap(path("out/net"), path("link"));
    for (int Round = 0; Round < 3000; ++Round) {
      write("net/policy.h", std::to_string(Round));
    }
  }
  EXPECT_EQ(entries("elsewhere"), 0U);
}

}  // namespace
