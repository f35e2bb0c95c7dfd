// SPDX-License-Identifier: Apache-2.0
//
// Declarations that no user would write: each is an error or is taken, and the rest of the file is still read.
// RUN: not graphgen --check %s %flags -std=c++20 2>&1 | FileCheck %s
// CHECK-NOT: Stack dump
// CHECK: error: parameter 'x' has type 'std::array<int, 18446744073709551615{{[a-zA-Z]*}}>', which is not supported yet [graphed-parameter-type]
// CHECK: error: parameter 'last' has type 'int *', which is not supported yet [graphed-parameter-type]
// CHECK-NOT: Stack dump
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>
using torch::Tensor;

namespace n1 {
struct I; GRAPHED(x: {a: f32[2]}) void f(const I& x);
}
namespace n2 {
struct I; GRAPHED(x: {a: f32[2]}) void f(I x);
}
namespace n3 {
template <class T> struct I; GRAPHED(x: {a: f32[2]}) void f(const I<int>& x);
}
namespace n4 {
template <class T> struct I { typename T::nothing a; }; GRAPHED(x: {a: f32[2]}) void f(const I<int>& x);
}
namespace n5 {
template <class T> struct I { I<I<T>>* p; Tensor a; }; GRAPHED(x: {a: f32[2]}) void f(const I<int>& x);
}
namespace n6 {
template <int N> struct I { I<N - 1> inner; Tensor a; }; template <> struct I<0> { Tensor a; }; GRAPHED(x: {a: f32[2]}) void f(const I<200>& x);
}
namespace n7 {
template <int N> struct I { I<N + 1> inner; }; GRAPHED(x: {a: f32[2]}) void f(const I<0>& x);
}
namespace n8 {
struct A { struct A2 { std::vector<A> as; Tensor t; } b; }; GRAPHED(x: key) void f(const A& x);
}
namespace n9 {
struct B0 { Tensor t; }; struct I : B0, Missing { Tensor a; }; GRAPHED(x: {a: f32[2]}) void f(const I& x);
}
namespace n10 {
struct I { Missing m; Tensor a; }; GRAPHED(x: {a: f32[2]}) void f(const I& x);
}
namespace n11 {
template <class T> struct D : T { Tensor a; }; GRAPHED(x: {a: f32[2]}) void f(const D<Unknown>& x);
}
namespace n12 {
template <class T> struct D : T { Tensor a; }; struct E { Tensor b; }; GRAPHED(x: {a: f32[2], b: f32[1]}) void f(const D<E>& x);
}
namespace n13 {
template <class T> struct D : T { Tensor a; }; template <class T> GRAPHED(x: {a: f32[2]}) void f(const D<T>& x);
}
namespace n14 {
template <class T> GRAPHED(x: {a: f32[2]}) void f(const T& x); template void f<int*>(int* const&);
}
namespace n15 {
template <class... T> GRAPHED(x: f32[2]) void f(const T&... x); template void f<Tensor, Tensor>(const Tensor&, const Tensor&);
}
namespace n16 {
template <template <class> class T> GRAPHED(x: f32[2]) void f(const T<Tensor>& x); extern template void f<c10::List>(const c10::List<Tensor>&);
}
namespace n17 {
template <auto V> GRAPHED(x: f32[V]) void f(const Tensor& x);
extern template void f<3>(const Tensor&);
extern template void f<nullptr>(const Tensor&);
}
namespace n18 {
template <double V> GRAPHED(x: f32[V]) void f(const Tensor& x); extern template void f<3.0>(const Tensor&);
}
namespace n19 {
GRAPHED(x: f32[2]) void f(auto x);
}
namespace n20 {
GRAPHED(x: f32[2]) auto f(Tensor x);
}
namespace n21 {
GRAPHED(x: f32[2]) auto f(Tensor x) { return f(x); }
}
namespace n22 {
GRAPHED(x: f32[2]) decltype(auto) f(Tensor x) { return (x); }
}
namespace n23 {
GRAPHED(x: f32[2]) auto f(Tensor x) -> decltype(missing(x));
}
namespace n24 {
GRAPHED(x: f32[2]) void f(Tensor x) requires true;
}
namespace n25 {
GRAPHED(x: f32[2]) void f(Tensor x, ...);
}
namespace n26 {
GRAPHED(x: f32[2]) void (*f)(Tensor x);
}
namespace n27 {
GRAPHED(x: f32[2]) using X = int;
}
namespace n28 {
GRAPHED(x: f32[2]) GRAPHED(x: f32[3]) struct S {};
}
namespace n29 {
auto l = GRAPHED(x: f32[2]) [](Tensor x) {};
}
namespace n30 {
auto l = [] GRAPHED(x: f32[2]) (Tensor x) {};
}
namespace n31 {
void g() { GRAPHED(x: f32[2]) void f(Tensor x); }
}
namespace n32 {
enum GRAPHED(x: f32[2]) E { A };
}
namespace n33 {
enum E { A GRAPHED(x: f32[2]) };
}
namespace n34 {
union U { Tensor x; GRAPHED(y: f32[2]) void f(Tensor y); };
}
namespace n35 {
struct S { GRAPHED(x: f32[2]) S(Tensor x);
GRAPHED() ~S();
GRAPHED() operator int();
GRAPHED(x: f32[2]) Tensor operator+(Tensor x);
GRAPHED(x: f32[2]) void operator()(this S& self, Tensor x);
};
}
namespace n36 {
struct { GRAPHED(x: f32[2]) void f(Tensor x); } s;
}
namespace n37 {
namespace { struct S { GRAPHED(x: f32[2]) void f(Tensor x); }; }
}
namespace n38 {
GRAPHED(x: f32[2]) void f(Tensor x = );
}
namespace n39 {
GRAPHED(x: f32[2]) void f(Tensor x = {1, 2, 3});
}
namespace n40 {
GRAPHED(n: key) void f(int n = 1 / 0);
}
namespace n41 {
GRAPHED(n: key) void f(int n = n);
}
namespace n42 {
constexpr int loop(int n) { while (true) ++n; return n; } GRAPHED(n: key) void f(int n = loop(1));
}
namespace n43 {
constexpr int loop(int n) { while (true) ++n; return n; } constexpr int kN = loop(1); GRAPHED(x: f32[kN]) void f(Tensor x);
}
namespace n44 {
constexpr int rec(int n) { return rec(n + 1); } constexpr int kN = rec(1); GRAPHED(x: f32[kN]) void f(Tensor x);
}
namespace n45 {
template <int N> struct R { static constexpr int v = R<N + 1>::v; }; GRAPHED(x: f32[R<0>::v]) void f(Tensor x);
}
namespace n46 {
template <int N> constexpr int kV = kV<N + 1>; constexpr int kN = kV<0>; GRAPHED(x: f32[kN]) void f(Tensor x);
}
namespace n47 {
static const int kN; GRAPHED(x: f32[kN]) void f(Tensor x);
}
namespace n48 {
extern const int kN; GRAPHED(x: f32[kN]) void f(Tensor x);
}
namespace n49 {
constexpr __int128 kN = (__int128)1 << 100; GRAPHED(x: f32[kN]) void f(Tensor x);
}
namespace n50 {
constexpr unsigned long kN = ~0ul; GRAPHED(x: f32[kN]) void f(Tensor x);
}
namespace n51 {
constexpr double kN = 3; GRAPHED(x: f32[kN]) void f(Tensor x);
}
namespace n52 {
struct S { static constexpr int kN = sizeof(S); GRAPHED(x: f32[kN]) void f(Tensor x); };
}
namespace n53 {
enum E : unsigned char { kN = 255 }; GRAPHED(x: f32[kN]) void f(Tensor x);
}
namespace n54 {
enum class E { kN }; GRAPHED(x: f32[E::kN]) void f(Tensor x);
}
namespace n55 {
GRAPHED(x: f32[2] * 3) void f(std::array<Tensor, 0> x);
}
namespace n56 {
GRAPHED(x: key * 4096) void f(std::array<int, 4096> x);
}
namespace n57 {
GRAPHED(x: key * 4097) void f(std::array<int, 4097> x);
}
namespace n58 {
GRAPHED(x: key * 2) void f(std::array<int, 18446744073709551615ull> x);
}
namespace n59 {
GRAPHED(x: {}) void f(std::tuple<> x);
}
namespace n60 {
GRAPHED(x: {f32[2]}) void f(std::tuple<Tensor> x);
}
namespace n61 {
GRAPHED(x: {f32[2]}) void f(std::array<Tensor, 1> x);
}
namespace n62 {
GRAPHED(x: {a: f32[2]}) void f(std::map<std::string, Tensor, std::less<>, Missing> x);
}
namespace n63 {
GRAPHED(x: {a: {a: {a: f32[2]}}}) void f(std::map<std::string, std::map<std::string, std::map<std::string, Tensor>>> x);
}
namespace n64 {
GRAPHED(x: f32[2]) void f(std::optional<std::optional<std::optional<Tensor>>> x);
}
namespace n65 {
GRAPHED(x: f32[2]) void f(std::unique_ptr<Tensor> x);
}
namespace n66 {
GRAPHED(x: f32[2]) void f(volatile Tensor& x);
}
namespace n67 {
GRAPHED(x: f32[2]) void f(Tensor x[2]);
}
namespace n68 {
GRAPHED(x: f32[2]) void f(Tensor (&x)[2]);
}
namespace n69 {
GRAPHED(x: f32[2]) void f(Tensor x[]);
}
namespace n70 {
GRAPHED(x: key) void f(char8_t x);
GRAPHED(x: key) void g(wchar_t x);
GRAPHED(x: key) void h(std::byte x);
GRAPHED(x: key) void i(std::nullptr_t x);
GRAPHED(x: key) void j(int (*x)());
GRAPHED(x: key) void k(int S::*x);
}
namespace n71 {
GRAPHED(x: key) void f(enum Undeclared x);
}
namespace n72 {
enum E : int; GRAPHED(x: key) void f(E x);
}
namespace n73 {
enum class E; GRAPHED(x: key) void f(E x = E{3});
}
namespace n74 {
GRAPHED(x: key) void f(unsigned __int128 x);
}
namespace n75 {
GRAPHED(x: key) void f(_BitInt(37) x);
}
namespace n76 {
GRAPHED(x: key) void f(_Float16 x);
}
namespace n77 {
struct S { int b : 3; Tensor t; }; GRAPHED(x: {b: key, t: f32[2]}) void f(S x);
}
namespace n78 {
struct S { union { int a; float b; }; Tensor t; }; GRAPHED(x: {a: key, t: f32[2]}) void f(S x);
}
namespace n79 {
struct S { Tensor t; [[no_unique_address]] struct {} e; }; GRAPHED(x: {t: f32[2]}) void f(S x);
}
namespace n80 {
struct S { Tensor t; int a[3]; }; GRAPHED(x: {t: f32[2], a: key}) void f(S x);
}
namespace n81 {
struct S { S* next; Tensor t; }; GRAPHED(x: {t: f32[2]}) void f(S x);
}
namespace n82 {
GRAPHED(变量: f32[2]) void f(Tensor 变量);
}
namespace n83 {
GRAPHED(x: f32[2]) void 函数(Tensor x);
}
namespace n84 {
struct é { Tensor ü; }; GRAPHED(x: {ü: f32[2]}) void f(é x);
}
namespace n85 {
GRAPHED(x: f32[2]) [[deprecated]] void f(Tensor x) __attribute__((weak, alias("g")));
}
namespace n86 {
GRAPHED(x: f32[2]) void f(Tensor x) try {} catch (...) {}
}
namespace n87 {
GRAPHED(x: f32[2]) void f(Tensor x) = delete;
}
namespace n88 {
GRAPHED(x: f32[2]) constexpr void f(Tensor x) {}
}
namespace n89 {
GRAPHED(x: f32[2]) consteval int f(Tensor x);
}
namespace n90 {
GRAPHED(x: f32[2]) static thread_local Tensor t;
}
namespace n91 {
struct S { virtual void f(Tensor x) = 0; }; struct D : S { GRAPHED(x: f32[2]) void f(Tensor x) override; };
}
namespace n92 {
struct S { GRAPHED(x: f32[2]) friend void f(Tensor x); };
}
namespace n93 {
GRAPHED(x: f32[2]) Tensor f(Tensor x), g(Tensor x);
}
namespace n94 {
GRAPHED(x: f32[2]) std::vector<std::vector<std::vector<Tensor>>> f(Tensor x);
}
namespace n95 {
GRAPHED(x: f32[2]) std::tuple<> f(Tensor x);
}
namespace n96 {
GRAPHED(x: f32[2]) std::array<Tensor, 0> f(Tensor x);
}
namespace n97 {
GRAPHED(x: f32[2]) struct S; struct S2; GRAPHED(x: f32[2]) S2 f(Tensor x);
}
namespace n98 {
GRAPHED(x: f32[2]) std::shared_ptr<Tensor> f(Tensor x);
}
namespace n99 {
GRAPHED(x: f32[2]) const Tensor& f(Tensor x);
}
namespace n100 {
GRAPHED(x: f32[2]) [[noreturn]] void f(Tensor x);
}
namespace n101 {
template <class T> struct P { template <class U> struct Q { GRAPHED(x: f32[sizeof(U)]) void f(Tensor x); }; }; extern template struct P<int>::Q<char>;
}
namespace n102 {
template <class T> struct P { GRAPHED(x: f32[T::kN]) void f(Tensor x); }; extern template struct P<int>;
}
namespace n103 {
template <class T> struct P { static constexpr int kN = T::kN; GRAPHED(x: f32[kN]) void f(Tensor x); }; extern template struct P<int>;
}
namespace n104 {
template <int N> struct P { GRAPHED(x: f32[N]) void f(Tensor x); }; extern template struct P<-5>;
}
namespace n105 {
template <class T> concept C = requires(T t) { t.x; }; GRAPHED(x: f32[2]) void f(C auto x);
}
GRAPHED(last: key) void end(int* last);
