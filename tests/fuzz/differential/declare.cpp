// SPDX-License-Identifier: Apache-2.0
#include "declare.h"

#include <graphed/impl/spec.h>

namespace graphed::fuzz {
namespace {

class declaration {
 public:
  declaration(dice& dice, c10::ScalarType dtype) : dice_(dice), dtype_(dtype) {}

  body make() {
    add_arguments();
    add_options();
    switch (dice_.below(8)) {
      case 0:
        add_sizes();
        break;
      case 1:
        add_padding();
        break;
      default:
        add_flags();
    }
    return std::move(body_);
  }

 private:
  int64_t size(std::size_t from, std::size_t to) { return static_cast<int64_t>(from + dice_.below(to - from + 1)); }
  shape random_shape();
  void add_arguments();
  void add_options();
  void add_sizes();
  void add_padding();
  void add_flags();

  dice& dice_;
  const c10::ScalarType dtype_;
  body body_{};
};

shape declaration::random_shape() {
  switch (dice_.below(6)) {
    case 0:
      return {size(1, 2), size(1, 3), size(3, 5), size(3, 5)};
    case 1:
      return {size(1, 3), size(2, 4), size(2, 5)};
    case 2:
      return {size(1, 17)};
    default:
      return {size(1, 6), size(1, 9)};
  }
}

void declaration::add_arguments() {
  const std::size_t count = dice_.chance(85) ? 1 + dice_.below(3) : 4;
  const shape common = random_shape();
  for (std::size_t i = 0; i < count; ++i) {
    testing::argument argument{"x" + std::to_string(i), dice_.chance(70) ? common : random_shape(), dtype_};
    argument.grad = dice_.chance(60);
    argument.inplace = dice_.chance(20);
    if (i > 0 && dice_.chance(10)) {
      argument = {argument.name, {common[0]}, at::kLong};
    }
    body_.arguments.push_back(argument);
  }
}

void declaration::add_options() {
  testing::settings& settings = body_.settings;
  settings.warmup = dice_.chance(30) ? 0 : dice_.chance(80) ? 1 : 2;
  settings.outputs = dice_.chance(80) ? OutputPolicy::Keep : dice_.chance(50) ? OutputPolicy::Clone : OutputPolicy::Alias;
  settings.slots = dice_.chance(70) ? 2 : static_cast<int>(1 + dice_.below(3));
  settings.grads_in_graph = dice_.chance(20);
  settings.list = dice_.chance(25);
  settings.list_from = settings.list ? dice_.below(body_.arguments.size()) : 0;
  body_.is_method = dice_.chance(50);
  body_.live = dice_.chance(25);
}

// The first size of all arguments that have the same is a dimension variable.
void declaration::add_sizes() {
  const int64_t common = body_.arguments[0].shape[0];
  for (auto& argument : body_.arguments) {
    if (argument.shape[0] == common) {
      argument.shape[0] = testing::B;
    }
  }
  body_.settings.sizes = {common, common + 2};
}

// Arguments of one shape, whose rows stay apart.
void declaration::add_padding() {
  add_sizes();
  for (auto& argument : body_.arguments) {
    argument.shape = body_.arguments[0].shape;
    argument.dtype = dtype_;
  }
  body_.settings.pad = dice_.chance(50) ? impl::PadFill::Zero : impl::PadFill::Repeat;
}

// The history of a kept tensor that is written would lead through all calls.
void declaration::add_flags() {
  for (auto& argument : body_.arguments) {
    argument.flags |= dice_.chance(12) ? impl::flags::optional : 0;
    argument.flags |= dice_.chance(12) && !(argument.grad && argument.inplace) ? impl::flags::static_address : 0;
  }
}

}  // namespace

body declare(dice& dice, c10::ScalarType dtype) { return declaration(dice, dtype).make(); }

}  // namespace graphed::fuzz
