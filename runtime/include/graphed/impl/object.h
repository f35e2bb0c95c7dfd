// SPDX-License-Identifier: Apache-2.0
//
// The object that a graphed method is called on.
#pragma once

#include <graphed/error.h>

#include <memory>
#include <type_traits>
#include <utility>

namespace graphed::impl {

template <class>
inline constexpr bool holds_no_object = false;

/// In the place of an object that is not given.
struct NoObject {};

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

  template <class Given, class = std::enable_if_t<std::is_same_v<Given, NoObject>>>
  ObjectHolder(Given) {
    static_assert(holds_no_object<Given>,
                  "graphed::callable: the callable of a method needs its object. Give a reference to one that outlives it, a "
                  "std::shared_ptr, or a module holder: graphed::callable<&Net::forward> fast(net);");
  }
  template <class U, class Deleter>
  ObjectHolder(const std::unique_ptr<U, Deleter>&) {
    static_assert(holds_no_object<U>,
                  "graphed::callable: a std::unique_ptr does not share its object. Keep it, and give the object, fast(*net), or make a "
                  "std::shared_ptr.");
  }
  template <class U, class = std::enable_if_t<!std::is_lvalue_reference_v<U> && std::is_convertible_v<U*, T*>>, class = void>
  ObjectHolder(U&&) {
    static_assert(holds_no_object<U>,
                  "graphed::callable: the object is a temporary, which ends before the first call. Name it, and give the name, or give a "
                  "std::shared_ptr.");
  }

  /// Throws Error where there is none.
  T& operator*() const {
    if (!owner_) {
      throw Error("graphed: this callable has no object: it was moved from, or made of a null pointer");
    }
    return *owner_;
  }
  T* operator->() const { return &**this; }

 private:
  std::shared_ptr<T> owner_;
};

}  // namespace graphed::impl
