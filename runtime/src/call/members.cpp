// SPDX-License-Identifier: Apache-2.0
#include "call/members.h"

#include "torch/compiled_models.h"
#include "watch/recording.h"

#include <algorithm>
#include <unordered_map>

namespace graphed::impl {

static void add(std::string& words, const std::string& more) {
  if (!more.empty()) {
    words += (words.empty() ? "" : ", ") + more;
  }
}

object_members::object_members(const WatchedObject& object, const WatchedObject& arguments, const watched_module& module)
    : object_(object), arguments_(arguments), module_(module) {
  if (object || arguments) {
    look(found_.emplace());
  }
}

void object_members::look(WatchedMembers& into) const {
  for (const auto* each : {&object_, &arguments_}) {
    if (*each) {
      each->visit(into);
    }
  }
}

const char* object_members::name_of(std::size_t member) const {
  const std::size_t of_object = object_.names().size();
  return member < of_object ? object_.names()[member] : arguments_.names()[member - of_object];
}

std::string object_members::place_of(std::size_t member) const {
  const std::string name = std::string("'") + name_of(member) + "'";
  if (is_variable(member)) {
    return "the variable " + name;
  }
  return member < object_.names().size() ? "the member " + name + " of its object" : name + " of its arguments";
}

std::string object_members::place_of(const void* identity) const {
  const auto is_it = [&](const at::Tensor& tensor) { return tensor.unsafeGetTensorImpl() == identity; };
  for (std::size_t i = 0; found_ && i < found_->size(); ++i) {
    const auto part = (*found_)[i];
    bool is_here = std::any_of(part.tensors.begin(), part.tensors.end(), [&](const at::Tensor* each) { return is_it(*each); });
    for (const auto* module : part.modules) {
      const auto tensors = watched_module(module).tensors();
      is_here |= module == identity || std::any_of(tensors.begin(), tensors.end(), is_it);
    }
    if (is_here) {
      return place_of(i);
    }
  }
  return "";
}

// Calls `f` with the number and the part of each member.
template <class F>
void object_members::for_each(const assigned_members& assigned, F&& f) const {
  for (std::size_t i = 0; found_ && i < found_->size(); ++i) {
    if (i >= assigned.size() || assigned[i] == assignment::none) {
      f(i, (*found_)[i]);
    }
  }
}

// In one piece between the members that are left out. Of a carried one it says how many tensors there are.
static void append_bytes(const WatchedMembers& found, const assigned_members& assigned, key_bytes& key) {
  std::size_t from = 0;
  const auto all = found.bytes();
  for (std::size_t i = 0; i < std::min(assigned.size(), found.size()); ++i) {
    if (assigned[i] != assignment::none && !is_carried(assigned[i])) {
      key.append(all.begin() + from, all.begin() + found.begin_of_bytes(i));
      from = found.begin_of_bytes(i) + found[i].bytes.size();
    }
  }
  key.append(all.begin() + from, all.end());
}

void object_members::append_key(const assigned_members& assigned, key_bytes& key, tensor_identities& tensors, met_modules& met) const {
  append_bytes(*found_, assigned, key);
  const auto add = [&](c10::ArrayRef<const torch::nn::Module*> modules, c10::ArrayRef<const at::Tensor*> held) {
    for (const auto* module : modules) {
      tensors.push_back(module);
      watched_module(module).append_key(key, tensors, met);
    }
    for (const auto* tensor : held) {
      tensors.push_back(tensor->unsafeGetTensorImpl());
    }
  };
  if (assigned.empty()) {
    return add(found_->modules(), found_->tensors());
  }
  for_each(assigned, [&](std::size_t /*member*/, const WatchedMembers::part& part) { add(part.modules, part.tensors); });
}

std::optional<c10::Device> object_members::accelerator() const {
  if (!found_) {
    return std::nullopt;
  }
  for (const auto* module : found_->modules()) {
    const auto device = watched_module(module).device();
    if (device && !device->is_cpu()) {
      return device;
    }
  }
  for (const auto* tensor : found_->tensors()) {
    if (tensor->defined() && !tensor->is_cpu()) {
      return tensor->device();
    }
  }
  return std::nullopt;
}

bool object_members::hold_tensors() const {
  if (!found_) {
    return false;
  }
  const auto& modules = found_->modules();
  const auto& tensors = found_->tensors();
  return std::any_of(modules.begin(), modules.end(), [](const auto* each) { return watched_module(each).device().has_value(); }) ||
         std::any_of(tensors.begin(), tensors.end(), [](const auto* each) { return each->defined(); });
}

std::vector<at::Tensor> object_members::tensors(const assigned_members& assigned) const {
  std::vector<at::Tensor> found;
  for_each(assigned, [&](std::size_t /*member*/, const WatchedMembers::part& part) {
    for (const auto* module : part.modules) {
      const auto tensors = watched_module(module).tensors();
      found.insert(found.end(), tensors.begin(), tensors.end());
    }
    for (const auto* tensor : part.tensors) {
      if (tensor->defined()) {
        found.push_back(*tensor);
      }
    }
  });
  return found;
}

void object_members::for_each_named(c10::function_ref<void(const at::Tensor&, const std::string&, const std::string&)> f) const {
  for_each({}, [&](std::size_t member, const WatchedMembers::part& part) {
    for (const auto* module : part.modules) {
      watched_module(module).for_each_named(name_of(member), f);
    }
    for (const auto* tensor : part.tensors) {
      f(*tensor, name_of(member), "");
    }
  });
}

named_words object_members::words(const assigned_members& assigned) const {
  named_words words;
  if (!found_) {
    return words;
  }
  WatchedMembers told(WatchedMembers::look::words);
  look(told);
  const std::string_view bytes(told.bytes().data(), told.bytes().size());
  for (std::size_t i = 0; i < told.size(); ++i) {
    std::string held;
    const auto part = told[i];
    for (const auto& value : part.values) {
      add(held, value.text(bytes));
    }
    for (const auto* module : part.modules) {
      add(held, module_.has(*module) ? "" : watched_module(module).training_words());
    }
    if (!held.empty() && (i >= assigned.size() || assigned[i] == assignment::none)) {
      words.emplace_back(name_of(i), held);
    }
  }
  return words;
}

std::vector<std::shared_ptr<const void>> object_members::functions() const {
  if (!found_) {
    return {};
  }
  WatchedMembers told(WatchedMembers::look::words);
  look(told);
  return told.take_functions();
}

void object_members::remember() {
  before_ = found_;
  tensors_before_.clear();
  for (std::size_t i = 0; found_ && i < found_->tensors().size(); ++i) {
    tensors_before_.push_back(*found_->tensors()[i]);
  }
}

void object_members::look_again() {
  if (found_) {
    look(found_.emplace());
  }
}

// Calls `f` with the number of each member, what it held before and holds now, and the tensors that it held.
template <class F>
void object_members::compare(F&& f) const {
  std::size_t first = 0;
  for (std::size_t i = 0; i < before_->size(); ++i) {
    const auto before = (*before_)[i];
    f(i, before, (*found_)[i], c10::ArrayRef<at::Tensor>(tensors_before_).slice(first, before.tensors.size()));
    first += before.tensors.size();
  }
}

namespace {

// What a member held, and what it holds.
enum class change { none, tensors, other, size };

bool are_those(c10::ArrayRef<at::Tensor> were, const WatchedMembers::part& now) {
  return std::equal(were.begin(), were.end(), now.tensors.begin(), now.tensors.end(),
                    [](const at::Tensor& was, const at::Tensor* is) { return was.is_same(*is); });
}

change change_of(const WatchedMembers::part& before, const WatchedMembers::part& now, c10::ArrayRef<at::Tensor> were) {
  if (before.tensors.size() != now.tensors.size() || before.modules.size() != now.modules.size()) {
    return change::size;
  }
  if (!before.modules.equals(now.modules) || !before.bytes.equals(now.bytes)) {
    return change::other;
  }
  return are_those(were, now) ? change::none : change::tensors;
}

// Whether each of them was there before and is there now.
bool are_defined(c10::ArrayRef<at::Tensor> were, const WatchedMembers::part& now) {
  return std::all_of(were.begin(), were.end(), [](const at::Tensor& each) { return each.defined(); }) &&
         std::all_of(now.tensors.begin(), now.tensors.end(), [](const at::Tensor* each) { return each->defined(); });
}

struct access_to_member {
  bool is_read = false, is_written = false;
};

// Members between which tensors have moved, as std::swap does: what one held is in another that did not hold it.
std::vector<bool> moved_members(const WatchedMembers& now, const WatchedMembers& before, c10::ArrayRef<at::Tensor> were) {
  std::unordered_map<const c10::TensorImpl*, std::vector<std::size_t>> holders;
  std::size_t next = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (std::size_t j = 0; j < before[i].tensors.size(); ++j) {
      holders[were[next++].unsafeGetTensorImpl()].push_back(i);
    }
  }
  std::vector<bool> moved(before.size());
  for (std::size_t i = 0; i < now.size(); ++i) {
    for (const at::Tensor* tensor : now[i].tensors) {
      const auto held_by = tensor->defined() ? holders.find(tensor->unsafeGetTensorImpl()) : holders.end();
      if (held_by == holders.end() || std::count(held_by->second.begin(), held_by->second.end(), i) != 0) {
        continue;
      }
      moved[i] = true;
      for (const std::size_t from : held_by->second) {
        moved[from] = true;
      }
    }
  }
  return moved;
}

access_to_member access_to(c10::ArrayRef<at::Tensor> member, const std::vector<outside_tensor>& used, const recording& seen) {
  access_to_member found;
  const auto watched = seen.tensors();
  for (const auto& tensor : member) {
    found.is_written |= tensor.defined() && watched->is_input(tensor) && watched->writes(tensor);
    for (const auto& each : used) {
      const bool is_it = tensor.defined() && tensor.has_storage() && each.tensor.has_storage() && each.tensor.is_alias_of(tensor);
      found.is_read |= is_it && each.used;
      found.is_written |= is_it && each.changed;
    }
  }
  return found;
}

}  // namespace

