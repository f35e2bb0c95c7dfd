// SPDX-License-Identifier: Apache-2.0
//
// Whether there is room for what takes long to make.
#include "driver/CacheFolder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <csignal>

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

}  // namespace
