// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/order.h"

#include "backend/backend.h"
#include "backend/cuda/cleanup.h"
#include "backend/cuda/stream.h"
#include "backend/cuda/workspaces.h"

#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

#include <algorithm>
#include <map>

namespace graphed::impl {

namespace {

struct all_domains {
  std::mutex mutex;
  std::map<c10::DeviceIndex, std::vector<std::unique_ptr<order_domain>>> of_devices;
};

all_domains& registered_domains() {
  static auto& made = *new all_domains;
  return made;
}

}  // namespace

std::shared_ptr<order_domain> order_domain::take(c10::DeviceIndex device) {
  at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
  auto& [mutex, of_devices] = registered_domains();
  const std::lock_guard lock(mutex);
  auto& domains = of_devices[device];
  auto chosen =
      std::min_element(domains.begin(), domains.end(), [](const auto& one, const auto& other) { return one->pools_ < other->pools_; });
  if (domains.size() < domains_of_a_device && (chosen == domains.end() || (*chosen)->pools_ != 0)) {
    chosen = domains.insert(domains.end(), std::make_unique<order_domain>(device));
  }
  ++(*chosen)->pools_;
  return {chosen->get(), [](order_domain* domain) {
            const std::lock_guard lock(registered_domains().mutex);
            --domain->pools_;
          }};
}

bool order_domain::any_of(c10::DeviceIndex device, c10::function_ref<bool(order_domain&)> is) {
  auto& [mutex, of_devices] = registered_domains();
  const std::lock_guard lock(mutex);
  const auto& domains = of_devices[device];
  return std::any_of(domains.begin(), domains.end(), [&](const auto& domain) { return is(*domain); });
}

order_domain::order_domain(c10::DeviceIndex device)
    : pool_order(/*has_streams=*/true), memory_stream_(make_stream(device)), capture_streams_{make_stream(device), make_stream(device)} {
  const c10::cuda::CUDAGuard on_device(device);
  C10_CUDA_CHECK(cudaEventCreateWithFlags(&last_use_, cudaEventDisableTiming));
}

c10::cuda::CUDAStream order_domain::branch_stream(capture_lane lane, std::size_t index) {
  const std::lock_guard lock(mutex_);
  auto& streams = branch_streams_[static_cast<std::size_t>(lane)];
  while (streams.size() <= index) {
    streams.push_back(make_stream(device()));
  }
  return streams[index];
}

c10::cuda::CUDAStream order_domain::collective_stream() {
  const std::lock_guard lock(mutex_);
  if (!collective_stream_) {
    collective_stream_ = make_stream(device(), priority::high);
  }
  return *collective_stream_;
}

bool order_domain::owns(c10::cuda::CUDAStream stream) const {
  const std::lock_guard lock(mutex_);
  const auto has = [&](const std::vector<c10::cuda::CUDAStream>& streams) {
    return std::find(streams.begin(), streams.end(), stream) != streams.end();
  };
  return stream == capture_stream(capture_lane::usual) || stream == capture_stream(capture_lane::with_backwards) ||
         stream == collective_stream_ || has(branch_streams_[0]) || has(branch_streams_[1]);
}

cudaStream_t order_domain::current_stream() const { return c10::cuda::getCurrentCUDAStream(device()).stream(); }

void order_domain::begin_use() {
  const c10::cuda::CUDAGuard on_device(device());
  const std::lock_guard lock(mutex_);
  wait(current_stream());
}

void order_domain::end_use() {
  const c10::cuda::CUDAGuard on_device(device());
  use(current_stream(), [] {});
}

void order_domain::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) {
    return;
  }
  const c10::cuda::CUDAGuard on_device(device());
  const cudaStream_t stream = current_stream();
  use(stream, [&] { C10_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream)); });
}

std::optional<c10::Stream> order_domain::lasting_stream() const {
  const auto current = c10::cuda::getCurrentCUDAStream(device());
  return is_external(current) ? std::nullopt : std::optional(current.unwrap());
}

