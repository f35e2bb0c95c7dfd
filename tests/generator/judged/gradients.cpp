// SPDX-License-Identifier: Apache-2.0
//
// Gradients, hooks, training steps and optimizers.
#include "judge.h"

#include <graphed/annotate.h>
#include <graphed/clip_grad.h>
#include <graphed/optim.h>

#include <memory>
#include <vector>

namespace gradients {

using namespace judged;

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// A leaf.
inline Tensor weight_of(double value) { return torch::full({4}, value).requires_grad_(); }

struct Plain : Program {
  static constexpr bool grad = true;
  GRAPHED(x: f32[4] grad)
  Tensor call(const Tensor& x) { return (x * weight).tanh(); }
  Tensors state() const override { return {weight.grad().defined() ? weight.grad().clone() : Tensor()}; }
  Tensor weight = weight_of(2);
};

struct StepOfAnArgument : Program {
  static constexpr bool grad = true;
  GRAPHED(x: f32[4] grad; step)
  Tensor call(const Tensor& x) {
    const Tensor loss = (x * weight).sum();
    loss.backward();
    return loss.detach();
  }
  Tensor weight = weight_of(2);
};

struct StepOfAnArgumentAlone : Program {
  static constexpr bool grad = true;
  GRAPHED(x: f32[4] grad; step)
  Tensor call(const Tensor& x) {
    x.square().sum().backward();
    return x.detach() * 2;
  }
};

struct StepThatReturnsTheGradient : Program {
  static constexpr bool grad = true;
  GRAPHED(x: f32[4] grad; step)
  Tensor call(const Tensor& x) { return torch::autograd::grad({(x * weight).sum()}, {x})[0]; }
  Tensor weight = weight_of(2);
};

struct CutGradient : Program {
  static constexpr bool grad = true;
  static constexpr const char* harmless_on_a_tape = "eager gives the argument no gradient either: a promise is broken, and no result";
  GRAPHED(x: f32[4] grad, y: f32[4] grad)
  Tensor call(const Tensor& x, const Tensor& y) { return x * y.detach(); }
};

struct CutInPart : Program {
  static constexpr bool grad = true;
  GRAPHED(x: f32[4] grad)
  Tensor call(const Tensor& x) { return x * x.detach(); }
};

struct NoGradInside : Program {
  static constexpr bool grad = true;
  GRAPHED(x: f32[4] grad)
  Tensor call(const Tensor& x) {
    Tensor offset;
    {
      const torch::NoGradGuard no_grad;
      offset = x.sum();
    }
    return x + offset;
  }
};

struct HookOnAMember : Program {
  static constexpr bool grad = true;
  GRAPHED(x: f32[4] grad)
  Tensor call(const Tensor& x) {
    weight.register_hook([](const Tensor& gradient) { return gradient * 2; });
    return x * weight;
  }
  Tensors state() const override { return {weight.grad().defined() ? weight.grad().clone() : Tensor()}; }
  Tensor weight = weight_of(2);
};

struct HookOnAMemberFromOutside : Program {
  static constexpr bool grad = true;
  HookOnAMemberFromOutside() {
    weight.register_hook([](const Tensor& gradient) { return gradient * 2; });
  }
  GRAPHED(x: f32[4] grad)
  Tensor call(const Tensor& x) { return x * weight; }
  Tensors state() const override { return {weight.grad().defined() ? weight.grad().clone() : Tensor()}; }
  Tensor weight = weight_of(2);
};

struct HookOnATemporary : Program {
  static constexpr bool grad = true;
  GRAPHED(x: f32[4] grad)
  Tensor call(const Tensor& x) {
    const Tensor y = x * 2;
    y.register_hook([](const Tensor& gradient) { return gradient * 3; });
    return y.exp();
  }
};

struct HookThatReads : Program {
  static constexpr bool grad = true;
  GRAPHED(x: f32[4] grad)
  Tensor call(const Tensor& x) {
    const Tensor y = x * 2;
    y.register_hook([](const Tensor& gradient) { return gradient * gradient.sum().item<float>(); });
    return y.exp();
  }
};

struct RetainedGradient : Program {
  static constexpr bool grad = true;
  GRAPHED(x: f32[4] grad)
  Tensor call(const Tensor& x) {
    const Tensor y = x * 2;
    y.retain_grad();
    return y;
  }
};

struct BackwardThatAdds : Program {
  static constexpr const char* harmless_on_a_tape = "the caller leaves the gradient of the warm-ups there, so that none is made";
  GRAPHED(x: f32[4])
  void call(const Tensor& x) { (x * weight).sum().backward(); }
  Tensors state() const override { return {weight.grad().defined() ? weight.grad().clone() : Tensor()}; }
  Tensor weight = weight_of(2);
};

struct BackwardOutsideOfAStep : Program {
  GRAPHED(x: f32[4])
  void call(const Tensor& x) { (x * weight).sum().backward(); }
  void between(int) override { weight.mutable_grad().reset(); }
  Tensors state() const override { return {weight.grad()}; }
  Tensor weight = weight_of(2);
};

struct BackwardInAStep : Program {
  GRAPHED(x: f32[4]; step)
  void call(const Tensor& x) {
    weight.mutable_grad().reset();
    (x * weight).sum().backward();
  }
  Tensors state() const override { return {weight.grad().defined() ? weight.grad().clone() : Tensor()}; }
  Tensor weight = weight_of(2);
};

struct GradientsInside : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const Tensor leaf = x.detach().requires_grad_();
    return torch::autograd::grad({(leaf * leaf * leaf).sum()}, {leaf})[0];
  }
};

