// SPDX-License-Identifier: Apache-2.0
//
// What a source's text shows of the bodies in it.
#include "scan/DefinitionText.h"

#include <gtest/gtest.h>

namespace graphgen::scan {
namespace {

bool defines(llvm::StringRef Text) {
  llvm::StringSet<> Names;
  Names.insert("forward");
  Names.insert("operator");
  return mayDefine(Text, Names);
}

TEST(UnqualifiedName, IsWhatFollowsTheLastScope) {
  EXPECT_EQ(unqualifiedName("policy"), "policy");
  EXPECT_EQ(unqualifiedName("app::Net::forward"), "forward");
  EXPECT_EQ(unqualifiedName("app::Net<3, std::vector<int>>::forward"), "forward");
  EXPECT_EQ(unqualifiedName("app::scaled<app::Config, 5>"), "scaled");
  EXPECT_EQ(unqualifiedName("app::Scale::operator()"), "operator");
  EXPECT_EQ(unqualifiedName("app::my_operator"), "my_operator");
}

TEST(MayDefine, SeesBodiesInEachForm) {
  EXPECT_TRUE(defines("Tensor forward(Tensor x) { return x; }"));
  EXPECT_TRUE(defines("Tensor app::Net::forward(Tensor x)\n{ return x; }"));
  EXPECT_TRUE(defines("template <int N> auto Net<N>::forward(Tensor x) const & noexcept(f(1)) -> std::pair<Tensor, int> { return g(x); }"));
  EXPECT_TRUE(defines("template <> Tensor forward<int, (3 > 2)>(Tensor x) { return x; }"));
  EXPECT_TRUE(defines("Tensor forward(Tensor x, int n = g(1), F f = [](int) { return 1; }) try { return x; } catch (...) { throw; }"));
  EXPECT_TRUE(defines("Tensor forward(Tensor x) requires (sizeof(T) > 1) { return x; }"));
  EXPECT_TRUE(defines("Tensor Scale::operator()(Tensor x) const { return x; }"));
}

TEST(MayDefine, PassesOverOtherUses) {
  EXPECT_FALSE(defines(""));
  EXPECT_FALSE(defines("Tensor forward(Tensor x);"));
  EXPECT_FALSE(defines("// Tensor forward(Tensor x) { return x; }"));
  EXPECT_FALSE(defines("const char* s = \"Tensor forward(Tensor x) {\";"));
  EXPECT_FALSE(defines("const char* s = R\"(Tensor forward(Tensor x) { return x; })\";"));
  EXPECT_FALSE(defines("int main() { if (net.forward(x)) { return 1; } }"));
  EXPECT_FALSE(defines("int main() { graphed::callable<&Net::forward> fast(net); { use(fast); } }"));
  EXPECT_FALSE(defines("Tensor backward(Tensor x) { return net->forward(x); }"));
  EXPECT_FALSE(defines("Tensor forwards(Tensor x) { return x; }"));
  EXPECT_FALSE(defines("Tensor Scale::operator*(Tensor x) const { return x; }"));
  EXPECT_FALSE(defines("Tensor forward(Tensor x"));
  EXPECT_FALSE(defines("forward"));
  EXPECT_FALSE(defines("operator"));
}

}  // namespace
}  // namespace graphgen::scan
