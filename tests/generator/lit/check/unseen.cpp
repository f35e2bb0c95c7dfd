// SPDX-License-Identifier: Apache-2.0
//
// What is used although no call looks at it, and references that need not be.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <array>
#include <string>

struct Named {
  std::string name;
  int64_t id;
  torch::Tensor x, debug;
};

GRAPHED(b: {name: ignore, id: ignore, x: f32[2], debug: ignore})
torch::Tensor not_used(const Named& b) { return b.x + b.x; }

// CHECK: unseen.cpp:[[#@LINE+2]]:{{[0-9]+}}: error: the argument 'b.id' is used, but the annotation ignores it: replays keep what the captured call had; say what it is [graphed-unseen]
GRAPHED(b: {name: key, id: ignore, x: f32[2], debug: ignore})
torch::Tensor number(const Named& b) { return b.x / b.id; }

GRAPHED(b: {name: key, id: ignore, x: f32[2], debug: ignore})
torch::Tensor branch(const Named& b) {
  // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: the argument 'b.id' is used, {{.*}} [graphed-unseen]
  if (b.id > 3) {
    return b.x;
  }
  return b.x + b.x;
}

GRAPHED(b: {name: ignore, id: ignore, x: f32[2], debug: ignore})
torch::Tensor text_and_tensor(const Named& b) {
  // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: the argument 'b.name' is used, {{.*}} [graphed-unseen]
  if (b.name.empty()) {
    return b.x;
  }
  // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: warning: the argument 'b.debug' is used, {{.*}} [graphed-unseen]
  return b.x + b.debug;
}

torch::Tensor helper(const Named& b) {
  // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: the argument 'b.debug' is used, {{.*}} [graphed-unseen]
  return b.debug + b.x;
}
// CHECK: note: called from 'in_a_helper' here
GRAPHED(b: {name: ignore, id: ignore, x: f32[2], debug: ignore})
torch::Tensor in_a_helper(const Named& b) { return helper(b); }

GRAPHED(b: {name: ignore, id: ignore, x: f32[2], debug: ignore})
void assigns(Named& b) {
  b.x = b.x + b.x;
  // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: the argument 'b.id' is assigned, but the annotation ignores it: replays assign nothing; say what it is [graphed-unseen]
  b.id = 3;
}

GRAPHED(x: f32[2], loss: out, both: out)
void assigned(const torch::Tensor& x, torch::Tensor& loss, torch::Tensor& both) {
  both = x + x;
  loss = both.sum();
  loss = loss + loss;
}

GRAPHED(x: f32[2], h: f32[2])
void recurrent(const torch::Tensor& x, torch::Tensor& h) { h = x + h; }

GRAPHED(x: f32[2], sum: out, other: out)
void reads(const torch::Tensor& x, torch::Tensor& sum, torch::Tensor& other) {
  // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: the argument 'sum' is used before it is assigned, but 'out' says that no call looks at what it was; say its dtype and shape [graphed-unseen]
  sum = sum + x;
  // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: the argument 'other' is used before it is assigned, {{.*}} [graphed-unseen]
  other.copy_(x);
}

// CHECK: :[[#@LINE+3]]:{{[0-9]+}}: error: 'add_' writes to the argument 'h', which the annotation does not mark 'inplace' [graphed-unmarked-write]
// CHECK: fix-it:"{{.*}}":{[[#@LINE+1]]:{{[0-9]+}}-[[#@LINE+1]]:{{[0-9]+}}}:" inplace"
GRAPHED(x: f32[2], h: f32[2])
void written(const torch::Tensor& x, torch::Tensor& h) { h.add_(x); }

// CHECK: :[[#@LINE+2]]:{{[0-9]+}}: warning: the argument 'h' is neither assigned nor written: declare it 'const torch::Tensor &' [graphed-unmarked-write]
GRAPHED(x: f32[2], h: f32[2])
torch::Tensor only_read(const torch::Tensor& x, torch::Tensor& h) { return x + h.tanh(); }

GRAPHED(x: f32[2], all: {out, f32[2], out})
void of_array(const torch::Tensor& x, std::array<torch::Tensor, 3>& all) {
  all[0] = x + all[1];
  all[1] = all[0] + x;
  // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: the argument 'all' is used before it is assigned, but 'out' says {{.*}} [graphed-unseen]
  all[2].add_(x);
}

void fill(torch::Tensor& out, const torch::Tensor& x) { out = x + x; }
GRAPHED(x: f32[2], h: f32[2], sum: out)
void handed_on(const torch::Tensor& x, torch::Tensor& h, torch::Tensor& sum) {
  fill(h, x);
  fill(sum, x);
}
