// SPDX-License-Identifier: Apache-2.0
//
// Sizes and times as messages show them.
#include <gtest/gtest.h>
#include <report/ledger.h>
#include <report/text.h>

#include <limits>
#include <string>

namespace units_test {

using namespace graphed::impl;

constexpr uint64_t kibi = 1024;

TEST(Units, BytesBelowAKibibyteAreExact) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1), "1 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
}

TEST(Units, BytesAreRoundedToATenth) {
  EXPECT_EQ(human_bytes(kibi), "1.0 KiB");
  EXPECT_EQ(human_bytes(37 * kibi), "37.0 KiB");
  EXPECT_EQ(human_bytes(37 * kibi + 51), "37.0 KiB");
  EXPECT_EQ(human_bytes(37 * kibi + 52), "37.1 KiB");
  EXPECT_EQ(human_bytes(3 * kibi * kibi / 2), "1.5 MiB");
  EXPECT_EQ(human_bytes(141 * kibi * kibi * kibi), "141.0 GiB");
}

TEST(Units, BytesThatRoundUpToTheNextUnitAreInIt) {
  EXPECT_EQ(human_bytes(kibi * kibi - 52), "1023.9 KiB");
  EXPECT_EQ(human_bytes(kibi * kibi - 51), "1.0 MiB");
  EXPECT_EQ(human_bytes(kibi * kibi), "1.0 MiB");
  EXPECT_EQ(human_bytes(kibi * kibi * kibi * kibi - 1), "1.0 TiB");
}

TEST(Units, TheLargestNumberOfBytes) { EXPECT_EQ(human_bytes(std::numeric_limits<uint64_t>::max()), "16.0 EiB"); }

TEST(Units, Microseconds) {
  EXPECT_EQ(human_time(0), "0 us");
  EXPECT_EQ(human_time(0.04), "0 us");
  EXPECT_EQ(human_time(0.06), "0.1 us");
  EXPECT_EQ(human_time(11.9), "11.9 us");
  EXPECT_EQ(human_time(12), "12 us");
  EXPECT_EQ(human_time(999.9), "999.9 us");
}

TEST(Units, MillisecondsAndSeconds) {
  EXPECT_EQ(human_time(1000), "1.0 ms");
  EXPECT_EQ(human_time(3400), "3.4 ms");
  EXPECT_EQ(human_time(14561.8), "14.6 ms");
  EXPECT_EQ(human_time(1.2e6), "1.2 s");
  EXPECT_EQ(human_time(9e7), "90.0 s");
  EXPECT_EQ(human_time(3.6e10), "36000.0 s");
}

TEST(Units, TimesThatRoundUpToTheNextUnitAreInIt) {
  EXPECT_EQ(human_time(999.94), "999.9 us");
  EXPECT_EQ(human_time(999.95), "1.0 ms");
  EXPECT_EQ(human_time(999949), "999.9 ms");
  EXPECT_EQ(human_time(999950), "1.0 s");
}

TEST(Ledger, MessagesThatDifferInNumbersAloneAreOne) {
  ledger of_engine;
  EXPECT_TRUE(of_engine.first_message("Tried to allocate 20.00 MiB at 0x7f00, of which 12.31 MiB is free"));
  EXPECT_FALSE(of_engine.first_message("Tried to allocate 2.5 MiB at 0x55aa, of which 3 MiB is free"));
  EXPECT_TRUE(of_engine.first_message("Tried to allocate 2.5 KiB at 0x55aa, of which 3 MiB is free"));
  EXPECT_TRUE(of_engine.first_message("expected [16, 8], got [3, 8]"));
  EXPECT_FALSE(of_engine.first_message("expected [16, 8], got [512, 1e8]"));
}

TEST(Ledger, MessagesOfOtherNamesAndPlacesAreOthers) {
  ledger of_engine;
  for (const char* message : {"parameter 'x1'", "parameter 'x2'", "at operator aten::conv1d", "at operator aten::conv2d",
                              "in app::loss (loss.cpp:31)", "in app::loss (loss.cpp:32)", "f32", "f64"}) {
    EXPECT_TRUE(of_engine.first_message(message)) << message;
    EXPECT_FALSE(of_engine.first_message(message)) << message;
  }
}

TEST(Ledger, RemembersSoManyWarnings) {
  ledger of_engine;
  EXPECT_TRUE(of_engine.first("slower"));
  for (std::size_t i = 0; i < ledger::remembered; ++i) {
    EXPECT_FALSE(of_engine.first("slower"));
    EXPECT_TRUE(of_engine.first("other " + std::to_string(i)));
  }
  EXPECT_TRUE(of_engine.first("slower")) << "of the oldest one nothing is known any more";
  EXPECT_FALSE(of_engine.first("other 1"));
}

}  // namespace units_test
