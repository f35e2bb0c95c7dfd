// SPDX-License-Identifier: Apache-2.0
#include "watch/control_flow.h"

#include "report/pages.h"
#include "report/text.h"
#include "watch/body_state.h"
#include "watch/flow_gradient.h"
#include "watch/host_part.h"
#include "watch/recorder.h"

#include <graphed/control_flow.h>
#include <graphed/error.h>

#include <ATen/ExpandUtils.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/GradMode.h>
#include <torch/library.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace graphed::impl {
namespace {

constexpr const char* if_else_name = "graphed::if_else: ";
constexpr const char* while_loop_name = "graphed::while_loop: ";
constexpr const char* result_of_if_else = "graphed::if_else's result";

// Work that takes over the state of the callable's thread, and may outlive the capture, decides on the host: no graph can stand for it.
flow_capture* capture_in_hand() {
  const auto seen = active_recording();
  if (seen == nullptr || seen->flow() == nullptr || own_recording() != nullptr) {
    return seen == nullptr ? nullptr : seen->flow();
  }
  seen->refuse("graphed::if_else or graphed::while_loop runs on another thread than the callable: run it on the callable's own");
  return nullptr;
}

// A callable that catches what a body throws goes on without the choice: no graph can stand for that.
tensor_list refused_if_thrown(const char* name, c10::function_ref<tensor_list()> captured) {
  try {
    return captured();
  } catch (const std::exception& error) {
    active_recording()->note_failure_of(name);
    active_recording()->refuse(message_of(error));
    throw;
  } catch (...) {
    active_recording()->note_failure_of(name);
    active_recording()->refuse("a body of graphed::if_else or graphed::while_loop throws something that is not a std::exception");
    throw;
  }
}

std::string words(const at::Tensor& tensor) { return host_result(tensor).words(); }

void check_truth(const at::Tensor& truth, const char* who) {
  if (!truth.defined() || truth.layout() != at::kStrided || truth.numel() != 1) {
    throw Error(std::string(who) + "expected a predicate of one element, got " + (truth.defined() ? words(truth) : "an undefined tensor") +
                see(pages::control_flow));
  }
}

bool read(const at::Tensor& truth) {
  const unrecorded_scope not_of_the_graph;
  const hidden_recording unseen;
  return truth.is_nonzero();
}

// As one element of bool, in memory of its own, by an operator that a recording sees, though no eager call runs it.
at::Tensor as_bool(const at::Tensor& truth) {
  const untraced not_of_the_callable;
  return truth.detach().ne(0);
}

bool is_dense(const at::Tensor& tensor) { return tensor.is_non_overlapping_and_dense(); }

void check_results(const tensor_list& results, const char* who) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].defined() || results[i].layout() != at::kStrided) {
      throw Error(who + ("result " + std::to_string(i)) + " is " + (results[i].defined() ? "not strided" : "undefined") +
                  see(pages::control_flow));
    }
  }
}

bool are_alike(const at::Tensor& one, const at::Tensor& other) {
  return one.sizes() == other.sizes() && one.dtype() == other.dtype() && one.device() == other.device();
}

// Throws where the body's results are not like the expected tensors, which are those of `whose`.
void check_like(const tensor_list& got, const tensor_list& expected, const char* who, const std::string& whose) {
  check_results(got, who);
  if (got.size() != expected.size()) {
    throw Error(who + ("expected " + counted(expected.size(), "tensor")) + ", as " + whose + ", got " + std::to_string(got.size()) +
                see(pages::control_flow));
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!are_alike(got[i], expected[i])) {
      throw Error(who + ("result " + std::to_string(i)) + ": expected " + words(expected[i]) + ", as " + whose + ", got " + words(got[i]) +
                  see(pages::control_flow));
    }
  }
}

// Of the same values in memory of their own, as clone() gives it.
std::vector<int64_t> own_strides_of(const at::Tensor& tensor) {
  return is_dense(tensor) ? tensor.strides().vec() : at::infer_dense_strides(tensor.sizes(), tensor.strides());
}

// A graph has one place for the results of both bodies, or of all turns of a loop; in eager mode each has the strides of its own.
void check_strides(const tensor_list& got, const tensor_list& expected, const char* who, const std::string& whose) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto is = own_strides_of(got[i]), should_be = own_strides_of(expected[i]);
    if (is != should_be) {
      throw CaptureError(who + ("result " + std::to_string(i)) + ": expected strides " + text(c10::IntArrayRef(should_be)) + ", as " +
                         whose + ", got " + text(c10::IntArrayRef(is)) + ": return contiguous() of both");
    }
  }
}

// Memory that nothing else shows.
at::Tensor as_own(at::Tensor&& result) {
  const bool is_own = result.use_count() == 1 && result.storage().use_count() == 1 && is_dense(result);
  return is_own ? std::move(result) : result.clone();
}

