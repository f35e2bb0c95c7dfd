// SPDX-License-Identifier: Apache-2.0
//
// The captures of one callable by their keys.
#pragma once

#include "ledger.h"
#include "module.h"
#include "slot.h"

#include <graphed/engine.h>

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace graphed {

struct captured_slot {
  std::shared_ptr<slot> serving;
  std::vector<const c10::TensorImpl*> module_tensors;  ///< which it was captured with
};

/// What calls of one key share.
struct entry {
  int warmups = 0;
  int failures = 0;
  std::vector<captured_slot> slots;
  std::vector<at::Tensor> seen_outside;  ///< by the last warm-up or capture
};

class engine_state {
 public:
  engine_state(const callable_spec& spec, const torch::nn::Module* module)
      : spec(spec), module(module), counts(std::make_shared<ledger>()) {}

  /// Throws guard_error if a constant has another value than at first.
  void check_constants(const scalars& scalars);
  std::shared_ptr<entry> find(const std::string& key);
  void reset();

  const callable_spec& spec;
  const watched_module module;
  const std::shared_ptr<ledger> counts;
  std::mutex mutex;  ///< guards what follows, the entries and their fields
  c10::Device result_device{c10::kCPU};

 private:
  std::unordered_map<std::string, std::shared_ptr<entry>> entries_;
  std::vector<scalars::constant_value> constants_;
};

}  // namespace graphed
