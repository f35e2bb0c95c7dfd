// SPDX-License-Identifier: Apache-2.0
#include "capture/static_memory.h"

#include "torch/history.h"
#include "torch/hooks.h"
#include "torch/lazy_clone.h"
#include "torch/raw_tensors.h"
#include "torch/record_stream.h"

#include <c10/core/Allocator.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_set>

namespace graphed::impl {
namespace {

bool is_like(const at::Tensor& tensor, const at::Tensor& captured) {
  return tensor.sizes() == captured.sizes() && tensor.strides() == captured.strides() &&
         tensor.storage_offset() == captured.storage_offset() && tensor.dtype() == captured.dtype() && are_of_one_kind(tensor, captured);
}

void begin_versions(c10::TensorImpl& tensor) {
  if (!tensor.unique_version()) {
    tensor.set_version_counter(c10::VariableVersion(0));
  } else if (tensor.version_counter().current_version() != 0) {
    c10::VariableVersion(tensor.version_counter()).set_version(0);
  }
}

// The storages of what graphs write, which OutputPolicy::Alias returns.
struct storage_set {
  std::mutex mutex;
  std::unordered_multiset<const c10::StorageImpl*> storages;
};

storage_set& written_storages() {
  static auto& all = *new storage_set;
  return all;
}

bool is_written_by_graphs(const at::Tensor& tensor) {
  if (!tensor.has_storage()) {
    return false;
  }
  storage_set& written = written_storages();
  const std::lock_guard lock(written.mutex);
  return memory_shown_by(tensor) != nullptr || written.storages.count(tensor.storage().unsafeGetStorageImpl()) != 0;
}

// Before anything could read what a graph writes.
void watch_readers() {
#ifdef GRAPHED_WITH_CUDA
  watch_record_stream([](const at::Tensor& tensor, const c10::Stream& stream) { note_reader(tensor, stream); });
#endif
  watch_lazy_clone(&is_written_by_graphs);
}

void release_memory(void* context) { c10::intrusive_ptr<handed_memory>::reclaim(static_cast<handed_memory*>(context)); }

}  // namespace

at::Tensor alias_of(const at::Tensor& tensor) {
  return at::Tensor(tensor.unsafeGetTensorImpl()->shallow_copy_and_detach(c10::VariableVersion(0), /*allow_tensor_metadata_change=*/true));
}

handed_memory::handed_memory(at::Tensor memory, uint64_t pool) : owner(std::move(memory)), pool(pool) {
  storage_set& written = written_storages();
  const std::lock_guard lock(written.mutex);
  written.storages.insert(owner.storage().unsafeGetStorageImpl());
}

handed_memory::~handed_memory() {
  {
    storage_set& written = written_storages();
    const std::lock_guard lock(written.mutex);
    written.storages.erase(written.storages.find(owner.storage().unsafeGetStorageImpl()));
  }
  if (order == nullptr) {
    return;
  }
  std::vector<c10::Stream> last = readers.take();
  if (taker) {
    last.push_back(*taker);
  }
  for (const auto& reader : last) {
    order->free_after(reader, owner.storage().data_ptr());
  }
}

void note_reader(const at::Tensor& tensor, const c10::Stream& stream) {
  if (const handed_memory* const memory = memory_shown_by(tensor)) {
    memory->readers.add(stream);
  }
}

const handed_memory* memory_shown_by(const at::Tensor& tensor) {
  if (!tensor.has_storage()) {
    return nullptr;
  }
  const c10::DataPtr& pointer = tensor.storage().data_ptr();
  return pointer.get_deleter() == &release_memory ? static_cast<const handed_memory*>(pointer.get_context()) : nullptr;
}

static_memory::static_memory(const at::Tensor& owner, uint64_t pool)
    : memory_(c10::make_intrusive<handed_memory>(owner, pool)), handed_(c10::intrusive_ptr<c10::StorageImpl>()) {
  static std::once_flag once;
  std::call_once(once, watch_readers);
}

c10::DataPtr static_memory::pointer() const {
  const c10::Storage& memory = memory_->owner.storage();
  return {memory.mutable_data(), c10::intrusive_ptr<handed_memory>(memory_).release(), &release_memory, memory.device()};
}

c10::Storage static_memory::hand_out() {
  const c10::Storage& memory = memory_->owner.storage();
  auto storage = c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), memory.nbytes(), pointer(),
                                                       c10::GetAllocator(memory.device().type()), /*resizable=*/true);
  handed_ = c10::weak_intrusive_ptr<c10::StorageImpl>(storage);
  return c10::Storage(std::move(storage));
}