// A replay replaces tensors, and no numbers. Where a number decides whether the callable replaces a tensor, as that of a cache does, each
// must be as the same run has left it. Such tensors are carried only where the run has read those that it replaces, or has put them into
// another member.
assigned_members object_members::find_assigned(const assigned_members& earlier, const recording& seen, bool is_module) const {
  const auto used = seen.tensors()->all();
  bool has_numbers = is_module;
  compare([&](std::size_t i, const auto& before, const auto& now, auto were) {
    const change what = change_of(before, now, were);
    has_numbers |= (what == change::other || what == change::size) && !is_variable(i);
  });
  const std::vector<bool> moved = moved_members(*found_, *before_, tensors_before_);
  assigned_members assigned;
  compare([&](std::size_t i, const auto& before, const auto& now, auto were) {
    const assignment was = i < earlier.size() ? earlier[i] : assignment::none;
    const change what = change_of(before, now, were);
    const access_to_member access = access_to(were, used, seen);
    const bool is_replaced = what == change::tensors && !found_->is_script(i) && !is_variable(i) && are_defined(were, now) &&
                             (access.is_read || moved[i] || !(has_numbers || now.is_of_module));
    const bool is_filled = is_carried(was) && before.tensors.empty();  // as an optional that was emptied
    if (is_replaced || (is_carried(was) && (what != change::size || is_filled))) {
      assigned.push_back(access.is_written || was == assignment::carried_in_place ? assignment::carried_in_place : assignment::carried);
    } else {
      assigned.push_back(what == change::size || was == assignment::resized ? assignment::resized
                         : what == change::none                             ? assignment::none
                                                                            : assignment::changed);
    }
  });
  const auto is_none = [](assignment each) { return each == assignment::none; };
  return std::all_of(assigned.begin(), assigned.end(), is_none) ? assigned_members() : assigned;
}

