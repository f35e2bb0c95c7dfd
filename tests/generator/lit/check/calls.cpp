// SPDX-License-Identifier: Apache-2.0
//
// Calls are followed into every body of the file, and into no other.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/nn.h>

#include <algorithm>
#include <functional>

// Nothing calls it.
float uncalled(const torch::Tensor& x) { return x.item<float>(); }

namespace app {
float third(const torch::Tensor& x, int depth);
float second(const torch::Tensor& x, int depth) { return depth == 0 ? 0 : third(x, depth - 1); }
// CHECK: :[[#@LINE+4]]:15: error: 'item' reads
// CHECK: :[[#@LINE-2]]:75: note: called from 'app::second' here
// CHECK: :[[#@LINE+4]]:61: note: called from 'recursive' here
float third(const torch::Tensor& x, int depth) { return second(x, depth) +
            x.item<float>(); }
}  // namespace app
GRAPHED(x: f32[2]) void recursive(const torch::Tensor& x) { app::second(x, 3); }

struct Reader {
  // CHECK: :[[#@LINE+2]]:53: error: 'item' reads
  // CHECK: note: called from 'methods' here
  explicit Reader(const torch::Tensor& x) : first(x.item<float>()) {}
  // CHECK: :[[#@LINE+2]]:69: error: 'item' reads
  // CHECK: note: called from 'methods' here
  float operator()(const torch::Tensor& x) const { return first + x.item<float>(); }
  // CHECK: :[[#@LINE+2]]:67: error: 'item' reads
  // CHECK: note: called from 'methods' here
  operator float() const { static torch::Tensor held; return held.item<float>(); }
  // CHECK: :[[#@LINE+2]]:63: warning: 'item' reads
  // CHECK: note: called from 'virtually' here
  virtual float read(const torch::Tensor& x) const { return x.item<float>(); }
  float first;
};
GRAPHED(x: f32[2]) void methods(const torch::Tensor& x) {
  const Reader reader(x);
  reader(x);
  float converted = reader;
}

// Which body it is, is unknown.
GRAPHED(x: f32[2], index: key) void virtually(const torch::Tensor& x, int64_t index) {
  extern const Reader& readers(int64_t index);
  readers(index).read(x);
}

// What the standard library is given it may call; what is called at once is certain.
GRAPHED(xs: f32[2] * 2) void lambdas(const std::vector<torch::Tensor>& xs) {
  const auto now = [](const torch::Tensor& x) {
    // CHECK: :[[#@LINE+2]]:14: error: 'item' reads
    // CHECK: :[[#@LINE+2]]:3: note: called from 'lambdas' here
    return x.item<float>(); };
  now(xs[0]);
  // CHECK: :[[#@LINE+2]]:{{[0-9]+}}: warning: 'item' reads
  // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: note: called from 'lambdas' here
  std::for_each(xs.begin(), xs.end(), [](const torch::Tensor& x) { x.item<float>(); });
  // CHECK: :[[#@LINE+2]]:{{[0-9]+}}: warning: 'item' reads
  // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: note: called from 'lambdas' here
  const std::function<void()> later = [&] { xs[0].item<float>(); };
}

// A lambda without an argument, and one with one.
void keeps(const std::function<void()>& task);
GRAPHED(x: f32[2]) void mentions(const torch::Tensor& x) {
  const auto later = [](const torch::Tensor& t) { return t.item<float>(); };
  (void)later;
  static_cast<void>(later);
  [[maybe_unused]] const auto never = [&] { x.item<float>(); };
  const auto given = [&] {
    // CHECK: :[[#@LINE+2]]:7: warning: 'item' reads
    // CHECK: :[[#@LINE+3]]:3: note: called from 'mentions' here
    x.item<float>(); };
  (void)given;
  keeps(given);
  const auto called = [&] {
    // CHECK: :[[#@LINE+2]]:7: error: 'item' reads
    // CHECK: :[[#@LINE+2]]:9: note: called from 'mentions' here
    x.item<float>(); };
  (void)called();
}

// CHECK: :[[#@LINE+2]]:59: warning: 'item' reads
// CHECK: :[[#@LINE+4]]:{{[0-9]+}}: note: called from 'by_name' here
float by_pointer(const torch::Tensor& x) { return x.sum().item<float>(); }
void registers(float (*read)(const torch::Tensor& x));
GRAPHED(x: f32[2]) void by_name(const torch::Tensor& x) {
  registers(&by_pointer);
}

struct NetImpl : torch::nn::Module {
  // CHECK: :[[#@LINE+2]]:50: error: 'item' reads
  // CHECK: :[[#@LINE+6]]:3: note: called from 'through_a_holder' here
  void forward(const torch::Tensor& x) { x.sum().item<float>(); }
};
TORCH_MODULE(Net);
GRAPHED(x: f32[2]) void through_a_holder(const torch::Tensor& x) {
  Net net;
  net(x);
}

// Containers run the modules that they are seen to be made of.
struct HeldImpl : torch::nn::Cloneable<HeldImpl> {
  // CHECK: :[[#@LINE+2]]:{{[0-9]+}}: warning: 'item' reads
  // CHECK: note: called from 'Contained::run' here
  torch::Tensor forward(const torch::Tensor& x) { return x * x.item<float>(); }
};
TORCH_MODULE(Held);
struct AnyHeldImpl : torch::nn::Cloneable<AnyHeldImpl> {
  // CHECK: :[[#@LINE+2]]:{{[0-9]+}}: warning: 'item' reads
  // CHECK: note: called from 'Contained::run' here
  torch::Tensor forward(const torch::Tensor& x) { return x * x.item<float>(); }
};
struct PushedImpl : torch::nn::Cloneable<PushedImpl> {
  // CHECK: :[[#@LINE+2]]:{{[0-9]+}}: warning: 'item' reads
  // CHECK: note: called from 'Contained::run' here
  torch::Tensor forward(const torch::Tensor& x) { return x * x.item<float>(); }
};
TORCH_MODULE(Pushed);
struct UnusedImpl : torch::nn::Cloneable<UnusedImpl> {
  torch::Tensor forward(const torch::Tensor& x) { return x * x.item<float>(); }
};
TORCH_MODULE(Unused);
struct Contained : torch::nn::Module {
  Contained() : layers(torch::nn::Linear(), Held()) { layers->push_back(Pushed()); }
  GRAPHED(x: f32[2]) torch::Tensor run(const torch::Tensor& x) { return any.forward(layers->forward(x)); }
  torch::nn::Sequential layers, others{Unused()};
  torch::nn::AnyModule any{std::make_shared<AnyHeldImpl>()};
};
