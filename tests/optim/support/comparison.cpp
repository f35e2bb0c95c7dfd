// SPDX-License-Identifier: Apache-2.0
#include "comparison.h"

#include "support/device_test.h"
#include "support/expected.h"

#include <algorithm>
#include <limits>
#include <sstream>

namespace graphed::testing {
namespace {

using at::Tensor;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What a case does, step by step, beside Python's.
class beside_python {
 public:
  beside_python(const optimizer_case& which, c10::Device device)
      : which_(which), expected_(figures::of(device)), trained_(which, expected_["initial"], device) {}

  Tensor gradients() const { return expected_[which_.has("scaler") ? "overflowing" : "gradients"]; }
  trainer& trained() { return trained_; }

  void note(int64_t step, const Tensor& norm) {
    const Tensor ours = trained_.parameters(), python = of("parameters")[step];
    bool same = same_bits(ours, python);
    if (!same) {
      const Tensor difference = (ours.to(at::kDouble) - python.to(at::kDouble)).abs() / python.to(at::kDouble).abs().clamp_min(1);
      seen_.largest_difference = std::max(seen_.largest_difference, difference.nan_to_num(infinity).max().item<double>());
    }
    same = same && (!which_.has("clip") || same_bits(norm.to(at::kCPU), of("norm")[step]));
    same = same && (!which_.has("scaler") || trained_.scaler().get_scale() == of("scale")[step].item<double>());
    if (!same && !seen_.first_difference) {
      seen_.first_difference = step;
    }
  }
  comparison& seen() { return seen_; }

 private:
  const Tensor& of(const std::string& what) const { return expected_[which_.name + "/" + what]; }

  const optimizer_case which_;
  const figures& expected_;
  trainer trained_;
  comparison seen_;
};

comparison run(const optimizer_case& which, c10::Device device, bool graphed) {
  beside_python run(which, device);
  const Tensor gradients = run.gradients().to(device);
  const scenario mode(device, graphed);
  subject step(mode, {{"gradients", {elements}}}, [&](tensor_list& in) { return tensor_list{run.trained().step(in[0])}; });
  for (int64_t i = 0; i < steps; ++i) {
    run.trained().set_rates(rate_of(which.get("lr", 0), i));
    run.note(i, step({gradients[i].clone()})[0]);  // aligned, as a row is not
  }
  step.expect_captures(1);
  run.seen().replays = static_cast<int64_t>(step.stats().replays);
  return run.seen();
}

/// Python refuses to unscale gradients of float16, and so do we: only fused operators divide them.
bool can_be_live(const optimizer_case& which) { return which.dtype != at::kHalf || !which.has("scaler"); }

std::string bits_of(const comparison& seen) {
  if (!seen.first_difference) {
    return "same bits";
  }
  std::ostringstream text;
  text << "differs from step " << *seen.first_difference << " on, by up to " << seen.largest_difference;
  return text.str();
}

std::string live_of(const compared_case& row) {
  if (!can_be_live(row.which)) {
    return "refused";
  }
  std::ostringstream text;
  text << (row.live.largest_difference <= live_bound(row.which) ? "within " : "beyond ") << live_bound(row.which);
  return text.str();
}

}  // namespace

compared_case compare(const optimizer_case& which, c10::Device device) {
  compared_case made{which, run(which, device, /*graphed=*/false), run(which, device, /*graphed=*/true), {}};
  if (can_be_live(which)) {
    optimizer_case live = which;
    live.settings["live"] = 1;
    made.live = run(live, device, /*graphed=*/false);
  }
  return made;
}

double live_bound(const optimizer_case& which) {
  if (which.dtype == at::kDouble || which.dtype == at::kFloat) {
    return 1e-4;
  }
  if (which.optimizer == "SGD") {
    return 2;
  }
  return which.optimizer == "RMSprop" ? 0.5 : 0.05;
}

std::string table_of(const comparisons& all, c10::Device device) {
  std::ostringstream text;
  text << "# Optimizers beside Python's, on " << (device.is_cpu() ? "a CPU" : "a GPU") << R"(

`tests/optim` writes this table: `Python.EachCaseHasTheBitsOfPython` of `optim_tests`, with the environment variable `GRAPHED_OPTIM_TABLES` naming the
folder. Each case runs )"
       << steps
       << R"( steps with graphed::optim and with Python's torch.optim and torch.amp.GradScaler, from the same parameters and gradients. The
learning rate falls on every step; there are two parameter groups, the second with twice the learning rate. Compared after each step: every bit of
every parameter, of the norm that was clipped by, and of the scale. [cases.txt](../../tests/optim/cases.txt) says what the settings mean.

- *eager*, *graphed*: against Python's fused optimizers, RMSprop's foreach one. The operators are the same, so the bits are.
- *live(true)*: the same steps with every number on the device, by foreach operators instead of fused ones, or with tensors for numbers. They round
  elsewhere, so the parameters differ: by no more, after any step, than this much of their value, or of 1 where that is smaller. Numbers on a
  GPU and Adam's bias corrections are float32, for parameters of float64 too. 16-bit parameters are updated in float32, as by fused operators, and
  rounded once; Python's RMSprop rounds them after each operation. Refused are gradients of float16 that a scaler would have to divide, as in Python:
  only fused operators do that.
- *SGD of 16-bit parameters on a CPU*: LibTorch 2.11's fused operator is wrong by more than rounding for tensors of 16 elements or more. Eager and
  graphed steps have its bits, as Python's SGD(fused=True); those with live(true) are right, and so far from it.

| case | optimizer | settings | eager | graphed | live(true) |
|---|---|---|---|---|---|
)";
  for (const compared_case& row : all) {
    text << "| " << row.which.name << " | " << row.which.optimizer << " | " << row.which.written << " | " << bits_of(row.eager) << " | "
         << bits_of(row.graphed) << ", " << row.graphed.replays << " replays | " << live_of(row) << " |\n";
  }
  return text.str();
}

}  // namespace graphed::testing
