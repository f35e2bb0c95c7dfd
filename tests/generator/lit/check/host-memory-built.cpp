// SPDX-License-Identifier: Apache-2.0
//
// What to do instead of a copy to the device, and the edit where that gives the same tensor.
// RUN: not graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=fix-it: --implicit-check-not=note:
// RUN: cp %s %t.cpp
// RUN: not graphgen --check --fix %t.cpp %flags
// RUN: FileCheck %s --check-prefix=FIXED --input-file=%t.cpp
#include <ATen/Functions.h>
#include <check/factories.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

extern double half;
extern std::int64_t size;

struct Net {
  torch::Tensor table;

  GRAPHED(x: f32[2], m: bool[2]) void moved(const torch::Tensor& x, const torch::Tensor& m) {
    // CHECK: 'to' copies
    // CHECK-NEXT: fix-it:"{{.*}}host-memory-built.cpp":{[[#@LINE+4]]:24-[[#@LINE+4]]:24}:", x.device()"
    // CHECK-NEXT: fix-it:"{{.*}}host-memory-built.cpp":{[[#@LINE+3]]:25-[[#@LINE+3]]:40}:""
    // CHECK-NEXT: note: the tensor is made here; build it on 'x.options()'
    // FIXED: {{^ *}}at::zeros({size, 2}, x.device());
    at::zeros({size, 2}).to(x.device());
    // CHECK: 'to' copies
    // CHECK-NEXT: fix-it:
    // CHECK-NEXT: fix-it:
    // CHECK-NEXT: fix-it:
    // CHECK: note: the tensor is made here; build it on 'table.options()'
    // FIXED: {{^ *}}at::full({2}, half, at::dtype(torch::kLong).device(table.device()));
    at::full({2}, half, torch::kLong).to(table.device());
    // CHECK: 'to' copies
    // CHECK-NEXT: fix-it:
    // CHECK-NEXT: fix-it:
    // CHECK: note: the tensor is made here; build it on the device
    // FIXED: {{^ *}}at::eye(size, torch::TensorOptions().dtype(torch::kFloat).device(torch::kCUDA));
    at::eye(size, torch::TensorOptions().dtype(torch::kFloat)).to(torch::kCUDA);
    // CHECK: 'to' copies
    // CHECK-NEXT: fix-it:
    // CHECK-NEXT: fix-it:
    // CHECK: note: the tensor is made here; build it on 'x.options()'
    // FIXED: {{^ *}}at::eye(size, x.options());
    at::eye(size)
        .to(x);
    // CHECK: 'cuda' copies
    // CHECK-NEXT: fix-it:
    // CHECK-NEXT: fix-it:
    // CHECK: note: the tensor is made here; build it on the device
    // FIXED: {{^ *}}at::eye(size, at::kCUDA);
    at::eye(size).cuda();
    // CHECK: 'cuda' copies
    // CHECK-NEXT: fix-it:
    // CHECK-NEXT: fix-it:
    // CHECK: note: the tensor is made here; build it on the device
    // FIXED: {{^ *}}torch::empty({4}, at::kCUDA);
    torch::empty({4}).cuda();
    const auto eye = at::eye(size);
    // CHECK: 'to' copies
    // CHECK-NEXT: note: the tensor is made here; build it on 'x.options()'
    eye.to(x.device());
    // Another dtype, other random numbers, perhaps another last bit, or more than the device.
    // CHECK: 'to' copies
    // CHECK-NEXT: note: the tensor is made here; build it on 'x.options()'
    at::eye(size, torch::kLong).to(x);
    // CHECK: 'cuda' copies
    // CHECK-NEXT: note: the tensor is made here; build it on the device
    at::normal(0.0, 1.0, {8}).cuda();
    // CHECK: 'to' copies
    // CHECK-NEXT: note: the tensor is made here; build it on 'x.options()'
    at::arange(half).to(x.device());
    // CHECK: 'to' copies
    // CHECK-NEXT: note: the tensor is made here; build it on the device
    at::eye(size).to(torch::kCUDA, true);
    // CHECK: 'to' copies
    // CHECK-NEXT: note: the tensor is made here; build it on 'x.options()'
    at::eye(size) /* on the host */.to(x.device());
    // Numbers of the host are made of nothing else.
    // CHECK: 'to' copies
    // CHECK-NEXT: note: the tensor is made here; make it once, outside of the callable
    torch::tensor(std::vector<float>(2)).to(x.device());
    // CHECK: 'where' copies
    // CHECK-NEXT: note: the tensor is made here; build it on 'x.options()'
    at::where(m, torch::randn({}), x);
  }
};
