// SPDX-License-Identifier: Apache-2.0
#include "report/environment.h"

#include "report/pages.h"

#include <graphed/disable.h>
#include <graphed/error.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace graphed {
namespace {

[[noreturn]] void refuse(const char* name, std::string_view value, const char* expected) {
  throw error(std::string("graphed: the environment variable ") + name + ": expected " + expected + ", got '" + std::string(value) + "'" +
              see(pages::environment));
}

bool is_set(const char* name, const char* value) {
  const std::string_view text = value == nullptr ? "" : value;
  if (text.empty() || text == "0") {
    return false;
  }
  if (text != "1") {
    refuse(name, text, "0 or 1");
  }
  return true;
}

uint64_t count(const char* name, const char* value) {
  const std::string_view text = value == nullptr ? "" : value;
  uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!text.empty() && (failed != std::errc() || end != text.data() + text.size())) {
    refuse(name, text, "a number of calls");
  }
  return number;
}

log_level level(const char* name, const char* value) {
  const std::string_view text = value == nullptr ? "" : value;
  if (text.empty() || text == "warnings") {
    return log_level::warnings;
  }
  if (text == "off") {
    return log_level::off;
  }
  if (text == "captures") {
    return log_level::captures;
  }
  if (text != "calls") {
    refuse(name, text, "off, warnings, captures or calls");
  }
  return log_level::calls;
}

}  // namespace

environment environment::parse(const char* (*lookup)(const char* name)) {
  environment made;
  made.disable = is_set("GRAPHED_DISABLE", lookup("GRAPHED_DISABLE"));
  made.serial = is_set("GRAPHED_SERIAL", lookup("GRAPHED_SERIAL"));
  made.strict = is_set("GRAPHED_STRICT", lookup("GRAPHED_STRICT"));
  made.verify = count("GRAPHED_VERIFY", lookup("GRAPHED_VERIFY"));
  made.log = level("GRAPHED_LOG", lookup("GRAPHED_LOG"));
  const char* const folder = lookup("GRAPHED_DUMP");
  made.dump = folder == nullptr ? "" : folder;
  return made;
}

// Never destroyed: the destructors of objects in static storage read it as well.
const environment& environment::get() {
  static const auto& process = *new environment(parse([](const char* name) -> const char* { return std::getenv(name); }));
  return process;
}

namespace {

thread_local int depth = 0;

}  // namespace

disable::disable() noexcept { ++depth; }

disable::~disable() { --depth; }

bool is_disabled() { return depth != 0 || environment::get().disable; }

}  // namespace graphed
