// SPDX-License-Identifier: Apache-2.0
//
// What a call relies on of the object that its method belongs to, of the objects among its arguments, and of variables: the modules,
// tensors and numbers that they hold.
#pragma once

#include <graphed/export.h>
#include <graphed/impl/containers.h>
#include <graphed/impl/encoded.h>
#include <graphed/impl/host_forms.h>
#include <graphed/impl/models.h>
#include <graphed/impl/printed.h>

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/SmallVector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

namespace graphed::impl {

/// Who keeps an object, where a std::shared_ptr does: another object of the same address has other owners.
using Owner = std::weak_ptr<const void>;

/// A step of the way to a member that leads into a tuple or a std::variant: to the element with this number.
enum class element : std::size_t {};
/// The step that ends at the number of the element that a std::variant holds now.
inline constexpr element which_alternative{std::variant_npos};
/// The step that ends at the objects that a member holds: how many there are, and of which classes, where pointers lead to a base of those.
inline constexpr element held_objects{std::variant_npos - 1};

/// What one call found in the members of its object and of its arguments, and in variables. Pointers are into those.
class WatchedMembers {
 public:
  /// What a look is for: the key of a call, or words for people about it, which take longer.
  enum class look { key, words };
  explicit WatchedMembers(look purpose = look::key) : is_for_words_(purpose == look::words) {}

  /// Each of `Members`, which are graphed::impl::WatchedMember<...> or WatchedArgument<...>, in their order.
  template <class... Members, class Object>
  void visit(const Object& object) {
    visit_from<0, std::tuple<Members...>>(object);
  }

  /// A module, a compiled model, a tensor, a number, a string, another value that its bytes are all of, what holds or refers to one, or a
  /// container of them. What is null or empty counts as that.
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
  /// The element with this number of a tuple, or of a variant that holds it now.
  template <std::size_t Number, class T, class F>
  void element_of(const T& holder, F&& f);

  void type(const std::type_info& which) {
    note(sizeof(&which), &Printed::text_of_type);
    append(&which);
  }

  /// What was found in one member.
  struct part {
    c10::ArrayRef<const torch::nn::Module*> modules;
    c10::ArrayRef<const at::Tensor*> tensors;
    c10::ArrayRef<char> bytes;
    c10::ArrayRef<Printed> values;  ///< the numbers and strings among the bytes of all members; of a look for words
    bool is_of_module;              ///< it is a member of a torch::nn::Module
  };
  std::size_t size() const { return members_.size(); }
  part operator[](std::size_t member) const {
    const ends begin = begin_of(member), end = members_[member];
    return {modules().slice(begin.modules, end.modules - begin.modules), tensors().slice(begin.tensors, end.tensors - begin.tensors),
            bytes().slice(begin.bytes, end.bytes - begin.bytes),
            c10::ArrayRef<Printed>(values_).slice(begin.values, end.values - begin.values), end.is_of_module};
  }
  /// Of members() before this one.
  std::size_t begin_of_bytes(std::size_t member) const { return begin_of(member).bytes; }
  /// Whether a member is a torch::jit::Module, with its tensors and numbers.
  bool is_script(std::size_t member) const { return std::find(scripts_.begin(), scripts_.end(), member) != scripts_.end(); }

  c10::ArrayRef<const torch::nn::Module*> modules() const { return modules_; }
  c10::ArrayRef<const at::Tensor*> tensors() const { return tensors_; }
  /// Numbers and strings, and how many elements there are of what may have none or several.
  c10::ArrayRef<char> bytes() const { return bytes_; }
  /// Of each compiled model, the function that runs it.
  c10::ArrayRef<const void*> run_functions() const { return run_functions_; }
  /// Of a look for words: copies of the functions whose lambdas are outside of them. What these have captured keeps its address as long.
  std::vector<std::shared_ptr<const void>> take_functions() { return std::move(functions_); }
  /// Of each object that an argument has led to; empty where nothing reports it.
  c10::ArrayRef<Owner> owners() const { return owners_; }

