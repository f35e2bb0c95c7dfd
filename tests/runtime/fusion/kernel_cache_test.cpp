// SPDX-License-Identifier: Apache-2.0
#include "fusion/kernel_cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace kernel_cache_test {

using graphed::impl::fusion::kernel_cache;
namespace fs = std::filesystem;

class KernelCache : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "kernel_cache_XXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator())); }

  std::string folder_;
};

TEST_F(KernelCache, HasWhatAnotherProcessKept) {
  const std::string content("\0cubin\n", 7);
  kernel_cache(folder_ + "/below").keep("key", content);
  EXPECT_EQ(kernel_cache(folder_ + "/below").find("key"), content);
  EXPECT_EQ(kernel_cache(folder_ + "/below").find("other"), std::nullopt);
}

TEST_F(KernelCache, ReadsNoEntryOfAnotherKey) {
  kernel_cache(folder_).keep("key", "content");
  const fs::path file = fs::directory_iterator(folder_)->path();
  std::ofstream(file) << "3\nyek" << "content";
  EXPECT_EQ(kernel_cache(folder_).find("key"), std::nullopt);
  std::ofstream(file) << "3\nk";
  EXPECT_EQ(kernel_cache(folder_).find("key"), std::nullopt);
}

TEST_F(KernelCache, KeepsNothingWhereItCannotWrite) {
  std::ofstream(folder_ + "/file") << "no folder";
  const kernel_cache none("");
  const kernel_cache refused(folder_ + "/file/below");
  for (const kernel_cache& cache : {none, refused}) {
    cache.keep("key", "content");
    EXPECT_EQ(cache.find("key"), std::nullopt);
  }
}

TEST_F(KernelCache, RemovesWhatWasNotUsedForLongest) {
  const kernel_cache cache(folder_, 3000);
  const std::string content(900, 'c');
  for (int i = 0; i < 3; ++i) {
    cache.keep("key " + std::to_string(i), content);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(cache.find("key 0"), content);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  cache.keep("key 3", content);
  EXPECT_EQ(cache.find("key 0"), content);
  EXPECT_EQ(cache.find("key 1"), std::nullopt);
  EXPECT_EQ(files(), 3u);
}

TEST_F(KernelCache, IsWholeWhileSeveralThreadsWrite) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this] {
      for (int i = 0; i < 50; ++i) {
        const std::string content(10000, static_cast<char>('a' + i % 7));
        const kernel_cache cache(folder_);
        cache.keep("key", content);
        const auto found = cache.find("key");
        ASSERT_TRUE(found && found->size() == content.size() && found->find_first_not_of(found->front()) == std::string::npos);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(files(), 1u);
}

}  // namespace kernel_cache_test
