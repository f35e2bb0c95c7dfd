// SPDX-License-Identifier: Apache-2.0
//
// How the ranks of a job find one another: by the variables that torchrun sets, and any other starter can.
#include "distributed/group.h"
#include "distributed/nccl.h"
#include "distributed/start_watch.h"
#include "distributed/store_backend.h"
#include "distributed/watched_store.h"
#include "report/environment.h"
#include "report/pages.h"
#include "report/text.h"

#include <graphed/process_group.h>

#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace graphed {

using namespace impl;

namespace {

constexpr const char* of_environment = "graphed: ProcessGroup::from_environment: ";
constexpr int largest_port = 65535;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): as LibTorch reads its own
  if (value == nullptr || *value == '\0') {
    throw Error(std::string(of_environment) + "the environment variable " + name +
                " is missing: start the program by torchrun, or set RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT and, on CUDA, LOCAL_RANK" +
                see(pages::distributed));
  }
  return value;
}

// Until all ranks have begun, which may take each of them a while.
std::chrono::milliseconds patience(std::chrono::milliseconds timeout) {
  return std::max<std::chrono::milliseconds>(timeout, std::chrono::minutes(2));
}

int number(const char* name, int least, int most) {
  const std::string value = variable(name);
  int result = 0;
  const auto end = std::from_chars(value.data(), value.data() + value.size(), result);
  if (end.ec != std::errc() || end.ptr != value.data() + value.size() || result < least || result > most) {
    throw Error(std::string(of_environment) + name + " must be a number from " + std::to_string(least) + " to " + std::to_string(most) +
                ", got '" + value + "'" + see(pages::distributed));
  }
  return result;
}

bool has(const char* name, std::string_view value) {
  const char* const found = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): likewise
  return found != nullptr && found == value;
}

// As torchrun does, which starts all ranks again where one fails.
bool is_of_the_starter() { return has("TORCHELASTIC_USE_AGENT_STORE", "True"); }

// "rank 1 waits at 127.0.0.1:29500 for "
std::string words_of_wait(int rank) {
  return of_environment + ("rank " + std::to_string(rank)) + " waits at " + variable("MASTER_ADDR") + ":" + variable("MASTER_PORT") +
         " for ";
}

c10::intrusive_ptr<c10d::Store> shared_store(int rank, std::chrono::milliseconds timeout) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(number("MASTER_PORT", 1, largest_port));
  options.isServer = rank == 0 && !is_of_the_starter();
  options.waitWorkers = false;
  options.multiTenant = true;  // of a process that makes several groups
  options.timeout = patience(timeout);
  const char* const attempt = std::getenv("TORCHELASTIC_RESTART_COUNT");  // NOLINT(concurrency-mt-unsafe): likewise
  static int made = 0;
  const std::string name = "graphed/" + std::string(attempt == nullptr ? "0" : attempt) + "/" + std::to_string(made++) + "/";
  try {
    const start_watch watch(words_of_wait(rank), options.timeout, [] { return is_of_the_starter() ? "the starter's store" : "rank 0"; });
    return c10::make_intrusive<c10d::PrefixStore>(name, c10::make_intrusive<c10d::TCPStore>(variable("MASTER_ADDR"), options));
  } catch (const c10::Error& error) {
    throw Error(std::string(of_environment) + "rank " + std::to_string(rank) +
                (options.isServer ? " cannot listen at " : " cannot reach the store at ") + variable("MASTER_ADDR") + ":" +
                variable("MASTER_PORT") +
                (options.isServer ? ": if the port is in use, two processes may have RANK=0, or another job has this MASTER_PORT" : "") +
                ": " + message_of(error) + see(pages::distributed));
  }
}

c10::intrusive_ptr<c10d::Store> watched(c10::intrusive_ptr<c10d::Store> store) {
  auto keeper = std::make_shared<idle_connection>(variable("MASTER_ADDR"), static_cast<uint16_t>(number("MASTER_PORT", 1, largest_port)));
  return c10::make_intrusive<watched_store>(std::move(store), std::move(keeper));
}

std::string key_of_rank(int rank) { return "taken/" + std::to_string(rank); }

