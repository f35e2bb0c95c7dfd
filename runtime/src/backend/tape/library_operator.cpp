// SPDX-License-Identifier: Apache-2.0
#include "backend/tape/library_operator.h"

#include "backend/captured_graph.h"
#include "backend/staging.h"
#include "report/text.h"
#include "torch/tensors_of.h"
#include "watch/outside_watch.h"

#include <graphed/error.h>

#include <algorithm>
#include <cstring>
#include <unordered_set>
#include <utility>

namespace graphed::impl {
namespace {

// Whether a tape takes it from an operator. The tensors of an optional list it only gives.
bool is_of_tensors(const c10::IValue& result) { return result.isTensor() || result.isTensorList(); }

bool holds_tensors(const c10::IValue& value) {
  if (value.isGenericDict()) {
    const auto entries = value.toGenericDict();
    return std::any_of(entries.begin(), entries.end(), [](const auto& entry) { return holds_tensors(entry.value()); });
  }
  if (value.isTuple() || value.isList()) {
    const auto parts = value.isTuple() ? c10::ArrayRef<c10::IValue>(value.toTupleRef().elements()) : value.toListRef();
    return std::any_of(parts.begin(), parts.end(), &holds_tensors);
  }
  return value.isTensor();
}

// Numbers, texts, and lists of them.
bool can_be_compared(const c10::IValue& value) {
  if (value.isList()) {
    const auto parts = value.toListRef();
    return std::all_of(parts.begin(), parts.end(), &can_be_compared);
  }
  return value.isNone() || value.isScalar() || value.isString() || value.isDevice();
}

bool are_equal(const c10::IValue& one, const c10::IValue& other) {
  if (one.isDouble() && other.isDouble()) {  // a NaN is itself
    const double numbers[] = {one.toDouble(), other.toDouble()};
    return std::memcmp(&numbers[0], &numbers[1], sizeof(double)) == 0;
  }
  if (one.isList() && other.isList()) {
    const auto was = one.toListRef(), is = other.toListRef();
    return std::equal(was.begin(), was.end(), is.begin(), is.end(), &are_equal);
  }
  return can_be_compared(other) && one == other;
}

// Those that an optional list lacks are undefined. Returns how many.
std::size_t add_tensors(const c10::IValue& value, std::vector<at::Tensor>& to) {
  const std::size_t before = to.size();
  if (value.isTensor()) {
    to.push_back(value.toTensor());
  } else if (value.isTensorList()) {
    const auto list = value.toTensorVector();
    to.insert(to.end(), list.begin(), list.end());
  } else if (value.isOptionalTensorList()) {
    for (const auto& each : value.toOptionalTensorVector()) {
      to.push_back(each.value_or(at::Tensor()));
    }
  }
  return to.size() - before;
}

// Whether more hold a result, or its memory, than the operator's stack and `results`. Autograd makes a view hold the tensor that it is a
// view of.
bool is_held_elsewhere(const c10::StorageImpl* memory, c10::ArrayRef<at::Tensor> results) {
  std::unordered_set<const c10::TensorImpl*> handles;
  std::size_t holders = 0;
  for (const at::Tensor& each : results) {
    if (!each.defined() || !each.has_storage() || storage_of(each) != memory) {
      continue;
    }
    const auto is_this = [&](const at::Tensor& other) { return other.is_same(each); };
    if (each.use_count() > 2 * static_cast<std::size_t>(std::count_if(results.begin(), results.end(), is_this))) {
      return true;
    }
    holders = each.storage().use_count();
    handles.insert(each.unsafeGetTensorImpl());
    if (each.is_view()) {
      handles.insert(each._base().unsafeGetTensorImpl());
    }
  }
  return holders > handles.size();
}

}  // namespace

library_operator::layout::layout(const at::Tensor& tensor)
    : is_defined(tensor.defined()),
      is_strided(is_defined && tensor.layout() == at::kStrided && !tensor.is_quantized() && !tensor.is_nested()) {
  if (is_strided) {
    is_conj = tensor.is_conj();
    is_neg = tensor.is_neg();
    dtype = tensor.scalar_type();
    sizes = tensor.sizes().vec();
    strides = tensor.strides().vec();
  }
}

bool library_operator::layout::operator==(const layout& other) const {
  return is_defined == other.is_defined && is_strided == other.is_strided && is_conj == other.is_conj && is_neg == other.is_neg &&
         dtype == other.dtype && sizes == other.sizes && strides == other.strides;
}

std::string library_operator::layout::words() const {
  if (!is_strided) {
    return is_defined ? "not strided" : "undefined";
  }
  return annotated(dtype) + text(c10::IntArrayRef(sizes)) + " with strides " + text(c10::IntArrayRef(strides));
}

std::vector<library_operator::place> library_operator::places_of(const std::vector<at::Tensor>& tensors) {
  std::vector<place> places;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto* const memory = tensors[i].defined() ? storage_of(tensors[i]) : nullptr;
    const auto found =
        std::find_if(places.begin(), places.end(), [&](const place& each) { return memory != nullptr && each.memory == memory; });
    const bool is_first = found == places.end();
    const int64_t offset = memory == nullptr ? 0 : tensors[i].storage_offset();
    places.push_back({is_first ? i : found->first, memory, is_first ? offset : offset - tensors[found->first].storage_offset()});
  }
  return places;
}

