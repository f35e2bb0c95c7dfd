// SPDX-License-Identifier: Apache-2.0
//
// What random programs make their host values of, and the types of some. The values of different `k` give different results.
#pragma once

#include <torch/torch.h>

#include <any>
#include <array>
#include <atomic>
#include <bitset>
#include <chrono>
#include <complex>
#include <cstring>
#include <deque>
#include <filesystem>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace values {

/// Where all tensors are, once the program has begun.
inline c10::Device device(at::kCPU);

enum class Mode { Low, Middle, High };
enum Color { Red, Green, Blue };
struct Rates {
  double low = 1;
  int steps = 2;
};
struct Norm {
  at::Tensor mean;
  double scale = 1;
};
struct Bits {
  explicit Bits(int k) : steps(static_cast<unsigned>(1 + k) & 7U), on(k % 2 == 0) {}
  unsigned steps : 3;
  bool on : 1;
};
union Either {
  double real;
  int64_t whole;
};
using Number = std::variant<int, double, std::string>;
using Pointer = double (*)();
using Three = double[3];
using Text = char[8];

inline const char* word(int k) {
  static constexpr const char* words[] = {"a", "bb", "ccc", "dddd"};
  return words[k % 4];
}
inline Either either(double real) {
  Either result;
  result.real = real;
  return result;
}
inline Number variant(int k) { return k % 2 == 0 ? Number(1.5 + k) : Number(2 + k); }
inline double of(const Number& number) {
  if (const int* whole = std::get_if<int>(&number)) {
    return *whole;
  }
  const double* real = std::get_if<double>(&number);
  return real != nullptr ? *real : 0;
}
inline std::function<double()> function(int k) {
  return [k] { return 1.0 + k; };
}
inline Pointer pointer(int k) {
  return k % 2 == 0 ? Pointer([] { return 1.5; }) : Pointer([] { return 0.5; });
}
/// The memory of a number that pointers and references show.
inline double* held(double number) {
  static std::deque<double> numbers;
  return &numbers.emplace_back(number);
}
inline std::shared_ptr<const Rates> rates(int k) { return std::make_shared<const Rates>(Rates{1.0 + k, 2}); }
inline std::array<double, 100> hundred(int k) {
  std::array<double, 100> numbers{};
  numbers[70] = 1.0 + k;
  return numbers;
}
inline c10::SmallVector<double, 4> small(int k) { return c10::SmallVector<double, 4>{1.0 + k, 2.0}; }
inline c10::Dict<std::string, double> dict(int k) {
  c10::Dict<std::string, double> result;
  result.insert("a", 1.0 + k);
  return result;
}
template <class T>
std::vector<std::unique_ptr<T>> several() {
  std::vector<std::unique_ptr<T>> result;
  result.push_back(std::make_unique<T>());
  result.push_back(std::make_unique<T>());
  return result;
}
template <class T>
std::map<std::string, T> by_name() {
  std::map<std::string, T> result;
  result["a"];
  return result;
}
template <class List>
double count(const List& list) {
  return static_cast<double>(list.size());
}
template <class List>
double sum(const List& list) {
  double result = 0;
  for (const auto& number : list) {
    result += static_cast<double>(number);
  }
  return result;
}

inline at::Tensor row(int k) { return at::arange(1, 4, at::TensorOptions(at::kFloat).device(device)) * (0.5 + k); }
inline at::Tensor weight(int k) { return row(k).requires_grad_(); }
inline at::Tensor matrix(int k) {
  return (at::arange(9, at::TensorOptions(at::kFloat).device(device)).view({3, 3}) * (0.1 + 0.1 * k)).requires_grad_();
}
inline c10::Dict<std::string, at::Tensor> tensors(int k) {
  c10::Dict<std::string, at::Tensor> result;
  result.insert("a", row(k));
  return result;
}
/// The elements of arguments.
inline c10::Dict<std::string, at::Tensor> tensors_like(const at::Tensor& x) {
  c10::Dict<std::string, at::Tensor> result;
  result.insert("a", x * 3);
  return result;
}
inline c10::List<at::Tensor> list_like(const at::Tensor& x) { return c10::List<at::Tensor>({x * 3, x * 4}); }
/// A result and the elements of an argument after the call.
inline std::vector<at::Tensor> with(const at::Tensor& result, const c10::Dict<std::string, at::Tensor>& dict) {
  std::vector<at::Tensor> all{result};
  for (const auto& entry : dict) {
    all.push_back(entry.value());
  }
  return all;
}
inline std::vector<at::Tensor> with(const at::Tensor& result, const c10::List<at::Tensor>& list) {
  std::vector<at::Tensor> all{result};
  for (const at::Tensor& tensor : list.vec()) {
    all.push_back(tensor);
  }
  return all;
}
inline torch::OrderedDict<std::string, at::Tensor> ordered(int k) {
  torch::OrderedDict<std::string, at::Tensor> result;
  result.insert("a", row(k));
  return result;
}
inline std::function<at::Tensor(const at::Tensor&)> scaled_by(double scale) {
  return [scale](const at::Tensor& x) { return x * scale; };
}
inline std::function<at::Tensor(const at::Tensor&)> scaled_by(at::Tensor scale) {
  return [scale = std::move(scale)](const at::Tensor& x) { return x * scale; };
}

template <class Holder>
Holder on(Holder module) {
  module->to(device);
  return module;
}
inline torch::nn::Linear linear(int k) {
  auto result = on(torch::nn::Linear(3, 3));
  const at::NoGradGuard no_grad;
  result->weight.copy_(matrix(k));
  result->bias.copy_(row(k));
  return result;
}
inline torch::nn::LayerNorm layer_norm(int k) { return on(torch::nn::LayerNorm(torch::nn::LayerNormOptions({3}).eps(0.1 + k))); }
inline torch::nn::Sequential sequential(int k) {
  return torch::nn::Sequential(linear(k), torch::nn::LeakyReLU(torch::nn::LeakyReLUOptions().negative_slope(0.1)));
}
inline torch::nn::ModuleList modules(int k) { return torch::nn::ModuleList(linear(k), linear(1)); }
inline std::function<at::Tensor(const at::Tensor&)> runs(torch::nn::Linear module) {
  return [module = std::move(module)](const at::Tensor& x) mutable { return module->forward(x); };
}

}  // namespace values
