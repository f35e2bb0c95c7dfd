// SPDX-License-Identifier: Apache-2.0
#include "watch/body.h"

#include "watch/recorder.h"

#include <atomic>
#include <utility>

namespace graphed::impl {

const body_place* current_body() {
  const auto seen = active_recording();
  return seen == nullptr ? nullptr : seen->body();
}

std::string next_choice() {
  const auto seen = own_recording();
  if (seen == nullptr) {
    return {};
  }
  body_place* const place = seen->body();
  return place == nullptr ? "/" + std::to_string(seen->count_choice()) : place->path + "/" + std::to_string(place->choices++);
}

void use_also(uint64_t visit) {
  if (const auto seen = own_recording()) {
    seen->use_also(visit);
  }
}

static uint64_t next_visit() {
  static std::atomic<uint64_t> visits{0};
  return ++visits;
}

body_scope::body_scope(std::string path, bool is_condition)
    : seen_(own_recording()), here_{std::move(path), next_visit(), seen_ == nullptr ? nullptr : seen_->body()} {
  here_.is_condition = is_condition;
  if (seen_ != nullptr) {
    seen_->enter_body(&here_);
  }
}

body_scope::~body_scope() {
  if (seen_ != nullptr) {
    seen_->leave_body(here_);
  }
}

}  // namespace graphed::impl
