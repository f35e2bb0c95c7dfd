// SPDX-License-Identifier: Apache-2.0
//
// A part of a callable that runs on the host. For the dispatcher it is an operator, graphed::host_part: a tape replays it as any other. A
// CUDA capture ends one piece of its graph there, and begins the next.
#pragma once

#include "watch/outside_watch.h"

#include <graphed/error.h>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/intrusive_ptr.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

namespace graphed::impl {

class host_part final : public torch::CustomClassHolder {
 public:
  host_part(std::function<std::vector<at::Tensor>()> run, bool has_results) : run_(std::move(run)), has_results_(has_results) {}

  /// Runs it, unseen by any recording, without gradients and autocast. Nothing else holds the memory of the results. Meanwhile leaves have
  /// the `.grad` that they had in the capture; if it throws, they keep copies.
  std::vector<at::Tensor> run() const;
  /// Of a step that is captured: leaves have another `.grad` here than at its beginning.
  void show_gradients(gradients_by_leaf gradients) { gradients_ = std::move(gradients); }
  /// Whether it returns tensors.
  bool has_results() const { return has_results_; }
  /// It does not run again.
  void forget() { run_ = nullptr; }
  /// Where it is written: lambdas of two places have two types.
  std::type_index type() const { return run_.target_type(); }

 private:
  std::function<std::vector<at::Tensor>()> run_;
  const bool has_results_;
  gradients_by_leaf gradients_;
};

/// The layout of a result of a host part.
struct host_result {
  explicit host_result(const at::Tensor& tensor);
  bool operator==(const host_result& other) const;
  bool operator!=(const host_result& other) const { return !(*this == other); }
  /// "f32[8, 4] on cuda:0".
  std::string words() const;

  std::vector<int64_t> sizes, strides;
  c10::ScalarType dtype;
  c10::Device device;
};
using host_results = std::vector<host_result>;
host_results results_of(const std::vector<at::Tensor>& tensors);
/// In a replay. Who knows the callable adds its name.
class changed_host_results : public Error {
 public:
  using Error::Error;
};
/// Throws that where a replay's results have another layout than at the capture. A number has no device.
void check_results(const std::vector<at::Tensor>& now, const std::vector<at::Tensor>& at_capture);

/// What is between two pieces of a graph: the host part, and tensors that the piece after it reads its results from.
struct between_pieces {
  /// In a replay. Throws as check_results.
  void run() const;

  c10::intrusive_ptr<host_part> part;
  std::vector<at::Tensor> results;
};

/// A capture that does not execute what it captures.
class piecewise_capture {
 public:
  piecewise_capture() = default;
  virtual ~piecewise_capture() = default;
  piecewise_capture& operator=(piecewise_capture&&) = delete;

  /// On the thread that captures: what comes after this is another piece. Throws CaptureError where none can begin.
  virtual void end_piece(between_pieces what) = 0;
  /// What the next piece does with the results is captured, and its operators follow.
  virtual void begin_operators() = 0;
};

/// A host part of a run: that of this type, for the n-th time.
using host_part_turn = std::pair<std::type_index, std::size_t>;
using thrown_by_host_parts = std::map<host_part_turn, std::exception_ptr>;

class host_part_turns {
 public:
  host_part_turn next(const host_part& part) { return {part.type(), turns_[part.type()]++}; }

 private:
  std::map<std::type_index, std::size_t> turns_;
};

/// While it lives, host parts that this thread comes to throw again what they have thrown in another run, and do not run.
class exceptions_again {
 public:
  explicit exceptions_again(thrown_by_host_parts thrown);
  ~exceptions_again();
  exceptions_again& operator=(exceptions_again&&) = delete;

  void come_to(const host_part& part);

 private:
  exceptions_again* const outer_;
  const thrown_by_host_parts thrown_;
  host_part_turns turns_;
};

/// The host parts that one run of a callable comes to.
class host_parts_of_run {
 public:
  /// They must not write these, nor draw from the device's generator.
  void guard(c10::ArrayRef<at::Tensor> arguments, c10::Device device);
  /// None is run: `capture` ends a piece, and the results are like those that other runs have shown.
  void end_pieces_of(piecewise_capture& capture, c10::Device device);
  /// None is run, and none can be captured: `why` ends the capture at the first one.
  void refuse(std::string why) { refusal_ = std::move(why); }
  /// None is run, in a rehearsal of a capture that runs them: the results are zeros, like those that other runs have shown.
  void skip(c10::Device device);
  void expect(std::vector<host_results> shown) { expected_ = std::move(shown); }

  /// The run has come to it. Returns its results.
  std::vector<at::Tensor> pass(const c10::intrusive_ptr<host_part>& part);

  /// Of each in its turn.
  const std::vector<host_results>& all() const { return passed_; }
  /// Whether the capture has ended as refuse() says.
  bool is_refused() const { return is_refused_; }
  bool has_skipped() const { return skips_ && !passed_.empty(); }
  /// Whether the capture has ended because no other run has shown what a host part returns.
  bool lacks_results() const { return lacks_results_; }
  /// Why no capture can stand for the run, or empty.
  const std::string& objection() const { return objection_; }
  /// What the run has come to.
  const std::vector<c10::intrusive_ptr<host_part>>& parts() const { return parts_; }
  /// By those that have run.
  const thrown_by_host_parts& thrown() const { return thrown_; }

 private:
  std::vector<at::Tensor> results_of(const c10::intrusive_ptr<host_part>& part);
  std::vector<at::Tensor> run(const host_part& part);
  /// Room for its results.
  std::vector<at::Tensor> expect_next(const host_part& part);
  std::vector<at::Tensor> end_piece(const c10::intrusive_ptr<host_part>& part);
  struct argument_state {
    int64_t version;   ///< 0: it has none
    at::Tensor bytes;  ///< where writes need not show in its version; else undefined
  };
  using argument_states = std::vector<argument_state>;
  argument_states states() const;
  bool writes_argument(const argument_states& before) const;
  /// From the device's generator.
  uint64_t drawn() const;

  std::vector<at::Tensor> arguments_;
  piecewise_capture* capture_ = nullptr;  ///< null: they run, or are skipped
  bool skips_ = false;
  c10::Device device_{c10::kCPU};
  std::vector<host_results> expected_, passed_;
  host_part_turns turns_;
  thrown_by_host_parts thrown_;
  std::vector<c10::intrusive_ptr<host_part>> parts_;
  std::string objection_, refusal_;
  bool lacks_results_ = false, is_refused_ = false;
};

/// While it lives, what host parts return on this thread outside of a recording is noted, but not what they call. Scopes nest.
class host_results_watch {
 public:
  host_results_watch();
  ~host_results_watch();
  host_results_watch& operator=(host_results_watch&&) = delete;

  /// Of each in its turn.
  const std::vector<host_results>& passed() const { return passed_; }

 private:
  friend std::vector<at::Tensor> run_unrecorded(const host_part& part);

  host_results_watch* const outer_;
  std::vector<host_results> passed_;
};

}  // namespace graphed::impl
