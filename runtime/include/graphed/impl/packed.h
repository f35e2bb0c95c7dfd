// SPDX-License-Identifier: Apache-2.0
//
// The result of a captured callable as a flat list of tensors, and back: of any form that generated code can visit.
#pragma once

#include <graphed/impl/host_values.h>
#include <graphed/results.h>

#include <memory>
#include <type_traits>
#include <utility>

namespace graphed::impl {

/// A std::unique_ptr that a callable returned, kept for later calls: each gets a copy of what it owns.
template <class Pointer>
class CopiedPointer : public Pointer {
 public:
  CopiedPointer(Pointer&& made) noexcept : Pointer(std::move(made)) {}
  CopiedPointer(const CopiedPointer& other) : Pointer(other ? std::make_unique<typename Pointer::element_type>(*other) : nullptr) {}
  CopiedPointer(CopiedPointer&&) noexcept = default;
  CopiedPointer& operator=(CopiedPointer&&) noexcept = default;
};

/// A result's tensors, and those that its numbers were read of, which `visit` visits.
template <class Result, class Visit>
tensor_list pack(const Result& result, const Visit& visit) {
  ResultTensors tensors;
  visit(tensors, result);
  return tensors.tensors().vec();
}

/// Calls `f` and packs what it returns; nothing for void.
template <class F>
tensor_list packed(F&& f) {
  if constexpr (std::is_void_v<decltype(f())>) {
    f();
    return {};
  } else {
    return graphed::pack(f());
  }
}

/// Likewise, and keeps the form of a capture's result: what is left of it without its tensors and numbers.
template <class F, class Visit, class Result>
tensor_list packed(F&& f, const Visit& visit, std::shared_ptr<const Result>& form) {
  auto result = std::make_shared<Result>(f());
  tensor_list tensors = impl::pack(*result, visit);
  if (is_compared()) {
    return tensors;
  }
  const tensor_list none(tensors.size());
  ResultRefill clear(none);
  visit(clear, *result);
  form = std::move(result);
  return tensors;
}

/// A result of this form, of these tensors. Waits for the device where it has numbers.
template <class Result, class Visit>
Result unpack(const Result& form, const Visit& visit, const tensor_list& tensors) {
  Result result = form;
  ResultRefill fill(tensors);
  visit(fill, result);
  return result;
}
template <class Pointer, class Visit>
Pointer unpack(const CopiedPointer<Pointer>& form, const Visit& visit, const tensor_list& tensors) {
  CopiedPointer<Pointer> result = form;
  ResultRefill fill(tensors);
  visit(fill, result);
  return std::move(result);
}

}  // namespace graphed::impl