void static_memory::give_place(c10::StorageImpl& storage) {
  storage.set_data_ptr_noswap(pointer());
  handed_ = c10::weak_intrusive_ptr<c10::StorageImpl>(c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(&storage));
}

void static_memory::move_to(static_memory& other) {
  if (const auto storage = shown()) {
    let_go();
    other.give_place(*storage);
  }
}

bool static_memory::is_shown_by(const at::Tensor& tensor) const {
  return memory_shown_by(tensor) == memory_.get() && shown().get() == tensor.storage().unsafeGetStorageImpl();
}

void static_memory::let_go() {
  retained_.reset();
  handed_.reset();
}

c10::intrusive_ptr<c10::StorageImpl> static_memory::shown() const {
  if (handed_.expired()) {
    return {};
  }
  auto storage = handed_.lock();
  return storage && storage->data() == memory_->owner.storage().data() ? storage : c10::intrusive_ptr<c10::StorageImpl>();
}

// Each holder, in whatever thread, released it after its last change.
bool static_memory::is_retained_alone() const {
  const bool is_alone =
      retained_.defined() && retained_.is_uniquely_owned() && retained_.has_storage() && retained_.storage().use_count() == 1;
  std::atomic_thread_fence(std::memory_order_acquire);
  return is_alone;
}

void static_memory::retain(const at::Tensor& tensor) {
  if (memory_shown_by(tensor) == memory_.get()) {
    retained_ = tensor;
  }
}

// What its last holder may have changed is restored; where that cannot be, the tensor dies.
at::Tensor static_memory::hand_out_again(const at::Tensor& captured) {
  if (!is_retained_alone()) {
    return {};
  }
  at::Tensor tensor = std::move(retained_);
  auto* const impl = tensor.unsafeGetTensorImpl();
  const bool is_intact = memory_shown_by(tensor) == memory_.get() && tensor.storage().nbytes() == memory_->owner.storage().nbytes();
  const bool has_shape = is_like(tensor, captured);
  if (!is_intact || (tensor.is_inference() && !has_shape) || has_names(tensor) || is_known_to_python(tensor)) {
    return {};
  }
  forget_autograd_state(tensor);
  impl->set_allow_tensor_metadata_change(true);
  if (!has_shape) {
    const c10::Storage storage = tensor.storage();
    impl->shallow_copy_from(captured.getIntrusivePtr());
    impl->set_storage_keep_dtype(storage);
  }
  if (!tensor.is_inference()) {
    begin_versions(*impl);
  }
  return tensor;
}

bool static_memory::alive() const { return !is_retained_alone() && shown(); }

bool static_memory::can_be_overwritten(const overwrite& next) const {
  if (!has_readers(next)) {
    return true;
  }
  std::vector<c10::Stream> readers = memory_->readers.all();
  if (is_taken_elsewhere(next)) {
    readers.push_back(*memory_->taker);
  }
  return std::all_of(readers.begin(), readers.end(), [&](const c10::Stream& reader) { return next.order.can_wait_for(reader); });
}

std::vector<c10::Stream> static_memory::wait_for_readers(overwrite& next) {
  std::vector<c10::Stream> readers = memory_->readers.take();
  if (is_taken_elsewhere(next)) {
    readers.push_back(*memory_->taker);
  }
  memory_->taker = next.stream;
  memory_->order = &next.order;
  for (const auto& reader : readers) {
    if (std::find(next.waited_for.begin(), next.waited_for.end(), reader) == next.waited_for.end()) {
      next.order.wait_for(reader);
      next.waited_for.push_back(reader);
    }
  }
  return readers;
}

moved_storages static_memory::move(pool_order& order, c10::ArrayRef<c10::Stream> readers) {
  if (is_retained_alone()) {
    return {};
  }
  retained_.reset();
  const auto storage = shown();
  if (!storage || storage->nbytes() == 0) {
    return {};
  }
  const c10::OptionalDeviceGuard on_device(storage->device());
  auto fresh = c10::GetAllocator(storage->device_type())->allocate(storage->nbytes());
  order.copy(fresh.get(), storage->data(), storage->nbytes());
  for (const auto& reader : readers) {
    order.let_read(reader, fresh);
  }
  storage->set_data_ptr_noswap(std::move(fresh));
  return {1, storage->nbytes()};
}

}  // namespace graphed::impl
