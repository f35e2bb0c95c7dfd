// SPDX-License-Identifier: Apache-2.0
//
// What a call relies on of the object that its method belongs to, and of the objects among its arguments: the modules, tensors and numbers
// that they hold.
#pragma once

#include <graphed/export.h>
#include <graphed/impl/containers.h>
#include <graphed/impl/models.h>
#include <graphed/impl/printed.h>

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/SmallVector.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace torch::nn {
class Module;
}

namespace graphed::impl {

namespace detail {

template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <class T>
inline constexpr bool is_text = std::is_convertible_v<const T&, std::string_view> && !std::is_pointer_v<T> && !std::is_array_v<T>;

template <class T>
inline constexpr bool is_module = std::is_convertible_v<const T*, const torch::nn::Module*>;
template <class T, class = void>
inline constexpr bool is_module_holder = false;
template <class T>
inline constexpr bool
    is_module_holder<T, std::void_t<decltype(std::declval<const T&>().is_empty()), decltype(std::declval<const T&>().ptr())>> = true;
template <class T, class = void>
inline constexpr bool is_atomic = false;
template <class T>
inline constexpr bool is_atomic<T, std::void_t<decltype(std::declval<const T&>().load())>> = true;
template <class T>
inline constexpr bool is_reference_wrapper = false;
template <class T>
inline constexpr bool is_reference_wrapper<std::reference_wrapper<T>> = true;
template <class T, class = void>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<T, std::void_t<typename T::mapped_type>> = true;
template <class T, class = void>
inline constexpr bool is_weak = false;
template <class T>
inline constexpr bool is_weak<T, std::void_t<decltype(std::declval<const T&>().lock())>> = true;
template <class T>
inline constexpr bool is_shared_pointer = false;
template <class T>
inline constexpr bool is_shared_pointer<std::shared_ptr<T>> = true;
template <class T>
inline constexpr bool is_unique_pointer = false;
template <class T, class Deleter>
inline constexpr bool is_unique_pointer<std::unique_ptr<T, Deleter>> = true;
template <class T, class = void>
inline constexpr bool knows_owners = false;
template <class T>
inline constexpr bool knows_owners<T, std::void_t<decltype(std::weak_ptr<const void>(std::declval<const T&>().weak_from_this()))>> = true;
template <class T, class = void>
inline constexpr bool is_range = false;
template <class T>
inline constexpr bool is_range<T, std::void_t<decltype(std::begin(std::declval<const T&>()))>> = true;
template <class T, class = void>
inline constexpr bool is_tuple = false;
template <class T>
inline constexpr bool is_tuple<T, std::void_t<decltype(std::tuple_size<T>::value)>> = !is_range<T>;

}  // namespace detail

/// Who keeps an object, where a std::shared_ptr does: another object of the same address has other owners.
using Owner = std::weak_ptr<const void>;

/// What one call found in the members of its object and of its arguments. Pointers are into those.
class WatchedMembers {
 public:
  /// Each of `Members`, which are graphed::impl::WatchedMember<...> or WatchedArgument<...>, in their order.
  template <class... Members, class Object>
  void visit(const Object& object) {
    (visit_one<Members>(object), ...);
  }

  /// A module, a compiled model, a tensor, a number, a string, what holds or refers to one, or a container of them. What is null or empty
  /// counts as that.
  template <class T>
  void value(const T& held);
  /// A module or another object that an argument refers to, points to or holds: which one it is, and of a module what value() takes.
  template <class T>
  void argument(const T& given);
  /// A step of the way to a member leads from a `T` to one of its own members.
  template <class T>
  void enter() {
    is_of_module_ |= detail::is_module<T>;
  }
  /// What `holder` points to, refers to or contains, one by one.
  template <class T, class F>
  void each(const T& holder, F&& f);

  /// What was found in one member.
  struct part {
    c10::ArrayRef<const torch::nn::Module*> modules;
    c10::ArrayRef<const at::Tensor*> tensors;
    c10::ArrayRef<char> bytes;
    c10::ArrayRef<Printed> values;  ///< the numbers and strings among the bytes of all members
    bool is_of_module;              ///< a tensor of a torch::nn::Module, whose numbers are not checked
    bool is_script;                 ///< a torch::jit::Module, with its tensors and numbers
  };
  std::size_t size() const { return members_.size(); }
  part operator[](std::size_t member) const {
    const ends begin = member == 0 ? ends{} : members_[member - 1], end = members_[member];
    return {modules().slice(begin.modules, end.modules - begin.modules),
            tensors().slice(begin.tensors, end.tensors - begin.tensors),
            bytes().slice(begin.bytes, end.bytes - begin.bytes),
            c10::ArrayRef<Printed>(values_).slice(begin.values, end.values - begin.values),
            end.is_of_module,
            end.is_script};
  }

