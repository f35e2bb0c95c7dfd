// SPDX-License-Identifier: Apache-2.0
#include "restored_state.h"

#include "log.h"
#include "random_state.h"
#include "staging.h"

namespace graphed {

restored_state::restored_state(c10::Device device) : device_(device), random_(random_state(device)) {}

void restored_state::save(const at::Tensor& tensor) { values_.emplace_back(tensor, copy_of(tensor)); }

restored_state::~restored_state() {
  try {
    set_random_state(device_, random_);
    for (auto value = values_.rbegin(); value != values_.rend(); ++value) {
      copy_value(value->first, value->second);
    }
  } catch (const std::exception& error) {
    warn(std::string("graphed: putting back what a callable changed failed: ") + error.what());
  }
}

}  // namespace graphed
