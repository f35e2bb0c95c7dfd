// SPDX-License-Identifier: Apache-2.0
//
// A flag that its tensor cannot have is an error at the flag.
#include "annotation/FlagRules.h"

#include "MarkedText.h"

namespace graphgen::annotation {
namespace {

void expectMisused(const std::string& Id, const std::string& Marked, const std::vector<std::string>& Messages) {
  SCOPED_TRACE(Marked);
  const MarkedText Input = unmark(Marked);
  expectDiagnostics(checkFlags(parsed(Input.Text)), Id, Input.Ranges, Messages);
}

TEST(FlagRules, TakeFlagsThatFit) {
  for (const char* Text : {"", "x: f32[2] grad inplace static optional", "x: f8e4m3[2] grad, y: c64[2] grad",
                           "x: u8[1, 2, 3, 4] channels_last", "x: f32[1, 2, 3, 4, 5] channels_last grad", "x: f32[2] host optional",
                           "x: f32[1, 2, 3, 4] host channels_last", "n: key", "hs: f32[1, 2, 3, 4] channels_last * 2"}) {
    expectMisused("", Text, {});
  }
}

TEST(FlagRules, WantFourOrFiveDimensionsForChannelsLast) {
  const std::string Expected = "'channels_last' is for tensors of 4 or 5 dimensions, but ";
  expectMisused("graphed-flag", "x: f32[] <channels_last>", {Expected + "'x' has 0"});
  expectMisused("graphed-flag", "x: f32[1, 2, 3] grad <channels_last>", {Expected + "'x' has 3"});
  expectMisused("graphed-flag", "x: f32[1, 2, 3, 4, 5, 6] <channels_last>", {Expected + "'x' has 6"});
  expectMisused("graphed-flag", "b: {img: f32[1, 2] <channels_last>}, t: {f32[1] <channels_last>}",
                {Expected + "'img' has 2", Expected + "it has 1"});
}

TEST(FlagRules, WantNoPaddingOfStaticTensors) {
  const std::string Expected = "a 'static' tensor is not copied and so cannot be padded, but 'x' has the padded dimension 'B'";
  expectMisused("graphed-flag", "x: f32[2, B] <static>, y: f32[B]; B in {1} pad", {Expected});
  expectMisused("graphed-flag", "x: f32[2, B] static; B in {1, 2}", {});
}

TEST(FlagRules, WantHostTensorsToBeCopiedAlone) {
  const std::string Expected = "a 'host' tensor is copied to the device by each call, so 'x' cannot be ";
  expectMisused("graphed-flag", "x: f32[2] <host> grad", {Expected + "'grad'"});
  expectMisused("graphed-flag", "x: f32[2] inplace <host>", {Expected + "'inplace'"});
  expectMisused("graphed-flag", "x: f32[2] static <host>", {Expected + "'static'"});
}

TEST(FlagRules, WantNoGradientsWhereResultsGoToTheHost) {
  const std::string Expected = "results in the memory of the host have no history: with 'outputs = host', 'w' cannot be 'grad'";
  expectMisused("graphed-flag", "x: f32[2] host, w: f32[2] <grad>; outputs = host", {Expected});
  expectMisused("graphed-flag", "x: f32[2] host, w: f32[2] grad; outputs = host, step", {});
  expectMisused("graphed-flag", "x: f32[2] host, w: f32[2] grad; outputs = clone", {});
}

TEST(FlagRules, WantFloatingPointOrComplexNumbersForGrad) {
  const std::string Expected = "only floating-point and complex tensors can require grad, but ";
  expectMisused("graphed-dtype", "x: i64[2] <grad>, y: f32[2] grad, z: bool[2] <grad>",
                {Expected + "'x' is i64", Expected + "'z' is bool"});
  expectMisused("graphed-dtype", "b: {act: u8[2] <grad>} * 2", {Expected + "'act' is u8"});
}

}  // namespace
}  // namespace graphgen::annotation
