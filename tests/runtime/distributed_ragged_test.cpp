// SPDX-License-Identifier: Apache-2.0
//
// Batches of another size that one rank alone has: filled up to the captured one they are replayed, as the other ranks' are.
#include "support/rank_failure.h"
#include "support/warnings.h"

#include <graphed/optim/adam.h>

#include <functional>
#include <vector>

namespace distributed_ragged_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

class DistributedRagged : public rank_test {};
INSTANTIATE_TEST_SUITE_P(, DistributedRagged, ::testing::Values("cpu", "cuda"), name_of_device);

constexpr int64_t full = 8;

/// A step whose rows do not depend on one another; of the loss they are weighted, so that those that are filled up count nothing.
struct model {
  explicit model(ProcessGroup& group)
      : ranks(group),
        weight(at::arange(6, at::TensorOptions(at::kFloat).device(group.device())).div_(8).requires_grad_()),
        optimizer({weight}, optim::AdamOptions(0.01)) {}

  tensor_list step(tensor_list& in) {
    optimizer.zero_grad();
    const Tensor errors = (in[0] * weight).sum(1) - in[1];
    const Tensor loss = (errors.square() * in[2]).sum();
    loss.backward();
    ranks.average_gradients(weight);
    optimizer.step();
    return {loss.detach(), errors.detach()};
  }

  ProcessGroup& ranks;
  Tensor weight;
  optim::Adam optimizer;
};

/// Of a rank in a step. One or two rows, or all: more would be summed in another order where they are filled up.
tensor_list batch_of(int step, int rank, int64_t size, c10::Device device) {
  at::manual_seed(static_cast<uint64_t>(1000 * step + rank));
  return {at::randn({size, 6}).to(device), at::randn({size}).to(device), at::full({size}, 1.0 / static_cast<double>(size)).to(device)};
}

/// `size_of` a step, on this rank. The program must do what it does without graphs, and replay in all steps but so many.
void train(ProcessGroup& group, const std::function<int64_t(int step)>& size_of, uint64_t plain_steps) {
  settings padded;
  padded.step = true;
  padded.sizes = {full};
  padded.pad = PadFill::Zero;
  model graphed(group), plain(group);
  test_callable step({{"x", {B, 6}}, {"y", {B}}, {"weights", {B}}}, [&](tensor_list& in) { return graphed.step(in); }, padded);
  constexpr int steps = 26;
  for (int i = 0; i < steps; ++i) {
    tensor_list batch = batch_of(i, group.rank(), size_of(i), group.device());
    const tensor_list got = step(batch), wanted = plain.step(batch);
    const std::string which = ", in step " + std::to_string(i);
    require_that(torch::equal(got[0], wanted[0]), "the plain program's loss" + which);
    require_that(torch::equal(got[1], wanted[1]), "the plain program's errors" + which);
    require_that(torch::equal(graphed.weight, plain.weight), "the plain program's weight" + which);
  }
  const Statistics stats = step.stats();
  require_that(stats.replays == steps - plain_steps, "all but " + std::to_string(plain_steps) + " replays, got " + stats.to_json());
  require_that(stats.captures == 1 && stats.miss_count() <= plain_steps, "one capture, got " + stats.to_json());
}

// The last batch of an epoch of eight steps.
GRAPHED_RANK_PROGRAM(has_a_ragged_last_batch) {
  train(group, [&](int step) { return group.rank() == 1 && step % 8 == 7 ? 1 + step % 3 % 2 : full; }, 2);
}

GRAPHED_RANK_PROGRAM(all_have_ragged_batches) {
  const int rank = group.rank();
  train(group, [&](int step) { return step < 4 || (step + rank) % 3 != 0 ? full : 1 + (step / 3 + rank) % 2; }, 2);
}

// Before the capture: the warm-up that shows its form keeps all ranks from it.
GRAPHED_RANK_PROGRAM(begins_with_a_ragged_batch) {
  train(group, [&](int step) { return group.rank() == 1 && step % 4 == 0 ? 2 : full; }, 2);
}

GRAPHED_RANK_PROGRAM(meets_a_ragged_batch_at_the_capture) {
  train(group, [&](int step) { return group.rank() == 1 && step == 2 ? 2 : full; }, 3);
}