  c10::ArrayRef<const torch::nn::Module*> modules() const { return modules_; }
  c10::ArrayRef<const at::Tensor*> tensors() const { return tensors_; }
  /// Numbers and strings, and how many elements there are of what may have none or several.
  c10::ArrayRef<char> bytes() const { return bytes_; }
  /// Of each compiled model, the function that runs it.
  c10::ArrayRef<const void*> run_functions() const { return run_functions_; }
  /// Of each object that an argument has led to; empty where nothing reports it.
  c10::ArrayRef<Owner> owners() const { return owners_; }

 private:
  /// What was found up to the end of one member.
  struct ends {
    std::size_t modules, tensors, bytes, values;
    bool is_of_module, is_script;
  };
  template <class Member, class Object>
  void visit_one(const Object& object) {
    is_of_module_ = is_script_ = false;
    Member::visit(*this, object);
    members_.push_back({modules_.size(), tensors_.size(), bytes_.size(), values_.size(), is_of_module_, is_script_});
  }
  template <class T>
  void append(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), reinterpret_cast<const char*>(&value + 1));
  }
  template <class T>
  void object(const T& which, Owner owner) {
    append(static_cast<const void*>(std::addressof(which)));
    owners_.push_back(std::move(owner));
    if constexpr (detail::is_module<T>) {
      modules_.push_back(std::addressof(which));
    }
  }
  /// Which script it is, its tensors, and its numbers, strings and truth values; null where none has been loaded. Its submodules' are parts
  /// of it.
  GRAPHED_API void script(const c10::ivalue::Object* module);
  void slots_of(const c10::ivalue::Object& module);
  template <class Runner>
  void compiled(const Runner& runner) {
    append(static_cast<const void*>(std::addressof(runner)));
    run_functions_.push_back(detail::run_function<Runner>::of(runner, 0));
  }
  template <class T>
  void number(const T& value) {
    values_.push_back(Printed::of<T>(bytes_.size(), sizeof value));
    append(value);
  }
  void text(std::string_view value) {
    append(value.size());
    values_.push_back(Printed::of<std::string_view>(bytes_.size(), value.size()));
    bytes_.append(value.begin(), value.end());
  }

  c10::SmallVector<const torch::nn::Module*, 4> modules_;
  c10::SmallVector<const at::Tensor*, 4> tensors_;
  c10::SmallVector<char, 64> bytes_;
  c10::SmallVector<Printed, 8> values_;
  c10::SmallVector<ends, 8> members_;
  c10::SmallVector<Owner, 2> owners_;
  c10::SmallVector<const void*, 1> run_functions_;
  bool is_of_module_ = false, is_script_ = false;
};

/// The way from an object to one of its members: pointers to members, and functions where there can be none, each of which takes what the
/// one before led to. Pointers and containers between two steps are followed.
template <auto... Steps>
struct WatchedMember;

template <>
struct WatchedMember<> {
  template <class T>
  static void visit(WatchedMembers& members, const T& held) {
    members.value(held);
  }
};

template <auto First, auto... Rest>
struct WatchedMember<First, Rest...> {
  template <class T>
  static void visit(WatchedMembers& members, const T& held) {
    if constexpr (belongs_to<T>(First)) {
      members.enter<T>();
      WatchedMember<Rest...>::visit(members, std::invoke(First, held));
    } else {
      members.each(held, [&](const auto& part) { WatchedMember::visit(members, part); });
    }
  }

 private:
  template <class T, class Class, class Value>
  static constexpr bool belongs_to(Value Class::*) {
    return std::is_base_of_v<Class, T>;
  }
  template <class T, class Class, class Result>
  static constexpr bool belongs_to(Result (*)(const Class&)) {
    return std::is_base_of_v<Class, T>;
  }
};

/// The argument that the function gives of the arguments of a call.
template <auto Get>
struct WatchedArgument {
  template <class Arguments>
  static void visit(WatchedMembers& members, const Arguments& arguments) {
    members.argument(Get(arguments));
  }
};

