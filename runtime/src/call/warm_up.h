// SPDX-License-Identifier: Apache-2.0
//
// A call that runs the callable itself, and watches what it does.
#pragma once

#include "call/admission.h"
#include "capture/restored_state.h"
#include "watch/compiled_work.h"
#include "watch/recorder.h"

#include <c10/util/FunctionRef.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace graphed::impl {

class warm_up {
 public:
  /// Begins the run, on the caller's stream: memory that the caller lets go of while the GPU lags behind is used again in the order of that
  /// stream, as in eager mode. Keeps a reference.
  explicit warm_up(admission& call);
  /// What the callable gets in the place of an argument.
  void add_argument(const at::Tensor& argument);
  /// Its run has ended.
  void end(const tensor_list& results);

 private:
  tensor_list with_carried(tensor_list results) const;
  /// Of a step, before it runs.
  void look_at_gradients();
  /// Whether calls have other keys from now on. Under the engine's mutex.
  bool note_gradients();
  /// A callable that changes what it will read cannot be captured, and a try would change it once more.
  void refuse_unstable(const tensor_list& results);
  /// Where no tensor shows the device, what was returned or used does. This warm-up counts for the key of that device.
  void learn_device(const tensor_list& results);

  admission& call_;
  std::shared_ptr<recording> seen_;
  std::shared_ptr<compiled_work> compiled_;
  std::string objection_;           ///< to what models do
  std::vector<at::Tensor> leaves_;  ///< of a step, as far as they are known
  std::unordered_map<const c10::TensorImpl*, bool> had_gradients_;
  std::optional<recording_scope> watching_;
};

enum class collectives : uint8_t {
  run,       ///< all ranks come to this
  left_out,  ///< this rank alone does: the run shows shapes, not values
};

/// A run whose changes `before` takes back when it ends: a warm-up where it runs collectives. Returns how its results are stored.
std::vector<tensor_layout> run_tracelessly(admission& call, c10::function_ref<tensor_list(tensor_list&)> body, restored_state& before,
                                           collectives ranks = collectives::run);
/// Before the replay of a padded call whose results are to be cut down to shapes that no call has shown yet.
void learn_padded_form(admission& call, c10::function_ref<tensor_list(tensor_list&)> body);
/// From now on calls of the key need none.
void end_warmups(const admission& call);

/// The first call of a new key after many that were never captured, whose `value` is another one in each: no warm-up. `warning` is empty
/// where the value has no name. It throws under `strict`.
void turn_away_new_key(admission& call, const std::string& value, const std::string& warning);

}  // namespace graphed::impl