TEST_P(DistributedRagged, UnderPadIsReplayed) {
  for (const char* const program :
       {"has_a_ragged_last_batch", "all_have_ragged_batches", "begins_with_a_ragged_batch", "meets_a_ragged_batch_at_the_capture"}) {
    expect_ranks_end_well(program, 2, GetParam());
  }
}

// Two sizes are declared; that of the ragged batch is captured where the program has prepared it.
void train_with_two_sizes(ProcessGroup& group, bool prepares) {
  settings padded;
  padded.step = true;
  padded.sizes = {full, 2 * full};
  padded.pad = PadFill::Zero;
  model own(group);
  test_callable step({{"x", {B, 6}}, {"y", {B}}, {"weights", {B}}}, [&](tensor_list& in) { return own.step(in); }, padded);
  const auto batch = [&](int i, int64_t size) { return batch_of(i, group.rank(), size, group.device()); };
  step(batch(0, 2 * full));  // the gradients of a step exist from now on
  if (prepares) {
    step.prepare(batch(0, 2 * full));
  }
  for (int i = 1; i < 6; ++i) {
    step(batch(i, 2 * full));
  }
  step(batch(6, group.rank() == 1 ? 5 : 2 * full));
  require_that(step.stats().captures == 2 && step.stats().miss_count() == 0, "a capture for each size, got " + step.stats().to_json());
  group.shutdown();
}

GRAPHED_RANK_PROGRAM(has_not_captured_the_size) { train_with_two_sizes(group, /*prepares=*/false); }

TEST_P(DistributedRagged, WhoseDeclaredSizeIsNotCapturedSaysWhatToDo) {
  for (const auto& end : run_impatiently("has_not_captured_the_size")) {
    expect_fails(end, {"a call of 'test_callable' that is not replayed (it warms up, call 1 of 2; it is not captured for B = 8, which 5 is "
                       "padded to: call each declared size on all ranks first, or prepare() it)"});
  }
}

GRAPHED_RANK_PROGRAM(has_prepared_the_size) { train_with_two_sizes(group, /*prepares=*/true); }

TEST_P(DistributedRagged, WhoseDeclaredSizeIsPreparedIsReplayed) { expect_ranks_end_well("has_prepared_the_size", 2, GetParam()); }

// A smaller call has a larger result.
GRAPHED_RANK_PROGRAM(cannot_be_cut_down) {
  settings padded;
  padded.step = true;
  padded.sizes = {full};
  padded.pad = PadFill::Zero;
  model own(group);
  test_callable step(
      {{"x", {B, 6}}, {"y", {B}}, {"weights", {B}}},
      [&](tensor_list& in) {
        return tensor_list{own.step(in)[0], at::zeros({2 * full - in[0].size(0)}, at::TensorOptions(group.device()))};
      },
      padded);
  for (int i = 0; i < 6; ++i) {
    step(batch_of(i, group.rank(), group.rank() == 1 && i == 4 ? 2 : full, group.device()));
  }
}

TEST_P(DistributedRagged, WhoseResultsCannotBeCutDownSaysWhatToDo) {
  const auto ends = run("cannot_be_cut_down");
  const std::string why =
      "its results cannot be cut down to those of a smaller call; the callable is captured with its collectives, and the "
      "other ranks would wait for this one in their graphs: return what has the batch's size as its dimension";
  expect_fails(ends[1], {why});
  expect_fails(ends[0], {"rank 1 has failed by an exception", why});
}

// Without `pad`, until the ranks have captured.
GRAPHED_RANK_PROGRAM(warms_up_with_a_ragged_batch) {
  collected_warnings warnings;
  trainer own(group);
  const int64_t ragged = group.rank() == 1 ? 3 : 4;
  own.run(1, ragged);
  own.run(1);
  own.run(1, ragged);
  own.run(6);
  require_that(own.stats().replays > 2, "replays, got " + own.stats().to_json());
  const auto count =
      warnings.count({"parameter 'x': expected [4, 6], got [3, 6]; the original function runs for such calls until all ranks "
                      "have captured it; then they throw: pad the batch (`pad`), or drop the ragged one, on all ranks"});
  require_that(count == (group.rank() == 1 ? 1U : 0U), "a warning of what comes, got " + warnings.all());
  group.check_parameters(*own.net);
}

TEST_P(DistributedRagged, BeforeTheCaptureIsForewarned) { expect_ranks_end_well("warms_up_with_a_ragged_batch", 2, GetParam()); }

}  // namespace distributed_ragged_test