tensor_list as_own(tensor_list&& results) {
  tensor_list own;
  std::transform(std::make_move_iterator(results.begin()), std::make_move_iterator(results.end()), std::back_inserter(own),
                 [](at::Tensor&& each) { return as_own(std::move(each)); });
  return own;
}

// Of the code around the body that runs.
at::Tensor place_like(const at::Tensor& tensor) {
  const unrecorded_scope not_an_operator;
  at::Tensor place = at::empty_strided(tensor.sizes(), own_strides_of(tensor), tensor.options());
  active_recording()->tensors()->note_made(place);
  active_recording()->bodies()->hand_over(place);
  return place;
}

tensor_list places_like(const tensor_list& tensors) {
  tensor_list places;
  std::transform(tensors.begin(), tensors.end(), std::back_inserter(places), &place_like);
  return places;
}

void note_choice(const char* name, at::TensorList tensors, std::optional<int64_t> at_most = std::nullopt) {
  if (const auto seen = own_recording()) {
    seen->note_choice(name, tensors, at_most);
  }
}

void note_gradient_of_branch(const tensor_list& results) {
  const auto seen = own_recording();
  if (seen != nullptr && c10::GradMode::is_enabled()) {
    seen->note_branch_in_grad_mode(
        std::any_of(results.begin(), results.end(), [](const at::Tensor& each) { return each.requires_grad(); }));
  }
}

/// A branch whose bodies are captured one after the other.
class captured_branch {
 public:
  captured_branch(flow_capture& capture, c10::Device device)
      : capture_(capture),
        device_(device),
        path_(next_choice()),
        starts_with_otherwise_(active_recording()->comes_first(path_ + "/otherwise") && !active_recording()->comes_first(path_ + "/then")) {
  }

  tensor_list run(const at::Tensor& pred, c10::function_ref<tensor_list()> then, c10::function_ref<tensor_list()> otherwise) {
    const at::Tensor truth = as_bool(pred);
    const auto run_then = [&] { run_body(then, of_then_, "/then"); };
    const auto run_otherwise = [&] { run_body(otherwise, of_otherwise_, "/otherwise"); };
    capture_.choose({truth, std::nullopt, starts_with_otherwise_}, {flow_body(run_then), flow_body(run_otherwise)});
    if (c10::GradMode::is_enabled()) {
      give_history_of_branch(results_, truth, std::move(*of_then_), std::move(*of_otherwise_));
      note_gradient_of_branch(results_);
    }
    return std::move(results_);
  }

 private:
  void run_body(c10::function_ref<tensor_list()> body, std::optional<body_history>& history, const char* name) {
    const body_scope in_it(path_ + name);
    const bool is_first = !of_then_ && !of_otherwise_;
    history.emplace();
    const state_around_body around(device_);
    const tensor_list made = body();
    around.check();
    check_results(made, if_else_name);
    note_choice(result_of_if_else, made);
    if (is_first) {
      capture_.make_outside([&] { results_ = places_like(made); });
    } else {
      const tensor_list &of_then = starts_with_otherwise_ ? made : results_, &of_otherwise = starts_with_otherwise_ ? results_ : made;
      check_like(of_otherwise, of_then, if_else_name, "the first body returns");
      check_strides(of_otherwise, of_then, if_else_name, "the first body returns");
    }
    if (c10::GradMode::is_enabled()) {
      history->end(made);
    }
    const untraced not_of_the_callable;
    const c10::NoGradGuard values_alone;
    for (std::size_t i = 0; i < made.size(); ++i) {
      results_[i].copy_(made[i]);
    }
  }

  flow_capture& capture_;
  const c10::Device device_;
  const std::string path_;
  const bool starts_with_otherwise_;
  tensor_list results_;
  std::optional<body_history> of_then_, of_otherwise_;
};

void refuse_gradient_of_loop(const tensor_list& tensors) {
  if (c10::GradMode::is_enabled() &&
      std::any_of(tensors.begin(), tensors.end(), [](const at::Tensor& each) { return each.defined() && each.requires_grad(); })) {
    throw Error(std::string(while_loop_name) +
                "it has no gradient, and its state requires grad: call it under torch::NoGradGuard, or on detached tensors" +
                see(pages::control_flow));
  }
}

// What the body, which was lent handles of the state, returns may show the state, which it becomes.
void assign(const tensor_list& state, const tensor_list& lent, tensor_list results) {
  const auto shows_state = [&](const at::Tensor& result) {
    return std::any_of(state.begin(), state.end(), [&](const at::Tensor& each) { return result.is_alias_of(each); });
  };
  for (std::size_t i = 0; i < state.size(); ++i) {
    if (!results[i].is_same(lent[i]) && shows_state(results[i])) {
      results[i] = results[i].clone();
    }
  }
  for (std::size_t i = 0; i < state.size(); ++i) {
    if (!results[i].is_same(lent[i])) {
      state[i].copy_(results[i]);
    }
  }
}

// A body that keeps what it was lent is found out when something uses that after it.
tensor_list lend(const tensor_list& state) {
  const unrecorded_scope not_an_operator;
  tensor_list lent;
  for (const auto& each : state) {
    lent.push_back(each.detach());
    active_recording()->bodies()->lend(lent.back());
  }
  return lent;
}

