// SPDX-License-Identifier: Apache-2.0
#include "backend.h"

#include <array>

namespace graphed {
namespace {

auto& backends() {
  static std::array<backend*, static_cast<std::size_t>(c10::COMPILE_TIME_MAX_DEVICE_TYPES)> table{};
  return table;
}

}  // namespace

backend* backend_for(c10::DeviceType type) { return backends()[static_cast<std::size_t>(type)]; }

void register_backend(c10::DeviceType type, backend* implementation) { backends()[static_cast<std::size_t>(type)] = implementation; }

}  // namespace graphed
