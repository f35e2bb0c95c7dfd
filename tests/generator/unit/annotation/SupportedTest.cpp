// SPDX-License-Identifier: Apache-2.0
//
// Each form of the language that is not supported yet is reported at its place, and no other.
#include "annotation/Supported.h"

#include "MarkedText.h"

namespace graphgen::annotation {
namespace {

void expectUnsupported(const std::string& Marked, const std::vector<std::string>& Messages) {
  SCOPED_TRACE(Marked);
  const MarkedText Input = unmark(Marked);
  expectDiagnostics(checkSupported(parsed(Input.Text)), "graphed-unsupported", Input.Ranges, Messages);
}

TEST(Supported, IsWhatThisVersionCanDo) {
  for (const char* Text : {
           "",
           "obs: f32[64, 128], w: f32[128, 10] grad",
           "x: f64[k, 2 * (n + 1)], y: f32[], z: f16[0]",
           "a: bf16[1], b: f8e4m3[1], c: f8e5m2[1], d: c64[1], e: c128[1]",
           "a: i64[1], b: i32[1], c: i16[1], d: i8[1], e: u8[1], f: bool[1]",
           "state: f32[64] inplace grad",
           "x: f32[2, 3, 4, 5] channels_last static, y: i64[2] optional",
           "hs: f32[2, 64] grad * 3, rest: i64[] * n",
           "causal: key, eps: const, lr: live",
           "; warmup = 3, strict",
           "; grads = in_graph, allow = graphed-host-item",
           "; pool = actor, slots = 2 + 1",
           "x: f32[B, 2 * T]; B in {1, 8} pad, T in {2}",
           "; outputs = keep",
           "; outputs = alias",
           "; outputs = clone",
           "x: f32[2] host, y: i64[3] host optional; outputs = host",
       }) {
    expectUnsupported(Text, {});
  }
}

TEST(Supported, AreAggregatesOfWhatIs) {
  expectUnsupported("b: {obs: f32[2], c: {flag: key, eps: const, lr: live}}, t: {f32[2] * 3, {f32[2]} * 2}", {});
}

TEST(Supported, IsHostMemoryOfPartsOfAnArgument) {
  expectUnsupported("b: {obs: f32[2] host, c: {f32[2] host optional}}, xs: f32[2] host * 3, ys: {f32[2] host, f32[3] host}", {});
}

TEST(Supported, IsNoOptionOfALaterVersion) {
  expectUnsupported("; <order = 2>, warmup = 1",
                    {"the option 'order' is not supported yet; mark a training with gradients of gradients 'step'"});
}

}  // namespace
}  // namespace graphgen::annotation