std::string object_members::find_refilled(const assigned_members& assigned) const {
  std::string found;
  compare([&](std::size_t i, const auto& before, const auto& now, auto /*were*/) {
    if (found.empty() && i < assigned.size() && is_carried(assigned[i]) && before.tensors.size() != now.tensors.size()) {
      found = place_of(i);
    }
  });
  return found;
}

std::string object_members::objection_to_models() const {
  std::string found;
  if (!found_) {
    return found;
  }
  const auto run = found_->run_functions();
  if (std::any_of(run.begin(), run.end(), &runs_for_several_threads)) {
    return "a model of AOTInductor was loaded for several threads: load it with run_single_threaded";
  }
  compare([&](std::size_t i, const auto& /*before*/, const auto& now, auto were) {
    if (found_->is_script(i) && !are_those(were, now)) {
      found = "the script in " + place_of(i) + " assigns one of its tensors, which no replay does: pass it as an argument, and return it";
    }
  });
  return found;
}

// The callable has assigned them: they are not const.
static void put(const WatchedMembers::part& into, c10::ArrayRef<at::Tensor> tensors) {
  for (std::size_t i = 0; i < tensors.size() && into.tensors.size() == tensors.size(); ++i) {
    *const_cast<at::Tensor*>(into.tensors[i]) = tensors[i];
  }
}

void object_members::put_back(const assigned_members& assigned) const {
  compare([&](std::size_t i, const auto& /*before*/, const auto& now, auto were) {
    if (i < assigned.size() && is_carried(assigned[i])) {
      put(now, were);
    }
  });
}

void object_members::put_back() const {
  if (found_) {
    compare([&](std::size_t /*member*/, const auto& before, const auto& now, auto were) {
      if (change_of(before, now, were) == change::tensors) {
        put(now, were);
      }
    });
  }
}

std::vector<carried_tensor> object_members::carried(const assigned_members& assigned) const {
  std::vector<carried_tensor> found;
  for (std::size_t i = 0; found_ && i < std::min(assigned.size(), found_->size()); ++i) {
    const auto tensors = (*found_)[i].tensors;
    for (std::size_t j = 0; is_carried(assigned[i]) && j < tensors.size(); ++j) {
      const std::string name = name_of(i) + (tensors.size() == 1 ? "" : "[" + std::to_string(j) + "]");
      found.push_back({name, const_cast<at::Tensor*>(tensors[j]), assigned[i] == assignment::carried_in_place});
    }
  }
  return found;
}

void object_members::forget() {
  before_.reset();
  tensors_before_.clear();
}

}  // namespace graphed::impl
