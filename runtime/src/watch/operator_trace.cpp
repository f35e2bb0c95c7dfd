// SPDX-License-Identifier: Apache-2.0
#include "watch/operator_trace.h"

#include "report/text.h"
#include "torch/tensors_of.h"
#include "watch/body.h"
#include "watch/outside_watch.h"

#include <torch/csrc/autograd/graph_task.h>

#include <algorithm>
#include <cstring>

namespace graphed::impl {
namespace {

// NaN is itself.
bool same(const c10::IValue& one, const c10::IValue& other) {
  if (one.isDouble() && other.isDouble()) {
    const double a = one.toDouble();
    const double b = other.toDouble();
    return std::memcmp(&a, &b, sizeof a) == 0;
  }
  return one == other;
}

thread_local int untraced_depth = 0;

std::string path_of_body() {
  const body_place* const body = current_body();
  return body == nullptr ? "" : body->path;
}

}  // namespace

untraced::untraced() { ++untraced_depth; }

untraced::~untraced() { --untraced_depth; }

bool untraced::is_alive() { return untraced_depth != 0; }

void makers::note(const at::Tensor& result, made_by by) {
  by_memory_.insert_or_assign(storage_of(result), maker{result.storage().getWeakStorageImpl(), std::move(by)});
}

void makers::note_argument(const at::Tensor& argument, std::size_t index) {
  if (!argument.has_storage()) {
    return;
  }
  made_by by;
  by.index = index;
  by.is_argument = true;
  const auto added = by_memory_.try_emplace(storage_of(argument), maker{argument.storage().getWeakStorageImpl(), std::move(by)});
  added.first->second.is_shared = !added.second;
}

const made_by* makers::of(const at::Tensor& tensor, const std::string& path) const {
  const auto found = tensor.defined() ? by_memory_.find(storage_of(tensor)) : by_memory_.end();
  const bool is_of_one = found != by_memory_.end() && !found->second.is_shared;
  return is_of_one && path.compare(0, found->second.by.path.size(), found->second.by.path) == 0 ? &found->second.by : nullptr;
}

operator_trace::step operator_trace::step_of(const operator_call& call, const outside_watch& outside, const makers& known,
                                             const std::string& path) const {
  step made{call.op.operator_name(), {}, {}};
  made.numbers.reserve(call.arguments.size());
  for (const auto& argument : call.arguments) {
    made.numbers.push_back(number_of(argument, outside));
    for_each_tensor(argument, [&](const at::Tensor& tensor) { add_tensor(made, tensor, known, path); });
  }
  return made;
}

void operator_trace::add_tensor(step& to, const at::Tensor& tensor, const makers& known, const std::string& path) {
  to.tensors.push_back(place_of(tensor));
  if (const made_by* const maker = known.of(tensor, path)) {
    to.tensors.back().maker = *maker;
  }
}

std::optional<made_by> operator_trace::add(const operator_call& call, const outside_watch& outside, const makers& known) {
  if (untraced_depth != 0) {
    return std::nullopt;
  }
  return add(step_of(call, outside, known, path_of_body()));
}

void operator_trace::add_choice(const char* name, at::TensorList tensors, const makers& known, std::optional<int64_t> at_most) {
  step made{{name, ""}, {}, {}};
  if (at_most) {
    made.numbers.push_back({*at_most});
  }
  for (const at::Tensor& each : tensors) {
    add_tensor(made, each, known, path_of_body());
  }
  add(std::move(made));
}

void operator_trace::note_results(at::TensorList results, const makers& known) {
  results_ = step{{"the callable's return", ""}, {}, {}};
  for (const at::Tensor& each : results) {
    add_tensor(*results_, each, known, "");
  }
}

std::optional<made_by> operator_trace::add(step made) {
  const body_place* const body = current_body();
  if (body == nullptr) {
    steps_.push_back(std::move(made));
    return made_by{"", steps_.size() - 1};
  }
  body_steps& all = bodies_.try_emplace(body->path, body_steps{{}, body->visit, body->visit}).first->second;
  if (all.first_visit != body->visit) {
    compare_with_first_visit(*body, std::move(made));
    return std::nullopt;
  }
  all.of_first_visit.push_back(std::move(made));
  return made_by{body->path, all.of_first_visit.size() - 1};
}

// Of memory, and of numbers in it, each visit may have others.
void operator_trace::compare_with_first_visit(const body_place& body, step made) {
  body_steps& all = bodies_.at(body.path);
  all.count = all.visit == body.visit ? all.count : 0;
  all.visit = body.visit;
  const std::size_t index = all.count++;
  if (index >= all.of_first_visit.size() || !changes_in_loop_.empty()) {
    return;
  }
  step first = all.of_first_visit[index];
  for (step* const each : {&first, &made}) {
    for (auto& tensor : each->tensors) {
      tensor.memory = nullptr;
    }
    for (auto& number : each->numbers) {
      number = number.memory == nullptr ? number : operator_trace::number();
    }
  }
  changes_in_loop_ = difference(first, made, "the first iteration of a loop").text;
}

void operator_trace::add_bodies_of(const operator_trace& earlier) {
  bodies_.insert(earlier.bodies_.begin(), earlier.bodies_.end());
  changes_in_loop_ = changes_in_loop_.empty() ? earlier.changes_in_loop_ : changes_in_loop_;
}

operator_trace::number operator_trace::number_of(const c10::IValue& argument, const outside_watch& outside) {
  if (!argument.isTensor()) {
    const bool is_plain =
        argument.isScalar() || argument.isBool() || argument.isString() || argument.isIntList() || argument.isDoubleList();
    return {is_plain ? argument : c10::IValue()};
  }
  const at::Tensor& tensor = argument.toTensor();
  if (!tensor.defined() || !tensor.is_cpu()) {
    return {};
  }
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
    return {tensor.item()};
  }
  const bool is_number = tensor.dim() == 0 && tensor.has_storage() && outside.origin_of(tensor) == origin::outside;
  return is_number ? number{tensor.item(), storage_of(tensor)} : number{};
}

