// SPDX-License-Identifier: Apache-2.0
//
// Random numbers of the host.
// RUN: not graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/sync.h>
#include <graphed/annotate.h>

#include <algorithm>
#include <random>

// CHECK: sync.h:{{[0-9]+}}:33: error: a random number of the host is drawn when the graph is captured, not by replays; draw it before the call, and pass it as 'key', 'live' or a tensor [graphed-host-random]
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { in_header::draw(); }

std::mt19937 engine(7);
std::uniform_real_distribution<float> distribution;

GRAPHED(x: f32[2]) void named(const torch::Tensor& x) {
  std::vector<int> order(8);
  // CHECK: host-random.cpp:[[#@LINE+1]]:8: error: a random number of the host is drawn when the graph is captured, not by replays; draw it before the call, and pass it as 'key', 'live' or a tensor [graphed-host-random]
  std::rand();
  // CHECK: :[[#@LINE+1]]:3: error: a random number
  engine();
  // CHECK: :[[#@LINE+1]]:3: error: a random number
  distribution(engine);
  // CHECK: :[[#@LINE+1]]:8: error: a random number
  std::shuffle(order.begin(), order.end(), engine);
  std::random_device device;
  // CHECK: :[[#@LINE+1]]:3: error: a random number
  device();
}

// An engine that is given: the program's, and an unknown one.
float drawn(std::mt19937& from) {
  std::uniform_real_distribution<float> local;
  // CHECK: :[[#@LINE+2]]:10: error: a random number
  // CHECK: note: called from 'from_an_argument' here
  return local(from);
}
GRAPHED(x: f32[2]) void from_an_argument(const torch::Tensor& x) { drawn(engine); }

std::mt19937& engine_of(const torch::Tensor& x);
float drawn_elsewhere(std::mt19937& from) {
  std::uniform_real_distribution<float> local;
  // CHECK: :[[#@LINE+2]]:10: warning: a random number
  // CHECK: note: called from 'from_elsewhere' here
  return local(from);
}
GRAPHED(x: f32[2]) void from_elsewhere(const torch::Tensor& x) { drawn_elsewhere(engine_of(x)); }

// An engine that each call makes again draws the same each time; the program's own functions; LibTorch's numbers.
namespace app {
struct Rule {
  int operator()(int n) const { return n; }
};
int rand();
}  // namespace app
GRAPHED(x: f32[2]) void safe(const torch::Tensor& x) {
  std::mt19937 fixed(3);
  std::uniform_real_distribution<float> local;
  local(fixed);
  fixed();
  app::Rule()(1);
  app::rand();
  at::bernoulli(x);
}

// An engine among the arguments: the message names it.
GRAPHED(x: f32[2], rng: object) torch::Tensor sampled(const torch::Tensor& x, std::mt19937_64& rng) {
  std::discrete_distribution<int> places({0.5, 0.5});
  // CHECK: :[[#@LINE+1]]:12: error: a random number of the host is drawn from the argument 'rng' when the graph is captured, not by replays; draw it before the call, and pass it as 'key', 'live' or a tensor [graphed-host-random]
  return x[places(rng)];
}
struct Sources {
  std::mt19937 rng;
};
GRAPHED(x: f32[2], from: object) torch::Tensor held(const torch::Tensor& x, Sources& from) {
  // CHECK: :[[#@LINE+1]]:14: error: a random number of the host is drawn from the argument 'from.rng' when the graph is captured
  return x * from.rng();
}
GRAPHED(x: f32[2], rng: object) torch::Tensor passed_on(const torch::Tensor& x, std::mt19937& rng) {
  const auto& kept = rng;
  return kept == rng ? x : x + 1;
}

#define DRAW() std::rand()
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: error: a random number
  // CHECK: :[[#@LINE-3]]:21: note: expanded from macro 'DRAW'
  DRAW();
}

template <class Number>
struct Noise {
  // CHECK: :[[#@LINE+2]]:26: error: a random number
  // CHECK: note: called from 'Sampler::run' here
  Number next() { return own(source); }
  std::mt19937 source;
  std::normal_distribution<Number> own;
};
struct Sampler {
  GRAPHED(x: f32[2]) void run(const torch::Tensor& x) { noise.next(); }
  Noise<float> noise;
};

GRAPHED(x: f32[2]) void silenced(const torch::Tensor& x) {
  engine();  // graphgen: allow(graphed-host-random)
}
