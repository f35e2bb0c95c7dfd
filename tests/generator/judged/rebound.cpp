// SPDX-License-Identifier: Apache-2.0
//
// Tensors that a call leaves in members, in place and by assignment.
#include "judge.h"

#include <graphed/annotate.h>

#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace rebound {

using namespace judged;

struct RunningSum : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    sum = sum + x;
    return sum * 2;
  }
  Tensors state() const override { return {sum}; }
  Tensor sum = torch::zeros({4});
};

struct RunningSumInPlace : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    sum.add_(x);
    return sum * 2;
  }
  Tensors state() const override { return {sum}; }
  Tensor sum = torch::zeros({4});
};

struct RunningSumCopied : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    sum.copy_(sum + x);
    return sum * 2;
  }
  Tensors state() const override { return {sum}; }
  Tensor sum = torch::zeros({4});
};

struct RunningSumBehindAReference : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    Tensor& kept = sum;
    kept = kept + x;
    return kept * 2;
  }
  Tensors state() const override { return {sum}; }
  Tensor sum = torch::zeros({4});
};

struct MovingAverage : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    if (!average.defined()) {
      average = x * 2;
    } else {
      average = average * 0.9 + x;
    }
    return average + x;
  }
  Tensors state() const override { return {average}; }
  Tensor average;
};

struct LastResult : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    last = x * 2;
    return last + 1;
  }
  Tensors state() const override { return {last}; }
  Tensor last;
};

struct MadeOnce : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    if (!mask.defined()) {
      mask = torch::ones_like(x) * 3;
    }
    return x * mask;
  }
  Tensors state() const override { return {mask}; }
  Tensor mask;
};

struct MadeOncePerSize : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    auto found = masks.find(x.size(0));
    if (found == masks.end()) {
      found = masks.emplace(x.size(0), torch::arange(x.size(0), x.options())).first;
    }
    return x * found->second;
  }
  std::unordered_map<int64_t, Tensor> masks;
};

struct Swapped : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    std::swap(front, back);
    front.copy_(x);
    return front + back;
  }
  Tensors state() const override { return {front, back}; }
  Tensor front = torch::zeros({4}), back = torch::ones({4});
};

struct SwappedInPlace : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const Tensor former = front.clone();
    front.copy_(x);
    back.copy_(former);
    return front + back;
  }
  Tensors state() const override { return {front, back}; }
  Tensor front = torch::zeros({4}), back = torch::ones({4});
};

struct MemberGivenOtherData : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    held.set_data(x * 2);
    return held + 1;
  }
  Tensors state() const override { return {held.detach()}; }
  Tensor held = torch::zeros({4});
};

struct ReboundThroughAUniquePointer : Program {
  struct Memory {
    Tensor hidden = torch::zeros({4});
  };
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    memory->hidden = memory->hidden * 0.5 + x;
    return memory->hidden * 2;
  }
  Tensors state() const override { return {memory->hidden}; }
  std::unique_ptr<Memory> memory = std::make_unique<Memory>();
};

struct ReboundByTie : torch::nn::Module, Program {
  ReboundByTie() { register_module("cell", cell); }
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    std::tie(h, c) = cell(x.view({1, 4}), std::make_tuple(h, c));
    return h * 2;
  }
  Tensors state() const override { return {h.detach(), c.detach()}; }
  torch::nn::LSTMCell cell{4, 4};
  Tensor h = torch::zeros({1, 4}), c = torch::zeros({1, 4});
};

struct KeptInPlaceAfterACell : torch::nn::Module, Program {
  KeptInPlaceAfterACell() { register_module("cell", cell); }
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const torch::NoGradGuard no_grad;
    const auto [next_h, next_c] = cell(x.view({1, 4}), std::make_tuple(h, c));
    h.copy_(next_h);
    c.copy_(next_c);
    return h * 2;
  }
  Tensors state() const override { return {h, c}; }
  torch::nn::LSTMCell cell{4, 4};
  Tensor h = torch::zeros({1, 4}), c = torch::zeros({1, 4});
};

struct ReboundThroughAGetter : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    hidden() = hidden() + x;
    return hidden() * 2;
  }
  Tensor& hidden() { return hidden_; }
  Tensors state() const override { return {hidden_}; }
  Tensor hidden_ = torch::zeros({4});
};

struct ReboundStatic : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    static Tensor sum = torch::zeros({4});
    sum = sum + x;
    return sum - sum.sum() + x;
  }
};

struct ReboundByExchange : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return std::exchange(former, x * 2) + 1; }
  Tensors state() const override { return {former}; }
  Tensor former = torch::zeros({4});
};

struct ReboundToAnArgument : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    last = x;
    return x * 2;
  }
  Tensors state() const override { return {last}; }
  Tensor last;
};

struct ReboundOptional : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    last = x * 2;
    return *last + 1;
  }
  Tensors state() const override { return {last.value_or(Tensor())}; }
  std::optional<Tensor> last;
};

struct ReboundInAHelper : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    remember(last, x * 2);
    return x + 1;
  }
  static void remember(Tensor& where, const Tensor& what) { where = what; }
  Tensors state() const override { return {last}; }
  Tensor last;
};

struct ReboundUnderAKey : Program {
  GRAPHED(x: f32[4], keep: key)
  Tensor call(const Tensor& x, bool keep) {
    if (keep) {
      last = x * 2;
    }
    return x + 1;
  }
  Tensors state() const override { return {last}; }
  Tensor last;
};

