// SPDX-License-Identifier: Apache-2.0
//
// Where a call's arguments come from.
#include "interpreter.h"

#include "sample.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <numeric>

namespace graphed::fuzz {

at::Tensor interpreter::argument_of(const action& action, std::size_t index) {
  const auto& spec = program_.bodies[action.body].arguments[index];
  const source& source = action.arguments[index];
  if (source.from == source::origin::fresh) {
    return fresh(spec, action.rows, source.how);
  }
  if (source.from == source::origin::kept) {
    return kept(action, index);
  }
  if (source.from == source::origin::member) {
    return outside_.members[source.index];
  }
  const auto found = calls_.find(source.call);
  if (found != calls_.end()) {
    const tensor_list& tensors = source.from == source::origin::again ? found->second.arguments : found->second.results;
    if (source.index < tensors.size() && tensors[source.index].defined()) {
      return source.how == source::form::detached ? tensors[source.index].detach() : tensors[source.index];
    }
  }
  return fresh(spec, action.rows, source::form::as_declared);
}

at::Tensor interpreter::kept(const action& action, std::size_t index) {
  at::Tensor& tensor = kept_[{action.body, index}];
  if (!tensor.defined()) {
    tensor = fresh(program_.bodies[action.body].arguments[index], action.rows, source::form::as_declared);
  } else if (action.arguments[index].how == source::form::refilled) {
    const c10::AutoGradMode no_grad(false);
    tensor.copy_(fresh(program_.bodies[action.body].arguments[index], action.rows, source::form::as_declared));
  }
  return tensor;
}

at::Tensor interpreter::fresh(const testing::argument& spec, int64_t rows, source::form form) const {
  using form_of = source::form;
  const shape declared = shape_of(spec, rows);
  shape sizes = declared;
  const auto make = [&](bool requires_grad) { return make_argument(spec, sizes, requires_grad, run_.device()); };
  switch (form) {
    case form_of::with_history:
      return spec.grad ? make(true) * 1.5 : make(false);
    case form_of::other_grad:
      return make(!spec.grad && c10::isFloatingType(spec.dtype));
    case form_of::transposed:
      std::reverse(sizes.begin(), sizes.end());
      {
        std::vector<int64_t> order(sizes.size());
        std::iota(order.rbegin(), order.rend(), 0);
        return make(false).permute(order).detach().requires_grad_(spec.grad);
      }
    case form_of::offset: {
      const int64_t size = c10::multiply_integers(declared);
      sizes = {size + 1};
      return make(false).narrow(0, 1, size).view(declared).detach().requires_grad_(spec.grad);
    }
    case form_of::expanded:
      sizes[0] = 1;
      return make(false).expand(declared).detach().requires_grad_(spec.grad);
    case form_of::longer:
      sizes[0] *= 2;
      return make(spec.grad);
    case form_of::absent:
      return {};
    default:
      return make(spec.grad);
  }
}

}  // namespace graphed::fuzz
