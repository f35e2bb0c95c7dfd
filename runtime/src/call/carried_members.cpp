// SPDX-License-Identifier: Apache-2.0
#include "call/carried_members.h"

#include "torch/hooks.h"

#include <graphed/error.h>

#include <c10/core/GradMode.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace graphed::impl {
namespace {

/// While it lives, leaves have these gradients. What they have when it ends is gone.
class given_gradients {
 public:
  given_gradients(std::vector<at::Tensor> leaves, c10::ArrayRef<at::Tensor> gradients) : leaves_(std::move(leaves)) {
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      leaves_[i].mutable_grad() = gradients[i];
    }
  }
  ~given_gradients() {
    for (const auto& leaf : leaves_) {
      leaf.mutable_grad().reset();
    }
  }
  given_gradients(const given_gradients&) = delete;
  given_gradients& operator=(const given_gradients&) = delete;

 private:
  const std::vector<at::Tensor> leaves_;
};

// Runs `body` with these in the members, which afterwards hold what they held before. A look at them is code of the program's, and may
// throw as well: no destructor does it.
template <class Body>
auto with_members(object_members& members, const assigned_members& assigned, c10::ArrayRef<at::Tensor> held, Body&& body) {
  std::vector<at::Tensor> before;
  for (const auto& member : members.carried(assigned)) {
    before.push_back(*member.place);
  }
  const auto put = [&](c10::ArrayRef<at::Tensor> tensors) {
    const auto carried = members.carried(assigned);
    for (std::size_t i = 0; i < std::min(carried.size(), tensors.size()); ++i) {
      *carried[i].place = tensors[i];
    }
  };
  put(held);
  try {
    auto results = body();
    put(before);
    return results;
  } catch (...) {
    members.look_again();
    put(before);
    throw;
  }
}

unsigned flags_of(const carried_tensor& member) {
  const bool gets_gradient = member.place->defined() && member.place->requires_grad() && c10::GradMode::is_enabled();
  return flags::optional | (gets_gradient ? flags::grad : 0) | (member.is_written ? flags::inplace : 0);
}

}  // namespace

std::vector<std::size_t> leaves_among(const Inputs& arguments, const CallableSpec& spec) {
  std::vector<std::size_t> found;
  if (!spec.step || !c10::GradMode::is_enabled()) {
    return found;
  }
  const auto tensors = arguments.tensors();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto is_it = [&](std::size_t earlier) { return tensors[earlier].is_same(tensors[i]); };
    if (tensors[i].defined() && tensors[i].requires_grad() && tensors[i].is_leaf() && std::none_of(found.begin(), found.end(), is_it)) {
      found.push_back(i);
    }
  }
  return found;
}

member_sample::member_sample(const SampleSpec& base, std::shared_ptr<const void> holder, const std::vector<std::size_t>& leaves,
                             const std::vector<carried_tensor>& members)
    : holder_(std::move(holder)), leaves_(leaves), tensors_(base.tensors.vec()), spec_(base) {
  for (const std::size_t leaf : leaves_) {
    tensors_[leaf].flags |= flags::grad;
  }
  names_.reserve(members.size());
  shapes_.reserve(members.size());
  const std::size_t of_members = members.size() - leaves.size();
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& member = members[i];
    const bool is_there = member.place->defined();
    const auto& name = names_.emplace_back(i < of_members ? member.name : base.tensors[leaves[i - of_members]].name + member.name);
    const auto& shape = shapes_.emplace_back(is_there ? member.place->sizes().vec() : std::vector<int64_t>());
    tensors_.push_back({name.c_str(), is_there ? member.place->scalar_type() : at::kFloat, shape, flags_of(member)});
  }
  spec_.tensors = tensors_;
}

void member_sample::append_key(key_bytes& key) const {
  const auto append = [&](const auto& value) {
    key.append(reinterpret_cast<const char*>(&value), reinterpret_cast<const char*>(&value + 1));
  };
  for (const std::size_t leaf : leaves_) {
    append(leaf);
  }
  for (const auto& member : spec_.tensors.slice(spec_.tensors.size() - count())) {
    append(member.dtype);
    append(member.flags);
    append(member.shape.size());
    for (const int64_t size : member.shape) {
      append(size);
    }
  }
}

