// SPDX-License-Identifier: Apache-2.0
//
// `host_path CALLS`: what the runtime itself does in a call, on a CPU: the guards of eight inputs f32[64, 32], what a call looks at
// of an object with no number and with sixteen, inference calls with one input and with eight. Then come a forward and backward with one
// parameter and with 72, and the bare replays of the same tapes. The same is measured with gradients that add up over two micro-batches,
// given after the graph and in it. Prints nanoseconds a call as JSON. Each is a function of its own, measured_*, that makes CALLS calls, so
// that `instructions` can count them under valgrind.
#include "call/guards.h"

#include <graphed/capture.h>
#include <graphed/impl/watched.h>
#include <graphed/make_graphed_callables.h>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <optional>
#include <utility>
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
  graphed::impl::Inputs inputs;
  std::vector<graphed::impl::TensorSpec> specs;
  graphed::impl::SampleSpec sample;
  graphed::impl::CallableSpec spec{"guarded", "host_path.cpp", 1, nullptr, {}};
};

struct schedule {
  double a = 1, b = 2, c = 3, d = 4;
  float e = 5, f = 6, g = 7, h = 8;
  int64_t i = 9, j = 10, k = 11, l = 12;
  bool m = true, n = false, o = true, p = false;
};

// Looks at an object as generated code does, and compares what it found with that of the call before.
template <auto... Numbers>
void watch(int calls) {
  static const schedule object;
  c10::SmallVector<char, 256> last;
  for (int i = 0; i < calls; ++i) {
    graphed::impl::WatchedMembers found;
    found.visit<graphed::impl::WatchedMember<Numbers>...>(object);
    if (const auto bytes = found.bytes(); bytes != c10::ArrayRef<char>(last)) {
      last.assign(bytes.begin(), bytes.end());
    }
  }
}

struct captured {
  captured(const std::vector<std::function<void()>>& bodies) {
    for (const auto& body : bodies) {
      graphed::Graph graph(c10::kCPU);
      {
        const graphed::CaptureGuard scope(graph);
        body();
      }
      replays.push_back(graph.instantiate());
    }
  }
  std::vector<graphed::ExecutableGraph> replays;
};

double nanoseconds_of(int calls, void (*measured)(int)) {
  measured(75);  // warm-ups, captures, and the replays that may be timed
  const auto start = std::chrono::steady_clock::now();
  measured(calls);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / calls;
}

tensor_list add_two(const tensor_list& in) { return {in.front() + in.back()}; }

struct inference {
  explicit inference(std::size_t count) : inputs(count, at::zeros({4})) {}

  const tensor_list inputs;
  graphed::GraphedCallable call = graphed::make_graphed_callable(add_two, inputs);
};

struct training {
  explicit training(std::size_t count, bool grads_in_graph = false) : weights(count) {
    for (Tensor& weight : weights) {
      weight = at::ones({4}).requires_grad_();
    }
    graphed::GraphedOptions options;
    options.grads_in_graph = grads_in_graph;
    call = graphed::make_graphed_callable([this](const tensor_list& in) { return tensor_list{forward(in[0])}; }, {x}, options);
  }
  Tensor forward(const Tensor& in) const {
    Tensor product = in;
    for (const Tensor& weight : weights) {
      product = product * weight;
    }
    return product;
  }
  void run(int calls, int micro_batches = 1) {
    for (int i = 0; i < calls; ++i) {
      for (const Tensor& weight : weights) {
        weight.mutable_grad().reset();
      }
      for (int batch = 0; batch < micro_batches; ++batch) {
        (*call)(x)[0].backward(gradient);
      }
    }
  }

  tensor_list weights;
  const Tensor x = at::zeros({4}), gradient = at::ones({4});
  std::optional<graphed::GraphedCallable> call;
};

/// The operators that autograd runs for that, in two tapes.
struct training_replay {
  explicit training_replay(std::size_t count)
      : products(count + 1, at::zeros({4})),
        graphs({[this] {
                  for (std::size_t i = 1; i < products.size(); ++i) {
                    products[i] = products[i - 1] * weight;
                  }
                },
                [this] {
                  Tensor gradient = weight;
                  for (std::size_t i = products.size() - 1; i > 0; --i) {
                    static_cast<void>(gradient * products[i - 1]);
                    gradient = i > 1 ? gradient * weight : gradient;
                  }
                }}) {}
  void run(int calls) {
    for (int i = 0; i < calls; ++i) {
      graphs.replays[0].replay();
      graphs.replays[1].replay();
    }
  }

  const Tensor weight = at::ones({4});
  tensor_list products;
  captured graphs;
};

}  // namespace

extern "C" {

__attribute__((noinline)) void measured_guards(int calls) {
  static const guarded made;
  const graphed::impl::placement place{c10::kCPU, 16};
  for (int i = 0; i < calls; ++i) {
    if (!graphed::impl::find_sample(made.spec, made.inputs, place)) {
      std::abort();
    }
  }
}

__attribute__((noinline)) void measured_watched_none(int calls) { watch<>(calls); }

__attribute__((noinline)) void measured_watched_16(int calls) {
  using s = schedule;
  watch<&s::a, &s::b, &s::c, &s::d, &s::e, &s::f, &s::g, &s::h, &s::i, &s::j, &s::k, &s::l, &s::m, &s::n, &s::o, &s::p>(calls);
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
  static training made(1);
  made.run(calls);
}

__attribute__((noinline)) void measured_training_replay(int calls) {
  static training_replay made(1);
  made.run(calls);
}

__attribute__((noinline)) void measured_training_72(int calls) {
  static training made(72);
  made.run(calls);
}

__attribute__((noinline)) void measured_micro_batches_72(int calls) {
  static training made(72);
  made.run(calls, /*micro_batches=*/2);
}

__attribute__((noinline)) void measured_micro_batches_72_in_graph(int calls) {
  static training made(72, /*grads_in_graph=*/true);
  made.run(calls, /*micro_batches=*/2);
}

__attribute__((noinline)) void measured_training_72_in_graph(int calls) {
  static training made(72, /*grads_in_graph=*/true);
  made.run(calls);
}

__attribute__((noinline)) void measured_training_72_replay(int calls) {
  static training_replay made(72);
  made.run(calls);
}

}  // extern "C"

int main(int argc, char** argv) {
  const int calls = argc > 1 ? std::atoi(argv[1]) : 0;
  if (calls <= 0) {
    std::cerr << "usage: host_path CALLS\n";
    return 2;
  }
  at::set_num_threads(1);
  const std::pair<const char*, void (*)(int)> all[] = {{"guards", measured_guards},
                                                       {"watched_none", measured_watched_none},
                                                       {"watched_16", measured_watched_16},
                                                       {"inference_one", measured_inference_one},
                                                       {"inference", measured_inference},
                                                       {"inference_replay", measured_inference_replay},
                                                       {"training", measured_training},
                                                       {"training_replay", measured_training_replay},
                                                       {"training_72", measured_training_72},
                                                       {"training_72_in_graph", measured_training_72_in_graph},
                                                       {"micro_batches_72", measured_micro_batches_72},
                                                       {"micro_batches_72_in_graph", measured_micro_batches_72_in_graph},
                                                       {"training_72_replay", measured_training_72_replay}};
  const char* separator = "{";
  for (const auto& [name, measured] : all) {
    std::cout << separator << '"' << name << "\": " << nanoseconds_of(calls, measured);
    separator = ", ";
  }
  std::cout << "}\n";
  return 0;
}
