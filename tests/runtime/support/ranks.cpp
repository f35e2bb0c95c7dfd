// SPDX-License-Identifier: Apache-2.0
#include "ranks.h"

#include <graphed/error.h>

#include <torch/cuda.h>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <thread>
#include <utility>

extern char** environ;

namespace graphed::testing {
namespace {

using clock = std::chrono::steady_clock;

std::map<std::string, rank_program>& programs() {
  static std::map<std::string, rank_program> all;
  return all;
}

double seconds_since(clock::time_point begin) { return std::chrono::duration<double>(clock::now() - begin).count(); }

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A child whose output goes to a file.
class child {
 public:
  explicit child(std::map<std::string, std::string> environment) {
    std::string path = ::testing::TempDir() + "/graphed-rank-XXXXXX";
    const int file = ::mkstemp(path.data());
    path_ = path;
    std::vector<std::string> texts;
    for (char** each = environ; *each != nullptr; ++each) {
      const std::string text = *each;
      environment.emplace(text.substr(0, text.find('=')), text.substr(text.find('=') + 1));
    }
    for (const auto& [name, value] : environment) {
      texts.push_back(name + "=" + value);
    }
    std::vector<char*> pointers;
    for (auto& text : texts) {
      pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_adddup2(&files, file, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, file, STDERR_FILENO);
    std::string program = "/proc/self/exe";
    char* const arguments[] = {program.data(), nullptr};
    const int error = ::posix_spawn(&id_, program.c_str(), &files, nullptr, arguments, pointers.data());
    ::posix_spawn_file_actions_destroy(&files);
    ::close(file);
    require_that(error == 0, "a child process");
  }
  ~child() { ::unlink(path_.c_str()); }
  child& operator=(child&&) = delete;

  /// Ends it at the time limit.
  rank_end wait(clock::time_point begin, double limit) {
    int status = 0;
    while (::waitpid(id_, &status, WNOHANG) == 0) {
      if (seconds_since(begin) > limit) {
        ::kill(id_, SIGKILL);
        ::waitpid(id_, &status, 0);
        return {false, content_of(path_) + "(it did not end)", seconds_since(begin)};
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return {WIFEXITED(status) && WEXITSTATUS(status) == 0, content_of(path_), seconds_since(begin)};
  }

 private:
  std::string path_;
  pid_t id_ = 0;
};

int run_rank(const char* program) {
  const bool on_cpu = std::string(std::getenv("GRAPHED_RANK_DEVICE")) == "cpu";
  const char* const limit = std::getenv("GRAPHED_RANK_TIMEOUT_MS");
  ProcessGroupOptions options;
  options.timeout(std::chrono::milliseconds(limit == nullptr ? 60000 : std::atoi(limit)));
  if (const char* const late = std::getenv("GRAPHED_RANK_LATE_MS")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(late)));
  }
  auto group = ProcessGroup::from_environment(on_cpu ? c10::kCPU : c10::kCUDA, options);
  const int rank = group.rank();
  programs().at(program)(group);
  std::cout << "rank " << rank << " has ended well\n";
  return 0;
}

}  // namespace

named_rank_program::named_rank_program(const char* name, rank_program program) { programs().emplace(name, std::move(program)); }

std::vector<rank_end> run_ranks(const char* program, int ranks, const std::string& device, const rank_settings& settings) {
  c10d::TCPStoreOptions options;
  options.port = 0;
  options.isServer = true;
  options.waitWorkers = false;
  auto store = c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
  auto environment = settings.environment;
  environment.insert({{"WORLD_SIZE", std::to_string(ranks)},
                      {"MASTER_ADDR", "127.0.0.1"},
                      {"MASTER_PORT", std::to_string(store->getPort())},
                      {"CUBLAS_WORKSPACE_CONFIG", ":4096:8"},
                      {"NCCL_NVLS_ENABLE", "0"},
                      {"GRAPHED_RANK_PROGRAM", program},
                      {"GRAPHED_RANK_DEVICE", device}});
  if (settings.first_keeps_store) {
    store.reset();
  } else {
    environment.emplace("TORCHELASTIC_USE_AGENT_STORE", "True");
  }
  const auto begin = clock::now();
  std::vector<std::unique_ptr<child>> children;
  for (int rank = 0; rank < ranks; ++rank) {
    if (settings.environment.count("RANK") == 0) {
      environment["RANK"] = environment["LOCAL_RANK"] = std::to_string(rank);
    }
    auto own = environment;
    if (rank == 1) {
      for (const auto& [name, value] : settings.of_rank_1) {
        own[name] = value;
      }
    }
    children.push_back(std::make_unique<child>(own));
  }
  std::vector<rank_end> ends;
  ends.reserve(children.size());
  for (const auto& each : children) {
    ends.push_back(each->wait(begin, settings.seconds));
  }
  return ends;
}

std::string too_few_devices(const std::string& device, int ranks) {
  const auto count = static_cast<int>(torch::cuda::device_count());
  if (device == "cpu" || count >= ranks) {
    return {};
  }
  return count == 0 ? "there is no GPU" : "there are fewer GPUs than ranks: " + std::to_string(count) + " for " + std::to_string(ranks);
}

void expect_ranks_end_well(const char* program, int ranks, const std::string& device) {
  const auto ends = run_ranks(program, ranks, device);
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    EXPECT_TRUE(ends[rank].ended_well) << "rank " << rank << " of " << program << ":\n" << ends[rank].output;
  }
}

int main_of_ranks(int argc, char** argv) {
  const char* const program = std::getenv("GRAPHED_RANK_PROGRAM");
  if (program == nullptr) {
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
  }
  if (std::getenv("GRAPHED_RANK_UNCAUGHT") != nullptr) {
    return run_rank(program);
  }
  try {
    return run_rank(program);
  } catch (const std::exception& error) {
    std::cout << "failed: " << error.what() << "\n";
    return 1;
  }
}

}  // namespace graphed::testing

int main(int argc, char** argv) { return graphed::testing::main_of_ranks(argc, argv); }