struct ReboundThroughASharedPointer : Program {
  struct Memory {
    Tensor hidden = torch::zeros({4});
  };
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const auto kept = memory;
    kept->hidden = kept->hidden + x;
    return kept->hidden * 1;
  }
  Tensors state() const override { return {memory->hidden}; }
  std::shared_ptr<Memory> memory = std::make_shared<Memory>();
};

struct ReboundByABasesMethod : Program {
  struct Base {
    virtual ~Base() = default;
    virtual Tensor step(const Tensor& x) {
      hidden = hidden + x;
      return hidden * 1;
    }
    Tensor hidden = torch::zeros({4});
  };
  struct Derived : Base {
    Tensor step(const Tensor& x) override { return Base::step(x) * 2; }
  };
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return derived.step(x); }
  Tensors state() const override { return {derived.hidden}; }
  Derived derived;
};

struct AssignedToItself : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    sum = sum.add_(x);
    return sum * 2;
  }
  Tensors state() const override { return {sum}; }
  Tensor sum = torch::zeros({4});
};

struct WriteToAPartOfAMember : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    ring.select(0, 1).copy_(x);
    ring.index_put_({0, torch::indexing::Slice()}, ring[1] * 2);
    return ring.sum(0);
  }
  Tensors state() const override { return {ring}; }
  Tensor ring = torch::zeros({2, 4});
};

struct LocalParameters : torch::nn::Module, Program {
  LocalParameters() { register_module("linear", linear); }
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const torch::NoGradGuard no_grad;
    for (Tensor& each : parameters()) {
      each = each * 2;
    }
    for (const Tensor& each : parameters()) {
      each.mul_(0.5);
    }
    return linear(x);
  }
  Tensors state() const override { return {linear->weight.detach(), linear->bias.detach()}; }
  torch::nn::Linear linear{4, 2};
};

struct CachedByKey : Program {
  GRAPHED(x: f32[4], negate: key)
  Tensor call(const Tensor& x, bool negate) {
    Tensor& factor = factors[negate];
    if (!factor.defined()) {
      factor = torch::full({4}, negate ? -1.0 : 2.0, x.options());
    }
    return x * factor;
  }
  std::map<bool, Tensor> factors;
};

struct SetUpOnce : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    if (!ready) {
      table = torch::arange(4, x.options());
      ready = true;
    }
    return x * table;
  }
  Tensors state() const override { return {table, number(ready)}; }
  Tensor table;
  bool ready = false;
};

struct SwappedInAModule : torch::nn::Module, Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    std::swap(front, back);
    return x * 2;
  }
  Tensors state() const override { return {front, back}; }
  Tensor front = torch::zeros({4}), back = torch::ones({4});
};

struct PassedOnInAModule : torch::nn::Module, Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    last = front;
    front = front + x;
    return x * 2;
  }
  Tensors state() const override { return {last, front}; }
  Tensor last = torch::zeros({4}), front = torch::ones({4});
};

struct RememberingImpl : torch::nn::Module {
  Tensor forward(const Tensor& x) {
    hidden = torch::tanh(hidden * 0.5 + x);
    return hidden * 2;
  }
  Tensor hidden = torch::zeros({4});
};
TORCH_MODULE(Remembering);

struct ReboundInASubmodule : torch::nn::Module, Program {
  ReboundInASubmodule() { register_module("memory", memory); }
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return memory(x) + 1; }
  Tensors state() const override { return {memory->hidden}; }
  Remembering memory;
};

struct ReboundInAModuleOfTheObject : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return memory->forward(x) + 1; }
  void between(int call) override {
    if (call == 8) {
      memory->hidden = torch::ones({4});
    }
  }
  Tensors state() const override { return {memory->hidden}; }
  Remembering memory;
};

struct ReboundInAModuleByValue : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return inner.memory.forward(x) + 1; }
  Tensors state() const override { return {inner.memory.hidden}; }
  struct Inner : torch::nn::Module {
    RememberingImpl memory;
  };
  Inner inner;
};

}  // namespace rebound

#include "rebound.graphed.h"

void judge_rebound() {
  using namespace rebound;
  judged::judge<&RunningSum::call, &RunningSumInPlace::call, &RunningSumCopied::call, &RunningSumBehindAReference::call,
                &MovingAverage::call, &LastResult::call, &MadeOnce::call, &MadeOncePerSize::call, &Swapped::call, &SwappedInPlace::call,
                &MemberGivenOtherData::call, &ReboundThroughAUniquePointer::call, &ReboundByTie::call, &KeptInPlaceAfterACell::call,
                &ReboundThroughAGetter::call, &ReboundStatic::call, &ReboundByExchange::call, &ReboundToAnArgument::call,
                &ReboundOptional::call, &ReboundInAHelper::call, &ReboundUnderAKey::call, &ReboundThroughASharedPointer::call,
                &ReboundByABasesMethod::call, &AssignedToItself::call, &WriteToAPartOfAMember::call, &LocalParameters::call,
                &CachedByKey::call, &SetUpOnce::call, &SwappedInAModule::call, &PassedOnInAModule::call, &ReboundInASubmodule::call,
                &ReboundInAModuleOfTheObject::call, &ReboundInAModuleByValue::call>();
}
