// SPDX-License-Identifier: Apache-2.0
#include "inference.graphed.h"
#include "workload.h"

#if defined(BENCHMARKS_WITH_CUDA)
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#endif

#include <memory>
#include <utility>

namespace benchmarks {

template <int64_t Kernels>
Tensor chain(const Tensor& x) {
  Tensor y = x;
  for (int64_t i = 0; i < Kernels; ++i) {
    y = y + 1;
  }
  return y;
}
template Tensor chain<0>(const Tensor&);
template Tensor chain<1>(const Tensor&);
template Tensor chain<10>(const Tensor&);
template Tensor chain<100>(const Tensor&);
template Tensor chain<500>(const Tensor&);

PerceptronImpl::PerceptronImpl() : layer1_(256, 256), layer2_(256, 256), layer3_(256, 10) {
  register_module("layer1", layer1_);
  register_module("layer2", layer2_);
  register_module("layer3", layer3_);
}

Tensor PerceptronImpl::forward(const Tensor& x) { return layer3_(layer2_(layer1_(x).relu()).relu()); }
Tensor PerceptronImpl::of_eight(at::TensorList xs) { return forward(at::cat(xs, 1)); }
Tensor PerceptronImpl::of_thirty_two(at::TensorList xs) { return forward(at::cat(xs, 1)); }

Tensor PerceptronImpl::with_dropout(const Tensor& x) {
  const auto dropped = [](const Tensor& y) { return torch::dropout(y, 0.5, /*train=*/true); };
  return layer3_(dropped(layer2_(dropped(layer1_(x).relu())).relu()));
}

ClearedSumsImpl::ClearedSumsImpl() {
  for (int i = 0; i < 24; ++i) {
    sums_.push_back(register_buffer("sum" + std::to_string(i), torch::zeros({1024})));
  }
}

namespace {

/// A memset node of a CUDA graph. zero_() of LibTorch 2.11 is a kernel.
void clear(const Tensor& tensor) {
#if defined(BENCHMARKS_WITH_CUDA)
  if (tensor.is_cuda()) {
    C10_CUDA_CHECK(cudaMemsetAsync(tensor.mutable_data_ptr(), 0, tensor.nbytes(), c10::cuda::getCurrentCUDAStream()));
    return;
  }
#endif
  tensor.zero_();
}

}  // namespace

Tensor ClearedSumsImpl::forward(const Tensor& x) {
  Tensor y = x;
  for (const Tensor& sum : sums_) {
    clear(sum);
    y = sum.add_(y) + 1;
  }
  return y;
}

Tensor ClearedSumsImpl::without_memsets(const Tensor& x) {
  Tensor y = x;
  for (const Tensor& sum : sums_) {
    y = sum.add_(y) + 1;
  }
  return y;
}

PolicyImpl::PolicyImpl() : layer1_(17, 256), layer2_(256, 256), layer3_(256, 6) {
  register_module("layer1", layer1_);
  register_module("layer2", layer2_);
  register_module("layer3", layer3_);
}

Tensor PolicyImpl::forward(const Tensor& observations) { return layer3_(layer2_(layer1_(observations).relu()).relu()).tanh(); }
Tensor PolicyImpl::forward_of_many(const Tensor& observations) { return forward(observations); }

PoliciesImpl::PoliciesImpl(const std::vector<Policy>& all) : all_(all) {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    register_module("policy" + std::to_string(i), all_[i]);
  }
}

std::vector<Tensor> PoliciesImpl::forward(const Tensor& observations) {
  std::vector<Tensor> actions;
  for (const Policy& each : all_) {
    actions.push_back(each.ptr()->forward(observations));
  }
  return actions;
}

ClassifierImpl::ClassifierImpl() { register_module("net", net_); }

Tensor ClassifierImpl::forward(const Tensor& image) { return net_(image); }

