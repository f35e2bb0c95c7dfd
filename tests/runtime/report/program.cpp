// SPDX-License-Identifier: Apache-2.0
//
// `report_program DEVICE WAY` uses graphed callables with GRAPHED_REPORT set, prints what it expects in the report, a line of JSON for each
// callable, and ends. WAY is `return`, `exit`, `times` or `demand`. With `times` it writes the report itself when the device has ended.
// With `demand` it writes the report itself, into `demand` below its folder; nothing of that is collected before collect_report().
#include "support/device_test.h"

#include <graphed/disable.h>
#include <graphed/report.h>

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>

#include <cstdlib>
#include <iostream>
#include <optional>

namespace {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

void print(const char* name, const test_callable& callable) {
  std::cout << "{\"name\": \"" << name << "\", \"statistics\": " << callable.stats().to_json() << "}\n" << std::flush;
}

/// Two warm-ups, a capture, two replays; each with its backward.
void use(test_callable& f, const tensor_list& arguments) {
  for (int call = 0; call < 5; ++call) {
    f(arguments)[0].sum().backward();
  }
}

struct network {
  explicit network(c10::Device device)
      : layers(torch::nn::Linear(8, 16), torch::nn::ReLU(), torch::nn::Linear(16, 4)),
        f(
            {{"x", {32, 8}}, {"y", {32, 4}, at::kFloat, false, /*inplace=*/true}},
            [this](tensor_list& in) {
              const Tensor out = layers->forward(in[0]).tanh();
              in[1].copy_(out.detach());
              return tensor_list{out};
            },
            {}, layers.ptr().get()) {
    layers->to(device);
  }
  torch::nn::Sequential layers;
  test_callable f;
};

std::optional<network> in_the_process;

/// So many calls miss: dtype 1 of w, shape 2 of x, requires_grad 3 of x, undefined 4 of w, slots 5, disabled 6; and sizes 7 of another.
void miss_for_each_reason(const at::TensorOptions& on) {
  settings one_slot;
  one_slot.slots = 1;
  test_callable several(
      {{"x", {4, 8}}, {"w", {8, 2}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0].matmul(in[1])}; }, one_slot);
  const Tensor x = at::ones({4, 8}, on), w = at::ones({8, 2}, on).requires_grad_();
  use(several, {x, w});
  const auto call = [&](int times, const tensor_list& arguments) {
    for (int i = 0; i < times; ++i) {
      try {
        several(arguments);
      } catch (const c10::Error&) {  // as the original function throws
      }
    }
  };
  call(1, {x, w.detach().to(at::kDouble).requires_grad_()});
  call(2, {at::ones({3, 8}, on), w});
  call(3, {at::ones({4, 8}, on).requires_grad_(), w});
  call(4, {x, Tensor()});
  const tensor_list waits = several({x, w});
  call(5, {x, w});
  waits[0].sum().backward();
  {
    const DisableGuard disabled;
    call(6, {x, w});
  }
  print("several", several);

  settings one_size;
  one_size.any = 1;
  test_callable sizes({{"x", {B, 2}}}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; }, one_size);
  for (int i = 0; i < 4; ++i) {
    sizes({at::ones({2, 2}, on)});
  }
  for (int i = 0; i < 7; ++i) {
    sizes({at::ones({3, 2}, on)});
  }
  print("sizes", sizes);
}

void run(c10::Device device) {
  const at::TensorOptions on(device);
  in_the_process.emplace(device);
  use(in_the_process->f, {at::ones({32, 8}, on), at::zeros({32, 4}, on)});
  print("network", in_the_process->f);

  miss_for_each_reason(on);

  const auto inlined = [](tensor_list& in) __attribute__((always_inline)) { return tensor_list{in[0].matmul(in[1])}; };
  test_callable missed({{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}}, inlined);
  use(missed, {at::ones({16, 8}, on), at::ones({8, 4}, on).requires_grad_()});
  for (int call = 0; call < 80; ++call) {
    missed({at::ones({3, 8}, on), at::ones({8, 4}, on).requires_grad_()});
  }
  print("missed", missed);

  test_callable refused({{"x", {4}}}, [](tensor_list& in) { return tensor_list{in[0] * in[0].sum().item<float>()}; });
  for (int call = 0; call < 8; ++call) {
    refused({at::ones({4}, on)});
  }
  print("refused", refused);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "", way = argc > 2 ? argv[2] : "";
  const c10::Device device(name);
  if (!device.is_cpu() && !torch::cuda::is_available()) {
    std::cout << "there is no GPU\n";
    return 0;
  }
  if (way == "demand") {
    test_callable before({{"x", {4}}}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; });
    for (int call = 0; call < 3; ++call) {
      before({at::ones({4}, at::TensorOptions(device))});
    }
    collect_report();
    run(device);
    report(argv[3]);
    try {
      report(argv[0]);  // which is a file
      return 1;
    } catch (const Error& error) {
      std::cerr << error.what() << '\n';
    }
    std::_Exit(0);
  }
  run(device);
  if (way == "times") {
    if (!device.is_cpu()) {
      torch::cuda::synchronize();
    }
    report(argv[3]);
    std::_Exit(0);
  }
  if (way == "exit") {
    std::exit(0);  // NOLINT(concurrency-mt-unsafe): what is tested
  }
  return 0;
}
