// SPDX-License-Identifier: Apache-2.0
#include "object_arguments.h"

namespace object_arguments {

Tensor by_reference(NetImpl& net, const Tensor& x) { return net.forward(x); }

Tensor by_shared_pointer(const std::shared_ptr<NetImpl>& net, const Tensor& x) { return net->forward(x); }

Tensor train(torch::nn::Linear& student, torch::nn::Linear& teacher, graphed::optim::SGD& opt, const Tensor& x, const Tensor& y) {
  opt.zero_grad();
  const Tensor loss = (student->forward(x) - (y + teacher->forward(x)).detach()).square().mean();
  loss.backward();
  opt.step();
  return loss.detach();
}

Tensor train_with_any(NetImpl& net, torch::optim::Optimizer& opt, const Tensor& x) {
  opt.zero_grad();
  const Tensor loss = net.forward(x).square().mean();
  loss.backward();
  opt.step();
  return loss.detach();
}

Tensor act(const Agent& agent, const Tensor& x) { return agent.act(x); }

Tensor of_batch(NetImpl& net, const Batch& batch, const graphed::Scalar& shift) {
  return net.forward(batch.obs) * batch.scale + shift.like(batch.obs);
}

}  // namespace object_arguments
