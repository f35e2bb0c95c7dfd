// SPDX-License-Identifier: Apache-2.0
#include "model.h"

#include "../draws.h"

#include <ATen/ATen.h>

#include <utility>

namespace graphed::fuzz::training {

class model::builder {
 public:
  builder(model& model, const at::TensorOptions& options) : model_(model), options_(options) {}

  void add(layer layer) {
    switch (layer) {
      case layer::linear:
        return add_linear(6);
      case layer::tied:
        parameter({width_, width_});
        return;
      case layer::conv:
        parameter({2, 1, 3});
        parameter({2});
        width_ *= 2;
        return;
      case layer::spare:
        parameter({3});
        return;
      case layer::batch_norm:
        parameter({width_});
        parameter({width_});
        buffer(at::zeros({width_}, options_));
        buffer(at::ones({width_}, options_));
        buffer(at::zeros({}, options_.dtype(at::kLong)));
        return;
      case layer::layer_norm:
        parameter({width_});
        parameter({width_});
        return;
      default:
        return;
    }
  }
  void add_linear(int64_t out) {
    parameter({out, width_});
    parameter({out});
    width_ = out;
  }

 private:
  std::string name() const { return "t" + std::to_string(model_.tensors_.size()); }
  void parameter(at::IntArrayRef sizes) {
    model_.tensors_.push_back(model_.register_parameter(name(), draw_normal(sizes, options_).mul_(0.5)));
  }
  void buffer(at::Tensor value) { model_.tensors_.push_back(model_.register_buffer(name(), std::move(value))); }

  model& model_;
  const at::TensorOptions options_;
  int64_t width_ = inputs;
};

model::model(network description, const at::TensorOptions& options) : description_(std::move(description)) {
  builder builder(*this, options);
  for (const layer layer : description_.layers) {
    builder.add(layer);
  }
  builder.add_linear(outputs);
  if (description_.is_hooked) {
    tensors_[0].register_hook([](const at::Tensor& gradient) { return gradient * 0.5; });
  }
}

at::Tensor model::next() { return tensors_[used_++]; }

at::Tensor model::apply(layer layer, const at::Tensor& x) {
  switch (layer) {
    case layer::linear: {
      const at::Tensor weight = next(), bias = next();
      return at::linear(x, weight, bias);
    }
    case layer::tied: {
      const at::Tensor weight = next();
      return x.matmul(weight).sin().matmul(weight);
    }
    case layer::conv: {
      const at::Tensor weight = next(), bias = next();
      return at::conv1d(x.unsqueeze(1), weight, bias, 1, 1).flatten(1);
    }
    case layer::batch_norm: {
      const at::Tensor weight = next(), bias = next(), mean = next(), variance = next(), count = next();
      if (is_training()) {
        count.add_(1);
      }
      return at::batch_norm(x, weight, bias, mean, variance, is_training(), 0.1, 1e-5, true);
    }
    case layer::layer_norm: {
      const at::Tensor weight = next(), bias = next();
      return at::layer_norm(x, {x.size(1)}, weight, bias);
    }
    case layer::dropout:
      return at::dropout(x, 0.25, is_training());
    case layer::tanh:
      return x.tanh();
    case layer::relu:
      return x.relu();
    case layer::gelu:
      return at::gelu(x);
    case layer::spare:
      next();
      return x;
  }
  return x;
}

at::Tensor model::forward(const at::Tensor& batch) {
  used_ = 0;
  at::Tensor x = batch;
  for (const layer layer : description_.layers) {
    x = apply(layer, x);
  }
  return apply(layer::linear, x);
}

}  // namespace graphed::fuzz::training
