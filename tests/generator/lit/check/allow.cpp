// SPDX-License-Identifier: Apache-2.0
//
// Checks suppressed by comments and annotations; comments that suppress nothing.
// RUN: graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
// RUN: graphgen --check --checks=-graphed-allow %s %flags 2>&1 | FileCheck %s --allow-empty --check-prefix=NONE
// RUN: not graphgen --check --warnings-as-errors=graphed-allow %s %flags 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not graphgen --check --checks=graphed-host-* %s %flags -DLOUD 2>&1 | FileCheck %s --check-prefix=LOUD
// NONE-NOT: warning:
// ERROR: error: nothing to allow
#include <graphed/annotate.h>
#include <torch/torch.h>

#define READ(tensor) (tensor).item<float>()

GRAPHED(x: f32[2]) torch::Tensor by_comments(const torch::Tensor& x) {
  x.item<float>();  // graphgen: allow(graphed-host-item)
  x.cpu();          // the log is short. graphgen: allow(graphed-host-copy, graphed-host-item): twice in
  // graphgen: allow(graphed-host-item)
  x.item<float>();
  READ(x);                                // graphgen: allow(graphed-host-item)
  if (x.item<bool>() && x.equal(x)) {     // graphgen: allow(graphed-host-branch)
    *x.data_ptr<float>() = x.cpu().item<float>();  // graphgen: allow(graphed-host-item,graphed-host-copy, graphed-host-pointer)
  }
  return x;
}
// CHECK: allow.cpp:17:77: warning: nothing to allow: 'graphed-host-item' finds nothing here [graphed-allow]

#define ALLOWED(tensor) (tensor).item<float>()  // graphgen: allow(graphed-host-item)
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) { ALLOWED(x); }

// CHECK: :[[#@LINE+2]]:80: warning: nothing to allow: 'graphed-host-print' finds nothing here [graphed-allow]
// CHECK: :[[#@LINE+2]]:28: warning: 'graphed-host-itm' is not a check; did you mean 'graphed-host-item'? [graphed-allow]
GRAPHED(x: f32[2]; allow = graphed-host-item, allow = graphed-host-copy; allow=graphed-host-print)
GRAPHED(x: f32[3]; allow = graphed-host-itm)
void by_annotation(const torch::Tensor& x) {
  x.item<float>();
  x.cpu();
}

// The annotation of another callable says nothing of this one.
#if defined(LOUD)
void helper(const torch::Tensor& x) {
  // LOUD: :[[#@LINE+2]]:5: error: 'cpu' copies
  // LOUD: note: called from 'loud' here
  x.cpu();
}
GRAPHED(x: f32[2]; allow = graphed-host-copy) void silent(const torch::Tensor& x) { helper(x); }
GRAPHED(x: f32[2]) void loud(const torch::Tensor& x) { helper(x); }
#endif

// CHECK: :[[#@LINE+2]]:{{[0-9]+}}: warning: 'everything' is not a check [graphed-allow]
// CHECK: :[[#@LINE+2]]:{{[0-9]+}}: warning: nothing to allow: 'graphed-host-item' finds nothing here [graphed-allow]
GRAPHED(x: f32[2]) void useless(const torch::Tensor& x) {  // graphgen: allow(everything)
  auto y = x + x;  // graphgen: allow(graphed-host-item)
}

// Outside of the bodies that are looked at nothing is said.
void uncalled(const torch::Tensor& x) {
  x.sum();  // graphgen: allow(graphed-host-item)
}

// The body is in another file.
GRAPHED(x: f32[2]; allow = graphed-host-item) torch::Tensor declared(const torch::Tensor& x);

// A name that is not a check is one without a body, too.
// CHECK: :[[#@LINE+1]]:28: warning: 'graphed-host-itm' is not a check; did you mean 'graphed-host-item'? [graphed-allow]
GRAPHED(x: f32[2]; allow = graphed-host-itm) torch::Tensor declared_too(const torch::Tensor& x);
