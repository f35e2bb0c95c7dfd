// SPDX-License-Identifier: Apache-2.0
//
// Bodies of branches and loops on the device.
#include "judge.h"

#include <graphed/annotate.h>
#include <graphed/control_flow.h>

#include <tuple>

namespace branches {

using namespace judged;

struct NumberOfABody : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    double scale = 1;
    graphed::if_else(x.sum() > 0, [&] { scale = 2; }, [&] { scale = 3; });
    return x * scale;
  }
};

struct TensorOfABody : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    Tensor y = x + 1;
    graphed::if_else(x.sum() > 0, [&] { y = y * 2; }, [&] { y = y * 3; });
    return y;
  }
};

struct TensorOfAHeldBody : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    Tensor y = x + 1;
    const auto then = [&] { y = y * 2; };
    graphed::if_else(x.sum() > 0, then, [] {});
    return y;
  }
};

void doubled(Tensor& y) { y = y * 2; }

struct TensorOfAFunctionInABody : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    Tensor y = x + 1;
    graphed::if_else(x.sum() > 0, [&] { doubled(y); }, [] {});
    return y;
  }
};

struct ListOfABody : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    Tensors kept;
    graphed::if_else(x.sum() > 0, [&] { kept.push_back(x * 2); }, [&] { kept.push_back(x * 3); });
    return kept[0] + 1;
  }
};

struct MemberOfABody : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    return graphed::if_else(
        x.sum() > 0,
        [&] {
          hidden = hidden + x;
          return hidden * 2;
        },
        [&] { return hidden + 0; });
  }
  Tensors state() const override { return {hidden}; }
  Tensor hidden = torch::zeros({4});
};

struct TensorOfALoop : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    Tensor norm = x.sum();
    const Tensor y = graphed::while_loop([](const Tensor& now) { return now.abs().max() > 0.1; },
                                         [&](const Tensor& now) {
                                           norm = now.norm();
                                           return now * 0.5;
                                         },
                                         x, 20);
    return y * norm;
  }
};

struct CountOfALoop : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    int turns = 0;
    const Tensor y = graphed::while_loop([](const Tensor& now) { return now.abs().max() > 0.1; },
                                         [&](const Tensor& now) {
                                           ++turns;
                                           return now * 0.5;
                                         },
                                         x, 20);
    return y * turns;
  }
};

struct ItemInABody : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    return graphed::if_else(x.sum() > 0, [&] { return x / x.norm().item<float>(); }, [&] { return x + 0; });
  }
};

struct ArgumentWrittenInABody : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    graphed::if_else(x.sum() > 0, [&] { x.mul_(2); }, [&] { x.mul_(3); });
    return x + 1;
  }
};

struct WriteInBodies : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    Tensor y = x + 1;
    graphed::if_else(x.sum() > 0, [&] { y.mul_(2); }, [&] { y[0].fill_(3); });
    return y;
  }
};

struct VariablesOfBodies : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    return graphed::if_else(
        x.sum() > 0,
        [&] {
          Tensor y = x;
          for (int turn = 0; turn < 3; ++turn) {
            y = y * 2;
          }
          return y;
        },
        [y = x]() mutable {
          y = y + 1;
          return y;
        });
  }
};

struct ReturnedByBodies : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    auto [y, z] = graphed::if_else(x.sum() > 0, [&] { return std::make_tuple(x * 2, x + 1); }, [&] { return std::make_tuple(x, x * 3); });
    y.add_(1);
    return y + z;
  }
};

struct StateInPlace : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    return graphed::while_loop([](const Tensor& y) { return y.abs().max() > 0.1; }, [](Tensor y) { return y.mul_(0.5); }, x, 20);
  }
};

struct BranchInALoop : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const auto is_large = [](const Tensor& y) { return y.abs().max() > 0.1; };
    return graphed::while_loop(
        is_large, [&](const Tensor& y) { return graphed::if_else(y.sum() > 0, [&] { return y * 0.5; }, [&] { return y * 0.25; }); }, x, 20);
  }
};

}  // namespace branches

#include "branches.graphed.h"

void judge_branches() {
  using namespace branches;
  judged::judge<&NumberOfABody::call, &TensorOfABody::call, &TensorOfAHeldBody::call, &TensorOfAFunctionInABody::call, &ListOfABody::call,
                &MemberOfABody::call, &TensorOfALoop::call, &CountOfALoop::call, &ItemInABody::call, &ArgumentWrittenInABody::call,
                &WriteInBodies::call, &VariablesOfBodies::call, &ReturnedByBodies::call, &StateInPlace::call, &BranchInALoop::call>();
}
