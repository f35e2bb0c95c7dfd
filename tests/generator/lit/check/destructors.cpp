// SPDX-License-Identifier: Apache-2.0
//
// Bodies that no call names: destructors, conversions, operators, iterators.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <memory>
#include <optional>

using torch::Tensor;

struct Scope {
  Tensor t;
  // CHECK: :[[#@LINE+2]]:{{[0-9]+}}: error: 'item' reads
  // CHECK: :[[#@LINE+4]]:9: note: called from 'scoped' here
  ~Scope() { t.item<float>(); }
};
GRAPHED(x: f32[8]) Tensor scoped(const Tensor& x) {
  Scope s{x};
  return x / 2;
}

struct Inner {
  Tensor t;
  // CHECK: :[[#@LINE+2]]:{{[0-9]+}}: error: 'item' reads
  // CHECK: note: called from 'nested' here
  ~Inner() { t.item<float>(); }
};
struct Outer {
  Inner parts[2];
};
GRAPHED(x: f32[8]) Tensor nested(const Tensor& x) {
  Outer outer;
  return x / 2;
}

struct Owned {
  Tensor t;
  // CHECK: :[[#@LINE+2]]:{{[0-9]+}}: warning: 'item' reads
  // CHECK: note: called from 'owned' here
  ~Owned() { t.item<float>(); }
};
GRAPHED(x: f32[8]) Tensor owned(const Tensor& x) {
  std::optional<Owned> one;
  return x / 2;
}

struct Temporary {
  Tensor t;
  // CHECK: :[[#@LINE+2]]:{{[0-9]+}}: error: 'item' reads
  // CHECK: note: called from 'temporary' here
  ~Temporary() { t.item<float>(); }
};
GRAPHED(x: f32[8]) Tensor temporary(const Tensor& x) { return Temporary{x}.t; }

// One that outlives the call, and one that others share, are not destroyed.
struct Kept {
  Tensor t;
  ~Kept() { t.item<float>(); }
};
struct Keeps {
  GRAPHED(x: f32[8]) Tensor run(const Tensor& x) {
    static Kept once;
    const Kept& same = kept;
    const std::shared_ptr<Kept> also = shared;
    return x / 2;
  }
  Kept kept;
  std::shared_ptr<Kept> shared;
};

struct Number {
  Tensor t;
  // CHECK: :[[#@LINE+2]]:{{[0-9]+}}: error: 'item' reads
  // CHECK: note: called from 'converted' here
  operator float() const { return t.item<float>(); }
  // CHECK: :[[#@LINE+2]]:{{[0-9]+}}: error: 'item' reads
  // CHECK: note: called from 'operators' here
  Tensor operator+(const Tensor& x) const { return x / t.item<float>(); }
  // CHECK: :[[#@LINE+2]]:{{[0-9]+}}: error: 'item' reads
  // CHECK: note: called from 'operators' here
  Tensor operator[](int i) const { return t / t.item<float>(); }
};
GRAPHED(x: f32[8]) Tensor converted(const Tensor& x) { return x / static_cast<float>(Number{x}); }
GRAPHED(x: f32[8]) Tensor operators(const Tensor& x) {
  const Number n{x};
  return (n + x) * n[0];
}

struct Values {
  struct Iterator {
    Tensor t;
    int i;
    // CHECK: :[[#@LINE+2]]:{{[0-9]+}}: warning: 'item' reads
    // CHECK: note: called from 'iterated' here
    float operator*() const { return t.item<float>(); }
    Iterator& operator++() { return ++i, *this; }
    bool operator!=(const Iterator& other) const { return i != other.i; }
  };
  Iterator begin() const { return {t, 0}; }
  Iterator end() const { return {t, 8}; }
  Tensor t;
};
GRAPHED(x: f32[8]) Tensor iterated(const Tensor& x) {
  float sum = 0;
  for (float value : Values{x}) {
    sum += value;
  }
  return x / sum;
}