struct loop {
  at::Tensor go_on(const tensor_list& state) const {
    const auto seen = own_recording();
    const body_place* const around = seen == nullptr ? nullptr : seen->body();
    std::optional<body_scope> in_it(std::in_place, around == nullptr ? "" : around->path + "/cond", /*is_condition=*/true);
    const state_around_body state_around(state.front().device());
    at::Tensor truth = cond(state);
    state_around.check();
    check_truth(truth, while_loop_name);
    const uint64_t visit = in_it->visit();
    in_it.reset();
    use_also(visit);
    return truth;
  }
  tensor_list next(const tensor_list& state) const {
    const state_around_body around(state.front().device());
    tensor_list results = body(state);
    around.check();
    check_like(results, state, while_loop_name, "the state is");
    note_choice("graphed::while_loop's result", results);
    refuse_gradient_of_loop(results);
    return results;
  }

  const c10::function_ref<at::Tensor(const tensor_list&)> cond;
  const c10::function_ref<tensor_list(const tensor_list&)> body;
};

tensor_list capture_while_loop(flow_capture& capture, const loop& of, const tensor_list& given, int64_t at_most) {
  const std::string path = next_choice();
  std::optional<body_scope> before(std::in_place, path + "/begin");
  const tensor_list state = places_like(given);
  assign(state, state, given);
  const at::Tensor truth = as_bool(of.go_on(lend(state)).reshape({1}));
  active_recording()->bodies()->hand_over(truth);
  before.reset();
  const auto run = [&] {
    const body_scope in_it(path + "/body");
    const tensor_list lent = lend(state);
    const tensor_list next = of.next(lent);
    check_strides(next, state, while_loop_name, "the state has them");
    {
      const untraced not_of_the_callable;
      assign(state, lent, next);
    }
    const at::Tensor goes_on = of.go_on(lend(state));
    const untraced not_of_the_callable;
    truth.copy_(goes_on.reshape({1}));
  };
  capture.choose({truth, at_most}, {flow_body(run)});
  return state;
}

tensor_list next_on_host(const loop& of, const tensor_list& state) {
  tensor_list results = of.next(state);
  for (std::size_t i = 0; i < state.size(); ++i) {
    if (!results[i].is_same(state[i])) {
      results[i] = as_own(std::move(results[i]));
    }
  }
  return results;
}

tensor_list run_on_host(const loop& of, const tensor_list& given, int64_t at_most) {
  const std::string path = next_choice();
  std::optional<body_scope> in_it(std::in_place, path + "/begin");
  tensor_list state;
  std::transform(given.begin(), given.end(), std::back_inserter(state), [](const at::Tensor& each) { return each.clone(); });
  for (int64_t times = 0; times < at_most && read(of.go_on(state)); ++times) {
    in_it.reset();
    in_it.emplace(path + "/body");
    state = next_on_host(of, state);
  }
  return state;
}

}  // namespace

tensor_list run_if_else(const at::Tensor& pred, c10::function_ref<tensor_list()> then, c10::function_ref<tensor_list()> otherwise) {
  check_truth(pred, if_else_name);
  note_choice("graphed::if_else", pred);
  if (flow_capture* const capture = capture_in_hand()) {
    return refused_if_thrown("graphed::if_else", [&] { return captured_branch(*capture, pred.device()).run(pred, then, otherwise); });
  }
  const bool is_true = read(pred);
  const body_scope in_it(next_choice() + (is_true ? "/then" : "/otherwise"));
  const state_around_body around(pred.device());
  tensor_list results = is_true ? then() : otherwise();
  check_results(results, if_else_name);
  note_choice(result_of_if_else, results);
  note_gradient_of_branch(results);
  return as_own(std::move(results));
}

tensor_list run_while_loop(c10::function_ref<at::Tensor(const tensor_list&)> cond, c10::function_ref<tensor_list(const tensor_list&)> body,
                           tensor_list state, int64_t at_most) {
  if (state.empty() || at_most < 0) {
    throw Error(std::string(while_loop_name) +
                (state.empty() ? "expected a state of one tensor or more, got none"
                               : "expected at_most of zero or more, got " + std::to_string(at_most)) +
                see(pages::control_flow));
  }
  check_results(state, while_loop_name);
  refuse_gradient_of_loop(state);
  note_choice("graphed::while_loop", state, at_most);
  const loop of{cond, body};
  flow_capture* const capture = capture_in_hand();
  return capture == nullptr ? run_on_host(of, state, at_most)
                            : refused_if_thrown("graphed::while_loop", [&] { return capture_while_loop(*capture, of, state, at_most); });
}

}  // namespace graphed::impl

// What a tape calls them.
TORCH_LIBRARY_FRAGMENT(graphed, m) {
  m.def("if_else(Tensor truth) -> ()");
  m.def("while_loop(Tensor truth) -> ()");
}
