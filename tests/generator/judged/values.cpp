// SPDX-License-Identifier: Apache-2.0
//
// What the host reads of a tensor: its values, its memory; and what looks like it.
#include "judge.h"

#include <graphed/annotate.h>
#include <graphed/host.h>

#include <cstring>
#include <iostream>
#include <numeric>
#include <sstream>

namespace values {

using namespace judged;
using namespace torch::indexing;

using namespace torch::indexing;

struct Item : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * x.sum().item<float>(); }
};

struct ItemOfAConstant : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * limit.item<float>(); }
  Tensor limit = torch::full({}, 2.0);
};

struct ItemOfNoTensor : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * static_cast<double>(x.size(0)) / x.numel(); }
};

struct ItemForAnIndex : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x[x.argmax()] + x; }
};

struct IndexOfOneDimension : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x.index({x.argmax().view({1})}) + x; }
};

struct IndexSelect : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x.index_select(0, x.argmax().view({1})) + x.gather(0, x.argsort()); }
};

struct SliceOfAnItem : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x.index({Slice(None, x.argmax().item<int64_t>() + 1)}).sum(); }
};

struct Branch : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    if (x.sum().item<float>() > 0) {
      return x * 2;
    }
    return -x;
  }
};

struct BranchOnATensor : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return (x > 0).any().is_nonzero() ? x * 2 : -x; }
};

struct BranchOnTheDevice : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return torch::where(x > 0, x * 2, -x); }
};

struct BranchOnASize : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x.size(0) > 3 && x.dim() == 1 ? x * 2 : x * x.sum().item<float>(); }
};

struct BranchOnACount : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x.numel() == 4 ? x / static_cast<double>(x.numel()) : x * x.sum().item<float>(); }
};

struct BranchOnAKey : Program {
  GRAPHED(x: f32[4], negate: key)
  Tensor call(const Tensor& x, bool negate) { return negate ? -x : x * 2; }
};

struct Loop : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    Tensor y = x.abs() + 1;
    while (y.sum().item<float>() < 20) {
      y = y * 2;
    }
    return y;
  }
};

struct LoopOverASize : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    Tensor y = torch::zeros_like(x);
    for (int64_t i = 0; i < x.size(0); ++i) {
      y += x[i];
    }
    return y;
  }
};

struct Assertion : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    TORCH_CHECK((x < 100).all().item<bool>(), "too large");
    return x * 2;
  }
};

struct AssertionOfAShape : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    TORCH_CHECK(x.dim() == 1 && x.size(0) == 4, "wrong shape ", x.sizes());
    return x * 2;
  }
};

struct Equal : Program {
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) { return x.equal(y) ? x * 2 : y * 2; }
};

struct AllClose : Program {
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) { return x * static_cast<int64_t>(torch::allclose(x, y)); }
};

struct SameTensor : Program {
  static constexpr const char* harmless_on_a_tape = "no call passes one tensor twice";
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) { return x.is_same(y) ? x * 2 : x + y; }
};

struct EqualShapes : Program {
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) { return x.sizes() == y.sizes() && x.sizes().equals(y.sizes()) ? x + y : x; }
};

struct Printed : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    std::cout << x << '\n';
    return x * 2;
  }
};

struct PrintedShape : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    std::cout << x.sizes() << '\n';
    return x * 2;
  }
};

struct CopiedToTheHost : Program {
  static constexpr const char* harmless_on_a_tape = "a tensor of a CPU is not copied there";
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x.cpu() * 2 + x.to(torch::kCPU); }
};

struct ReadThroughAPointer : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * x.data_ptr<float>()[0]; }
};

struct ReadThroughAnAccessor : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const auto values = x.accessor<float, 1>();
    return x * (values[0] + values[1]);
  }
};

struct SummedByTheHost : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const float* first = x.data_ptr<float>();
    return x * std::accumulate(first, first + x.numel(), 0.0F);
  }
};

struct WrittenThroughAPointer : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    Tensor y = torch::empty_like(x);
    std::memcpy(y.data_ptr(), x.const_data_ptr(), x.nbytes());
    return y + 1;
  }
};

struct ItemOfAHostsTable : Program {
  static constexpr const char* not_found =
      "the number is the same in each call, and on a GPU nobody waits: docs/reference/checks/host-values.md#graphed-host-item";
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * torch::linspace(0.1, 1.0, 5)[2].item<float>(); }
};

struct ItemInAHostPart : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const Tensor sum = x.sum();
    const graphed::Scalar scale = graphed::host([sum] { return sum.item<float>() > 0 ? sum.item<float>() : 1.0F; });
    return x * scale.like(x);
  }
};

struct PrintedInAHostPart : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const Tensor y = x + 1;
    graphed::host([y] { std::ostringstream() << y; });
    return y * 2;
  }
};

}  // namespace values

#include "values.graphed.h"

void judge_values() {
  using namespace values;
  judged::judge<&Item::call, &ItemOfAConstant::call, &ItemOfNoTensor::call, &ItemForAnIndex::call, &IndexOfOneDimension::call,
                &IndexSelect::call, &SliceOfAnItem::call, &Branch::call, &BranchOnATensor::call, &BranchOnTheDevice::call,
                &BranchOnASize::call, &BranchOnACount::call, &BranchOnAKey::call, &Loop::call, &LoopOverASize::call, &Assertion::call,
                &AssertionOfAShape::call, &Equal::call, &AllClose::call, &SameTensor::call, &EqualShapes::call, &Printed::call,
                &PrintedShape::call, &CopiedToTheHost::call, &ReadThroughAPointer::call, &ReadThroughAnAccessor::call,
                &SummedByTheHost::call, &WrittenThroughAPointer::call, &ItemOfAHostsTable::call, &ItemInAHostPart::call,
                &PrintedInAHostPart::call>();
}
