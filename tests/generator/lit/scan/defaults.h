// SPDX-License-Identifier: Apache-2.0
//
// Default arguments are spelled again, exactly, for any scope.
// RUN: graphgen --dump-plan %s %flags | FileCheck %s
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>
#include <limits>

namespace app {
constexpr int64_t kSteps = 40;
enum class Mode { Sum, Mean };
enum Flags { One = 1, Two = 2 };

// CHECK-LABEL: "name": "app::empty"
// CHECK-COUNT-8: "default": "{}"
GRAPHED(a: f32[2], b: f32[2], c: f32[2], d: f32[2], e: f32[2], f: f32[2] * 2, g: f32[2] * 2, h: key)
void empty(torch::Tensor a = {}, const torch::Tensor& b = torch::Tensor(), std::optional<torch::Tensor> c = std::nullopt,
           const torch::optional<torch::Tensor>& d = torch::nullopt, std::optional<torch::Tensor> e = {},
           const std::vector<torch::Tensor>& f = {}, at::TensorList g = {}, const std::string& h = std::string());

// CHECK-LABEL: "name": "app::later"
// CHECK: "default": "7"
GRAPHED(a: f32[2], b: key)
void later(torch::Tensor a, int b);
void later(torch::Tensor a, int b = 7);

// CHECK-LABEL: "name": "app::integers"
// CHECK: "default": "true"
// CHECK: "default": "42"
// CHECK: "default": "-1"
// CHECK: "default": "(-9223372036854775807 - 1)"
// CHECK: "default": "18446744073709551615u"
// CHECK: "default": "97"
GRAPHED(a: key, b: key, c: key, d: key, e: key, f: key)
void integers(bool a = !false, int b = kSteps + 2, int64_t c = -1, int64_t d = INT64_MIN, uint64_t e = UINT64_MAX, char f = 'a');

// CHECK-LABEL: "name": "app::numbers"
// CHECK: "default": "0.1"
// CHECK: "default": "0.1f"
// CHECK: "default": "1e-05"
// CHECK: "default": "2.0"
// CHECK: "default": "-0.0"
// CHECK: "default": "std::numeric_limits<double>::infinity()"
GRAPHED(a: key, b: key, c: key, d: key, e: key, f: key)
void numbers(double a = 0.1, float b = 0.1, double c = 1e-5, const double& d = 2, double e = -0.0,
             double f = std::numeric_limits<double>::infinity());

// CHECK-LABEL: "name": "app::enums"
// CHECK: "default": "app::Mode::Mean"
// CHECK: "default": "app::Flags::Two"
// CHECK: "default": "static_cast<app::Flags>(3u)"
GRAPHED(a: key, b: key, c: key) void enums(const Mode& a = Mode::Mean, Flags b = Two, Flags c = Flags(3));

// CHECK-LABEL: "name": "app::ignored"
// CHECK: "default": "1"
// CHECK: "default": "0"
// CHECK: "default": "2.0"
// CHECK: "default": "app::Mode::Mean"
// CHECK: "default": "{40}"
// CHECK: "default": "\"plain\""
// CHECK: "default": "nullptr"
// CHECK: "default": "{}"
struct Labels {
  std::vector<const char*> texts;
};
GRAPHED(a: ignore, b: ignore, c: ignore, d: ignore, e: ignore, f: ignore, g: ignore, h: ignore)
void ignored(int32_t a = 1, const int64_t& b = 0, double c = 2, Mode d = Mode::Mean, std::vector<int64_t> e = {kSteps},
             const char* f = "plain", const Labels* g = nullptr, const Labels& h = {});

// CHECK-LABEL: "name": "app::strings"
// CHECK: "default": "\"mean\""
// CHECK: "default": "\"a\\\"\\\\\\012\\?\\303\\251\""
// CHECK: "default": "{}"
// CHECK: "default": "\"view\""
GRAPHED(a: key, b: key, c: key, d: key)
void strings(const std::string& a = "mean", std::string b = std::string("a\"\\\n?\xc3\xa9"), std::string c = {}, std::string_view d = "view");

// CHECK-LABEL: "name": "app::values"
// CHECK: "default": "{1, 40}"
// CHECK: "default": "{3}"
// CHECK: "default": "{0.5, 1}"
// CHECK: "default": "true"
// CHECK: "default": "app::Mode::Mean"
// CHECK: "default": "\"a::b\""
// CHECK: "default": "{}"
// CHECK: "default": "3"
GRAPHED(a: key, b: key, c: key, d: key, e: key, f: key, g: key, h: key)
void values(std::vector<int64_t> a = {1, kSteps}, at::IntArrayRef b = {3}, const std::vector<std::optional<double>>& c = {0.5, 1},
            std::optional<bool> d = true, const std::optional<Mode>& e = Mode::Mean, std::optional<std::string> f = "a::b",
            std::optional<double> g = std::nullopt, at::IntArrayRef h = 3);

// CHECK-LABEL: "name": "app::devices"
// CHECK: "default": "c10::DeviceType::CPU"
// CHECK: "default": "c10::Device(c10::DeviceType::CUDA, 1)"
// CHECK: "default": "c10::Device(\"cuda:0\")"
GRAPHED(a: key, b: key, c: key)
void devices(at::Device a = at::kCPU, std::optional<at::Device> b = at::Device(at::kCUDA, 1), at::Device c = at::Device("cuda:0"));

// CHECK-LABEL: "name": "app::numbers_of_any_type"
// CHECK: "default": "1"
// CHECK: "default": "1.0"
// CHECK: "default": "true"
// CHECK: "default": "{}"
// CHECK: "default": "0.5"
// CHECK: "default": "{}"
GRAPHED(a: key, b: key, c: key, d: key, e: key, f: key)
void numbers_of_any_type(const at::Scalar& a = 1, at::Scalar b = 1.0, at::Scalar c = true, const at::Scalar& d = {},
                         std::optional<at::Scalar> e = 0.5, std::optional<at::Scalar> f = std::nullopt);

// CHECK-LABEL: "name": "app::tuples"
// CHECK: "default": "{}"
// CHECK: "default": "{}"
// CHECK: "default": "{{[{][{][}], [{][}][}]}}"
// CHECK: "default": "{{[{][{][}], [{][}][}]}}"
// CHECK: "default": "{1.0, 1.0, 1.0}"
// CHECK: "default": "{1, app::Mode::Mean}"
// CHECK: "default": "{0.5, \"mean\"}"
// CHECK: "default": "{0.5, {1, 40}}"
using Couple = std::tuple<torch::Tensor, torch::Tensor>;
GRAPHED(a: {f32[2], f32[2]}, b: {f32[2], f32[2]}, c: {f32[2], f32[2]}, d: {f32[2], f32[2]}, e: {key, key, key}, f: {key, key}, g: {key, key}, h: {key, key})
void tuples(Couple a = {}, const std::optional<Couple>& b = std::nullopt, Couple c = std::make_tuple(torch::Tensor(), torch::Tensor()),
            const Couple& d = {torch::Tensor(), {}}, std::tuple<double, double, double> e = {1.0, 1.0, 1.0},
            std::pair<double, Mode> f = std::make_pair(1, Mode::Mean),
            std::pair<double, std::string> g = std::pair<double, std::string>{0.5, "mean"},
            std::tuple<double, std::vector<int64_t>> h = {0.5, {1, kSteps}});

// CHECK-LABEL: "name": "app::structs"
// CHECK: "default": "{}"
// CHECK: "default": "{}"
// CHECK: "default": "{{[{][{][}]}}, 0.25}"
// CHECK: "default": "{1, 2}"
// CHECK: "default": "{1}"
// CHECK: "default": "{}"
// CHECK: "default": "at::Tensor()"
struct Config { torch::Tensor h; double rate = 0.5; int n = 3; };
GRAPHED(a: {h: f32[2], rate: key, n: key}, b: {h: f32[2], rate: key, n: key}, c: {h: f32[2], rate: key, n: key}, d: key * 2, e: key * 2, f: f32[2] * 2, g: f32[2])
void structs(Config a = {}, const Config& b = Config(), const Config& c = Config{torch::Tensor(), 0.25}, std::array<int, 2> d = {1, 2},
             std::array<int, 2> e = {1}, std::array<torch::Tensor, 2> f = {}, std::optional<torch::Tensor> g = torch::Tensor());

// A default argument that an earlier declaration gave.
// CHECK-LABEL: "name": "app::earlier"
// CHECK: "default": "3"
void earlier(int n = 3);
GRAPHED(n: key) void earlier(int n);
}  // namespace app