// LibTorch's allocator takes cudaStreamPerThread for one stream, so that copies would be worse.
bool order_domain::gives_memory() const {
  const auto current = c10::cuda::getCurrentCUDAStream(device());
  return current.stream() == cudaStreamPerThread || !is_external(current);
}

bool order_domain::can_wait_for(const c10::Stream& reader) const { return !is_capturing(c10::cuda::CUDAStream(reader).stream()); }

void order_domain::change_shared(c10::function_ref<void()> write) {
  const auto each_domain = [this](void (order_domain::*what)()) {
    any_of(device(), [what](order_domain& domain) {
      (domain.*what)();
      return false;
    });
  };
  each_domain(&order_domain::begin_use);
  write();
  each_domain(&order_domain::end_use);
}

void order_domain::wait_for(const c10::Stream& reader) {
  order_streams(c10::cuda::CUDAStream(reader), c10::cuda::getCurrentCUDAStream(device()));
}

// Graphs in static storage die when CUDA may be gone, and then nothing is used again.
void order_domain::free_after(const c10::Stream& reader, const c10::DataPtr& memory) noexcept {
  const c10::cuda::CUDAStream stream(reader);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(stream.stream(), &status) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return;
  }
  if (status == cudaStreamCaptureStatusNone) {
    warn_if_thrown("keeping a result's memory for its last reader", [&] { c10::cuda::CUDACachingAllocator::recordStream(memory, stream); });
  }
}

namespace {

/// cudaStreamPerThread of a device. Only its own thread can name it, which therefore waits for it at its end.
class stream_of_thread {
 public:
  explicit stream_of_thread(c10::DeviceIndex device) : device_(device) {}
  ~stream_of_thread() {
    warn_if_thrown("waiting for the stream of a thread that ends", [this] {
      const c10::cuda::CUDAGuard on_device(device_);
      const relaxed_capture_mode relaxed;
      warn_if_failed(cudaStreamSynchronize(cudaStreamPerThread), "waiting for the stream of a thread that ends");
    });
    *has_ended_ = true;
  }
  stream_of_thread& operator=(stream_of_thread&&) = delete;
  std::shared_ptr<const std::atomic<bool>> end() const { return has_ended_; }

 private:
  const c10::DeviceIndex device_;
  const std::shared_ptr<std::atomic<bool>> has_ended_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace

std::shared_ptr<const std::atomic<bool>> order_domain::end_of_thread() const {
  if (c10::cuda::getCurrentCUDAStream(device()).stream() != cudaStreamPerThread) {
    return nullptr;
  }
  static thread_local std::map<c10::DeviceIndex, stream_of_thread> met;
  return met.try_emplace(device(), device()).first->second.end();
}

void order_domain::let_read(const c10::Stream& reader, const c10::DataPtr& memory) {
  const c10::cuda::CUDAStream stream(reader);
  order_streams(c10::cuda::getCurrentCUDAStream(device()), stream);
  c10::cuda::CUDACachingAllocator::recordStream(memory, stream);
}

namespace {

class eager_work {
 public:
  explicit eager_work(std::vector<c10::cuda::CUDAStream> streams) : streams_(std::move(streams)) {
    for (const auto& stream : streams_) {
      own_.push_back(std::make_unique<workspace_watch>(stream.stream(), workspace_users::graph));
    }
  }
  ~eager_work() {
    warn_if_thrown("waiting for an eager backward", [&] {
      for (const auto& stream : streams_) {
        order_streams(stream, c10::cuda::getCurrentCUDAStream(stream.device_index()));
      }
    });
  }
  eager_work& operator=(eager_work&&) = delete;

