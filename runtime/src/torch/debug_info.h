// SPDX-License-Identifier: Apache-2.0
//
// The places of a thread's debug information, which goes with its work to autograd's threads, where the runtime keeps what is going on. Up
// to LibTorch 2.12 they are places that are there for tests.
#pragma once

#include "torch/libtorch_version.h"

#include <c10/util/ThreadLocalDebugInfo.h>

#include <string_view>

namespace graphed::impl {

#if GRAPHED_LIBTORCH_AT_LEAST(2, 13)
inline constexpr std::string_view recording_info_name = "graphed recording";
inline constexpr std::string_view stand_ins_info_name = "graphed stand-ins";
inline constexpr c10::DebugInfoKind recording_info_kind(&recording_info_name);
inline constexpr c10::DebugInfoKind stand_ins_info_kind(&stand_ins_info_name);
#else
inline constexpr auto recording_info_kind = c10::DebugInfoKind::TEST_INFO;
inline constexpr auto stand_ins_info_kind = c10::DebugInfoKind::TEST_INFO_2;
#endif

/// Nothing observes what this thread does from now on.
inline void drop_debug_info() { c10::ThreadLocalDebugInfo::_forceCurrentDebugInfo(nullptr); }

}  // namespace graphed::impl
