// SPDX-License-Identifier: Apache-2.0
#include <graphed/impl/watched.h>

#include <ATen/core/ivalue.h>

namespace graphed::impl {

// A later script at the same address has another compilation unit.
void WatchedMembers::script(const c10::ivalue::Object* module) {
  scripts_.push_back(members_.size());
  append(static_cast<const void*>(module));
  owners_.push_back(module == nullptr ? nullptr : const_cast<c10::ivalue::Object*>(module)->compilation_unit());
  if (module != nullptr) {
    slots_of(*module);
  }
}

void WatchedMembers::slots_of(const c10::ivalue::Object& module) {
  for (const c10::IValue& slot : module.slots()) {
    if (slot.isTensor()) {
      value(slot.toTensor());
    } else if (slot.isBool()) {
      number(slot.toBool());
    } else if (slot.isInt()) {
      number(slot.toInt());
    } else if (slot.isDouble()) {
      number(slot.toDouble());
    } else if (slot.isString()) {
      text(slot.toStringRef());
    } else if (slot.isObject()) {
      slots_of(slot.toObjectRef());
    }
  }
}

}  // namespace graphed::impl
