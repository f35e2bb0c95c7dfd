// SPDX-License-Identifier: Apache-2.0
//
// What the write set of a callable holds, as text.
#include "check/WriteSet.h"
#include "scan/ScanFile.h"

#include <gtest/gtest.h>

namespace graphgen::check {
namespace {

/// That of the callables of a file, which has LibTorch's stand-in before it.
std::string writeSetOf(const std::string& Source) {
  const auto Files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  const auto Memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  Files->pushOverlay(Memory);
  const std::string Path = std::string(GRAPHGEN_TEST_INPUTS) + "/written.cpp";
  Memory->addFile(Path, 0, llvm::MemoryBuffer::getMemBufferCopy("#include <torch/torch.h>\n#include <graphed/annotate.h>\n" + Source));
  std::string Text;
  llvm::raw_string_ostream Stream(Text);
  const std::string Inputs = std::string("-I") + GRAPHGEN_TEST_INPUTS, Runtime = std::string("-I") + GRAPHGEN_RUNTIME_INCLUDE;
  const std::vector<std::string> Command = {
      "clang++", "-std=c++17", "-fsyntax-only", "-DGRAPHGEN_SCAN", "-resource-dir", GRAPHGEN_RESOURCES, Inputs, Runtime, Path};
  const auto Print = [&](llvm::ArrayRef<scan::ScannedCallable> Callables, const scan::Bodies& Bodies, const scan::Macros&,
                         scan::Reporter&) {
    for (const auto& Writes : writesInWords(Callables, Bodies)) {
      for (const annotation::Write& Told : Writes.value()) {
        Stream << Told.Target << ": written by '" << Told.Operation << "', " << Told.Outcome << '\n';
      }
    }
  };
  EXPECT_TRUE(scan::scanFile({Command, Files}, Print).Ok) << Source;
  return Text;
}

TEST(WriteSet, TellsArgumentsByTheirMarks) {
  EXPECT_EQ(writeSetOf(R"(
GRAPHED(x: f32[2] inplace, y: f32[2], z: f32[2] static inplace)
void f(torch::Tensor x, torch::Tensor y, torch::Tensor z) {
  x.add_(y);
  y[0] = z;
  z.zero_();
  y.t_();
})"),
            "the argument 'x': written by 'add_', copied back to the caller's tensor\n"
            "the argument 'y': written by '=', refused: the original function runs\n"
            "the argument 'z': written by 'zero_', kept in place\n"
            "the argument 'y': written by 't_', refused: the original function runs\n");
}

TEST(WriteSet, TellsMembersAndGlobalsByWhatIsDone) {
  EXPECT_EQ(writeSetOf(R"(
torch::Tensor count;
struct Net {
  GRAPHED(x: f32[2]) void forward(const torch::Tensor& x) {
    update(x);
    update(x);
    count += x;
    last = x;
  }
  void update(const torch::Tensor& x) { mean.mul_(0.9).add_(x); }
  torch::Tensor mean, last;
};)"),
            "'count': written by '+=', kept in place\n"
            "the member 'last': written by '=', assigned by each call\n"
            "the member 'mean': written by 'mul_', kept in place\n"
            "the member 'mean': written by 'add_', kept in place\n");
}

TEST(WriteSet, TellsObjectsWithTensors) {
  EXPECT_EQ(writeSetOf(R"(
struct Cell {
  torch::Tensor h;
  int steps;
};
struct Net {
  GRAPHED(x: f32[2]) void forward(const torch::Tensor& x) { cell = Cell{x + x, 1}; }
  Cell cell;
};)"),
            "the member 'cell': written by '=', assigned by each call\n");
}

TEST(WriteSet, TellsListsThatAreFilledAndWhatMayBeACopy) {
  EXPECT_EQ(writeSetOf(R"(
struct Net {
  GRAPHED(x: f32[2], y: f32[2] inplace) void forward(const torch::Tensor& x, torch::Tensor y) {
    outputs.clear();
    outputs.push_back(x);
    std::vector<torch::Tensor> own;
    own.push_back(x);
    y.reshape({2}).add_(x);
  }
  std::vector<torch::Tensor> outputs;
};)"),
            "the member 'outputs': written by 'push_back', assigned by each call\n"
            "the argument 'y', or a copy of it: written by 'add_', copied back to the caller's tensor\n");
}

TEST(WriteSet, LeavesOutWhatDoesNotOutliveTheCall) {
  EXPECT_EQ(writeSetOf(R"(
GRAPHED(x: f32[2])
torch::Tensor f(const torch::Tensor& x) {
  torch::Tensor y = x + x;
  y.add_(x);
  y = y + x;
  return y;
})"),
            "");
}

}  // namespace
}  // namespace graphgen::check