void library_operator::check_arguments(const operator_call& call) {
  for (const auto& each : call.arguments) {
    if (!is_of_tensors(each) && !each.isOptionalTensorList() && holds_tensors(each)) {
      throw CaptureError("operator " + full_name(call.op) + " takes a " + each.type()->repr_str() +
                         ", whose tensors no recorder sees: let it take tensors, or lists of them");
    }
  }
}

library_operator::library_operator(const operator_call& call, c10::ArrayRef<c10::IValue> results, const outside_watch& inputs)
    : op_(full_name(call.op)) {
  find_read_inputs(call, inputs);
  std::vector<at::Tensor> all;
  std::vector<std::string> names;
  const auto add = [&](const c10::IValue& value, const std::string& name) {
    const std::size_t count = add_tensors(value, all);
    for (std::size_t i = 0; i < count; ++i) {
      names.push_back(name + (value.isTensor() ? "" : "[" + std::to_string(i) + "]"));
    }
    return count;
  };
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    add(call.arguments[i], "argument '" + call.op.schema().arguments()[i].name() + "'");
  }
  const std::size_t arguments = all.size();
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (is_of_tensors(results[i])) {
      results_.push_back({add(results[i], "result " + std::to_string(i)), {}});
    } else if (can_be_compared(results[i])) {
      results_.push_back({std::nullopt, results[i]});
    } else {
      throw CaptureError("operator " + op_ + " returns a " + results[i].type()->repr_str() +
                         ", which a replay could not compare: let it return tensors, or lists of them");
    }
  }
  const auto given = c10::ArrayRef<at::Tensor>(all).slice(0, arguments), made = c10::ArrayRef<at::Tensor>(all).slice(arguments);
  const auto has_own_history = [&](const at::Tensor& each) {
    return each.defined() && each.requires_grad() &&
           std::none_of(given.begin(), given.end(), [&](const at::Tensor& argument) { return argument.is_same(each); });
  };
  if (std::any_of(made.begin(), made.end(), has_own_history)) {
    throw CaptureError(
        "operator " + op_ +
        " makes a history of its results in its kernel, which needs tensors that a replay does not make again: register an Autograd "
        "kernel, for example with torch::autograd::Function");
  }
  const auto places = places_of(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_kept = i < arguments || (places[i].first == i && is_held_elsewhere(places[i].memory, made));
    tensors_.push_back({names[i], layout(all[i]), places[i], is_kept});
  }
}

void library_operator::find_read_inputs(const operator_call& call, const outside_watch& inputs) {
  std::unordered_set<const c10::StorageImpl*> known;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    for_each_tensor(call.arguments[i], [&](const at::Tensor& tensor) {
      if (tensor.defined() && tensor.has_storage() && inputs.is_input(tensor) && !inputs.writes(tensor) &&
          known.insert(storage_of(tensor)).second) {
        const at::Tensor memory = bytes_of(tensor.storage());
        read_inputs_.push_back({call.op.schema().arguments()[i].name(), memory, static_like(memory)});
      }
    });
  }
}

void library_operator::begin() const {
  for (const read_input& each : read_inputs_) {
    copy_value(each.before, each.memory);
  }
}

void library_operator::check(c10::ArrayRef<c10::IValue> arguments, c10::ArrayRef<c10::IValue> results) const {
  std::vector<at::Tensor> now;
  now.reserve(tensors_.size());
  for (const auto& each : arguments) {
    add_tensors(each, now);
  }
  for (std::size_t i = 0; i < results_.size(); ++i) {
    check_result(i, results[i], is_of_tensors(results[i]) ? add_tensors(results[i], now) : 0);
  }
  for (const read_input& each : read_inputs_) {
    if (std::memcmp(each.before.const_data_ptr(), each.memory.const_data_ptr(), each.memory.nbytes()) != 0) {
      refuse("it writes its argument '" + each.name + "', which it only read");
    }
  }
  const auto places = places_of(now);
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const tensor& was = tensors_[i];
    if (const layout is(now[i]); !(is == was.stored)) {
      refuse(was.name + " is " + is.words() + " instead of " + was.stored.words());
    }
    if (!shows_the_same(i, places[i])) {
      refuse(was.name + " is in different memory, such as that of an argument in one call and that of a copy in another");
    }
  }
}

bool library_operator::shows_the_same(std::size_t index, const place& now) const {
  const auto& [name, stored, was, is_kept] = tensors_[index];
  if (now.first != was.first) {
    return false;
  }
  const bool is_anew = was.first == index && !is_kept;
  return is_anew || (now.offset == was.offset && (!is_kept || now.memory == was.memory));
}

void library_operator::check_result(std::size_t index, const c10::IValue& now, std::size_t count) const {
  const result& was = results_[index];
  const std::string name = "result " + std::to_string(index);
  if (was.tensors.has_value() != is_of_tensors(now)) {
    refuse(name + " is a " + now.type()->repr_str() + ", which it was not");
  }
  if (was.tensors && *was.tensors != count) {
    refuse(name + " has " + counted(count, "tensor") + " instead of " + std::to_string(*was.tensors));
  }
  if (!was.tensors && !are_equal(was.value, now)) {
    refuse(name + " is " + text(now) + " instead of " + text(was.value));
  }
}

void library_operator::refuse(const std::string& what) const {
  throw changed_results("operator " + op_ + " behaves differently than in the capture: " + what);
}

}  // namespace graphed::impl