 private:
  const std::vector<c10::cuda::CUDAStream> streams_;
  std::vector<std::unique_ptr<workspace_watch>> own_;
};

}  // namespace

std::shared_ptr<void> order_domain::begin_eager(capture_lane lane) {
  std::vector<c10::cuda::CUDAStream> streams{capture_stream(lane)};
  {
    const std::lock_guard lock(mutex_);
    const auto& branches = branch_streams_[static_cast<std::size_t>(lane)];
    streams.insert(streams.end(), branches.begin(), branches.end());
  }
  return std::make_shared<eager_work>(std::move(streams));
}

// It belongs to the memory stream: once its last graph has died it goes to a later graph of the domain, whose replays come later.
std::shared_ptr<c10::DataPtr> order_domain::memory_of_replays(std::size_t bytes) {
  auto& [latest, size] = replay_memory_;
  auto memory = latest.lock();
  if (!memory || size < bytes) {
    const c10::cuda::CUDAStreamGuard on_stream(memory_stream());
    memory = std::make_shared<c10::DataPtr>(c10::cuda::CUDACachingAllocator::get()->allocate(bytes));
    latest = memory;
    size = bytes;
  }
  return memory;
}

void order_domain::wait(cudaStream_t stream) {
  if (!last_stream_ || stream_identity(stream) == *last_stream_) {
    return;
  }
  is_shared_ = true;
  record_now();
  C10_CUDA_CHECK(cudaStreamWaitEvent(stream, last_use_, 0));
}

// On the default stream the event can be recorded when another stream asks for it. It is then later than the last use, which is right, and
// happens once.
void order_domain::record(cudaStream_t stream) {
  last_stream_.emplace(stream);
  is_recorded_ = false;
  if (is_shared_ || !is_default(stream)) {
    record_now();
  }
}

void order_domain::record_now() {
  if (!last_stream_ || is_recorded_) {
    return;
  }
  const c10::cuda::CUDAGuard on_device(device());
  C10_CUDA_CHECK(cudaEventRecord(last_use_, last_stream_->stream));
  is_recorded_ = true;
}

void order_domain::wait_on_host() {
  {
    const std::lock_guard lock(mutex_);
    if (!last_stream_) {
      return;
    }
    record_now();
  }
  C10_CUDA_CHECK(cudaEventSynchronize(last_use_));
}

void order_domain::use(cudaStream_t stream, c10::function_ref<void()> launch) {
  const std::lock_guard lock(mutex_);
  wait(stream);
  try {
    launch();
  } catch (...) {
    warn_if_thrown("recording what an unfinished launch has queued", [&] { record(stream); });
    throw;
  }
  record(stream);
}

void order_domain::wait_unless_captured(c10::cuda::CUDAStream stream) noexcept {
  if (captured_ == stream) {
    return;
  }
  warn_if_thrown("recording the last replay", [&] { record_now(); });
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  warn_if_failed(cudaStreamIsCapturing(stream.stream(), &status), "asking for the state of a capture");
  if (status == cudaStreamCaptureStatusNone) {  // else something else captures it, and must not be disturbed
    warn_if_failed(cudaStreamWaitEvent(stream.stream(), last_use_, 0), "waiting for the last replay");
  }
}

void order_domain::retire(c10::cuda::CUDAStream stream) noexcept {
  const std::lock_guard lock(mutex_);
  if (!last_stream_) {
    return;
  }
  wait_unless_captured(memory_stream_);
  for (const auto& own : capture_streams_) {
    wait_unless_captured(own);
  }
  for (const auto& branches : branch_streams_) {
    for (const auto& branch : branches) {
      wait_unless_captured(branch);
    }
  }
  if (collective_stream_) {
    wait_unless_captured(*collective_stream_);
  }
  wait_unless_captured(stream);
}

// All domains' last uses are recorded: a graph that dies during the capture could not, on the default stream.
order_domain::capture_turn::capture_turn(order_domain& domain, c10::cuda::CUDAStream stream) : domain_(domain), stream_(stream) {
  any_of(domain.device(), [](order_domain& each) {
    const std::lock_guard lock(each.mutex_);
    each.record_now();
    return false;
  });
  const std::lock_guard lock(domain_.mutex_);
  if (domain_.captured_) {
    throw foreign_capture("a capture is under way on this device already");
  }
  domain_.captured_ = stream;
}

order_domain::capture_turn::~capture_turn() {
  {
    const std::lock_guard lock(domain_.mutex_);
    domain_.captured_.reset();
  }
  domain_.retire(stream_);
}

}  // namespace graphed::impl
