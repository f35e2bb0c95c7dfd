// SPDX-License-Identifier: Apache-2.0
#include "watch/run_in_hand.h"

namespace graphed::impl {
namespace {

thread_local run_in_hand* innermost = nullptr;
thread_local uint64_t runs = 0;

}  // namespace

run_in_hand::run_in_hand() : outer_(innermost), number_(++runs) { innermost = this; }

run_in_hand::~run_in_hand() { innermost = outer_; }

run_in_hand* run_in_hand::current() { return innermost; }

std::string run_in_hand::place() { return innermost == nullptr ? "" : " in " + innermost->words(); }

}  // namespace graphed::impl
