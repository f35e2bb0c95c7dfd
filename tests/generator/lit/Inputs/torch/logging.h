// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for LibTorch's logging and its checks that abort.
#pragma once

#include <torch/torch.h>

namespace c10 {
constexpr int GLOG_FATAL = 3;
constexpr int GLOG_INFO = 0;
struct MessageLogger {
  MessageLogger(int severity, bool exit_on_fatal = true);
  ~MessageLogger() noexcept(false);
  std::ostream& stream();
};
struct LoggerVoidify {
  void operator&(const std::ostream& stream);
};
void warn(const std::string& message);
namespace WarningUtils {
bool get_warnAlways();
}
}  // namespace c10

#define CHECK(condition) (condition) ? (void)0 : ::c10::LoggerVoidify() & ::c10::MessageLogger(::c10::GLOG_FATAL).stream() << "Check failed: "
#define TORCH_CHECK_EQ(a, b) \
  ((a) == (b)) ? (void)0 : ::c10::LoggerVoidify() & ::c10::MessageLogger(::c10::GLOG_FATAL, false).stream() << (a) << " vs. " << (b)
#define LOG(severity) ::c10::MessageLogger(::c10::GLOG_##severity).stream()
#define TORCH_WARN(...) ::c10::warn(::c10::str(__VA_ARGS__))
#define TORCH_WARN_ONCE(...)                                                   \
  if (::c10::WarningUtils::get_warnAlways()) {                                 \
    TORCH_WARN(__VA_ARGS__);                                                   \
  } else {                                                                     \
    [[maybe_unused]] static const auto once = [&] { TORCH_WARN(__VA_ARGS__); return true; }(); \
  }
