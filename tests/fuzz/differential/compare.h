// SPDX-License-Identifier: Apache-2.0
//
// A program's eager run against its graphed one, bit for bit.
#pragma once

#include "conditions.h"
#include "program.h"
#include "training/program.h"

#include <graphed/stats.h>

#include <c10/core/Device.h>

#include <optional>
#include <string>

namespace graphed::fuzz {

struct comparison {
  std::optional<std::string> difference;
  Statistics stats;  ///< of all callables of the graphed run: calls, replays and captures
};

/// Adds counts, but not microseconds and bytes.
void add(Statistics& total, const Statistics& more);

comparison compare(const program& program, c10::Device device, const conditions& on);
comparison compare(const training::program& program, c10::Device device, const conditions& on);

}  // namespace graphed::fuzz
