// SPDX-License-Identifier: Apache-2.0
#include "shrink.h"

#include "reduce.h"
#include "rules.h"
#include "sample.h"

#include <algorithm>

namespace graphed::fuzz {
namespace {

using kind = action::kind;

class shrinker {
 public:
  shrinker(program start, const std::function<bool(const program&)>& fails) : best_(std::move(start)), fails_(fails) {}

  program run() {
    bool smaller = true;
    while (smaller) {
      smaller = drop_actions();
      smaller |= drop_bodies();
      smaller |= drop_results();
      smaller |= drop_steps();
      smaller |= drop_arguments();
      smaller |= take(without_unused_members(best_), best_.members.size());
      smaller |= simplify_calls();
      smaller |= simplify_actions();
      smaller |= simplify_bodies();
      smaller |= reduce_shapes();
    }
    return best_;
  }

 private:
  /// Keeps the candidate if it is allowed, runs and still fails.
  bool take(program candidate) {
    if (broken_rule(candidate) != nullptr || !fit(candidate) || !fails_(candidate)) {
      return false;
    }
    best_ = std::move(candidate);
    return true;
  }
  bool take(program candidate, std::size_t members_before) {
    return candidate.members.size() < members_before && take(std::move(candidate));
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
  bool drop_bodies();
  bool drop_results();
  bool drop_steps();
  bool drop_arguments();
  bool simplify_calls();
  bool simplify_actions();
  bool simplify_bodies();
  bool reduce_shapes();

  program best_;
  const std::function<bool(const program&)>& fails_;
};

bool shrinker::drop_actions() {
  bool smaller = false;
  for (std::size_t run = best_.actions.size() / 2; run > 0; run /= 2) {  // several at once first
    for (std::size_t last = best_.actions.size(); last >= run; --last) {
      if (last > best_.actions.size()) {
        continue;
      }
      program candidate = best_;
      for (std::size_t i = last; i-- > last - run;) {
        if (i < candidate.actions.size()) {
          candidate = without_action(std::move(candidate), i);
        }
      }
      smaller |= take(std::move(candidate));
    }
  }
  return smaller;
}

bool shrinker::drop_bodies() {
  bool smaller = false;
  for (std::size_t i = best_.bodies.size(); i-- > 0;) {
    const auto calls_it = [&](const action& action) { return names_body(action) && action.body == i; };
    smaller |=
        best_.bodies.size() > 1 && std::none_of(best_.actions.begin(), best_.actions.end(), calls_it) && take(without_body(best_, i));
  }
  return smaller;
}

bool shrinker::drop_results() {
  bool smaller = false;
  for (std::size_t body = 0; body < best_.bodies.size(); ++body) {
    for (std::size_t i = best_.bodies[body].results.size(); i-- > 0;) {
      smaller |= best_.bodies[body].results.size() > 1 && take(without_result(best_, body, i));
    }
  }
  return smaller;
}

bool shrinker::drop_steps() {
  bool smaller = false;
  for (std::size_t body = 0; body < best_.bodies.size(); ++body) {
    for (std::size_t i = best_.bodies[body].steps.size(); i-- > 0;) {
      bool dropped = false;
      for (std::size_t instead = 0; !dropped && instead < best_.bodies[body].steps[i].operands.size(); ++instead) {
        dropped = take(without_step(best_, body, i, instead));
      }
      smaller |= dropped;
    }
  }
  return smaller;
}

bool shrinker::drop_arguments() {
  bool smaller = false;
  for (std::size_t body = 0; body < best_.bodies.size(); ++body) {
    for (std::size_t i = best_.bodies[body].arguments.size(); i-- > 0;) {
      smaller |= best_.bodies[body].arguments.size() > 1 && take(without_argument(best_, body, i));
    }
  }
  return smaller;
}

bool shrinker::simplify_calls() {
  bool smaller = false;
  for (std::size_t i = 0; i < best_.actions.size(); ++i) {
    if (!names_body(best_.actions[i])) {
      continue;
    }
    smaller |= set([i](program& it) -> auto& { return it.actions[i].mode; }, call_mode::training);
    smaller |= set([i](program& it) -> auto& { return it.actions[i].key; }, int64_t{0});
    smaller |= set([i](program& it) -> auto& { return it.actions[i].live; }, 0.5);
    for (std::size_t j = 0; j < best_.actions[i].arguments.size(); ++j) {
      const source& source = best_.actions[i].arguments[j];
      if (source.from != source::origin::fresh || source.how != source::form::as_declared) {
        program candidate = best_;
        candidate.actions[i].arguments[j] = {};
        smaller |= take(std::move(candidate));
      }
    }
  }
  return smaller;
}

bool shrinker::simplify_actions() {
  bool smaller = false;
  for (std::size_t i = 0; i < best_.actions.size(); ++i) {
    const kind what = best_.actions[i].what;
    if (what != kind::backward && what != kind::grad) {
      continue;
    }
    smaller |= set([i](program& it) -> auto& { return it.actions[i].what; }, kind::backward);
    smaller |= set([i](program& it) -> auto& { return it.actions[i].flag; }, false);
    smaller |= set([i](program& it) -> auto& { return it.actions[i].how; }, action::loss::plain_sum);
    smaller |= set([i](program& it) -> auto& { return it.actions[i].used; }, std::optional<std::size_t>());
    smaller |= set([i](program& it) -> auto& { return it.actions[i].only; }, std::optional<std::size_t>());
    for (std::size_t j = best_.actions[i].others.size(); j-- > 0;) {
      std::vector<std::size_t> fewer = best_.actions[i].others;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(j));
      smaller |= set([i](program& it) -> auto& { return it.actions[i].others; }, fewer);
    }
    for (std::size_t j = best_.actions[i].roots.size(); j-- > 0;) {
      if (best_.actions[i].roots.size() > 1) {
        program candidate = best_;
        auto& roots = candidate.actions[i].roots;
        roots.erase(roots.begin() + static_cast<std::ptrdiff_t>(j));
        smaller |= take(std::move(candidate));
      }
    }
  }
  return smaller;
}

bool shrinker::simplify_bodies() {
  bool smaller = false;
  for (std::size_t i = 0; i < best_.bodies.size(); ++i) {
    smaller |= set([i](program& it) -> auto& { return it.bodies[i].settings.warmup; }, 0);
    smaller |= set([i](program& it) -> auto& { return it.bodies[i].settings.outputs; }, OutputPolicy::Keep);
    smaller |= set([i](program& it) -> auto& { return it.bodies[i].is_method; }, false);
    smaller |= set([i](program& it) -> auto& { return it.bodies[i].settings.slots; }, 2);
    smaller |= set([i](program& it) -> auto& { return it.bodies[i].settings.pool; }, static_cast<const char*>(nullptr));
    smaller |= set([i](program& it) -> auto& { return it.bodies[i].settings.list; }, false);
    smaller |= set([i](program& it) -> auto& { return it.bodies[i].settings.grads_in_graph; }, false);
    smaller |= set([i](program& it) -> auto& { return it.bodies[i].settings.pad; }, std::optional<impl::PadFill>());
    smaller |= set([i](program& it) -> auto& { return it.bodies[i].live; }, false);
    if (best_.bodies[i].settings.sizes.front() != 0) {
      smaller |= take(without_variable(best_, i));
    }
    for (std::size_t j = 0; j < best_.bodies[i].arguments.size(); ++j) {
      smaller |= set([i, j](program& it) -> auto& { return it.bodies[i].arguments[j].inplace; }, false);
      smaller |= set([i, j](program& it) -> auto& { return it.bodies[i].arguments[j].grad; }, false);
      smaller |= set([i, j](program& it) -> auto& { return it.bodies[i].arguments[j].flags; }, 0U);
    }
    for (std::size_t j = 0; j < best_.bodies[i].steps.size(); ++j) {
      smaller |= set([i, j](program& it) -> auto& { return it.bodies[i].steps[j].only_for_key; }, std::optional<int64_t>());
      for (std::size_t k = 0; k < best_.bodies[i].steps[j].numbers.size(); ++k) {
        smaller |= set([i, j, k](program& it) -> auto& { return it.bodies[i].steps[j].numbers[k]; }, int64_t{0});
      }
    }
  }
  return smaller;
}

// The first size of one argument, or of all, down to one and to a half.
bool shrinker::reduce_shapes() {
  bool smaller = false;
  const auto reduce = [&](std::size_t dim, int64_t divisor) {
    program candidate = best_;
    bool changed = false;
    for (auto& body : candidate.bodies) {
      for (auto& argument : body.arguments) {
        if (dim < argument.shape.size() && argument.shape[dim] > 1) {
          argument.shape[dim] = divisor == 0 ? 1 : argument.shape[dim] - argument.shape[dim] / divisor;
          changed = true;
        }
      }
    }
    return changed && take(std::move(candidate));
  };
  for (std::size_t dim = 0; dim < 4; ++dim) {
    smaller |= reduce(dim, 0) || reduce(dim, 2);
  }
  return smaller;
}

}  // namespace

program shrink(program program, const std::function<bool(const fuzz::program&)>& fails) {
  return shrinker(std::move(program), fails).run();
}

}  // namespace graphed::fuzz
