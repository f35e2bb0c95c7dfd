// SPDX-License-Identifier: Apache-2.0
//
// graphed::ProcessGroup: several processes, one for each GPU, that train together, with their collectives inside a graphed callable.
//
//   auto group = graphed::ProcessGroup::from_environment();   // RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT
//   net->to(group.device());
//   group.broadcast(*net);
//   // in a callable marked `step`:
//   loss.backward();
//   group.average_gradients(*net);
//   optimizer.step();
//
// Python: torch.distributed.init_process_group, all_reduce, DistributedDataParallel. Differences: no hooks and no wrapper of the module; a
// graph starts each bucket of gradients as soon as the operators that compute it have run, wherever the call is. Collectives are operators,
// graphed::all_reduce_ and so on, whose schemas declare what they write.
//
// All ranks call the same members, and the same graphed callables, in the same order. A callable with a collective is captured on all ranks
// at one call or on none. Once it is captured, a call that does not match throws GuardError, because the other ranks would wait for it in
// their graphs forever. Pad the batch (`pad`), or drop a smaller last one. Where a rank has ended or failed, collectives, agreements and
// replays of the others throw graphed::Error, which names the rank and, where it is known, its callable and the cause. A process whose GPU
// waits for such a rank cannot throw: it is ended with that message, within 30 seconds.
#pragma once

#include <graphed/export.h>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/intrusive_ptr.h>
#include <torch/arg.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace c10d {
class Backend;
class ProcessGroup;
class Store;
}  // namespace c10d
namespace torch::nn {
class Module;
}

namespace graphed {
namespace impl {
class group;
}

enum class ReduceOp : uint8_t { Sum, Average, Product, Min, Max };

struct ProcessGroupOptions {
  /// For which a rank waits for ranks that are alive, in agreements, and on a CPU in collectives, before it throws.
  TORCH_ARG(std::chrono::milliseconds, timeout) = std::chrono::minutes(5);
};

/// Thread safety: one thread at a time, which is the same order on all ranks.
class GRAPHED_API ProcessGroup {
 public:
  /// From the variables that torchrun sets: RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT and, on CUDA, LOCAL_RANK. Rank 0 listens at
  /// MASTER_PORT. On CUDA (NCCL) the device of LOCAL_RANK becomes the thread's current one; on a CPU the collectives go through the store,
  /// which is slow and right. The first form takes CUDA where there is a GPU. Throws graphed::Error for a variable that is missing or
  /// wrong, and where the ranks do not come together within the time limit, for which they have two minutes at least. Several groups of one
  /// process are made in the same order on all ranks.
  static ProcessGroup from_environment(ProcessGroupOptions options = {});
  static ProcessGroup from_environment(c10::DeviceType type, ProcessGroupOptions options = {});

  /// Around a c10d group that there is, for tensors on `device`; `store` is the one that its ranks share, or a part of it (PrefixStore)
  /// that no other code uses. Captures of its collectives must be destroyed before it is: shutdown() does that.
  ProcessGroup(c10::intrusive_ptr<c10d::Backend> backend, c10::intrusive_ptr<c10d::Store> store, c10::Device device,
               ProcessGroupOptions options = {});
  /// The backend is that of the device's type.
  ProcessGroup(const c10::intrusive_ptr<c10d::ProcessGroup>& group, c10::intrusive_ptr<c10d::Store> store, c10::Device device,
               ProcessGroupOptions options = {});

  /// As shutdown(), but nothing is thrown: a capture that is still held keeps the communicator, with a warning. While an exception passes,
  /// the other ranks learn that this one has failed. At the end of the process, nothing is destroyed.
  ~ProcessGroup();
  ProcessGroup(ProcessGroup&&) noexcept;
  ProcessGroup& operator=(ProcessGroup&&) noexcept;

  int rank() const;
  int size() const;
  c10::Device device() const;

  /// Parameters and buffers of `module` become those of rank `source`.
  void broadcast(const torch::nn::Module& module, int source = 0);
  /// Each existing `.grad` becomes the average of all ranks': their sum, divided by size(). One operator averages a bucket of them: the
  /// first has 1 MiB, the others 25 MiB, in the reverse order of the parameters. Each dtype has its own buckets. With two ranks the bits
  /// are those of one process that adds the two gradients and divides by two. With more the order of the sum is NCCL's, and on a CPU that
  /// of the ranks. All ranks must have the same gradients; the first call with others compares that, and throws graphed::Error. The first
  /// call with a module compares its parameters too. After the last of several microbatches, call it once. Gradients are dense, on the
  /// group's device.
  void average_gradients(const torch::nn::Module& module);
  void average_gradients(at::TensorList parameters);
  /// Throws graphed::Error, which names the first parameter or buffer that differs, where a rank has other bits than rank 0. Not in a
  /// graphed callable. Waits for the device.
  void check_parameters(const torch::nn::Module& module);

  /// In place, on contiguous tensors of one dtype on the group's device.
  void all_reduce_(at::TensorList tensors, ReduceOp op = ReduceOp::Sum);
  void broadcast_(at::TensorList tensors, int source = 0);
  /// `output` has size() times the elements of `input`: those of rank 0 first.
  void all_gather_into(const at::Tensor& output, const at::Tensor& input);
  /// `input` has size() times the elements of `output`, which gets this rank's part of the ranks' sum.
  void reduce_scatter_into(const at::Tensor& output, const at::Tensor& input, ReduceOp op = ReduceOp::Sum);
  /// Returns when all ranks have called it; on the host. Not in a graphed callable.
  void barrier();

  /// Runs `program`. Where an exception leaves it, the other ranks throw graphed::Error with its text, then it passes on.
  void run(const std::function<void()>& program);
  /// This rank cannot go on. The other ranks throw graphed::Error with `why`, of which they see a kilobyte. The first cause counts.
  void fail(const std::string& why) noexcept;

  /// All ranks call it when they need the group no more. Drops the captures that hold its collectives, waits for the device, then destroys
  /// the communicator. Throws graphed::Error, and changes nothing but those captures, where one is still held: by a call that awaits its
  /// backward, or by an ExecutableGraph; the message names it. A group that was shut down already is left.
  void shutdown();

 private:
  explicit ProcessGroup(std::shared_ptr<impl::group> made);
  impl::group& require() const;

  std::shared_ptr<impl::group> group_;
  int exceptions_;
};

}  // namespace graphed
