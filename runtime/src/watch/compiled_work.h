// SPDX-License-Identifier: Apache-2.0
//
// Notices what a compiled model does on a CPU, where its kernels are not operators of LibTorch: a tape would leave it out.
#pragma once

#include "watch/observer.h"
#include "watch/recording.h"

#include <ATen/core/Tensor.h>
#include <c10/core/StorageImpl.h>
#include <graphed/impl/inputs.h>

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

namespace graphed::impl {

/// Of one run. The content of memory that operators wrote is the same when the next operator reads it, unless something else has written
/// it.
class compiled_work final : public observer {
 public:
  /// Adds itself to `seen`, before its first operator. Null where the device is not the CPU or no model is loaded: nothing is to be
  /// noticed.
  static std::shared_ptr<compiled_work> watch(recording& seen, c10::Device device, at::TensorList arguments);
  explicit compiled_work(const outside_watch& memory) : memory_(memory) {}

  void before(const operator_call& call) override;
  void after(const operator_call& call, c10::ArrayRef<c10::IValue> results) override;
  /// After the run: why no tape can hold it, or empty. Nothing else holds the results.
  std::string objection(const tensor_list& results) const;

 private:
  struct content {
    c10::weak_intrusive_ptr<c10::StorageImpl> memory;  ///< no other memory gets its address
    std::size_t hash;
  };
  void note(const at::Tensor& tensor);
  bool is_changed(const c10::StorageImpl* memory) const;

  const outside_watch& memory_;
  std::unordered_map<const c10::StorageImpl*, content> known_;
  bool is_found_ = false;
};

}  // namespace graphed::impl
