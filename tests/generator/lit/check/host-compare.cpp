// SPDX-License-Identifier: Apache-2.0
//
// Tensors compared on the host.
// RUN: not graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/reads.h>
#include <graphed/annotate.h>
#include <torch/nn.h>
#include <torch/torch.h>

// CHECK: reads.h:11:{{[0-9]+}}: error: 'equal' compares tensors on the host, which a graph cannot do [graphed-host-compare]
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { reads::compare(x); }

GRAPHED(x: f32[2]) void named(const torch::Tensor& x) {
  // CHECK: host-compare.cpp:[[#@LINE+1]]:17: error: 'equal' compares tensors on the host, which a graph cannot do [graphed-host-compare]
  bool same = x.equal(x);
  // CHECK: :[[#@LINE+1]]:7: error: 'allclose' compares
  at::allclose(x, x);
}

GRAPHED(x: f32[2]) torch::Tensor safe(const torch::Tensor& x) { return x.eq(x).all(); }

#define SAME(a, b) torch::equal(a, b)
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:15: error: 'equal' compares
  // CHECK: :[[#@LINE-3]]:27: note: expanded from macro 'SAME'
  bool same = SAME(x, x);
}

template <class T>
bool same(const T& x) {
  // CHECK: :[[#@LINE+2]]:12: error: 'equal' compares
  // CHECK: note: called from 'in_a_template' here
  return x.equal(x);
}
GRAPHED(x: f32[2]) void in_a_template(const torch::Tensor& x) { same(x); }

struct Net {
  torch::nn::MultiheadAttention attention;
  torch::nn::TransformerEncoder encoder;
  torch::nn::TransformerDecoder decoder;
  torch::nn::MultiheadAttention same_size{torch::nn::MultiheadAttentionOptions(8, 2).kdim(8)};
  torch::nn::Linear linear;
  std::shared_ptr<torch::nn::MultiheadAttentionImpl> held;

  GRAPHED(x: f32[2], y: f32[2]) torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& y) {
    // CHECK: :[[#@LINE+1]]:16: error: 'torch::nn::MultiheadAttention' compares query, key and value on the host, which a graph cannot do [graphed-host-compare]
    attention->forward(x, y, y);
    // CHECK: :[[#@LINE+1]]:5: error: 'torch::nn::MultiheadAttention' compares query, key and value
    attention(x, y, y);
    // CHECK: :[[#@LINE+1]]:5: error: 'torch::nn::MultiheadAttention' compares query, key and value
    attention(x + y, x + y, x + y);
    auto other = x;
    other = y;
    // CHECK: :[[#@LINE+1]]:5: error: 'torch::nn::MultiheadAttention' compares query, key and value
    attention(x, x, other);
    if (flag) {
      // CHECK: :[[#@LINE+1]]:16: warning: 'torch::nn::TransformerDecoder' compares query, key and value
      decoder->forward(x, y);
    }
    // CHECK: :[[#@LINE+1]]:5: error: 'torch::nn::MultiheadAttention' compares query, key and value
    same_size(x, y, y);
    namespace F = torch::nn::functional;
    // CHECK: :[[#@LINE+1]]:8: error: 'torch::nn::functional::multi_head_attention_forward' compares query, key and value
    F::multi_head_attention_forward(x, y, y, torch::nn::MultiheadAttentionForwardFuncOptions(8, 2));
    // CHECK: :[[#@LINE+1]]:11: error: 'torch::nn::MultiheadAttention' compares query, key and value
    held->forward(x, y, y);
    encoder(encoder->forward(x));
    return linear(linear->forward(x));
  }

  void turn_on() { flag = true; }
  bool flag = false;
};

// A tensor and itself.
struct SelfAttention {
  torch::nn::MultiheadAttention attention;

  GRAPHED(x: f32[2]) torch::Tensor forward(const torch::Tensor& x) {
    attention->forward(x, x, x);
    const auto& query = x;
    auto key = x;
    const auto normalized = x + x;
    attention(query, key, x);
    return std::get<0>(attention(normalized, normalized, normalized));
  }
};

// Of other sizes, and with projections of their own.
struct CrossAttention {
  torch::nn::MultiheadAttention attention;
  torch::nn::MultiheadAttention apart{torch::nn::MultiheadAttentionOptions(8, 2).kdim(6)};
  torch::nn::TransformerDecoder decoder;

  GRAPHED(x: f32[3, 8], m: f32[5, 8], n: f32[5, 8], k: f32[L, 8]; L in {3, 7})
  void forward(const torch::Tensor& x, const torch::Tensor& m, const torch::Tensor& n, const torch::Tensor& k) {
    attention(x, m, m);
    decoder(x, m);
    apart(m, n, n);
    const auto options = torch::nn::MultiheadAttentionForwardFuncOptions(8, 2).use_separate_proj_weight(true);
    torch::nn::functional::multi_head_attention_forward(m, n, n, options);
    torch::nn::functional::multi_head_attention_forward(x, x, x, torch::nn::MultiheadAttentionForwardFuncOptions(8, 2));
    // CHECK: :[[#@LINE+1]]:5: error: 'torch::nn::MultiheadAttention' compares query, key and value
    attention(x, m, n);
    // CHECK: :[[#@LINE+1]]:5: error: 'torch::nn::TransformerDecoder' compares query, key and value
    decoder(m, n);
    // CHECK: :[[#@LINE+1]]:5: warning: 'torch::nn::TransformerDecoder' may compare query, key and value on the host, which a graph cannot do [graphed-host-compare]
    decoder(x, k);
    // CHECK: :[[#@LINE+1]]:5: warning: 'torch::nn::MultiheadAttention' may compare query, key and value
    attention(x + x, m, m);
    // CHECK: :[[#@LINE+1]]:5: error: 'torch::nn::MultiheadAttention' compares query, key and value
    attention(x + x, m, n);
  }
};

namespace own {
struct MultiheadAttentionImpl : torch::nn::Module {
  torch::Tensor forward(const torch::Tensor& x) { return x; }
};
TORCH_MODULE(MultiheadAttention);
}  // namespace own

struct OwnNet {
  own::MultiheadAttention attention;

  GRAPHED(x: f32[2]) torch::Tensor forward(const torch::Tensor& x) { return attention(attention->forward(x)); }
};
