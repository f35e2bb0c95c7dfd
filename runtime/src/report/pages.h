// SPDX-License-Identifier: Apache-2.0
//
// The pages of docs/ that messages lead to.
#pragma once

#include <string>
#include <string_view>

namespace graphed::impl {

namespace pages {
inline constexpr std::string_view streams_and_threads = "explanation/streams-and-threads.md";
inline constexpr std::string_view calls_in_flight = "explanation/outputs.md#calls-in-flight";
inline constexpr std::string_view compatibility = "start/install.md#where-another-library-intercepts-operators";
inline constexpr std::string_view control_flow = "how-to/control-flow.md";
inline constexpr std::string_view distributed = "how-to/distributed.md";
inline constexpr std::string_view environment = "reference/environment.md";
inline constexpr std::string_view failure = "explanation/failure.md";
inline constexpr std::string_view frozen_update = "reference/checks/gradients.md#graphed-torch-optim";
inline constexpr std::string_view guards = "explanation/guards.md#what-to-do";
inline constexpr std::string_view host_parts = "how-to/host-parts.md";
inline constexpr std::string_view library_operators = "explanation/no-gpu.md#operators-of-other-libraries";
inline constexpr std::string_view modes = "explanation/guards.md#values-of-the-host";
inline constexpr std::string_view nested_capture = "explanation/streams-and-threads.md#nested-capture";
inline constexpr std::string_view optim = "how-to/training-steps.md#optimizers";
inline constexpr std::string_view padding = "how-to/padding.md";
inline constexpr std::string_view pools = "how-to/memory.md#share-a-pool";
inline constexpr std::string_view report = "reference/report.md";
inline constexpr std::string_view second_order = "how-to/training-steps.md#gradients-of-gradients";
inline constexpr std::string_view slower_graphs = "explanation/performance.md#when-a-graph-is-slower";
inline constexpr std::string_view standalone = "reference/standalone.md";
inline constexpr std::string_view standalone_host_parts = "reference/standalone.md#host-parts";
inline constexpr std::string_view warm_up = "explanation/how-it-works.md#warm-up";
}  // namespace pages

/// "docs/explanation/guards.md", or the page at GRAPHGEN_DOCS_URL where the build of the runtime names one.
std::string link_to_page(std::string_view page);
/// The end of a message: "; see docs/explanation/guards.md".
std::string see(std::string_view page);

}  // namespace graphed::impl
