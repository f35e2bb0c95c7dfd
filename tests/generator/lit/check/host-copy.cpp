// SPDX-License-Identifier: Apache-2.0
//
// Tensors copied to the host.
// RUN: not graphgen --check --diagnostics-format=json --checks=-graphed-device %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/devices.h>
#include <check/reads.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

// Members of classes that other files use as well.
// CHECK: devices.h:16:{{[0-9]+}}: warning: 'to' copies
// CHECK: note: called from 'in_classes_of_a_header' here
devices::Open open;
devices::Closed closed;
devices::Defined defined;
GRAPHED(x: f32[2]) void in_classes_of_a_header(const torch::Tensor& x) {
  open.run(x);
  closed.run(x);
  defined.run(x);
}

// CHECK: reads.h:13:{{[0-9]+}}: error: 'cpu' copies a tensor to the host, which a graph cannot do [graphed-host-copy]
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { reads::copy(x); }

const torch::Device host("cpu");

GRAPHED(x: f32[2]) void named(const torch::Tensor& x) {
  // CHECK: host-copy.cpp:[[#@LINE+1]]:18: error: 'cpu' copies a tensor to the host, which a graph cannot do [graphed-host-copy]
  auto y = (x+x).cpu();
  // CHECK: :[[#@LINE+1]]:5: error: 'to' copies
  x.to(torch::kCPU);
  // CHECK: :[[#@LINE+1]]:5: error: 'to' copies
  x.to(at::DeviceType::CPU, false);
  // CHECK: :[[#@LINE+1]]:5: error: 'to' copies
  x.to(torch::Device("cpu:0"));
  // CHECK: :[[#@LINE+1]]:5: warning: 'to' copies a tensor to the host, which a graph cannot do; on a CPU it does nothing [graphed-host-copy]
  x.to(host);
  // CHECK: :[[#@LINE+1]]:5: error: 'to' copies
  x.to(torch::TensorOptions().device(torch::kCPU).dtype(torch::kFloat));
}

// CHECK: :[[#@LINE+4]]:5: warning: 'copy_' writes into a tensor on the host, which a graph can do in pinned memory only [graphed-host-copy]
// CHECK: :[[#@LINE+2]]:12: note: the tensor is made here
GRAPHED(x: f32[2]) void into_a_host_tensor(const torch::Tensor& x) {
  auto y = torch::zeros({2}, torch::kCPU);
  y.copy_(x);
}

// What variables and members are given, where this file shows all of it.
GRAPHED(x: f32[2], on: key) void by_variables(const torch::Tensor& x, bool on) {
  torch::Device plain = torch::kCPU;
  // CHECK: :[[#@LINE+1]]:5: error: 'to' copies
  x.to(plain);
  const auto made = torch::Device(torch::kCPU);
  // CHECK: :[[#@LINE+1]]:5: error: 'to' copies
  x.to(made);
  auto type = torch::kCPU;
  // CHECK: :[[#@LINE+1]]:5: error: 'to' copies
  x.to(type);
  torch::Device text("cpu");
  if (on) {
    text = plain;
  }
  const torch::TensorOptions options = torch::TensorOptions().dtype(torch::kFloat).device(text);
  // CHECK: :[[#@LINE+1]]:5: error: 'to' copies
  x.to(options);
}
class Mover {
 public:
  explicit Mover(torch::Device given) : given(given) {}
  GRAPHED(x: f32[2]) void run(const torch::Tensor& x) {
    // CHECK: :[[#@LINE+1]]:7: warning: 'to' copies a tensor to the host, which a graph cannot do; on a CPU it does nothing [graphed-host-copy]
    x.to(host);
    // CHECK: :[[#@LINE+1]]:7: warning: 'to' copies a tensor to the host, which a graph cannot do; on a CPU it does nothing [graphed-host-copy]
    x.to(fixed);
    x.to(given);
    x.to(changed);
    x.to(handed);
  }

