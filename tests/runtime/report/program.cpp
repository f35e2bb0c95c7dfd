// SPDX-License-Identifier: Apache-2.0
//
//   report_program DEVICE WAY
// Uses graphed callables with GRAPHED_REPORT set, prints what it expects in the report, a line of JSON for each callable, and ends: WAY is
// `return`, `exit`, or `demand`: then it writes the report itself, into `demand` below its folder, of which nothing is collected before
// collect_report().
#include "support/device_test.h"

#include <graphed/report.h>

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
      : layers(torch::nn::Linear(8, 16), torch::nn::Linear(16, 4)),
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

void run(c10::Device device) {
  const at::TensorOptions on(device);
  in_the_process.emplace(device);
  use(in_the_process->f, {at::ones({32, 8}, on), at::zeros({32, 4}, on)});
  print("network", in_the_process->f);

  test_callable missed({{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0].matmul(in[1])}; });
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
  if (way == "exit") {
    std::exit(0);  // NOLINT(concurrency-mt-unsafe): what is tested
  }
  return 0;
}
