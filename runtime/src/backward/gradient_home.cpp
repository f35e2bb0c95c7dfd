// SPDX-License-Identifier: Apache-2.0
#include "backward/gradient_home.h"

#include "backend/backend.h"
#include "backend/staging.h"

#include <c10/core/DeviceGuard.h>
#include <c10/util/strides.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <iterator>
#include <map>
#include <string>
#include <unordered_map>

namespace graphed::impl {
namespace {

// Never destroyed: callables in static storage are made before it and live longer.
struct all_homes {
  std::mutex mutex;
  std::unordered_map<const c10::TensorImpl*, std::weak_ptr<gradient_home>> homes;
  std::map<std::string, std::weak_ptr<pool>> pools;  ///< by device
};

all_homes& known() {
  static auto& made = *new all_homes;
  return made;
}

// One thread after another: an allocator accepts one pool at a time that allocations go to. The caller may hold the homes' mutex.
std::pair<std::shared_ptr<pool>, at::Tensor> make_memory(const at::Tensor& leaf, backend& backend) {
  static auto& mutex = *new std::mutex;
  const std::lock_guard lock(mutex);
  auto& slot = known().pools[leaf.device().str()];
  auto shared = slot.lock();
  if (!shared) {
    slot = shared = backend.make_pool(leaf.device());
  }
  const c10::OptionalDeviceGuard on_device(leaf.device());
  const auto routed = shared->route_this_thread();
  const auto contiguous = c10::contiguous_strides(leaf.sizes());
  const bool is_dense = leaf.is_non_overlapping_and_dense();
  return {shared, make_static(leaf.sizes(), is_dense ? leaf.strides() : at::IntArrayRef(contiguous), leaf.scalar_type(), leaf.device())};
}

// A leaf that has died may have left its address to another one.
bool is_of(const gradient_home& home, const at::Tensor& leaf) {
  return home.memory().sizes() == leaf.sizes() && home.memory().dtype() == leaf.dtype() && home.memory().device() == leaf.device() &&
         torch::autograd::utils::obeys_layout_contract(home.memory(), leaf);
}

}  // namespace

std::shared_ptr<gradient_home> gradient_home::of(const at::Tensor& leaf, backend& backend) {
  auto& [mutex, homes, pools] = known();
  const std::lock_guard lock(mutex);
  for (auto each = homes.begin(); each != homes.end();) {
    each = each->second.expired() ? homes.erase(each) : std::next(each);
  }
  auto& slot = homes[leaf.unsafeGetTensorImpl()];
  auto found = slot.lock();
  if (!found || !is_of(*found, leaf)) {
    found = std::make_shared<gradient_home>(leaf, backend);
    slot = found;
  }
  return found;
}

std::shared_ptr<gradient_home> gradient_home::shown_by_grad_of(const at::Tensor& leaf) {
  auto& [mutex, homes, pools] = known();
  const std::lock_guard lock(mutex);
  const auto slot = homes.find(leaf.unsafeGetTensorImpl());
  auto found = slot == homes.end() ? nullptr : slot->second.lock();
  const at::Tensor& gradient = leaf.grad();
  const bool is_shown = found && is_of(*found, leaf) && gradient.defined() && memory_shown_by(gradient) != nullptr &&
                        gradient.const_data_ptr() == found->memory().const_data_ptr();
  return is_shown ? found : nullptr;
}

gradient_home::gradient_home(const at::Tensor& leaf, backend& backend) : gradient_home(make_memory(leaf, backend)) {}

gradient_home::gradient_home(std::pair<std::shared_ptr<pool>, at::Tensor> made)
    : pool_(std::move(made.first)), memory_(std::move(made.second)), handed_(memory_, pool_->number()) {}

pool_order& gradient_home::change_writer(pool_order& next) {
  pool_order& last = written_in_ != nullptr ? *written_in_ : next;
  if (&last != &next) {
    last.begin_use();
  }
  written_in_ = &next;
  return last;
}

moved_storages gradient_home::make_way(overwrite& next) {
  if (written_in_ == &next.order) {
    return handed_.keep(next);
  }
  overwrite after_last(change_writer(next.order));
  return handed_.keep(after_last);
}

void gradient_home::wait(pool_order& order) {
  overwrite next(change_writer(order));
  handed_.wait_for_readers(next);
}

at::Tensor gradient_home::hand_out(uint64_t user) {
  user_ = user;
  at::Tensor given = handed_.hand_out_again(memory_);
  if (!given.defined()) {
    given = alias_of(memory_);
    given.unsafeGetTensorImpl()->set_storage_keep_dtype(handed_.hand_out());
  }
  given.unsafeGetTensorImpl()->set_allow_tensor_metadata_change(false);
  handed_.retain(given);
  return given;
}

}  // namespace graphed::impl
