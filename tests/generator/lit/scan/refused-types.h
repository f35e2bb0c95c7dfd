// SPDX-License-Identifier: Apache-2.0
//
// Types of parameters and results that cannot be captured, and parameters without names.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>
#include <map>

#include <memory>
#include <string>

// CHECK: :[[#@LINE+3]]:41: error: parameter 'x' has type 'torch::Tensor &&', which a call may move from: take it by value or by reference [graphed-parameter-type]
// CHECK: :[[#@LINE+2]]:41: note: tensors are taken as Tensor, const Tensor & and Tensor &, other values as bool, integers, float, double, enums, strings, torch::Device, torch::Scalar, lists and optionals of these, and graphed::Scalar; structs, tuples, arrays, vectors, optionals and maps of them by value or by reference
GRAPHED(x: f32[2])
torch::Tensor by_rvalue(torch::Tensor&& x);

// CHECK: :[[#@LINE+5]]:30: error: parameter 'p' has type 'torch::Tensor *', {{.*}} [graphed-parameter-type]
// CHECK: :[[#@LINE+4]]:38: error: parameter 'n' has type 'int &', which a replay would not write: make it 'const int &', or take it by value [graphed-parameter-type]
// CHECK: :[[#@LINE+3]]:53: error: parameter 's' has type 'const char *', {{.*}} [graphed-parameter-type]
// CHECK: :[[#@LINE+2]]:68: error: parameter 'l' has type 'long double', {{.*}} [graphed-parameter-type]
GRAPHED(p: f32[2], n: key, s: key, l: key)
void pointers(torch::Tensor* p, int& n, const char* s, long double l);

// CHECK: :[[#@LINE+3]]:33: error: parameter 'a' has type 'at::TensorList &', which a replay would not write: make it 'const at::TensorList &', or take it by value [graphed-parameter-type]
// CHECK: :[[#@LINE+2]]:63: error: member 'b[...]' of parameter 'b' has type 'int' inside a list, map or optional: each call decides how many of them there are, so none can be marked 'key', 'const' or 'live'; a std::array, a struct or a parameter of its own can hold it [graphed-parameter-type]
GRAPHED(a: f32[2] * 2, b: key)
void containers(at::TensorList& a, std::map<std::string, int> b);

// CHECK: :[[#@LINE+3]]:28: error: parameter 'on' has type 'torch::Device &', which a replay would not write: make it 'const torch::Device &', or take it by value [graphed-parameter-type]
// CHECK: :[[#@LINE+2]]:54: error: parameter 'sizes' has type 'std::vector<int64_t> &', which a replay would not write: make it 'const std::vector<int64_t> &', or take it by value [graphed-parameter-type]
GRAPHED(on: key, sizes: key)
void values(torch::Device& on, std::vector<int64_t>& sizes);

// CHECK: :[[#@LINE+3]]:34: error: parameter 'cutoff' has type 'c10::Scalar &', which a replay would not write: make it 'const c10::Scalar &', or take it by value [graphed-parameter-type]
// CHECK: :[[#@LINE+2]]:13: error: the result has type 'c10::Scalar', a number of any type: give it as bool, an integer, float or double [graphed-result-type]
GRAPHED(cutoff: key)
c10::Scalar numbers(c10::Scalar& cutoff);

// CHECK: :[[#@LINE+3]]:6: error: the result has type 'const char *', which is not supported yet [graphed-result-type]
// CHECK: :[[#@LINE+2]]:6: note: results are void, Tensor and numbers that are read of tensors, and structs, tuples, arrays, vectors, optionals and maps of these, or a std::unique_ptr to one
GRAPHED(x: f32[2]) const char*
     makes_pointer(torch::Tensor x);
// CHECK: error: the result has type 'torch::Tensor &', which is not supported yet [graphed-result-type]
GRAPHED(x: f32[2]) torch::Tensor& makes_reference(const torch::Tensor& x);
// CHECK: error: the result has type 'const torch::Tensor', which is not supported yet [graphed-result-type]
GRAPHED(x: f32[2]) const torch::Tensor makes_const(torch::Tensor x);

struct Deleter {
  void operator()(torch::Tensor* x) const { delete x; }
};
// CHECK: error: the result has type 'std::unique_ptr<torch::Tensor, Deleter>', which is not supported yet [graphed-result-type]
GRAPHED(x: f32[2]) std::unique_ptr<torch::Tensor, Deleter> makes_pointer_of_its_own(const torch::Tensor& x);
// CHECK: error: the result has type 'std::{{.*}}', which is neither a tensor nor a number that is read of one{{.*}} [graphed-result-type]
GRAPHED(x: f32[2]) std::unique_ptr<std::string> makes_pointer_to_text(const torch::Tensor& x);

struct Owner {
  std::unique_ptr<torch::Tensor> owned;
};
// CHECK: error: the result has type 'Owner', whose member 'owned' is a std::unique_ptr, so that no call can return a copy: let 'owned' be what it points to, or a std::optional of that, or return it beside the struct, in a std::tuple [graphed-result-type]
GRAPHED(x: f32[2]) Owner makes_owner(const torch::Tensor& x);
// CHECK: error: member '[...]' of the result has type 'std::unique_ptr<at::Tensor>' inside a map, of which each call returns a copy: hold 'at::Tensor' itself, or a std::optional of it [graphed-result-type]
GRAPHED(x: f32[2]) std::map<std::string, std::unique_ptr<torch::Tensor>> makes_map(const torch::Tensor& x);

// With several annotations, what is wrong with the declaration is said once.
// CHECK: error: parameter 'p' has type 'int *', which is not supported yet [graphed-parameter-type]
GRAPHED(p: key)
GRAPHED(p: const)
void pointer(int* p);

// CHECK: :[[#@LINE+3]]:74: error: parameter 2 has no name, and parameter 1 is called '_2', as its position is: give it a name [graphed-unnamed-parameter]
// CHECK: :[[#@LINE+2]]:50: note: '_2' is declared here
GRAPHED(_2: f32[2])
torch::Tensor as_a_position(const torch::Tensor& _2, const torch::Tensor&);

// Reported after what is wrong with other declarations.
// CHECK: :[[#@LINE+3]]:{{[0-9]+}}: error: parameter 2 of type 'torch::Tensor' has no name: give it one, or name it by its position, '_2: f32[64, 128]' [graphed-unnamed-parameter]
// CHECK: :[[#@LINE+2]]:{{[0-9]+}}: error: parameter 3 of type 'int' has no name: give it one, or name it by its position, '_3: key' [graphed-unnamed-parameter]
GRAPHED(x: f32[2])
void unnamed(torch::Tensor x, torch::Tensor, int = 3);
