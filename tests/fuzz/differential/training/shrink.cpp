// SPDX-License-Identifier: Apache-2.0
#include "shrink.h"

#include <algorithm>
#include <utility>

namespace graphed::fuzz::training {
namespace {

template <class List>
void erase_at(List& list, std::size_t index) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
}

void close_gap(std::size_t& index, std::size_t removed) { index -= index > removed ? 1 : 0; }

template <class F>
void for_each_statement(program& program, F&& f) {
  for (auto& routine : program.routines) {
    for (auto& statement : routine.statements) {
      f(statement);
    }
  }
}

bool uses_other(const statement& statement) {
  using kind = statement::kind;
  const bool is_of_two = statement.how == statement::loss::target || statement.how == statement::loss::actor;
  const bool has_loss = statement.what == kind::backward || statement.what == kind::gradients;
  return statement.what == kind::average || statement.what == kind::copy || (has_loss && is_of_two);
}

// What names the removed part names the first one from then on.
program without_network(program program, std::size_t removed) {
  erase_at(program.networks, removed);
  const auto lead = [&](std::size_t& index) {
    index = index == removed ? 0 : index;
    close_gap(index, removed);
  };
  for (auto& optimizer : program.optimizers) {
    lead(optimizer.network);
  }
  for (auto& action : program.actions) {
    lead(action.network);
  }
  for_each_statement(program, [&](statement& statement) {
    lead(statement.network);
    lead(statement.other);
  });
  return program;
}

program without_optimizer(program program, std::size_t removed) {
  erase_at(program.optimizers, removed);
  const auto lead = [&](std::size_t& index) {
    index = index == removed ? 0 : index;
    close_gap(index, removed);
  };
  for (auto& action : program.actions) {
    lead(action.optimizer);
  }
  for_each_statement(program, [&](statement& statement) { lead(statement.optimizer); });
  return program;
}

program without_routine(program program, std::size_t removed) {
  erase_at(program.routines, removed);
  auto& actions = program.actions;
  const auto is_of_it = [&](const action& each) { return each.what == action::kind::call && each.routine == removed; };
  actions.erase(std::remove_if(actions.begin(), actions.end(), is_of_it), actions.end());
  for (auto& action : actions) {
    close_gap(action.routine, removed);
  }
  return program;
}

class shrinker {
 public:
  shrinker(program start, const std::function<bool(const program&)>& fails) : best_(std::move(start)), fails_(fails) {}

  program run() {
    bool smaller = true;
    while (smaller) {
      smaller = drop_actions();
      smaller |= drop_parts();
      smaller |= drop_statements();
      smaller |= simplify_calls();
      smaller |= simplify_statements();
      smaller |= simplify_routines();
      smaller |= simplify_networks();
      smaller |= simplify_optimizers();
    }
    return best_;
  }

 private:
  /// Keeps the candidate if it is allowed and still fails.
  bool take(program candidate) {
    if (broken_rule(candidate) != nullptr || !fails_(candidate)) {
      return false;
    }
    best_ = std::move(candidate);
    return true;
  }
  /// Sets one field of a copy, if that changes it.
  template <class Field, class T>
  bool set(Field&& field, T wanted) {
    program candidate = best_;
    auto& now = field(candidate);
    if (now == wanted) {
      return false;
    }
    now = wanted;
    return take(std::move(candidate));
  }

  bool drop_actions();
  bool drop_parts();
  bool drop_statements();
  bool simplify_calls();
  bool simplify_statements();
  bool simplify_routines();
  bool simplify_networks();
  bool simplify_optimizers();