 private:
  void change(torch::Device& device);
  void load() {
    changed = torch::kCUDA;
    change(handed);
  }
  torch::Device host = torch::kCPU, given = torch::kCPU, changed = torch::kCPU, handed = torch::kCPU;
  const torch::Device fixed = torch::kCPU;
};
template <class T>
struct Templated {
  explicit Templated(torch::Device other) : host(torch::kCPU), given(other) {}
  void run(const torch::Tensor& x) {
    // CHECK: :[[#@LINE+2]]:7: warning: 'to' copies a tensor to the host, which a graph cannot do; on a CPU it does nothing [graphed-host-copy]
    // CHECK: note: called from 'of_a_template' here
    x.to(host);
    x.to(given);
  }
  torch::Device host, given;
};
GRAPHED(x: f32[2]) void of_a_template(const torch::Tensor& x) { Templated<int>(x.device()).run(x); }
torch::Device pick(torch::Device first);
void change(torch::Device& device);
GRAPHED(x: f32[2], on: key) void by_safe_variables(const torch::Tensor& x, bool on) {
  torch::Device either = torch::kCPU;
  if (on) {
    either = torch::kCUDA;
  }
  x.to(either);
  torch::Device handed = torch::kCPU;
  change(handed);
  x.to(handed);
  torch::Device renamed = torch::kCPU;
  torch::Device& other = renamed;
  other = torch::kCUDA;
  x.to(renamed);
  torch::Device pointed = torch::kCPU;
  torch::Device* const pointer = &pointed;
  *pointer = torch::kCUDA;
  x.to(pointed);
  const torch::Device picked = pick(torch::kCPU);
  x.to(picked);
  std::optional<torch::Device> held;
  x.to(held.value_or(torch::kCPU));
  torch::Device gpu = torch::kCUDA;
  x.to(gpu);
  torch::Device itself = itself;
  x.to(itself);
}

GRAPHED(x: f32[2]) void into_the_host(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:21: warning: 'copy_' writes into a tensor on the host, which a graph can do in pinned memory only
  // CHECK: :[[#@LINE+1]]:3: note: the tensor is made here
  torch::zeros({2}).copy_(x);
  auto made = torch::zeros({2});
  // CHECK: :[[#@LINE+2]]:11: warning: '=' writes into a tensor on the host
  // CHECK: :[[#@LINE-2]]:15: note: the tensor is made here
  made[0] = x[0];
  // CHECK: :[[#@LINE+2]]:8: warning: 'index_put_' writes into a tensor on the host
  // CHECK: :[[#@LINE-5]]:15: note: the tensor is made here
  made.index_put_({at::indexing::Slice()}, x);
}

// Other devices, no device, one that may be either, and copies that nothing waits for.
GRAPHED(x: f32[2], fast: key) void safe(const torch::Tensor& x, bool fast) {
  x.to(torch::kCUDA);
  x.to(torch::kFloat);
  x.to(x.device());
  x.to(x.device(), true);
  x.to(fast ? torch::kCUDA : torch::kCPU);
  x.to(torch::kCPU, /*non_blocking=*/true);
  constexpr bool later = true;
  x.to(torch::kCPU, later);
  torch::zeros({2}, torch::kCUDA).copy_(x);
  torch::zeros_like(x)[0] = x[1];
  auto made = torch::zeros({2});
  made[0] = 1.0;
  made[1] = made[0];
}

#define HOST(tensor) tensor.cpu()
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: error: 'cpu' copies
  // CHECK: :[[#@LINE-3]]:29: note: expanded from macro 'HOST'
  HOST(x);
}

template <at::DeviceType Where>
void moved(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:5: error: 'to' copies
  // CHECK: note: called from 'in_a_template' here
  x.to(Where);
}
GRAPHED(x: f32[2]) void in_a_template(const torch::Tensor& x) { moved<torch::kCPU>(x); }
GRAPHED(x: f32[2]) void in_a_safe_template(const torch::Tensor& x) { moved<torch::kCUDA>(x); }
