// SPDX-License-Identifier: Apache-2.0
//
// A crash names the callable in hand.
#include "scan/ScanFile.h"

#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace graphgen;

namespace {

constexpr llvm::StringLiteral Source = R"(#define GRAPHED(...) __attribute__((annotate("graphed", #__VA_ARGS__)))
namespace app {
template <int> struct Net {
  GRAPHED() void forward();
};
template struct Net<3>;
}
)";

/// Calls the handler with the callables of Source, then crashes.
void crash() {
  llvm::EnablePrettyStackTrace();
  auto Files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  Files->addFile("/net.h", 0, llvm::MemoryBuffer::getMemBuffer(Source));
  const scan::ScanRequest Request{{"clang++", "-fsyntax-only", "-x", "c++-header", "/net.h"}, Files};
  scan::scanFile(Request, [](llvm::ArrayRef<scan::ScannedCallable> Callables, const scan::Bodies&, const scan::Macros&, scan::Reporter&) {
    const scan::CallableInHand Trace(*Callables.front().Declaration);
    std::abort();
  });
}

TEST(CallableInHandDeathTest, IsNamedInTheStackDump) {
  EXPECT_DEATH(crash(), "working on the annotated 'app::Net<3>::forward' at /net.h:4:18");
}

}  // namespace