// A nested tensor has no sizes.
operator_trace::place operator_trace::place_of(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.has_storage() || tensor.is_nested()) {
    return {nullptr, 0, {}};
  }
  return {tensor.storage().unsafeGetStorageImpl(), tensor.storage_offset(), tensor.sizes().vec()};
}

operator_trace operator_trace::with_places_in(const known_memory& known) const {
  operator_trace result = *this;
  keep_places_in(known, result.steps_);
  if (result.results_) {
    steps all{*result.results_};
    keep_places_in(known, all);
    result.results_ = all.front();
  }
  for (auto& body : result.bodies_) {
    keep_places_in(known, body.second.of_first_visit);
  }
  return result;
}

void operator_trace::keep_places_in(const known_memory& known, steps& all) {
  for (auto& step : all) {
    for (auto& tensor : step.tensors) {
      const auto found = known.find(tensor.memory);
      tensor.memory = found == known.end() ? nullptr : found->second;
    }
    for (auto& number : step.numbers) {
      if (known.count(number.memory) != 0) {
        number.value = c10::IValue();
      }
    }
  }
}

// A branch, a loop or a return is not an operator.
static std::string words_of(const c10::OperatorName& name) {
  const std::string text = toString(name);
  return text.compare(0, 9, "graphed::") == 0 || text.find(' ') != std::string::npos ? text : "operator " + text;
}

// Of the same operator.
std::string operator_trace::difference_of_numbers(const step& before, const step& now, const std::string& earlier) {
  for (std::size_t i = 0; i < before.numbers.size(); ++i) {
    if (!same(before.numbers[i].value, now.numbers[i].value)) {
      return words_of(now.name) + " takes the number " + text(now.numbers[i].value) + ", and took " + text(before.numbers[i].value) +
             " in " + earlier;
    }
  }
  return {};
}

trace_difference operator_trace::difference(const step& before, const step& now, const std::string& earlier) {
  if (before.name != now.name) {
    return {"it runs operator " + toString(now.name) + " where " + earlier + " ran " + toString(before.name)};
  }
  if (std::string found = difference_of_numbers(before, now, earlier); !found.empty()) {
    return {std::move(found), /*is_of_outside=*/false, /*is_of_number=*/true};
  }
  const std::string who = words_of(now.name);
  if (before.tensors.size() != now.tensors.size()) {
    return {who + " takes " + std::to_string(now.tensors.size()) + " tensors, and took " + std::to_string(before.tensors.size()) + " in " +
            earlier};
  }
  for (std::size_t i = 0; i < before.tensors.size(); ++i) {
    const place &was = before.tensors[i], &is = now.tensors[i];
    const std::string tensor = " takes a tensor of shape " + text(c10::IntArrayRef(is.shape));
    const bool is_known = was.memory != nullptr && is.memory != nullptr;
    if (is_known && (was.memory != is.memory || was.offset != is.offset)) {
      return {who + tensor + " from outside, and took a different one in " + earlier, /*is_of_outside=*/true};
    }
    const bool is_made = was.maker && is.maker;
    const bool is_argument = is_made && is.maker->is_argument && was.maker->is_argument;
    if (is_made && (!(*was.maker == *is.maker) || (was.offset != is.offset && !is_argument))) {
      return {who + tensor + (is_argument ? " that is an argument, and " : " that the callable has made, and ") +
              "took a different one in " + earlier};
    }
  }
  return {};
}

