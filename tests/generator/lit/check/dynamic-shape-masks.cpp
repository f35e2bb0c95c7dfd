// SPDX-License-Identifier: Apache-2.0
//
// Where an index by a mask gets its mask from. No index by a mask: what may hold another type, or holds one here.
// RUN: not graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/torch.h>

using torch::Tensor;

GRAPHED(x: f32[4, 3], m: bool[4], b: u8[4], i: i64[4]) void arguments(const Tensor& x, const Tensor& m, const Tensor& b, const Tensor& i) {
  // CHECK: dynamic-shape-masks.cpp:[[#@LINE+1]]:5: error: an index by a mask has a shape that depends on the mask's values, which a graph cannot follow [graphed-dynamic-shape]
  x.index({m});
  // CHECK: :[[#@LINE+1]]:5: error: an index by a mask
  x.index({b});
  x.index({i});
  m.index({i});
}

GRAPHED(x: f32[4, 3], m: bool[4])
GRAPHED(x: f32[4, 3], m: i64[4])
void either(const Tensor& x, const Tensor& m) { x.index({m}); }

GRAPHED(x: f32[4, 3]) void made(const Tensor& x) {
  // CHECK: :[[#@LINE+1]]:5: error: an index by a mask
  x.index({(x > 0.0).all(-1)});
  // CHECK: :[[#@LINE+1]]:5: error: an index by a mask
  x.index({torch::zeros({4}, torch::TensorOptions(torch::kBool).device(x.device()))});
  const auto of_bool = x.options().dtype(torch::kBool);
  // CHECK: :[[#@LINE+1]]:5: error: an index by a mask
  x.index({torch::zeros({4}, of_bool)});
  // CHECK: :[[#@LINE+1]]:5: error: an index by a mask
  x.index({torch::ones_like(x, torch::kBool)});
  // CHECK: :[[#@LINE+1]]:5: error: an index by a mask
  x.index({x.toType(torch::kBool)});
  x.index({(x > 0.0).to(torch::kLong)});
  x.index({(x > 0.0).toType(torch::kLong)});
  x.index({torch::ones_like(x > 0.0, torch::kLong)});
  x.index({torch::zeros({4}, x.options())});
  x.index({torch::zeros({4}, x.options().dtype(torch::kBool).dtype(torch::kLong))});
}

GRAPHED(x: f32[4], flag: key) void variables(const Tensor& x, bool flag) {
  Tensor chosen;
  if (flag) {
    chosen = x > 0.0;
  } else {
    chosen = x > 1.0;
  }
  // CHECK: :[[#@LINE+1]]:5: error: an index by a mask
  x.index({chosen});
  Tensor narrowed = x > 0.0;
  narrowed = narrowed & chosen;
  narrowed &= x > 1.0;
  // CHECK: :[[#@LINE+1]]:5: error: an index by a mask
  x.index({narrowed});
  // CHECK: :[[#@LINE+1]]:5: error: an index by a mask
  x.index({flag ? x > 0.0 : x > 1.0});
  Tensor rounded = x > 0.0;
  rounded = rounded.to(torch::kLong);
  x.index({rounded});
  Tensor perhaps = x > 0.0;
  if (flag) {
    perhaps = x.argmax(0);
  }
  x.index({perhaps});
}

Tensor confident(const Tensor& x) { return x > 0.5; }
Tensor narrow(const Tensor& x, const Tensor& m) {
  if (x.size(0) > 2) {
    return m;
  }
  return confident(x) & m;
}
Tensor indices(const Tensor& x) { return x.size(0) > 2 ? x : x > 0.5; }
std::pair<Tensor, Tensor> both(const Tensor& x) { return {x, x > 0.5}; }
template <class T>
T positive(const T& x) { return x > 0.0; }
Tensor endless(const Tensor& x, int n) { return n == 0 ? x : endless(endless(x, n - 1), n - 1); }

GRAPHED(x: f32[4]) void returned(const Tensor& x) {
  // CHECK: :[[#@LINE+1]]:5: error: an index by a mask
  x.index({confident(x)});
  // CHECK: :[[#@LINE+1]]:5: error: an index by a mask
  x.index({narrow(x, x > 0.0)});
  // CHECK: :[[#@LINE+1]]:5: error: an index by a mask
  x.index({positive(x)});
  const auto in = [](const Tensor& t) { return t > 0.0; };
  // CHECK: :[[#@LINE+1]]:5: error: an index by a mask
  x.index({in(x)});
  auto [values, mask] = both(x);
  // CHECK: :[[#@LINE+1]]:5: error: an index by a mask
  x.index({mask});
  x.index({values});
  x.index({narrow(x, x)});
  x.index({indices(x)});
  x.index({endless(x, 2)});
}

// CHECK: :[[#@LINE+2]]:63: error: an index by a mask
// CHECK: note: called from 'handed' here
Tensor gather_by(const Tensor& x, const Tensor& m) { return x.index({m}); }
// CHECK: :[[#@LINE+2]]:60: error: an index by a mask
// CHECK: note: called from 'handed' here
Tensor take(const Tensor& x, at::TensorIndex i) { return x.index({i}); }
Tensor gather(const Tensor& x, const Tensor& i) { return x.index({i}); }
GRAPHED(x: f32[4], i: i64[2]) void handed(const Tensor& x, const Tensor& i) {
  gather_by(x, i);
  gather_by(x, x > 0.0);
  take(x, i);
  take(x, x > 0.0);
  gather(x, i);
}

struct Net : torch::nn::Module {
  Tensor valid = torch::zeros({4}, torch::kBool);
  Tensor open{register_buffer("open", torch::zeros({4}, torch::kBool))};
  Tensor other = torch::zeros({4}, torch::kBool);
  void widen(const Tensor& i) { other = i; }
  GRAPHED(x: f32[4]) void forward(const Tensor& x) {
    // CHECK: :[[#@LINE+1]]:7: error: an index by a mask
    x.index({valid});
    // CHECK: :[[#@LINE+1]]:7: error: an index by a mask
    x.index({open});
    x.index({other});
  }
};

GRAPHED(x: f32[4], v: f32[1], i: i64[4]) void written(const Tensor& x, const Tensor& v, const Tensor& i) {
  Tensor y = x + x;
  // CHECK: :[[#@LINE+1]]:5: error: writing a tensor at a mask needs the places where the mask is set, whose number a graph cannot follow [graphed-dynamic-shape]
  y.index_put_({x > 0.0}, v);
  // CHECK: :[[#@LINE+1]]:5: error: writing a tensor at a mask
  y.index_put_({x > 0.0}, (v + v).detach());
  // CHECK: :[[#@LINE+1]]:5: error: writing a tensor at a mask
  y.index_put_({x > 0.0, i}, 1.0);
  // CHECK: :[[#@LINE+1]]:5: error: writing a tensor at a mask
  y.index_put({x > 0.0}, torch::zeros({}), true);
  y.index_put_({x > 0.0}, 1.0);
  y.index_put_({x > 0.0}, torch::zeros({}));
  y.index_put_({x > 0.0}, v.cpu());  // graphgen: allow(graphed-host-copy)
  y.index_put_({i}, v);
  y.index_put({x > 0.0}, torch::zeros({}));
}
