// SPDX-License-Identifier: Apache-2.0
//
//   host_path CALLS
// What the runtime itself does in a call, on a CPU: the guards of eight inputs f32[64, 32], an inference call with one input and with
// eight, a forward and backward, and the bare replays of the same tapes. Prints nanoseconds a call as JSON. Each is a function of its own,
// measured_*, that makes CALLS calls, so that `instructions` can count them under valgrind.
#include "guards.h"

#include <graphed/capture.h>
#include <graphed/make_graphed_callables.h>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <vector>

namespace {

using at::Tensor;
using graphed::tensor_list;

constexpr std::size_t input_count = 8;

struct guarded {
  guarded() {
    for (std::size_t i = 0; i < input_count; ++i) {
      inputs(at::zeros(shape));
      specs.push_back({"x", at::kFloat, shape});
    }
    sample.tensors = specs;
    spec.samples = sample;
  }

  const int64_t shape[2] = {64, 32};
  graphed::inputs inputs;
  std::vector<graphed::tensor_spec> specs;
  graphed::sample_spec sample;
  graphed::callable_spec spec{"guarded", "host_path.cpp", 1, {}};
};

struct captured {
  captured(const std::vector<std::function<void()>>& bodies) {
    for (const auto& body : bodies) {
      graphed::Graph graph(c10::kCPU);
      {
        const graphed::capture scope(graph);
        body();
      }
      replays.push_back(graph.instantiate());
    }
  }
  std::vector<graphed::ExecutableGraph> replays;
};

double nanoseconds_of(int calls, void (*measured)(int)) {
  measured(5);  // warm-ups and captures
  const auto start = std::chrono::steady_clock::now();
  measured(calls);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / calls;
}

tensor_list add_two(const tensor_list& in) { return {in.front() + in.back()}; }

struct inference {
  explicit inference(std::size_t count) : inputs(count, at::zeros({4})) {}

  const tensor_list inputs;
  graphed::graphed_callable call = graphed::make_graphed_callable(add_two, inputs);
};

struct training {
  Tensor weight = at::ones({4}).requires_grad_();
  Tensor x = at::zeros({4}), gradient = at::ones({4});
  graphed::graphed_callable call =
      graphed::make_graphed_callable([this](const tensor_list& in) { return tensor_list{in[0] * weight}; }, {x});
};

}  // namespace

extern "C" {

__attribute__((noinline)) void measured_guards(int calls) {
  static const guarded made;
  const graphed::placement place{c10::kCPU, 16};
  for (int i = 0; i < calls; ++i) {
    if (!graphed::find_sample(made.spec, made.inputs, place)) {
      std::abort();
    }
  }
}

__attribute__((noinline)) void measured_inference_one(int calls) {
  static const inference made(1);
  const c10::NoGradGuard no_grad;
  for (int i = 0; i < calls; ++i) {
    made.call(made.inputs);
  }
}

__attribute__((noinline)) void measured_inference(int calls) {
  static const inference made(input_count);
  const c10::NoGradGuard no_grad;
  for (int i = 0; i < calls; ++i) {
    made.call(made.inputs);
  }
}

__attribute__((noinline)) void measured_inference_replay(int calls) {
  static const tensor_list inputs(input_count, at::zeros({4}));
  static captured made({[] { add_two(inputs); }});
  for (int i = 0; i < calls; ++i) {
    made.replays[0].replay();
  }
}

__attribute__((noinline)) void measured_training(int calls) {
  static training made;
  for (int i = 0; i < calls; ++i) {
    made.weight.mutable_grad().reset();
    made.call(made.x)[0].backward(made.gradient);
  }
}

__attribute__((noinline)) void measured_training_replay(int calls) {
  static const Tensor x = at::zeros({4}), weight = at::ones({4});
  static captured made({[] { static_cast<void>(x * weight); }, [] { static_cast<void>(weight * x); }});
  for (int i = 0; i < calls; ++i) {
    made.replays[0].replay();
    made.replays[1].replay();
  }
}

}  // extern "C"

int main(int argc, char** argv) {
  const int calls = argc > 1 ? std::atoi(argv[1]) : 0;
  if (calls <= 0) {
    std::cerr << "usage: host_path CALLS\n";
    return 2;
  }
  at::set_num_threads(1);
  std::cout << "{\"guards\": " << nanoseconds_of(calls, measured_guards)
            << ", \"inference_one\": " << nanoseconds_of(calls, measured_inference_one)
            << ", \"inference\": " << nanoseconds_of(calls, measured_inference)
            << ", \"inference_replay\": " << nanoseconds_of(calls, measured_inference_replay)
            << ", \"training\": " << nanoseconds_of(calls, measured_training)
            << ", \"training_replay\": " << nanoseconds_of(calls, measured_training_replay) << "}\n";
  return 0;
}
