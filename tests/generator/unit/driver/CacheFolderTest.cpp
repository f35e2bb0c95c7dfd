// SPDX-License-Identifier: Apache-2.0
//
// Whether there is room for what takes long to make, and what goes where there is not.
#include "driver/CacheFolder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <chrono>
#include <csignal>
#include <fstream>
#include <set>

using graphgen::driver::CacheFolder;
namespace fs = llvm::sys::fs;

namespace {

class CacheFolderRoom : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("graphgen-cache", Path));
    ASSERT_TRUE(folder().exists());
  }
  void TearDown() override { fs::remove_directories(Path); }

  CacheFolder folder() const { return {Path, /*Limit=*/0}; }

  std::size_t entries() const {
    std::error_code Failed;
    std::size_t Count = 0;
    for (fs::recursive_directory_iterator Entry(Path, Failed), End; Entry != End && !Failed; Entry.increment(Failed)) {
      Count += fs::is_regular_file(Entry->path()) ? 1 : 0;
    }
    return Count;
  }

  llvm::SmallString<128> Path;
};

TEST_F(CacheFolderRoom, IsThereForALittle) { EXPECT_TRUE(folder().hasRoom(1)); }

TEST_F(CacheFolderRoom, IsNotThereForMoreThanTheDiskHolds) { EXPECT_FALSE(folder().hasRoom(uint64_t{1} << 60)); }

TEST_F(CacheFolderRoom, IsNotThereBeyondALimitOfTheProcess) {
  const auto Before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit Usual;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &Usual), 0);
  rlimit Low = Usual;
  Low.rlim_cur = 4096;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &Low), 0);
  EXPECT_FALSE(folder().hasRoom(8192));
  EXPECT_TRUE(folder().hasRoom(2048));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &Usual), 0);
  std::signal(SIGXFSZ, Before);
}

TEST_F(CacheFolderRoom, LeavesNothingBehind) {
  folder().hasRoom(1);
  folder().hasRoom(uint64_t{1} << 60);
  EXPECT_EQ(entries(), 0U);
}

class CacheFolderShrink : public CacheFolderRoom {
 protected:
  void write(const std::string& Name, size_t Bytes, std::chrono::minutes Age) const {
    const std::string File = folder().path(Name);
    std::ofstream(File) << std::string(Bytes, 'x');
    const auto Written = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now() - Age);
    const timespec Times[] = {{Written, 0}, {Written, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, File.c_str(), Times, 0), 0);
  }

  /// What a limit of so many bytes leaves, where `Stem` was made last.
  std::set<std::string> left(uint64_t Limit, const std::string& Stem) const {
    CacheFolder(Path, Limit).shrink(Stem);
    std::set<std::string> Names;
    std::error_code Failed;
    for (fs::directory_iterator Entry(folder().path(""), Failed), End; Entry != End && !Failed; Entry.increment(Failed)) {
      Names.insert(llvm::sys::path::filename(Entry->path()).str());
    }
    return Names;
  }
};

using std::chrono::minutes;
using Names = std::set<std::string>;

TEST_F(CacheFolderShrink, RemovesWhatWasUsedLeast) {
  write("a-1.pch", 100, minutes(9));
  write("a-1.manifest", 10, minutes(1));
  write("a-2.pch", 100, minutes(8));
  write("a-2.manifest", 10, minutes(8));
  write("b-1.pch", 100, minutes(2));
  write("b-1.manifest", 10, minutes(2));
  EXPECT_EQ(folder().stems("a-"), (std::vector<std::string>{"a-1", "a-2"}));
  EXPECT_EQ(left(330, "a-1").size(), 6U);
  EXPECT_EQ(left(220, "a-1"), (Names{"a-1.manifest", "a-1.pch", "b-1.manifest", "b-1.pch"}));
}

TEST_F(CacheFolderShrink, LeavesTheLastOneAndFilesOfOthers) {
  write("a-1.pch", 100, minutes(9));
  write("b-1.pch", 100, minutes(2));
  write("notes.txt", 100, minutes(99));
  EXPECT_EQ(left(0, "a-1"), (Names{"a-1.pch", "notes.txt"}));
}

TEST_F(CacheFolderShrink, LeavesWhatIsBeingMade) {
  write("a-.new1", 100, minutes(2));
  write("b-.new2", 100, minutes(70));
  write("c-1.pch", 100, minutes(0));
  EXPECT_EQ(left(0, "c-1"), (Names{"a-.new1", "c-1.pch"}));
}

}  // namespace
