// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the stand-alone API share.
#pragma once

#include "device_test.h"

#include <graphed/capture.h>

#include <functional>
#include <string>

namespace graphed::testing {

/// A graph of what `body` does.
inline ExecutableGraph make_graph(c10::Device device, const std::function<void()>& body, const PoolHandle& pool = {}) {
  Graph graph(device);
  {
    const graphed::CaptureGuard scope(graph, {std::nullopt, pool});
    body();
  }
  return graph.instantiate();
}

/// The text of what `action` throws as an Error, or what went otherwise.
template <class Error, class F>
std::string text_of(F&& action) {
  try {
    action();
  } catch (const std::exception& thrown) {
    return dynamic_cast<const Error*>(&thrown) != nullptr ? thrown.what() : std::string("another type of exception: ") + thrown.what();
  }
  return "nothing was thrown";
}

inline ::testing::AssertionResult contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos ? ::testing::AssertionSuccess()
                                              : ::testing::AssertionFailure() << "'" << text << "' has no '" << part << "'";
}

}  // namespace graphed::testing
