// SPDX-License-Identifier: Apache-2.0
//
// Writes to arguments, in place and by assignment, and to what they share memory with.
#include "judge.h"

#include <graphed/annotate.h>

namespace writes {

using namespace judged;

struct AssignedArgument : Program {
  GRAPHED(x: f32[4] inplace)
  void call(Tensor& x) { x = x + 1; }
};

struct AssignedReference : Program {
  GRAPHED(x: f32[4])
  void call(Tensor& x) { x = x + 1; }
};

struct OutArgument : Program {
  GRAPHED(x: f32[4], sum: out)
  void call(const Tensor& x, Tensor& sum) { sum = x + 1; }
};

struct OutArgumentThatIsRead : Program {
  GRAPHED(x: f32[4], sum: out)
  void call(const Tensor& x, Tensor& sum) { sum = x + sum; }
};

struct OutArgumentThatIsWritten : Program {
  GRAPHED(x: f32[4], sum: out)
  void call(const Tensor& x, Tensor& sum) { sum.copy_(x); }
};

struct IgnoredNumber : Program {
  GRAPHED(x: f32[4], n: ignore)
  Tensor call(const Tensor& x, int n) { return x * (n + 1); }
};

struct IgnoredTensor : Program {
  GRAPHED(x: f32[4], y: ignore)
  Tensor call(const Tensor& x, const Tensor& y) { return x + y; }
};

struct IgnoredAndUnused : Program {
  GRAPHED(x: f32[4], n: ignore, y: ignore)
  Tensor call(const Tensor& x, [[maybe_unused]] int n, [[maybe_unused]] const Tensor& y) { return x + 1; }
};

struct AssignedCopyOfAnArgument : Program {
  GRAPHED(x: f32[4])
  Tensor call(Tensor x) {
    x = x + 1;
    x.mul_(2);
    return x;
  }
};

struct UnmarkedWrite : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x.add_(1) * 2; }
};

struct MarkedWrite : Program {
  GRAPHED(x: f32[4] inplace)
  Tensor call(const Tensor& x) { return x.add_(1) * 2; }
};

struct WriteToAView : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    x.view({2, 2}).select(0, 1).zero_();
    return x * 2;
  }
};

struct WriteToAReshaped : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    x.reshape({2, 2}).mul_(2);
    return x * 2;
  }
};

struct WriteToAContiguous : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    Tensor y = x.contiguous();
    y += 1;
    return y;
  }
};

struct WriteToTheSameType : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    Tensor y = x.to(torch::kFloat);
    y += 1;
    return y;
  }
};

struct WriteToAnotherType : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    Tensor y = x.to(torch::kDouble);
    y += 1;
    return y;
  }
};

struct WriteToADetached : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    x.detach().flatten().sub_(1);
    return x * 2;
  }
};

struct WriteToAClone : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    Tensor y = x.clone().view({2, 2});
    y[0] = 1;
    y.select(1, 1).exp_();
    return y;
  }
};

struct WriteByAnOperator : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    x[0] = 1;
    return x * 2;
  }
};

struct WriteByAnOutVariant : Program {
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, Tensor y) {
    torch::add_out(y, x, y);
    return y * 2;
  }
};

struct WriteToAList : Program {
  GRAPHED(xs: f32[4] * 2)
  Tensor call(const Tensors& xs) {
    at::_foreach_add_(xs, 1);
    return xs[0] + xs[1];
  }
};

struct WriteByAModule : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return relu(x) * 2; }
  torch::nn::ReLU relu{torch::nn::ReLUOptions(true)};
};

struct WriteInAHelper : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return normalized(x); }
  static Tensor normalized(Tensor x) {
    x /= 2;
    return x + 1;
  }
};

struct WriteToARealPart : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    torch::real(x).zero_();
    return x + 1;
  }
};

struct Transposed : Program {
  GRAPHED(x: f32[4])
  Tensor call(Tensor x) { return x.unsqueeze_(0) * 2; }
};

struct Resized : Program {
  GRAPHED(x: f32[4] inplace)
  void call(Tensor x) { x.resize_({2}); }
};

}  // namespace writes

#include "writes.graphed.h"

void judge_writes() {
  using namespace writes;
  judged::judge<&AssignedArgument::call, &AssignedReference::call, &OutArgument::call, &OutArgumentThatIsRead::call,
                &OutArgumentThatIsWritten::call, &IgnoredNumber::call, &IgnoredTensor::call, &IgnoredAndUnused::call,
                &AssignedCopyOfAnArgument::call, &UnmarkedWrite::call, &MarkedWrite::call, &WriteToAView::call, &WriteToAReshaped::call,
                &WriteToAContiguous::call, &WriteToTheSameType::call, &WriteToAnotherType::call, &WriteToADetached::call,
                &WriteToAClone::call, &WriteByAnOperator::call, &WriteByAnOutVariant::call, &WriteToAList::call, &WriteByAModule::call,
                &WriteInAHelper::call, &WriteToARealPart::call, &Transposed::call, &Resized::call>();
}
