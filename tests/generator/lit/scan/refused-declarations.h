// SPDX-License-Identifier: Apache-2.0
//
// What has no address that generated code could call.
// RUN: not graphgen --check %s %flags -std=c++20 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <coroutine>
#include <functional>
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK: :[[#@LINE+2]]:38: error: GRAPHED marks functions and methods, and 'variable' is a variable; annotate the function that makes or uses it [graphed-declaration]
// CHECK: :[[#@LINE+1]]:1: note: annotated here
GRAPHED(x: f32[2]) extern const bool variable;

// CHECK: :[[#@LINE+1]]:49: error: GRAPHED marks functions and methods, and 'stored' is a std::function, which may call another function each time; annotate the function that it calls [graphed-declaration]
GRAPHED(x: f32[2]) extern std::function<void()> stored;
// CHECK: :[[#@LINE+1]]:34: error: GRAPHED marks functions and methods, and 'pointer' is a pointer, which may call another function each time; annotate the function that it calls [graphed-declaration]
GRAPHED(x: f32[2]) extern void (*pointer)();
// CHECK: :[[#@LINE+1]]:32: error: GRAPHED marks functions and methods, and 'lambda' is a lambda, which generated code cannot name; write a function, or a class with an operator() [graphed-declaration]
GRAPHED(x: f32[2]) inline auto lambda = [](torch::Tensor x) { return x; };

// CHECK: :[[#@LINE+1]]:27: error: GRAPHED marks functions and methods, and 'Type' is a type [graphed-declaration]
struct GRAPHED(x: f32[2]) Type {
  // CHECK: :[[#@LINE+1]]:31: error: GRAPHED marks functions and methods, and 'Type' is a constructor [graphed-declaration]
  GRAPHED(x: f32[2]) explicit Type(torch::Tensor x);
  // CHECK: :[[#@LINE+1]]:14: error: GRAPHED marks functions and methods, and '~Type' is a destructor [graphed-declaration]
  GRAPHED()  ~Type();
  // CHECK: :[[#@LINE+1]]:13: error: GRAPHED marks functions and methods, and 'operator Tensor' is a conversion [graphed-declaration]
  GRAPHED() operator torch::Tensor();
  // CHECK: :[[#@LINE+1]]:33: error: GRAPHED marks functions and methods, and 'field' is a variable; annotate the function that makes or uses it [graphed-declaration]
  GRAPHED(x: f32[2]) at::Tensor field;
  // CHECK: :[[#@LINE+3]]:43: error: cannot capture 'member': it is a template, or part of one, that this file neither instantiates nor uses [graphed-declaration]
  // CHECK: :[[#@LINE+2]]:22: note: annotated here
  // CHECK: :[[#@LINE+1]]:43: note: instantiate each form to capture, 'extern template ...;' in a header, 'template ...;' in a source file; a source file may also use it
  template <class T> GRAPHED(x: f32[2]) T member(T x);
  // CHECK: :[[#@LINE+1]]:43: error: cannot capture 'friendly': it is declared as a friend; annotate its declaration outside the class [graphed-declaration]
  GRAPHED(x: f32[2]) friend torch::Tensor friendly(torch::Tensor x);
  // CHECK: :[[#@LINE+1]]:36: error: cannot capture 'with_volatile': it is volatile [graphed-declaration]
  GRAPHED(x: f32[2]) torch::Tensor with_volatile(torch::Tensor x) volatile;
};

// CHECK: :[[#@LINE+1]]:41: error: cannot capture 'generic': it is a template, or part of one, that this file neither instantiates nor uses [graphed-declaration]
template <class T> GRAPHED(x: f32[2]) T generic(T x);

template <int N>
struct Sized {
  // CHECK: :[[#@LINE+1]]:36: error: cannot capture 'forward': it is a template, or part of one, that this file neither instantiates nor uses [graphed-declaration]
  GRAPHED(x: f32[N]) torch::Tensor forward(torch::Tensor x);
};
inline Sized<3> sized;

// CHECK: :[[#@LINE+1]]:34: error: cannot capture 'deleted': it is deleted [graphed-declaration]
GRAPHED(x: f32[2]) torch::Tensor deleted(torch::Tensor x) = delete;

// CHECK: :[[#@LINE+1]]:34: error: cannot capture 'variadic': it takes a variable number of arguments [graphed-declaration]
GRAPHED(x: f32[2]) torch::Tensor variadic(torch::Tensor x, ...);

// CHECK: :[[#@LINE+1]]:34: error: cannot capture 'operator-': it is an operator; of those only operator() is supported yet [graphed-declaration]
GRAPHED(x: f32[2]) torch::Tensor operator-(const torch::Tensor& x);

// CHECK: :[[#@LINE+1]]:31: error: cannot capture 'immediate': it is consteval: it has no address at run time [graphed-declaration]
GRAPHED(n: key) consteval int immediate(int n) { return n; }

// CHECK: :[[#@LINE+2]]:35: error: cannot capture 'packed': it takes a parameter pack, whose elements have no names; take a std::vector or a std::tuple, or annotate a function that calls it [graphed-declaration]
template <class... T>
GRAPHED(xs: f32[4]) torch::Tensor packed(const T&... xs);
extern template torch::Tensor packed<torch::Tensor, torch::Tensor>(const torch::Tensor&, const torch::Tensor&);

struct Task {
  struct promise_type {
    Task get_return_object();
    std::suspend_never initial_suspend();
    std::suspend_never final_suspend() noexcept;
    void return_void();
    void unhandled_exception();
  };
};
// CHECK: :[[#@LINE+1]]:32: error: cannot capture 'coroutine': it is a coroutine: it would be captured only up to where it suspends; annotate the function that does the work in between [graphed-declaration]
GRAPHED(x: f32[2]) inline Task coroutine(torch::Tensor x) { co_return; }

inline void function() {
  // CHECK: :[[#@LINE+1]]:36: error: cannot capture 'local': it is declared inside a function, where generated code cannot name it [graphed-declaration]
  GRAPHED(x: f32[2]) torch::Tensor local(torch::Tensor x);
  struct Local {
    // CHECK: :[[#@LINE+1]]:38: error: cannot capture 'forward': it is declared inside a function, where generated code cannot name it [graphed-declaration]
    GRAPHED(x: f32[2]) torch::Tensor forward(torch::Tensor x);
  };
  // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: cannot capture 'operator()': it is a lambda, which generated code cannot name; write a function, or a class with an operator() [graphed-declaration]
  auto lambda = [](torch::Tensor x) GRAPHED(x: f32[2]) { return x; };
}

struct {
  // CHECK: :[[#@LINE+1]]:36: error: cannot capture 'forward': it belongs to a class without a name [graphed-declaration]
  GRAPHED(x: f32[2]) torch::Tensor forward(torch::Tensor x) { return x; }
} inline nameless;

// Of annotations that belong to no declaration, what follows them says what was meant; they are the last to be reported.
// CHECK: :[[#@LINE+1]]:20: error: cannot capture a lambda, which generated code cannot name; write a function, or a class with an operator() [graphed-declaration]
inline auto bare = GRAPHED(x: f32[2]) [](torch::Tensor x) { return x; };

// CHECK: :[[#@LINE+2]]:1: error: GRAPHED is before 'template'; write it after the template's parameters, 'template <...> GRAPHED(...) ...' [graphed-invalid]
// CHECK: :[[#@LINE+1]]:20: error: GRAPHED is before 'template'; write it after the template's parameters, 'template <...> GRAPHED(...) ...' [graphed-invalid]
GRAPHED(x: f32[2]) GRAPHED(x: f32[3]) template <class T> torch::Tensor before(torch::Tensor x);
struct Member {
  // CHECK: :[[#@LINE+1]]:3: error: GRAPHED is before 'template'; {{.*}} [graphed-invalid]
  GRAPHED(x: f32[2]) template <class T> torch::Tensor before(torch::Tensor x);
};