  program best_;
  const std::function<bool(const program&)>& fails_;
};

bool shrinker::drop_actions() {
  bool smaller = false;
  for (std::size_t run = std::max<std::size_t>(best_.actions.size() / 2, 1); run > 0; run /= 2) {  // several at once first
    for (std::size_t last = best_.actions.size(); last >= run; --last) {
      if (last > best_.actions.size()) {
        continue;
      }
      program candidate = best_;
      const auto end = candidate.actions.begin() + static_cast<std::ptrdiff_t>(last);
      candidate.actions.erase(end - static_cast<std::ptrdiff_t>(run), end);
      smaller |= take(std::move(candidate));
    }
  }
  return smaller;
}

bool shrinker::drop_parts() {
  bool smaller = false;
  for (std::size_t i = best_.routines.size(); i-- > 0 && best_.routines.size() > 1;) {
    smaller |= take(without_routine(best_, i));
  }
  for (std::size_t i = best_.optimizers.size(); i-- > 0 && best_.optimizers.size() > 1;) {
    smaller |= take(without_optimizer(best_, i));
  }
  for (std::size_t i = best_.networks.size(); i-- > 0 && best_.networks.size() > 1;) {
    smaller |= take(without_network(best_, i));
  }
  return smaller;
}

bool shrinker::drop_statements() {
  bool smaller = false;
  for (std::size_t i = 0; i < best_.routines.size(); ++i) {
    for (std::size_t j = best_.routines[i].statements.size(); j-- > 0;) {
      program candidate = best_;
      erase_at(candidate.routines[i].statements, j);
      smaller |= take(std::move(candidate));
    }
    program candidate = best_;  // the scaler as a whole
    auto& statements = candidate.routines[i].statements;
    const auto is_scalers = [](const statement& each) {
      return each.what == statement::kind::unscale || each.what == statement::kind::scaler_update;
    };
    statements.erase(std::remove_if(statements.begin(), statements.end(), is_scalers), statements.end());
    for (auto& each : statements) {
      each.what = each.what == statement::kind::scaler_step ? statement::kind::step : each.what;
      each.flag = each.flag && each.what != statement::kind::backward;
    }
    smaller |= statements.size() < best_.routines[i].statements.size() && take(std::move(candidate));
  }
  return smaller;
}

bool shrinker::simplify_calls() {
  bool smaller = false;
  for (std::size_t i = 0; i < best_.actions.size(); ++i) {
    if (best_.actions[i].what != action::kind::call) {
      smaller |= set([i](program& it) -> auto& { return it.actions[i].index; }, std::size_t{0});
      continue;
    }
    smaller |= set([i](program& it) -> auto& { return it.actions[i].how; }, action::manner::graphed);
    smaller |= set([i](program& it) -> auto& { return it.actions[i].flag; }, false);
    smaller |= set([i](program& it) -> auto& { return it.actions[i].value; }, 1.0);
    smaller |= set([i](program& it) -> auto& { return it.actions[i].rows; }, int64_t{8});
  }
  return smaller;
}

bool shrinker::simplify_statements() {
  bool smaller = false;
  for (std::size_t i = 0; i < best_.routines.size(); ++i) {
    for (std::size_t j = 0; j < best_.routines[i].statements.size(); ++j) {
      const auto here = [i, j](program& it) -> statement& { return it.routines[i].statements[j]; };
      smaller |= set([&](program& it) -> auto& { return here(it).how; }, statement::loss::squares);
      smaller |= set([&](program& it) -> auto& { return here(it).of; }, statement::part::all);
      if (!uses_other(best_.routines[i].statements[j])) {
        smaller |= set([&](program& it) -> auto& { return here(it).other; }, std::size_t{0});
      }
    }
  }
  return smaller;
}

bool shrinker::simplify_routines() {
  bool smaller = false;
  for (std::size_t i = 0; i < best_.routines.size(); ++i) {
    const auto here = [i](program& it) -> routine& { return it.routines[i]; };
    smaller |= set([&](program& it) -> auto& { return here(it).settings.warmup; }, 1);
    smaller |= set([&](program& it) -> auto& { return here(it).settings.outputs; }, OutputPolicy::Keep);
    smaller |= set([&](program& it) -> auto& { return here(it).settings.sizes; }, std::vector<int64_t>{8});
    smaller |= set([&](program& it) -> auto& { return here(it).settings.pool; }, static_cast<const char*>(nullptr));
    smaller |= set([&](program& it) -> auto& { return here(it).is_method; }, false);
    smaller |= set([&](program& it) -> auto& { return here(it).live; }, false);
  }
  return smaller;
}

bool shrinker::simplify_networks() {
  bool smaller = false;
  for (std::size_t i = 0; i < best_.networks.size(); ++i) {
    smaller |= set([i](program& it) -> auto& { return it.networks[i].is_hooked; }, false);
    for (std::size_t j = best_.networks[i].layers.size(); j-- > 0;) {
      const network whole = best_.networks[i];
      program candidate = best_;  // of twins, both
      for (auto& network : candidate.networks) {
        if (network == whole) {
          erase_at(network.layers, j);
        }
      }
      smaller |= take(std::move(candidate));
    }
  }
  return smaller;
}

bool shrinker::simplify_optimizers() {
  bool smaller = false;
  for (std::size_t i = 0; i < best_.optimizers.size(); ++i) {
    smaller |= set([i](program& it) -> auto& { return it.optimizers[i].has_two_groups; }, false);
    smaller |= set([i](program& it) -> auto& { return it.optimizers[i].leaves_out; }, false);
    for (std::size_t j = 1; j < numbers; ++j) {
      smaller |= set([i, j](program& it) -> auto& { return it.optimizers[i].options[j]; }, 0.0);
    }
    smaller |= set([i](program& it) -> auto& { return it.optimizers[i].what; }, optimizer::kind::sgd);
  }
  return smaller;
}

}  // namespace

program shrink(program program, const std::function<bool(const training::program&)>& fails) {
  return shrinker(std::move(program), fails).run();
}

}  // namespace graphed::fuzz::training