namespace {

constexpr std::size_t policies = 24;

void add(graphed::Statistics& sum, const graphed::Statistics& stats) {
  sum.calls += stats.calls;
  sum.warmups += stats.warmups;
  sum.replays += stats.replays;
  sum.capture_microseconds += stats.capture_microseconds;
  for (std::size_t i = 0; i < sum.misses.size(); ++i) {
    sum.misses[i] += stats.misses[i];
  }
}

batch_pair draw_rows(at::IntArrayRef shape, c10::Device device) {
  return draw_batches([&] { return batch{{at::randn(shape, device)}}; });
}

template <int64_t Kernels>
entry chain_of() {
  return {"chain-" + std::to_string(Kernels), unit::inference, /*small=*/true, /*further=*/{}, [](c10::Device device, optimizers) {
            const auto fast = std::make_shared<graphed::callable<&chain<Kernels>>>();
            return workload{draw_rows({1024}, device),
                            {[](const tensor_list& in) { return chain<Kernels>(in[0]); }},
                            {[fast](const tensor_list& in) { return (*fast)(in[0]); }},
                            [fast] { return fast->stats(); },
                            {}};
          }};
}

/// `Method` of a module, on one tensor.
template <auto Method, class Holder>
workload inference_of(const Holder& net, at::IntArrayRef shape, c10::Device device) {
  net.ptr()->to(device);
  const auto fast = std::make_shared<graphed::callable<Method>>(net);
  return {draw_rows(shape, device),
          {[net](const tensor_list& in) { return (*net.ptr().*Method)(in[0]); }},
          {[net, fast](const tensor_list& in) { return (*fast)(in[0]); }},
          [fast] { return fast->stats(); },
          state_of(net)};
}

workload perceptron(c10::Device device) { return inference_of<&PerceptronImpl::forward>(Perceptron(), {64, 256}, device); }
workload perceptron_with_dropout(c10::Device device) {
  return inference_of<&PerceptronImpl::with_dropout>(Perceptron(), {64, 256}, device);
}

/// The perceptron on 256 columns that come in `count` tensors.
template <auto Method>
workload perceptron_of(int64_t count, c10::Device device) {
  const Perceptron net;
  net.ptr()->to(device);
  const auto fast = std::make_shared<graphed::callable<Method>>(net);
  const auto draw = [&] {
    batch drawn;
    for (int64_t i = 0; i < count; ++i) {
      drawn.inputs.push_back(at::randn({64, 256 / count}, device));
    }
    return drawn;
  };
  return {draw_batches(draw),
          {[net](const tensor_list& in) { return (*net.ptr().*Method)(in); }},
          {[net, fast](const tensor_list& in) { return (*fast)(in); }},
          [fast] { return fast->stats(); },
          state_of(net)};
}

workload cleared_sums(c10::Device device) {
  const ClearedSums net;
  workload made = inference_of<&ClearedSumsImpl::forward>(net, {1024}, device);
  made.without_memsets = {[net](const tensor_list& in) { return net.ptr()->without_memsets(in[0]); }};
  return made;
}

workload policy(int64_t batch, c10::Device device) { return inference_of<&PolicyImpl::forward>(Policy(), {batch, 17}, device); }

workload classifier(c10::Device device) {
  const Classifier net;
  net.ptr()->eval();
  return inference_of<&ClassifierImpl::forward>(net, {1, 3, 224, 224}, device);
}

/// A program of many callables, of one pool.
workload many_policies(c10::Device device) {
  using graphed_policy = graphed::callable<&PolicyImpl::forward_of_many>;
  const auto all = std::make_shared<std::vector<graphed_policy>>();
  workload made{draw_rows({1, 17}, device), {}, {}, {}, {}};
  std::vector<Policy> nets;
  all->reserve(policies);
  for (std::size_t i = 0; i < policies; ++i) {
    const Policy net;
    net.ptr()->to(device);
    nets.push_back(net);
    graphed_policy& fast = all->emplace_back(net);
    made.plain.push_back([net](const tensor_list& in) { return net.ptr()->forward_of_many(in[0]); });
    made.graphed.push_back([net, all, &fast](const tensor_list& in) { return fast(in[0]); });
    for (const Tensor& parameter : state_of(net)) {
      made.state.push_back(parameter);
    }
  }
  const Policies together(nets);
  const auto fast = std::make_shared<graphed::callable<&PoliciesImpl::forward>>(together);
  made.in_one_call = {[together, fast](const tensor_list& in) { return (*fast)(in[0]).back(); }};
  made.statistics = [all] {
    graphed::Statistics sum;
    for (const auto& each : *all) {
      add(sum, each.stats());
    }
    return sum;
  };
  return made;
}

entry named(const char* name, std::function<workload(c10::Device)> make, bool small = true, std::vector<std::string> further = {}) {
  return {name, unit::inference, small, std::move(further),
          [make = std::move(make)](c10::Device device, optimizers) { return make(device); }};
}

}  // namespace

std::vector<entry> inference_workloads() {
  return {
      chain_of<0>(),
      chain_of<1>(),
      chain_of<10>(),
      chain_of<100>(),
      chain_of<500>(),
      named("memsets-24", cleared_sums, /*small=*/true, /*further=*/{"without-memsets"}),
      named("mlp-1", perceptron),
      named("mlp-8", [](c10::Device device) { return perceptron_of<&PerceptronImpl::of_eight>(8, device); }),
      named("mlp-32", [](c10::Device device) { return perceptron_of<&PerceptronImpl::of_thirty_two>(32, device); }),
      named("mlp-1-dropout", perceptron_with_dropout),
      named("policy-1", [](c10::Device device) { return policy(1, device); }),
      named("policy-256", [](c10::Device device) { return policy(256, device); }),
      named("policies-24", many_policies, /*small=*/true, /*further=*/{"in-one-call"}),
      named("resnet18", classifier, /*small=*/false),
  };
}

}  // namespace benchmarks
