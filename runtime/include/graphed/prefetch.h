// SPDX-License-Identifier: Apache-2.0
//
// graphed::prefetch: batches of a loader on the device, copied while the code before them still runs there.
//
//   for (auto& batch : graphed::prefetch(*loader, torch::kCUDA)) {
//     step(batch.data, batch.target);
//   }
//
// Python: a torch.utils.data.DataLoader with pin_memory, and .to(device, non_blocking=True) for the next batch.
#pragma once

#include <graphed/export.h>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace graphed {
namespace impl {

/// Copies of one batch to a device, on a stream for copies.
class GRAPHED_API Upload {
 public:
  class Stream;
  /// One for all batches of a loader. Throws graphed::Error for a device that is not a CPU and has no streams.
  static std::shared_ptr<const Stream> make_stream(c10::Device device);

  explicit Upload(std::shared_ptr<const Stream> stream);
  Upload(Upload&&) noexcept;
  Upload& operator=(Upload&&) noexcept;
  ~Upload();

  /// A copy takes the tensor's place, through pinned memory. It is not there yet. One on the device stays.
  void operator()(at::Tensor& tensor);
  /// After the last tensor.
  void end();
  /// The current stream waits for the copies, and uses them from now on.
  void hand_over();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

template <class T, class = void>
inline constexpr bool has_data = false;
template <class T>
inline constexpr bool has_data<T, std::void_t<decltype(std::declval<T&>().data)>> = true;
template <class T, class = void>
inline constexpr bool has_target = false;
template <class T>
inline constexpr bool has_target<T, std::void_t<decltype(std::declval<T&>().target)>> = true;
template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T, class = void>
inline constexpr bool is_tuple = false;
template <class T>
inline constexpr bool is_tuple<T, std::void_t<decltype(std::tuple_size<T>::value)>> = true;

/// A tensor, a torch::data::Example, and vectors, pairs, tuples and arrays of these.
struct VisitBatch {
  template <class F, class Batch>
  void operator()(F& f, Batch& batch) const {
    if constexpr (std::is_same_v<Batch, at::Tensor>) {
      f(batch);
    } else if constexpr (has_data<Batch> && !is_list<Batch> && !is_tuple<Batch>) {
      (*this)(f, batch.data);
      if constexpr (has_target<Batch>) {
        (*this)(f, batch.target);
      }
    } else if constexpr (is_list<Batch>) {
      for (auto& element : batch) {
        (*this)(f, element);
      }
    } else if constexpr (is_tuple<Batch>) {
      std::apply([&](auto&... element) { ((*this)(f, element), ...); }, batch);
    } else {
      static_assert(std::is_arithmetic_v<Batch>, "give graphed::prefetch a function that calls its first argument on each tensor");
    }
  }
};

}  // namespace impl

/// The batches of a loader, in its order. One is ahead: its copies run on the device beside the work for the batch before it.
/// Thread safety: one thread at a time.
template <class Loader, class Visit>
class Prefetched {
  using Source = decltype(std::declval<Loader&>().begin());
  using Batch = std::decay_t<decltype(*std::declval<Source&>())>;

 public:
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Batch;
    using difference_type = std::ptrdiff_t;
    using pointer = Batch*;
    using reference = Batch&;

    /// Null: the end.
    explicit iterator(Prefetched* of) : of_(of) {}
    /// Valid until the next one is asked for.
    Batch& operator*() const { return of_->current_->batch; }
    Batch* operator->() const { return &**this; }
    iterator& operator++() {
      of_ = of_->advance() ? of_ : nullptr;
      return *this;
    }
    bool operator==(const iterator& other) const { return of_ == other.of_; }
    bool operator!=(const iterator& other) const { return of_ != other.of_; }

   private:
    Prefetched* of_;
  };

  Prefetched(Loader& loader, c10::Device device, Visit visit)
      : loader_(loader), stream_(impl::Upload::make_stream(device)), visit_(std::move(visit)) {}
  Prefetched(const Prefetched&) = delete;
  Prefetched& operator=(const Prefetched&) = delete;

  /// Begins the loader again. What it throws passes through, here and in ++.
  iterator begin() {
    current_.reset();
    source_.reset();
    source_.emplace(loader_.begin());
    ahead_ = take();
    return iterator(advance() ? this : nullptr);
  }
  iterator end() { return iterator(nullptr); }

 private:
  struct started {
    Batch batch;
    impl::Upload upload;
  };

  std::optional<started> take() {
    if (!(*source_ != loader_.end())) {
      return std::nullopt;
    }
    started made{**source_, impl::Upload(stream_)};
    visit_(made.upload, made.batch);
    made.upload.end();
    return made;
  }
  bool advance() {
    current_ = std::exchange(ahead_, std::nullopt);
    if (!current_) {
      return false;
    }
    ++*source_;
    ahead_ = take();
    current_->upload.hand_over();
    return true;
  }

  Loader& loader_;
  const std::shared_ptr<const impl::Upload::Stream> stream_;
  const Visit visit_;
  std::optional<Source> source_;
  std::optional<started> current_, ahead_;
};

/// Keeps a reference to `loader`, a torch::data loader or another range of batches. `visit(copy, batch)` calls `copy(tensor)` on each
/// tensor of a batch; without it, batches are tensors, torch::data::Example, or vectors, pairs and tuples of them. On a CPU it passes
/// batches on. Throws graphed::Error for a device that cannot be copied to.
template <class Loader, class Visit = impl::VisitBatch>
Prefetched<Loader, Visit> prefetch(Loader& loader, c10::Device device, Visit visit = {}) {
  return {loader, device, std::move(visit)};
}

}  // namespace graphed