struct SecondDerivativesInside : Program {
  static constexpr bool grad = true;
  GRAPHED(x: f32[4] grad)
  Tensor call(const Tensor& x) {
    return torch::autograd::grad({(x * x * x).sum()}, {x}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
  }
};

struct ArgumentMadeALeaf : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    x.requires_grad_();
    return torch::autograd::grad({(x * x).sum()}, {x})[0];
  }
};

struct Doubled : torch::autograd::Function<Doubled> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x * 2; }
  static variable_list backward(AutogradContext*, const variable_list& gradients) { return {gradients[0] * 2}; }
};

struct FunctionOfItsOwn : Program {
  static constexpr bool grad = true;
  GRAPHED(x: f32[4] grad)
  Tensor call(const Tensor& x) { return Doubled::apply(x).exp(); }
};

struct FunctionWhoseBackwardReads : Program {
  static constexpr bool grad = true;
  GRAPHED(x: f32[4] grad)
  Tensor call(const Tensor& x) { return Function::apply(x).exp(); }
  struct Function : torch::autograd::Function<Function> {
    static Tensor forward(AutogradContext*, const Tensor& x) { return x * 2; }
    static variable_list backward(AutogradContext*, const variable_list& gradients) {
      return {gradients[0] * gradients[0].sum().item<float>()};
    }
  };
};

struct BackwardOfAProduct : Program {
  static constexpr bool grad = true;
  GRAPHED(x: f32[4] grad)
  Tensor call(const Tensor& x) { return x.prod() + x.cumprod(0); }
};

struct StepByHand : Program {
  GRAPHED(x: f32[4]; step)
  Tensor call(const Tensor& x) {
    weight.mutable_grad().reset();
    const Tensor loss = (x * weight).square().mean();
    loss.backward();
    const torch::NoGradGuard no_grad;
    weight.sub_(weight.grad() * 0.1);
    return loss.detach();
  }
  Tensors state() const override { return {weight.detach().clone()}; }
  Tensor weight = weight_of(2);
};

struct StepThatAssigns : Program {
  GRAPHED(x: f32[4]; step)
  Tensor call(const Tensor& x) {
    const Tensor loss = (x * weight).square().mean();
    const Tensor gradient = torch::autograd::grad({loss}, {weight})[0];
    weight = (weight - gradient * 0.1).detach().requires_grad_();
    return loss.detach();
  }
  Tensors state() const override { return {weight.detach().clone()}; }
  Tensor weight = weight_of(2);
};

struct StepThatKeepsAHistory : Program {
  GRAPHED(x: f32[4]; step)
  Tensor call(const Tensor& x) {
    weight.mutable_grad().reset();
    const Tensor loss = (x * weight * factor.detach()).square().mean();
    loss.backward();
    factor = weight.exp();
    return loss.detach();
  }
  Tensors state() const override { return {factor.detach().clone()}; }
  Tensor weight = weight_of(2);
  Tensor factor = torch::ones({4});
};

struct StepThatKeepsTheLossOfAModule : Program {
  GRAPHED(x: f32[4]; step)
  void call(const Tensor& x) {
    linear->zero_grad();
    loss = linear(x).square().mean();
    loss.backward();
  }
  Tensors state() const override { return {loss.detach().clone()}; }
  torch::nn::Linear linear{4, 2};
  Tensor loss = torch::zeros({});
};

struct StepThatKeepsAValue : Program {
  GRAPHED(x: f32[4]; step)
  Tensor call(const Tensor& x) {
    weight.mutable_grad().reset();
    const Tensor loss = (x * weight * factor).square().mean();
    gradient = torch::autograd::grad({loss}, {weight})[0];
    factor = weight.exp().detach();
    const torch::NoGradGuard no_grad;
    last = weight * 2;
    likes = torch::zeros_like(weight) + 1;
    return loss.detach();
  }
  Tensors state() const override { return {factor, gradient, last, likes}; }
  Tensor weight = weight_of(2);
  Tensor factor = torch::ones({4}), gradient = torch::ones({4}), last = torch::ones({4}), likes = torch::ones({4});
};

