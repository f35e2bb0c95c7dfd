// SPDX-License-Identifier: Apache-2.0
//
// The pages of docs/ that messages lead to.
#pragma once

#include <string>
#include <string_view>

namespace graphed::impl {

namespace pages {
inline constexpr std::string_view streams_and_threads = "promises/streams-and-threads.md";
inline constexpr std::string_view calls_in_flight = "promises/calls-in-flight.md";
inline constexpr std::string_view compatibility = "compatibility.md";
inline constexpr std::string_view control_flow = "control-flow.md";
inline constexpr std::string_view distributed = "distributed.md";
inline constexpr std::string_view environment = "environment.md";
inline constexpr std::string_view failure = "promises/failure.md";
inline constexpr std::string_view frozen_update = "checks/graphed-torch-optim.md";
inline constexpr std::string_view guards = "promises/guards.md";
inline constexpr std::string_view host_parts = "host-parts.md";
inline constexpr std::string_view library_operators = "promises/no-gpu.md#operators-of-other-libraries";
inline constexpr std::string_view modes = "promises/modes.md";
inline constexpr std::string_view nested_capture = "promises/nested-capture.md";
inline constexpr std::string_view optim = "optim.md";
inline constexpr std::string_view padding = "padding.md";
inline constexpr std::string_view pools = "promises/pools.md";
inline constexpr std::string_view report = "report.md";
inline constexpr std::string_view second_order = "steps.md#gradients-of-gradients";
inline constexpr std::string_view slower_graphs = "promises/slower-graphs.md";
inline constexpr std::string_view standalone = "standalone.md";
inline constexpr std::string_view standalone_host_parts = "standalone.md#host-parts";
inline constexpr std::string_view warm_up = "promises/warm-up.md";
}  // namespace pages

/// "docs/promises/guards.md", or the page at GRAPHGEN_DOCS_URL where the build of the runtime names one.
std::string link_to_page(std::string_view page);
/// The end of a message: "; see docs/promises/guards.md".
std::string see(std::string_view page);

}  // namespace graphed::impl