 private:
  /// What was found up to the end of one member.
  struct ends {
    uint32_t modules, tensors, bytes, values : 31;
    bool is_of_module : 1;
  };
  ends begin_of(std::size_t member) const { return member == 0 ? ends{} : members_[member - 1]; }
  ends end_of_found() const {
    ends end;
    end.modules = static_cast<uint32_t>(modules_.size());
    end.tensors = static_cast<uint32_t>(tensors_.size());
    end.bytes = static_cast<uint32_t>(bytes_.size());
    end.values = static_cast<uint32_t>(values_.size()) & 0x7fffffffU;
    end.is_of_module = is_of_module_;
    return end;
  }
  template <class Member, class Object>
  void visit_one(const Object& object) {
    is_of_module_ = false;
    Member::visit(*this, object);
    members_.push_back(end_of_found());
  }
  template <std::size_t First, class Members, class Object>
  void visit_from(const Object& object);
  template <std::size_t First, class Members, class Object, std::size_t... I>
  void visit_others(const Object& object, std::index_sequence<I...>);
  /// Numbers that are stored in the object itself. Memory is reserved once for all of them, so that each costs no more than its copy.
  template <std::size_t First, class Members, class Object, std::size_t... I>
  void visit_row(const Object& object, std::index_sequence<I...>);
  // Of numbers the size is a constant: the compiler copies them by one instruction each.
  void append(const void* bytes, std::size_t size) {
    const std::size_t end = bytes_.size();
    bytes_.resize_for_overwrite(end + size);
    std::memcpy(bytes_.data() + end, bytes, size);
  }
  template <class T>
  void append(const T& value) {
    append(&value, sizeof value);
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
  /// The `size` bytes that come next are a value.
  void note(std::size_t size, std::string (*show)(std::string_view bytes)) {
    if (is_for_words_) {
      values_.push_back(Printed(bytes_.size(), size, show));
    }
  }
  template <class T>
  void number(const T& value) {
    // Of a long double of the x87 ten bytes are the value, and the others are what was there before.
    constexpr std::size_t size = std::is_same_v<T, long double> && std::numeric_limits<T>::digits == 64 ? 10 : sizeof(T);
    note(size, &Printed::text_of_bytes<T>);
    append(&value, size);
  }
  void text(std::string_view value) {
    append(value.size());
    note(value.size(), &Printed::text_of_bytes<std::string_view>);
    append(value.data(), value.size());
  }
  void any_number(const c10::Scalar& value) {
    const std::size_t begin = bytes_.size();
    detail::append_any_number(bytes_, value);
    if (is_for_words_) {
      values_.push_back(Printed(begin, bytes_.size() - begin, &text_of<c10::Scalar>));
    }
  }
  template <class T>
  void row(const T& numbers) {
    using number = detail::element_type<T>;
    const auto count = static_cast<std::size_t>(std::distance(std::begin(numbers), std::end(numbers)));
    if constexpr (!std::is_array_v<T> && !detail::is_array<T>) {
      append(count);
    }
    note(count * sizeof(number), &Printed::text_of_row<number>);
    if constexpr (detail::is_contiguous<T>) {
      append(std::data(numbers), count * sizeof(number));
    } else {
      const std::size_t begin = bytes_.size();
      bytes_.resize_for_overwrite(begin + count * sizeof(number));
      detail::row_of_numbers copied(bytes_.data() + begin);
      for (const number each : numbers) {
        copied.value(each);
      }
    }
  }
  template <class T>
  void plain(const T& value) {
    if constexpr (std::is_same_v<T, c10::Device>) {
      note(sizeof value, &text_of<T>);
    } else {
      note(sizeof value, &Printed::text_of_plain);
    }
    append(value);
  }
  template <class T>
  void function(const T& value) {
    plain(value);
    if (const void* const lambda = detail::lambda_outside(value)) {
      const std::string_view bytes = detail::bytes_of_lambda(lambda);
      append(bytes.size());
      note(bytes.size(), &Printed::text_of_plain);
      append(bytes.data(), bytes.size());
      if (is_for_words_) {
        functions_.push_back(std::make_shared<const T>(value));
      }
    }
  }
  template <class T>
  static std::string text_of(std::string_view bytes) {
    return take_text<T>(bytes);
  }

  c10::SmallVector<const torch::nn::Module*, 8> modules_;
  c10::SmallVector<const at::Tensor*, 8> tensors_;
  c10::SmallVector<char, 256> bytes_;
  c10::SmallVector<Printed, 1> values_;
  c10::SmallVector<ends, 32> members_;
  c10::SmallVector<Owner, 2> owners_;
  c10::SmallVector<const void*, 1> run_functions_;
  c10::SmallVector<std::size_t, 1> scripts_;
  std::vector<std::shared_ptr<const void>> functions_;
  bool is_for_words_;
  bool is_of_module_ = false;
};

/// The way from an object to one of its members: pointers to members, and functions where there can be none, each of which takes what the
/// one before led to. Pointers and containers between two steps are followed. The way to a variable begins with its address, or with a
/// function that gives it.
template <auto... Steps>
struct WatchedMember;

template <>
struct WatchedMember<> {
  template <class Found, class T>
  static void visit(Found& members, const T& held) {
    members.value(held);
  }
  template <class T>
  static constexpr std::size_t size_in() {
    return detail::has_value_in_all_bytes<T> ? sizeof(T) : 0;
  }
};

template <auto First, auto... Rest>
struct WatchedMember<First, Rest...> {
  template <class Found, class T>
  static void visit(Found& members, const T& held) {
    if constexpr (leads_to_objects()) {
      if constexpr (std::is_polymorphic_v<T>) {
        members.type(typeid(held));
      } else if constexpr (detail::is_holder<T>) {
        members.each(held, [&](const auto& part) { WatchedMember::visit(members, part); });
      }
    } else if constexpr (std::is_same_v<step, element>) {
      if constexpr (detail::is_tuple<T> || detail::is_variant<T>) {
        members.template element_of<static_cast<std::size_t>(First)>(
            held, [&](const auto& part) { WatchedMember<Rest...>::visit(members, part); });
      } else {
        members.each(held, [&](const auto& part) { WatchedMember::visit(members, part); });
      }
    } else if constexpr (std::is_invocable_v<step>) {
      WatchedMember<Rest...>::visit(members, First());
    } else if constexpr (std::is_pointer_v<step> && !std::is_function_v<std::remove_pointer_t<step>>) {
      WatchedMember<Rest...>::visit(members, *First);
    } else if constexpr (belongs_to<T>(First)) {
      members.template enter<T>();
      WatchedMember<Rest...>::visit(members, std::invoke(First, held));
    } else {
      members.each(held, [&](const auto& part) { WatchedMember::visit(members, part); });
    }
  }

