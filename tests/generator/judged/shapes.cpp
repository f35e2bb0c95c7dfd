// SPDX-License-Identifier: Apache-2.0
//
// Results whose shapes depend on values, and those that have the same shapes in each call.
#include "judge.h"

#include <graphed/annotate.h>

namespace shapes {

using namespace judged;

struct Nonzero : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return (x > 0).nonzero(); }
};

struct MaskedSelect : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x.masked_select(x > 0).sum(); }
};

struct MaskAsAnIndex : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const Tensor mask = x > 0;
    return x.index({mask}).sum();
  }
};

struct MaskOfAHelper : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x.index({positive(x)}).sum(); }
  static Tensor positive(const Tensor& x) { return x.gt(0).logical_and(x.lt(1)); }
};

struct MaskThatGetsANumber : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    Tensor y = x.clone();
    y.index_put_({y > 0}, 0.0);
    return y;
  }
};

struct MaskThatIsFilled : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x.clone().masked_fill_(x > 0, 0.0).masked_fill(x < -1, 3); }
};

struct MaskThatGetsATensor : Program {
  static constexpr const char* harmless_on_a_tape = "a GPU fills in by the mask only what is in host memory, as everything is on a tape";
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) {
    Tensor z = x.clone();
    z.index_put_({y > 0}, y.sum());
    return z;
  }
};

struct PlacesThatGetATensor : Program {
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) {
    Tensor z = x.clone();
    z.index_put_({y.argsort()}, y);
    return z;
  }
};

struct WhereOfOneArgument : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return torch::where(x > 0)[0].sum(); }
};

struct Unique : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return std::get<0>(at::_unique2(x.round())).sum(); }
};

struct Bincount : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x.abs().to(torch::kLong).bincount(); }
};

struct RepeatInterleave : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x.repeat_interleave(x.gt(0).to(torch::kLong)).sum(); }
};

struct RepeatInterleaveOfANumber : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x.repeat_interleave(3); }
};

struct OneHot : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return torch::one_hot(x.gt(0).to(torch::kLong), 2); }
};

struct OneHotByComparing : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x.gt(0).to(torch::kLong).unsqueeze(1).eq(torch::arange(2, x.options())).to(torch::kLong); }
};

struct RepeatInterleaveOfAGivenSize : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x.repeat_interleave(torch::arange(4, torch::kLong), 0, 6); }
};

struct UniqueConsecutive : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return std::get<0>(torch::unique_consecutive(x.round())); }
};

struct Argwhere : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return torch::argwhere(x > 0); }
};

struct OneHotOfAnyNumber : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return torch::one_hot(x.gt(0).to(torch::kLong)); }
};

struct RowsByAMask : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x.view({2, 2}).index({x.view({2, 2}).sum(1) > 0}).sum(); }
};

struct Combinations : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return torch::combinations(x); }
};

}  // namespace shapes

#include "shapes.graphed.h"

void judge_shapes() {
  using namespace shapes;
  judged::judge<&Nonzero::call, &MaskedSelect::call, &MaskAsAnIndex::call, &MaskOfAHelper::call, &MaskThatGetsANumber::call,
                &MaskThatIsFilled::call, &MaskThatGetsATensor::call, &PlacesThatGetATensor::call, &WhereOfOneArgument::call, &Unique::call,
                &Bincount::call, &RepeatInterleave::call, &RepeatInterleaveOfANumber::call, &OneHot::call, &OneHotByComparing::call,
                &RepeatInterleaveOfAGivenSize::call, &UniqueConsecutive::call, &Argwhere::call, &OneHotOfAnyNumber::call,
                &RowsByAMask::call, &Combinations::call>();
}