/// A step to a private member that is a reference, to which no pointer to member can lead. A reference is kept as an address.
template <class Object, class Reference, std::size_t Offset>
Reference referred_member(const Object& object) {
  return **reinterpret_cast<std::remove_reference_t<Reference>* const*>(reinterpret_cast<const char*>(&object) + Offset);
}

/// An object whose members each call looks at, or the arguments of one call. It must outlive the engine or the call that is given it.
class WatchedObject {
 public:
  WatchedObject() = default;
  /// `names` are those of the members, in the order in which `watch` visits them; they have static storage duration.
  template <class Object>
  WatchedObject(const Object& object, c10::ArrayRef<const char*> names, void (*watch)(WatchedMembers&, const Object&))
      : names_(names), watch_([watch, &object](WatchedMembers& members) { watch(members, object); }) {}

  explicit operator bool() const { return static_cast<bool>(watch_); }
  c10::ArrayRef<const char*> names() const { return names_; }
  void visit(WatchedMembers& members) const { watch_(members); }

 private:
  c10::ArrayRef<const char*> names_;
  std::function<void(WatchedMembers&)> watch_;
};

template <class T, class F>
void WatchedMembers::each(const T& holder, F&& f) {
  if constexpr (detail::is_reference_wrapper<T>) {
    f(holder.get());
  } else if constexpr (detail::is_weak<T>) {
    each(holder.lock(), f);
  } else if constexpr (detail::is_map<T>) {
    append(holder.size());
    for (const auto& [key, held] : holder) {
      using key_type = std::decay_t<decltype(key)>;
      if constexpr (detail::is_number<key_type> || detail::is_text<key_type>) {
        value(key);
      }
      f(held);
    }
  } else if constexpr (detail::is_ordered_dict<T>) {
    append(holder.size());
    for (const auto& item : holder) {
      value(item.key());
      f(item.value());
    }
  } else if constexpr (detail::is_range<T>) {
    append(std::distance(std::begin(holder), std::end(holder)));
    for (const auto& held : holder) {
      f(held);
    }
  } else if constexpr (detail::is_tuple<T>) {
    std::apply([&](const auto&... held) { (f(held), ...); }, holder);
  } else {
    append(static_cast<bool>(holder));
    if (holder) {
      if constexpr (detail::is_shared_pointer<T>) {
        if constexpr (detail::is_compiled<typename T::element_type>) {
          owners_.push_back(holder);
        }
      }
      f(*holder);
    }
  }
}

template <class T>
void WatchedMembers::value(const T& held) {
  if constexpr (detail::is_module<T>) {
    modules_.push_back(&held);
  } else if constexpr (std::is_convertible_v<const T*, const at::Tensor*>) {
    tensors_.push_back(&held);
  } else if constexpr (detail::is_script<T>) {
    script(detail::object_of(held));
  } else if constexpr (detail::is_compiled<T>) {
    compiled(detail::runner_of(held));
  } else if constexpr (detail::is_number<T>) {
    number(held);
  } else if constexpr (detail::is_text<T>) {
    text(held);
  } else if constexpr (detail::is_module_holder<T>) {
    append(held.is_empty());
    if (!held.is_empty()) {
      modules_.push_back(held.ptr().get());
    }
  } else if constexpr (detail::is_atomic<T>) {
    value(held.load());
  } else {
    each(held, [&](const auto& element) { value(element); });
  }
}

template <class T>
void WatchedMembers::argument(const T& given) {
  if constexpr (std::is_pointer_v<T> || detail::is_shared_pointer<T> || detail::is_unique_pointer<T>) {
    append(given != nullptr);
    if (given == nullptr) {
      return;
    }
    if constexpr (detail::is_shared_pointer<T>) {
      object(*given, given);
    } else {
      argument(*given);
    }
  } else if constexpr (detail::is_reference_wrapper<T>) {
    argument(given.get());
  } else if constexpr (detail::is_module_holder<T>) {
    append(given.is_empty());
    if (!given.is_empty()) {
      argument(given.ptr());
    }
  } else if constexpr (detail::is_script<T> || detail::is_compiled<T>) {
    value(given);
  } else if constexpr (detail::knows_owners<T>) {
    object(given, given.weak_from_this());
  } else {
    object(given, {});
  }
}

}  // namespace graphed::impl