  /// Of a number that is stored in a `T` itself, how many bytes it has; else 0.
  template <class T>
  static constexpr std::size_t size_in() {
    if constexpr (std::is_member_object_pointer_v<step>) {
      if constexpr (belongs_to<T>(First)) {
        return WatchedMember<Rest...>::template size_in<
            std::remove_cv_t<std::remove_reference_t<decltype(std::declval<const T&>().*First)>>>();
      }
    }
    return 0;
  }

 private:
  using step = decltype(First);

  static constexpr bool leads_to_objects() {
    if constexpr (std::is_same_v<step, element>) {
      return First == held_objects;
    }
    return false;
  }
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

/// In the place of an object where a callable has none, and depends on variables.
struct Variables {};
inline constexpr Variables variables;

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

namespace detail {

template <class Member, class Object>
inline constexpr std::size_t size_of_number = 0;
template <auto... Steps, class Object>
inline constexpr std::size_t size_of_number<WatchedMember<Steps...>, Object> = WatchedMember<Steps...>::template size_in<Object>();

template <class Object, class... Members>
constexpr std::size_t size_of_number_at(std::size_t place, const std::tuple<Members...>* /*of*/) {
  const std::size_t sizes[] = {size_of_number<Members, Object>..., 0};
  return sizes[place];
}
/// Behind the members from `first` on that are all numbers in the object itself, or all none.
template <class Object, class Members>
constexpr std::size_t end_of_run(std::size_t first, const Members* of) {
  const bool is_row = size_of_number_at<Object>(first, of) != 0;
  std::size_t end = first;
  while (end < std::tuple_size_v<Members> && (size_of_number_at<Object>(end, of) != 0) == is_row) {
    ++end;
  }
  return end;
}

}  // namespace detail

template <std::size_t First, class Members, class Object>
void WatchedMembers::visit_from(const Object& object) {
  if constexpr (First < std::tuple_size_v<Members>) {
    constexpr const Members* of = nullptr;
    constexpr std::size_t end = detail::end_of_run<Object>(First, of);
    constexpr auto members = std::make_index_sequence<end - First>();
    if constexpr (detail::size_of_number_at<Object>(First, of) != 0) {
      visit_row<First, Members>(object, members);
    } else {
      visit_others<First, Members>(object, members);
    }
    visit_from<end, Members>(object);
  }
}

template <std::size_t First, class Members, class Object, std::size_t... I>
void WatchedMembers::visit_others(const Object& object, std::index_sequence<I...>) {
  (visit_one<std::tuple_element_t<First + I, Members>>(object), ...);
}

template <std::size_t First, class Members, class Object, std::size_t... I>
void WatchedMembers::visit_row(const Object& object, std::index_sequence<I...>) {
  if (is_for_words_) {
    return visit_others<First, Members>(object, std::index_sequence<I...>());
  }
  const std::size_t members = members_.size();
  is_of_module_ = false;
  const ends before = end_of_found();
  ends in_module = before;
  in_module.is_of_module = true;
  bytes_.resize_for_overwrite(before.bytes + (detail::size_of_number<std::tuple_element_t<First + I, Members>, Object> + ...));
  members_.resize_for_overwrite(members + sizeof...(I));
  detail::row_of_numbers row(bytes_.data() + before.bytes);
  const char* const begin = row.next;
  ends* next = members_.data() + members;
  const auto visit_next = [&](auto visit) {
    row.is_of_module = false;
    visit();
    *next = row.is_of_module ? in_module : before;
    next++->bytes = before.bytes + static_cast<uint32_t>(row.next - begin);
  };
  (visit_next([&] { std::tuple_element_t<First + I, Members>::visit(row, object); }), ...);
}

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
      if constexpr (detail::is_number<key_type> || detail::is_text<key_type> || detail::is_plain<key_type>) {
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
  } else if constexpr (detail::is_variant<T>) {
    append(holder.index());
    if (!holder.valueless_by_exception()) {
      std::visit([&](const auto& held) { f(held); }, holder);
    }
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

template <std::size_t Number, class T, class F>
void WatchedMembers::element_of(const T& holder, F&& f) {
  if constexpr (detail::is_tuple<T>) {
    f(std::get<Number>(holder));
  } else if constexpr (Number == std::variant_npos) {
    number(holder.index());
  } else {
    append(holder.index());
    if (const auto* const held = std::get_if<Number>(&holder)) {
      f(*held);
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
  } else if constexpr (detail::is_text_of_c<T>) {
    append(held != nullptr);
    text(held == nullptr ? std::string_view() : std::string_view(held));
  } else if constexpr (detail::is_any_number<T>) {
    any_number(held);
  } else if constexpr (detail::is_module_holder<T>) {
    append(held.is_empty());
    if (!held.is_empty()) {
      modules_.push_back(held.ptr().get());
    }
  } else if constexpr (detail::is_atomic<T>) {
    value(held.load());
  } else if constexpr (detail::is_row<T>) {
    row(held);
  } else if constexpr (std::is_empty_v<T>) {
  } else if constexpr (detail::is_function_holder<T>) {
    function(held);
  } else if constexpr (detail::is_plain<T>) {
    plain(held);
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
