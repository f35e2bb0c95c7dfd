// SPDX-License-Identifier: Apache-2.0
//
// Lists of tensors that a call leaves in members, or makes for itself.
#include "judge.h"

#include <graphed/annotate.h>

#include <array>
#include <deque>

namespace lists {

using namespace judged;

struct ListFilledAnew : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    outputs.clear();
    outputs.push_back(x * 2);
    return outputs[0] + 1;
  }
  Tensors state() const override { return outputs; }
  Tensors outputs;
};

struct ListThatGrows : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    history.push_back(x * 2);
    return history.back() + 1;
  }
  Tensors state() const override { return history; }
  Tensors history;
};

struct ListOfTheCall : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    Tensors parts;
    for (int i = 0; i < 3; ++i) {
      parts.push_back(x + i);
    }
    return torch::stack(parts);
  }
};

struct ReboundInAnArray : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    hidden[1] = hidden[0] + x;
    return hidden[1] * 2;
  }
  Tensors state() const override { return {hidden[0], hidden[1]}; }
  std::array<Tensor, 2> hidden{torch::zeros({4}), torch::zeros({4})};
};

struct ReboundElement : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    all.at(0) = x * 2;
    all.back() = x * 3;
    return all[0] + all[1];
  }
  Tensors state() const override { return all; }
  Tensors all = Tensors(2);
};

struct ReboundList : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    all = {x * 2, x * 3};
    return all[0] + all[1];
  }
  Tensors state() const override { return all; }
  Tensors all;
};

struct FramesThatPass : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    frames.push_back(x * 2);
    if (frames.size() > 2) {
      frames.pop_front();
    }
    return frames.front() + frames.back();
  }
  Tensors state() const override { return {frames.begin(), frames.end()}; }
  std::deque<Tensor> frames;
};

struct FramesThatPassLater : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    if (frames.size() >= 5) {
      frames.pop_front();
    }
    frames.push_back(x * 2);
    return frames.front() + frames.back();
  }
  Tensors state() const override { return {frames.begin(), frames.end()}; }
  std::deque<Tensor> frames;
};

struct FramesThatPassFromTheFirstCallOn : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    frames.pop_front();
    frames.push_back(x * 2);
    return frames.front() + frames.back();
  }
  Tensors state() const override { return {frames.begin(), frames.end()}; }
  std::deque<Tensor> frames{torch::zeros({4}), torch::ones({4})};
};

struct FramesOnceInAWhile : Program {
  GRAPHED(x: f32[4], forget: key)
  Tensor call(const Tensor& x, bool forget) {
    frames.push_back(x * 2);
    if (forget) {
      frames.pop_front();
    }
    return frames.front() + frames.back();
  }
  Tensors state() const override { return {frames.begin(), frames.end()}; }
  std::deque<Tensor> frames{torch::zeros({4})};
};

}  // namespace lists

#include "lists.graphed.h"

void judge_lists() {
  using namespace lists;
  judged::judge<&ListFilledAnew::call, &ListThatGrows::call, &ListOfTheCall::call, &ReboundInAnArray::call, &ReboundElement::call,
                &ReboundList::call, &FramesThatPass::call, &FramesThatPassLater::call, &FramesThatPassFromTheFirstCallOn::call,
                &FramesOnceInAWhile::call>();
}
