// SPDX-License-Identifier: Apache-2.0
#include "distributed/last_words.h"

#include "distributed/group.h"
#include "report/text.h"

#include <chrono>
#include <cstdlib>
#include <exception>
#include <future>
#include <string>
#include <thread>
#include <utility>

namespace graphed::impl {
namespace {

std::terminate_handler former = nullptr;

std::string text_of_current_exception() {
  try {
    std::rethrow_exception(std::current_exception());
  } catch (const std::exception& error) {
    return message_of(error);
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

// By a thread of its own: this one may hold the lock of a connection.
void tell_ranks() {
  if (!std::current_exception()) {
    return;
  }
  constexpr std::chrono::seconds longest{4};
  std::promise<void> told;
  const auto end = told.get_future();
  std::thread([why = text_of_current_exception(), told = std::move(told)]() mutable {
    for (const auto& each : group::living()) {
      each->end_uncaught(why);
    }
    told.set_value();
  }).detach();
  end.wait_for(longest);
}

[[noreturn]] void terminate() noexcept {
  try {
    tell_ranks();
  } catch (...) {  // there is no memory, or no thread
  }
  if (former != nullptr) {
    former();
  }
  std::abort();
}

}  // namespace

void tell_ranks_of_uncaught_exceptions() {
  static const bool is_set = [] {
    former = std::set_terminate(&terminate);
    return true;
  }();
  static_cast<void>(is_set);
}

}  // namespace graphed::impl
