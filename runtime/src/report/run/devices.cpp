// SPDX-License-Identifier: Apache-2.0
#include "report/run/devices.h"

#include <map>
#include <string>

namespace graphed::impl {
namespace {

json_object json_of(const reported_device& each) {
  json_object made;
  made.add("device", each.device);
  made.add("name", each.name);
  if (!each.compute_capability.empty()) {
    made.add("compute_capability", each.compute_capability);
  }
  return made;
}

}  // namespace

json_array devices_of(const reported_process& process) {
  std::map<std::string, const reported_device*> devices;
  for (const auto& callable : process.callables) {
    for (const auto& key : callable.keys) {
      for (const auto& capture : key.captures) {
        devices.emplace(capture.on.device, &capture.on);
      }
    }
  }
  json_array made;
  for (const auto& [name, device] : devices) {
    made.add(json_of(*device));
  }
  return made;
}

}  // namespace graphed::impl