void take_rank(int rank, c10d::Store& store) {
  if (store.add(key_of_rank(rank), 1) != 1) {
    throw Error(std::string(of_environment) + "another process has come with RANK=" + std::to_string(rank) +
                ": each process has a number of its own" + see(pages::distributed));
  }
}

// "ranks 1, 3"; empty where all have started.
std::string missing_ranks(int size, c10d::Store& store) {
  constexpr int most = 8;
  std::string named;
  int missing = 0;
  for (int rank = 0; rank < size; ++rank) {
    if (store.check({key_of_rank(rank)})) {
      continue;
    }
    if (++missing <= most) {
      named += (named.empty() ? "" : ", ") + std::to_string(rank);
    }
  }
  if (missing > most) {
    named += " and " + std::to_string(missing - most) + " more";
  }
  return missing == 0 ? "" : (missing == 1 ? "rank " : "ranks ") + named;
}

// A rank that never captures would keep all from it, or wait for them forever.
void check_disabled(const std::vector<bytes>& are_disabled, board& ranks) {
  const auto rank_of = [&](const char* answer) {
    return std::to_string(std::find(are_disabled.begin(), are_disabled.end(), bytes_of(answer)) - are_disabled.begin());
  };
  const std::string with = rank_of("1"), without = rank_of("0"), none = std::to_string(are_disabled.size());
  if (with != none && without != none) {
    ranks.leave(/*together=*/false);
    throw Error(std::string(of_environment) + "GRAPHED_DISABLE is set on rank " + with + " and not on rank " + without +
                ": set it on all ranks, or on none" + see(pages::distributed));
  }
}

c10::Device take_device(c10::DeviceType type) {
  const c10::impl::VirtualGuardImpl devices(type);
  const int count = devices.deviceCount();
  if (count == 0) {
    throw Error(std::string(of_environment) + "there is no GPU" + see(pages::distributed));
  }
  const c10::Device device(type, static_cast<c10::DeviceIndex>(number("LOCAL_RANK", 0, count - 1)));
  devices.setDevice(device);
  return device;
}

bool has_gpu() { return c10::impl::hasDeviceGuardImpl(c10::kCUDA) && c10::impl::VirtualGuardImpl(c10::kCUDA).deviceCount() != 0; }

}  // namespace

ProcessGroup ProcessGroup::from_environment(ProcessGroupOptions options) {
  return from_environment(has_gpu() ? c10::kCUDA : c10::kCPU, options);
}

ProcessGroup ProcessGroup::from_environment(c10::DeviceType type, ProcessGroupOptions options) {
  constexpr int most_ranks = 1 << 20;
  const int size = number("WORLD_SIZE", 1, most_ranks);
  const int rank = number("RANK", 0, size - 1);
  if (type != c10::kCPU && type != c10::kCUDA) {
    throw Error(std::string(of_environment) + "no collectives on " + c10::DeviceTypeName(type, /*lower_case=*/true) +
                see(pages::distributed));
  }
  const c10::Device device = type == c10::kCPU ? c10::Device(c10::kCPU) : take_device(type);
  auto store = shared_store(rank, options.timeout());
  take_rank(rank, *store);
  const bool keeps_store = rank == 0 && !is_of_the_starter();
  auto ranks = std::make_shared<board>(keeps_store ? store : watched(store), rank, size, options.timeout(), keeps_store);
  {
    const auto limit = patience(options.timeout());
    const start_watch watch(words_of_wait(rank), limit, [&] { return missing_ranks(size, *store); });
    check_disabled(ranks->meet({"ProcessGroup::from_environment with WORLD_SIZE=" + std::to_string(size)},
                               bytes_of(environment::get().disable ? "1" : "0"), limit),
                   *ranks);
  }
  c10::intrusive_ptr<c10d::Backend> backend;
  if (device.is_cpu()) {
    backend = c10::make_intrusive<store_backend>(ranks);
  } else {
    backend = nccl_backend(c10::make_intrusive<c10d::PrefixStore>("nccl/", store), rank, size, device);
  }
  return ProcessGroup(group::make(std::move(backend), std::move(ranks), device));
}

}  // namespace graphed
