// SPDX-License-Identifier: Apache-2.0
//
// The static inputs of a capture: made within it, filled before each replay, and copied back where the callable writes them. Those of a
// step are also the gradients that others replace.
#pragma once

#include "backend/captured_graph.h"
#include "capture/result_set.h"
#include "capture/step_gradients.h"
#include "slot/call_details.h"
#include "slot/capture_site.h"
#include "slot/host_transfer.h"
#include "watch/recording.h"

#include <graphed/impl/inputs.h>

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace graphed::impl {

/// Thrown out of a capture where something keeps a static input that it shares with others: it must be made again, with inputs of its own.
struct kept_inputs {};

enum class input_memory : uint8_t { own, shared };

/// The first argument that is this very tensor, where it gets a gradient: autograd sums both in one order, and so a capture gets one tensor
/// for both. Else the argument itself.
std::size_t first_of_same(const SampleSpec& sample, const Inputs& inputs, std::size_t argument);

class static_arguments {
 public:
  explicit static_arguments(capture_site& site) : site_(site) {}

  // For a capture, in this order.

  /// Before it, under its lock: large inputs, at their places, in memory that captures have in common whose replays run one after another.
  /// Each writes its inputs before it reads them: so what counts is the largest capture's inputs, not the sum of all.
  std::vector<at::Tensor> make_shared(const Inputs& inputs);
  /// Within it, from here on. Of the leaves, copies of their gradients, or those themselves where backward graphs leave them in one place.
  void make(const Inputs& inputs, const call_details& details, std::vector<at::Tensor>&& shared, const std::vector<at::Tensor>& leaves,
            bool in_place);
  /// What is staged into: aliases, since whether the backward needs an input is known by who else holds it.
  std::vector<at::Tensor> staged() const;
  /// Makes what the callable gets.
  void make_passed(const Inputs& inputs, recording& seen);
  void find_written(const recording& seen);
  /// Throws kept_inputs where the callable, or an autograd graph, has put one aside: it would change with the next replay of any callable.
  void check_shared(const std::vector<bool>& saved, const tensor_list& results) const;
  /// What ends the capture by being copied back.
  std::vector<at::Tensor> find_copied_back();
  /// After it.
  void pin(executable& work) const;

  // For a call, on the current stream. `work` is null within a capture that executes. `host`: null where no argument goes that way.

  void stage(const Inputs& inputs, const call_details& details, executable* work, const host_transfer* host = nullptr);
  /// Arguments that are results of an earlier call and that their static inputs, once they have the bytes, can show instead. Nothing has to
  /// move when the replay overwrites those results. A state that goes round is one.
  std::vector<std::size_t> find_going_round(const Inputs& inputs, const call_details& details, const result_set& results) const;
  /// After stage(): these show their static inputs from now on, until the next call keeps them. The results stay where they are.
  void give_places(const std::vector<std::size_t>& going_round, const Inputs& inputs, result_set& results);
  /// After a replay that launched nothing: what was given a place shows the results again, as before the call.
  void take_back_places();
  /// Before a replay: moves what is still held of them.
  moved_storages keep(overwrite& next);
  /// Whether any is held.
  bool alive() const;
  /// Gives the replay the addresses where written arguments go.
  void stage_write_back(const Inputs& inputs, executable& work);
  /// Gives written arguments their values where the replay did not. True where it copied.
  bool write_back(const Inputs& inputs);
  /// The same after a replay that threw in between: they get what had been written by then.
  void write_back_partly(const Inputs& inputs);

  const std::vector<at::Tensor>& tensors() const { return tensors_; }
  /// What the callable got: the static inputs, or what it may write in their place.
  const std::vector<at::Tensor>& passed() const { return passed_; }
  const std::vector<at::Tensor>& live() const { return live_; }
  const std::vector<replaced_gradient>& gradients() const { return gradients_; }
  bool is_written(std::size_t argument) const { return written_[argument]; }
  /// The caller may write it again before the backward.
  bool is_on_host(std::size_t argument) const { return site_.has(argument, flags::host); }
  /// It is the same tensor as an earlier one.
  bool is_repeated(std::size_t argument) const { return repeats_[argument]; }

 private:
  /// An argument, or after those a gradient, that is written and whose value the caller's tensor gets.
  struct copied_back {
    std::size_t place;
    bool in_launch;  ///< of the call that is under way
  };
  /// One of the tensors, which is in memory of other captures as well.
  struct shared_input {
    std::size_t input;
    std::size_t holders;  ///< how many tensors use it before the callable runs
  };
  uint64_t stage_smaller(std::size_t input, const at::Tensor& argument, executable* work);
  const at::Tensor& written_at(std::size_t place) const;
  at::Tensor callers_at(std::size_t place, const Inputs& inputs) const;
  bool may_share(std::size_t input) const;
  at::DimVector strides_for(std::size_t input, const at::Tensor& argument, bool is_padded) const;
  bool can_show(std::size_t input, const at::Tensor& argument) const;
  void make_gradient(const at::Tensor& leaf, bool in_place);

  capture_site& site_;
  std::vector<at::Tensor> tensors_;
  std::vector<bool> repeats_;  ///< an earlier one of them
  std::vector<at::Tensor> passed_;
  std::vector<at::Tensor> live_;
  std::vector<replaced_gradient> gradients_;
  std::vector<shared_input> shared_;
  std::map<std::size_t, static_memory> given_places_;                 ///< by input
  std::vector<std::pair<static_memory*, static_memory*>> given_now_;  ///< by the last call: from which memory to which
  std::vector<bool> written_;
  std::vector<copied_back> copied_back_;
};

}  // namespace graphed::impl
