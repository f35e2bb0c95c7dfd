// SPDX-License-Identifier: Apache-2.0
//
// Callables that compute with values of the host's memory: numbers of modules, modules that are not registered, variables, and every form
// that a call compares.
#pragma once

#include <graphed/annotate.h>

#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/types.h>

#include <bitset>
#include <chrono>
#include <complex>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace host_values {

using at::Tensor;

enum class Kind { plain, scaled };

struct BaseImpl : torch::nn::Module {
  double gain = 1;
  Kind kind = Kind::plain;
  bool is_negative = false;
  std::string name = "once";
};

struct BlockImpl : BaseImpl {
  BlockImpl() : linear(register_module("linear", torch::nn::Linear(3, 3))) {}
  Tensor forward(const Tensor& x) {
    Tensor y = linear->forward(x);
    y = kind == Kind::scaled ? y * gain : y + gain;
    y = is_negative ? -y : y;
    return name == "twice" ? y + y : y;
  }

  torch::nn::Linear linear;
};
TORCH_MODULE(Block);

/// A module that holds modules, in a struct and in a list.
struct NumbersImpl : BaseImpl {
  NumbersImpl() : first(register_module("first", Block())) { part.block = register_module("second", Block()); }
  GRAPHED(x: f32[4, 3])
  Tensor run(const Tensor& x) {
    Tensor y = part.block->forward(first->forward(x)) * gain + part.shift;
    for (Block& each : blocks) {
      y = each->forward(y);
    }
    return y;
  }

  struct Part {
    Block block{nullptr};
    double shift = 0;
  };
  Block first;
  Part part;
  std::vector<Block> blocks;
};
TORCH_MODULE(Numbers);

/// What its body reads is not seen by who reads this header.
struct ElsewhereImpl : BaseImpl {
  GRAPHED(x: f32[4, 3])
  Tensor run(const Tensor& x);

  Block block;
};
TORCH_MODULE(Elsewhere);

/// Modules of LibTorch's, of which some are not registered.
struct UnregisteredImpl : torch::nn::Module {
  UnregisteredImpl() : registered(register_module("registered", torch::nn::Linear(3, 3))) {
    stack = register_module("stack", torch::nn::Sequential(torch::nn::Linear(3, 3), torch::nn::Dropout(0.5)));
  }
  GRAPHED(x: f32[4, 3])
  Tensor run(const Tensor& x) {
    Tensor y = registered->forward(x) + parts.drop->forward(parts.linear->forward(x)) + others[0]->forward(x);
    y = norm->forward(stack->forward(drop(linear->forward(y))));
    return y;
  }

  torch::nn::Linear registered;
  torch::nn::Sequential stack;
  torch::nn::Linear linear{3, 3};
  torch::nn::Dropout drop{0.5};
  torch::nn::LayerNorm norm{torch::nn::LayerNormOptions({3})};
  struct Parts {
    torch::nn::Linear linear{3, 3};
    torch::nn::Dropout drop{0.5};
  } parts;
  std::vector<torch::nn::Linear> others{torch::nn::Linear(3, 3)};
};
TORCH_MODULE(Unregistered);

inline double rate = 2;
extern std::string mode;
inline thread_local int level = 0;
inline double& shown = rate;
struct Config {
  double eps = 1;
  std::vector<double> weights{1, 2};
  int unread = 0;
};
inline Config config;
inline Block net;
inline Tensor mask = at::ones({3});
inline double read_rate() { return rate + config.eps + config.weights[0]; }

GRAPHED(x: f32[4, 3])
inline Tensor of_variables(const Tensor& x) {
  return mode == "net" ? net->forward(x) * mask : x * read_rate() + static_cast<double>(level) + shown;
}

class OfClass {
 public:
  GRAPHED(x: f32[4, 3])
  Tensor run(const Tensor& x) const { return x * (slope_ + temperature_); }
  static void set_temperature(double value) { temperature_ = value; }
  void set_slope(double value) { slope_ = value; }

 private:
  static inline double temperature_ = 1;
  double slope_ = 2;
};

struct Layer {
  double gain = 1;
  int unread = 2;
};
struct Relu {};
struct Leaky {
  double slope = 0.5;
};

/// Its run() reads one member of each form.
struct Forms {
  GRAPHED(x: f32[4, 3])
  Tensor run(const Tensor& x) {
    Tensor y = x * phase.real() + static_cast<double>(wide) + static_cast<double>(bits.count()) + static_cast<double>(pause.count());
    y = y + scalar + static_cast<double>(device.is_cpu() ? 1 : 2) + (title != nullptr && title[0] == 'a' ? 1.0 : 2.0);
    for (const double each : rates) {
      y = y + each;
    }
    y = flags[0] ? -y : y;
    y = y + static_cast<double>(queue.front()) + static_cast<double>(names.size()) + by_name.at("a");
    y = power(2) > 3 ? y + y : y;
    y = y + std::get<0>(layers).gain + static_cast<double>(std::get<1>(layers)) + pairs[0].second.gain;
    if (const auto* const leaky = std::get_if<Leaky>(&act)) {
      y = at::leaky_relu(y, leaky->slope);
    }
    y = std::holds_alternative<double>(held) ? y * std::get<double>(held) : y + std::get<Tensor>(held);
    return whole > 0 ? after(y) * static_cast<double>(whole) : after(y);
  }

  std::complex<double> phase{2, 3};
  long double wide = 1;
  std::bitset<5> bits{3};
  std::chrono::milliseconds pause{1};
  c10::Scalar scalar{2};
  c10::Device device{c10::kCPU};
  const char* title = "a";
  std::vector<double> rates{1};
  std::vector<bool> flags{false};
  std::deque<int> queue{1};
  std::set<std::string> names{"a"};
  std::map<std::string, double> by_name{{"a", 1}};
  double (*power)(double) = nullptr;
  std::function<Tensor(const Tensor&)> after;
  std::variant<Relu, Leaky> act;
  std::variant<double, Tensor> held{2.0};
  std::tuple<Layer, int> layers{Layer{}, 2};
  std::vector<std::pair<int, Layer>> pairs{{1, {}}};
  union {
    int whole = 1;
    float half;
  };
};

/// An object whose class its holder does not know.
struct Activation {
  virtual ~Activation() = default;
  virtual Tensor run(const Tensor& x) const = 0;
};
struct Tanh : Activation {
  Tensor run(const Tensor& x) const override { return x.tanh(); }
};
struct Sine : Activation {
  Tensor run(const Tensor& x) const override { return x.sin(); }
};
struct Activated {
  GRAPHED(x: f32[4, 3])
  Tensor run(const Tensor& x) const { return stack.empty() ? activation->run(x) : stack[0]->run(activation->run(x)); }

  std::unique_ptr<Activation> activation = std::make_unique<Tanh>();
  std::vector<std::shared_ptr<Activation>> stack;
};

/// A variable that the body changes, beside a member that it replaces.
inline int calls_made = 0;
struct Counting {
  GRAPHED(x: f32[4, 3])
  Tensor run(const Tensor& x) {
    ++calls_made;
    last = x * 2;
    return last + 1;
  }

  Tensor last = at::zeros({4, 3});
};

/// A number that is another one in each call, and a list that grows in each.
struct Changing {
  GRAPHED(x: f32[4, 3])
  Tensor run(const Tensor& x) { return x * position + static_cast<double>(seen.size()); }

  double position = 0;
  std::vector<int> seen;
};

}  // namespace host_values
