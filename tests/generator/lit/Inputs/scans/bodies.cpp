// SPDX-License-Identifier: Apache-2.0
//
// Bodies of many kinds, each of which reads a tensor on the host: every scan finds the same.
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <algorithm>
#include <functional>
#include <memory>

namespace app {

template <class T>
float read(const T& x) {
  return x.template item<float>();
}

template <class T>
struct Reader {
  virtual ~Reader() = default;
  virtual float first(const T& x) const { return x.template item<float>(); }
  float second(const T& x) const;
  template <class Scale>
  float scaled(const T& x, Scale scale) const {
    return second(x) * static_cast<float>(scale);
  }
  friend float third(const Reader&, const T& x) { return x.template item<float>(); }
  static float fourth(const T& x) { return x.template item<float>(); }
};

template <class T>
float Reader<T>::second(const T& x) const {
  return x.template item<float>();
}

template <class T>
struct LastReader final : Reader<T> {
  float first(const T& x) const override { return 2 * x.template item<float>(); }
};

template <class T>
float declaredOnly(const T& x) {
  return x.template item<float>();
}
extern template float declaredOnly(const torch::Tensor& x);

template <class... Ts>
float sum(const Ts&... xs) {
  return (read(xs) + ... + 0.0f);
}

template <bool kReads>
float maybe(const torch::Tensor& x) {
  if constexpr (kReads) {
    return x.item<float>();
  } else {
    return 0;
  }
}

constexpr bool isLarge(int64_t n) { return n > 4; }

auto deduced(const torch::Tensor& x) {
  return [x](auto scale) { return x.item<float>() * scale; };
}

struct Twice : torch::autograd::Function<Twice> {
  static torch::Tensor forward(torch::autograd::AutogradContext*, const torch::Tensor& x) { return x * x.item<float>(); }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext*, torch::autograd::tensor_list grads) {
    grads[0].item<float>();
    return grads;
  }
};

struct NetImpl : torch::nn::Cloneable<NetImpl> {
  void reset() override { layers = register_module("layers", torch::nn::Sequential(torch::nn::Linear(2, 2), torch::nn::ReLU())); }
  torch::Tensor forward(const torch::Tensor& x) {
    x.item<float>();
    return layers->forward(x);
  }
  torch::nn::Sequential layers{nullptr};
};
TORCH_MODULE(Net);

GRAPHED(x: f32[2]) torch::Tensor functions(const torch::Tensor& x) {
  const Reader<torch::Tensor> reader;
  const LastReader<torch::Tensor> last;
  const Reader<torch::Tensor>& some = last;
  float total = read(x) + reader.first(x) + reader.second(x) + reader.scaled(x, 2) + third(reader, x) + Reader<torch::Tensor>::fourth(x);
  total += last.first(x) + some.first(x) + declaredOnly(x) + sum(x, x) + maybe<true>(x) + maybe<false>(x) + deduced(x)(2.0f);
  if (isLarge(x.size(0))) {
    total += maybe<true>(x.neg());
  }
  return x * total;
}

GRAPHED(x: f32[2]) torch::Tensor library(const torch::Tensor& x) {
  static Net net;
  const std::vector<torch::Tensor> xs = {x, x};
  float total = 0;
  std::for_each(xs.begin(), xs.end(), [&](const torch::Tensor& each) { total += each.item<float>(); });
  const std::function<float(const torch::Tensor&)> reads = read<torch::Tensor>;
  const auto shared = std::make_shared<Reader<torch::Tensor>>();
  total += reads(x) + shared->second(x);
  return net(x) + net->forward(x) + Twice::apply(x) + total;
}

template <class T>
GRAPHED(x: f32[2])
torch::Tensor instance(const torch::Tensor& x, T = T()) {
  return x * sum(x) * T(2);
}
template torch::Tensor instance(const torch::Tensor& x, float);

template <class T>
struct Functor {
  GRAPHED(x: f32[2]) torch::Tensor operator()(const torch::Tensor& x) const { return x * read(x); }
};
template struct Functor<float>;

}  // namespace app