struct StepThatMakesAnArgumentALeaf : Program {
  GRAPHED(x: f32[4]; step)
  Tensor call(const Tensor& x) {
    x.requires_grad_(true);
    (x * x).sum().backward();
    return x.grad() * 2;
  }
};

struct StepOfTorchsAdam : Program {
  GRAPHED(x: f32[4]; step)
  Tensor call(const Tensor& x) {
    adam.zero_grad();
    const Tensor loss = (x * weight).square().mean();
    loss.backward();
    adam.step();
    return loss.detach();
  }
  Tensors state() const override { return {weight.detach().clone()}; }
  Tensor weight = weight_of(2);
  torch::optim::Adam adam{Tensors{weight}};
};

struct StepOfTorchsAdamThroughItsBase : Program {
  GRAPHED(x: f32[4]; step)
  Tensor call(const Tensor& x) {
    optimizer->zero_grad();
    const Tensor loss = (x * weight).square().mean();
    loss.backward();
    optimizer->step();
    return loss.detach();
  }
  Tensors state() const override { return {weight.detach().clone()}; }
  Tensor weight = weight_of(2);
  std::unique_ptr<torch::optim::Optimizer> optimizer = std::make_unique<torch::optim::Adam>(Tensors{weight});
};

struct StepOfTorchsSgd : Program {
  GRAPHED(x: f32[4]; step)
  Tensor call(const Tensor& x) {
    sgd.zero_grad();
    const Tensor loss = (x * weight).square().mean();
    loss.backward();
    sgd.step();
    return loss.detach();
  }
  void between(int call) override { static_cast<torch::optim::SGDOptions&>(sgd.param_groups()[0].options()).lr(call < 8 ? 0.1 : 0.01); }
  Tensors state() const override { return {weight.detach().clone()}; }
  Tensor weight = weight_of(2);
  torch::optim::SGD sgd{Tensors{weight}, torch::optim::SGDOptions(0.1)};
};

struct StepOfAdam : Program {
  GRAPHED(x: f32[4]; step)
  Tensor call(const Tensor& x) {
    adam.zero_grad();
    const Tensor loss = (x * weight).square().mean();
    loss.backward();
    graphed::clip_grad_norm_({weight}, 0.5);
    adam.step();
    return loss.detach();
  }
  Tensors state() const override { return {weight.detach().clone()}; }
  Tensor weight = weight_of(2);
  graphed::optim::Adam adam{Tensors{weight}};
};

struct StepThatClipsByTorch : Program {
  GRAPHED(x: f32[4]; step)
  Tensor call(const Tensor& x) {
    weight.mutable_grad().reset();
    const Tensor loss = (x * weight).square().mean();
    loss.backward();
    torch::nn::utils::clip_grad_norm_({weight}, 0.5);
    const torch::NoGradGuard no_grad;
    weight.sub_(weight.grad() * 0.1);
    return loss.detach();
  }
  Tensors state() const override { return {weight.detach().clone()}; }
  Tensor weight = weight_of(2);
};

struct StepThatTellsItsLoss : Program {
  GRAPHED(x: f32[4]; step)
  Tensor call(const Tensor& x) {
    weight.mutable_grad().reset();
    const Tensor loss = (x * weight).square().mean();
    loss.backward();
    losses.push_back(loss.item<double>());
    return loss.detach();
  }
  Tensors state() const override { return {number(losses.empty() ? 0 : losses.back())}; }
  Tensor weight = weight_of(2);
  std::vector<double> losses;
};

}  // namespace gradients

#include "gradients.graphed.h"

void judge_gradients() {
  using namespace gradients;
  judged::judge<&Plain::call, &StepOfAnArgument::call, &StepOfAnArgumentAlone::call, &StepThatReturnsTheGradient::call, &CutGradient::call,
                &CutInPart::call, &NoGradInside::call, &HookOnAMember::call, &HookOnAMemberFromOutside::call, &HookOnATemporary::call,
                &HookThatReads::call, &RetainedGradient::call, &BackwardThatAdds::call, &BackwardOutsideOfAStep::call,
                &BackwardInAStep::call, &GradientsInside::call, &SecondDerivativesInside::call, &ArgumentMadeALeaf::call,
                &FunctionOfItsOwn::call, &FunctionWhoseBackwardReads::call, &BackwardOfAProduct::call, &StepByHand::call,
                &StepThatAssigns::call, &StepThatKeepsAHistory::call, &StepThatKeepsTheLossOfAModule::call, &StepThatKeepsAValue::call,
                &StepThatMakesAnArgumentALeaf::call, &StepOfTorchsAdam::call, &StepOfTorchsAdamThroughItsBase::call, &StepOfTorchsSgd::call,
                &StepOfAdam::call, &StepThatClipsByTorch::call, &StepThatTellsItsLoss::call>();
}