std::optional<mismatch> member_sample::check(const Inputs& inputs, const placement& place) const {
  for (const std::size_t leaf : leaves_) {
    const at::Tensor& tensor = inputs.tensors()[leaf];
    const hook_counts hooks = count_hooks(tensor);
    if (hooks.present != 0 || hooks.after_accumulation != 0 || has_accumulator_hooks(tensor)) {
      return mismatch{Miss::RequiresGrad, spec_.tensors[leaf].name, "a leaf without hooks, whose gradient a step computes",
                      "one with a hook"};
    }
  }
  for (std::size_t i = spec_.tensors.size() - count(); i < spec_.tensors.size(); ++i) {
    const at::Tensor& held = inputs.tensors()[i];
    const bool is_gradient = i >= spec_.tensors.size() - leaves_.size();
    if (is_gradient && held.defined() && held.requires_grad()) {
      return mismatch{Miss::RequiresGrad, spec_.tensors[i].name, "a gradient without a history", "one with a history"};
    }
    if (auto found = check_tensor(spec_.tensors[i], inputs.tensors()[i], place)) {
      return found;
    }
  }
  return std::nullopt;
}

carried_members::carried_members(object_members& of, assigned_members assigned, const Inputs& given, const CallableSpec& spec)
    : members_(of),
      assigned_(std::move(assigned)),
      given_(given.tensors().size()),
      spec_(spec),
      leaves_(leaves_among(given, spec)),
      inputs_(given) {
  for (const std::size_t leaf : leaves_) {
    leaves_of_call_.push_back(given.tensors()[leaf]);
  }
  for (const auto& each : tensors()) {
    inputs_(*each.place);
  }
}

std::vector<carried_tensor> carried_members::tensors() const {
  std::vector<carried_tensor> all = members_.carried(assigned_);
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    all.push_back({".grad", &leaves_of_call_[i].mutable_grad(), /*is_written=*/true});
  }
  return all;
}

tensor_list carried_members::run(c10::function_ref<tensor_list(tensor_list&)> body, tensor_list& in) {
  const std::size_t count = inputs_.tensors().size() - given_;
  const auto first = in.begin() + static_cast<std::ptrdiff_t>(given_), last = first + static_cast<std::ptrdiff_t>(count);
  tensor_list own(in.begin(), first);
  own.insert(own.end(), last, in.end());
  const std::size_t of_members = count - leaves_.size();
  const auto held = c10::ArrayRef<at::Tensor>(in).slice(given_, count);
  std::vector<at::Tensor> leaves;
  for (const std::size_t leaf : leaves_) {
    leaves.push_back(in[leaf]);
  }
  const given_gradients gradients(leaves, held.slice(of_members));
  tensor_list results = with_members(members_, assigned_, held.slice(0, of_members), [&] {
    tensor_list made = body(own);
    std::copy(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(given_), in.begin());
    std::copy(own.begin() + static_cast<std::ptrdiff_t>(given_), own.end(), last);
    members_.look_again();
    add_left_in_members(made, of_members);
    return made;
  });
  for (const auto& leaf : leaves) {
    results.push_back(leaf.grad());
  }
  return results;
}

void carried_members::add_left_in_members(tensor_list& results, std::size_t expected) const {
  const auto left = members_.carried(assigned_);
  if (left.size() != expected) {
    throw CaptureError("it leaves another number of tensors in members of its object, '" + (left.empty() ? "" : left.front().name) +
                       "' among them: assign each tensor in the same call");
  }
  for (const auto& each : left) {
    if (spec_.step && each.place->defined() && each.place->requires_grad()) {
      throw CaptureError("a step leaves a tensor that requires gradients in the member '" + each.name +
                         "' of its object: assign its detach()");
    }
    results.push_back(*each.place);
  }
}

void carried_members::assign(tensor_list& results) const {
  const auto carried = tensors();
  const std::size_t own = results.size() - carried.size();
  for (std::size_t i = 0; i < carried.size(); ++i) {
    *carried[i].place = std::move(results[own + i]);
  }
  results.resize(own);
}

}  // namespace graphed::impl