trace_difference operator_trace::difference(const steps& before, const steps& now) {
  for (std::size_t i = 0; i < before.size() && i < now.size(); ++i) {
    if (trace_difference found = difference(before[i], now[i], "the call before"); !found.text.empty()) {
      return found;
    }
  }
  if (before.size() != now.size()) {
    return {"it runs " + std::to_string(now.size()) + " operators where the call before ran " + std::to_string(before.size())};
  }
  return {};
}

bool trace_watch::leaves_out_now() const { return leaves_out_backwards_ && torch::autograd::get_current_graph_task_id() != -1; }

void trace_watch::note_choice(const char* name, at::TensorList tensors, std::optional<int64_t> at_most) {
  if (!leaves_out_now()) {
    trace_.add_choice(name, tensors, makers_, at_most);
  }
}

void trace_watch::before(const operator_call& call) {
  if (leaves_out_now()) {
    return;
  }
  under_way_.erase(&call);  // of one that has thrown
  if (auto made = trace_.add(call, outside_, makers_)) {
    under_way_.emplace(&call, *std::move(made));
  }
}

void trace_watch::after(const operator_call& call, c10::ArrayRef<c10::IValue> results) {
  auto node = under_way_.extract(&call);
  if (node.empty()) {
    return;
  }
  std::vector<const c10::StorageImpl*> given;
  for (const auto& argument : call.arguments) {
    for_each_storage(argument, [&](const c10::StorageImpl* storage) { given.push_back(storage); });
  }
  made_by by = std::move(node.mapped());
  for (const auto& result : results) {
    for_each_tensor(result, [&](const at::Tensor& tensor) {
      const bool is_new =
          tensor.defined() && tensor.has_storage() && std::find(given.begin(), given.end(), storage_of(tensor)) == given.end();
      if (is_new) {
        makers_.note(tensor, by);
      }
      ++by.result;
    });
  }
}

// A capture returns members, too, that it gives another tensor.
trace_difference operator_trace::difference_of_results(const operator_trace& later) const {
  if (!results_ || !later.results_) {
    return {};
  }
  step before = *results_, now = *later.results_;
  const std::size_t count = std::min(before.tensors.size(), now.tensors.size());
  before.tensors.resize(count);
  now.tensors.resize(count);
  return difference(before, now, "the call before");
}

template <class Compare>
trace_difference operator_trace::first_in_bodies(const operator_trace& other, Compare compare) const {
  for (const auto& [path, body] : bodies_) {
    const auto its = other.bodies_.find(path);
    if (its == other.bodies_.end()) {
      continue;
    }
    if (trace_difference found = compare(body.of_first_visit, its->second.of_first_visit); !found.text.empty()) {
      return found;
    }
  }
  return {};
}

// Where a first visit of a body ran other operators, as to make what later visits update, it shows no more.
trace_difference operator_trace::difference_at_begin(const steps& before, const steps& now) {
  for (std::size_t i = 0; i < before.size() && i < now.size() && before[i].name == now[i].name; ++i) {
    if (trace_difference found = difference(before[i], now[i], "a call before"); !found.text.empty()) {
      return found;
    }
  }
  return {};
}

std::string operator_trace::difference_by_bodies(const operator_trace& of_capture) const {
  const std::size_t count = std::min(steps_.size(), of_capture.steps_.size());
  std::string found = difference({steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(count)},
                                 {of_capture.steps_.begin(), of_capture.steps_.begin() + static_cast<std::ptrdiff_t>(count)})
                          .text;
  found = found.empty() ? difference_of_results(of_capture).text : found;
  return found.empty() ? first_in_bodies(of_capture, &difference_at_begin).text : found;
}

// Of the operators that both ran at the beginning, and of those at the end: what a first visit makes, later ones update, by other
// operators.
trace_difference operator_trace::other_number(const steps& before, const steps& now) {
  const auto first_other = [](auto was, auto was_end, auto is, auto is_end) {
    for (; was != was_end && is != is_end && was->name == is->name; ++was, ++is) {
      if (std::string found = difference_of_numbers(*was, *is, "a call before"); !found.empty()) {
        return found;
      }
    }
    return std::string();
  };
  std::string found = first_other(before.begin(), before.end(), now.begin(), now.end());
  return {found.empty() ? first_other(before.rbegin(), before.rend(), now.rbegin(), now.rend()) : std::move(found)};
}

std::string operator_trace::other_number_in_body(const operator_trace& of_capture) const {
  return first_in_bodies(of_capture, &other_number).text;
}

trace_difference operator_trace::first_difference(const operator_trace& later) const {
  trace_difference found = difference(steps_, later.steps_);
  found = found.text.empty() ? difference_of_results(later) : found;
  return found.text.empty() ? first_in_bodies(later, [](const steps& before, const steps& now) { return difference(before, now); }) : found;
}

}  // namespace graphed::impl
