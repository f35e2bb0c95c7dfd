// SPDX-License-Identifier: Apache-2.0
//
// The object that a graphed method is called on.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace graphed::impl {

/// Made from a reference (the object must outlive the callable), a std::shared_ptr, or a module holder (TORCH_MODULE); of T or of a class
/// that derives from it.
template <class T>
class ObjectHolder {
 public:
  ObjectHolder(T& referred) : owner_(std::shared_ptr<void>(), &referred) {}
  template <class U, class = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  ObjectHolder(std::shared_ptr<U> owner) : owner_(std::move(owner)) {}
  template <class Holder, class = decltype(std::shared_ptr<T>(std::declval<const Holder&>().ptr()))>
  ObjectHolder(const Holder& holder) : owner_(holder.ptr()) {}

  T& operator*() const { return *owner_; }
  T* operator->() const { return owner_.get(); }

 private:
  std::shared_ptr<T> owner_;
};

}  // namespace graphed::impl
