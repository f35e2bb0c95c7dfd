// SPDX-License-Identifier: Apache-2.0
//
// Ways to a write: containers, pointers, functions that are passed on.
#include "judge.h"

#include <graphed/annotate.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

namespace ways {

using namespace judged;

struct WriteThroughAPair : Program {
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) {
    auto [first, second] = std::make_pair(x, y.clone());
    first.add_(1);
    return first + second;
  }
};

struct WriteThroughTheOtherOfAPair : Program {
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) {
    auto [first, second] = std::make_pair(x, y.clone());
    second.add_(1);
    return first + second;
  }
};

struct WriteThroughATuple : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const auto both = std::make_tuple(x, 3);
    std::get<0>(both).mul_(std::get<1>(both));
    return x + 1;
  }
};

struct WriteThroughAStruct : Program {
  struct Both {
    Tensor left, right;
  };
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    Both both{x, x.clone()};
    both.left.zero_();
    return both.right + 1;
  }
};

struct WriteThroughTheOtherOfAStruct : Program {
  struct Both {
    Tensor left, right;
  };
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    Both both{x, x.clone()};
    both.right.zero_();
    return both.left + both.right;
  }
};

struct WriteThroughAList : Program {
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) {
    Tensors both{x, y.clone()};
    both[0].add_(1);
    return both[0] + both[1];
  }
};

struct WriteThroughALoop : Program {
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) {
    for (const Tensor& each : {x, y}) {
      each.mul_(2);
    }
    return x + y;
  }
};

struct WriteToCopiesInALoop : Program {
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) {
    Tensors copies{x.clone(), y * 1};
    for (Tensor& each : copies) {
      each.mul_(2);
      each = each + 1;
    }
    return copies[0] + copies[1];
  }
};

struct WriteThroughALambda : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const auto shift = [&](double by) { x.add_(by); };
    shift(2);
    return x + 1;
  }
};

struct WriteOfALambdasArgument : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const auto shifted = [](Tensor of) { return of.add_(2); };
    return shifted(x) + 1;
  }
};

struct WriteOfALambdasCopy : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const auto shifted = [](Tensor of) { return of.add_(2); };
    return shifted(x.clone()) + 1;
  }
};

struct WriteThroughAStdFunction : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const std::function<void(const Tensor&)> zero = [](const Tensor& of) { of.zero_(); };
    zero(x);
    return x + 1;
  }
};

struct WriteOfAChoice : Program {
  GRAPHED(x: f32[4], y: f32[4], first: key)
  Tensor call(const Tensor& x, const Tensor& y, bool first) { return (first ? x : y).add_(1) * 2; }
};

struct WriteThroughAPointer : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const Tensor* it = &x;
    it->add_(1);
    return *it * 2;
  }
};

struct WriteThroughAReferenceWrapper : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const std::reference_wrapper<const Tensor> it = std::cref(x);
    it.get().add_(1);
    return x * 2;
  }
};

struct WriteThroughAMap : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    std::map<std::string, Tensor> all{{"x", x}};
    all.at("x").add_(1);
    return x * 2;
  }
};

struct WriteThroughAnOptional : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    std::optional<Tensor> some(x);
    some->add_(1);
    return x * 2;
  }
};

struct WriteThroughAUniquePointer : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const auto owned = std::make_unique<Tensor>(x);
    owned->add_(1);
    return x * 2;
  }
};

struct WriteToChunks : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    for (const Tensor& part : x.chunk(2)) {
      part.add_(1);
    }
    return x * 2;
  }
};

struct WriteOfAStructGivenOn : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return scaled({x, 2}); }
  struct Scaled {
    Tensor of;
    double by;
  };
  static Tensor scaled(const Scaled& its) { return its.of.mul_(its.by) + 1; }
};

struct WriteByABuilder : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return Builder().with(x).built(); }
  struct Builder {
    Builder& with(const Tensor& given) {
      held = given;
      return *this;
    }
    Tensor built() { return held.add_(1) * 2; }
    Tensor held;
  };
};

struct WriteThroughIterators : Program {
  GRAPHED(xs: f32[4] * 2)
  Tensor call(const Tensors& xs) {
    for (auto it = xs.begin(); it != xs.end(); ++it) {
      it->add_(1);
    }
    return xs[0] + xs[1];
  }
};

struct ListGivenByValue : Program {
  GRAPHED(xs: f32[4] * 2)
  Tensor call(Tensors xs) {
    xs[0] = xs[0] + 1;
    xs.push_back(xs[1]);
    return xs[0] + xs[2];
  }
};

struct WriteThroughAVariant : Program {
  static constexpr const char* not_found = "what a std::variant holds is not followed";
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    std::variant<int, Tensor> some = x;
    std::get<Tensor>(some).add_(1);
    return x * 2;
  }
};

struct WriteOfACopyConstructed : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    Tensor same(x);
    same += 1;
    return same;
  }
};

struct WriteOfASum : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    Tensor other = x + 0;
    other += 1;
    return other;
  }
};

struct WriteByAlgorithm : Program {
  GRAPHED(xs: f32[4] * 2)
  Tensor call(const Tensors& xs) {
    std::for_each(xs.begin(), xs.end(), [](const Tensor& each) { each.neg_(); });
    return xs[0] + xs[1];
  }
};

struct SumByAlgorithm : Program {
  GRAPHED(xs: f32[4] * 2)
  Tensor call(const Tensors& xs) {
    Tensors doubled;
    std::transform(xs.begin(), xs.end(), std::back_inserter(doubled), [](const Tensor& each) { return each * 2; });
    return std::accumulate(doubled.begin(), doubled.end(), torch::zeros({4}, xs[0].options()));
  }
};

struct AssignedThroughAConstCast : Program {
  GRAPHED(x: f32[4] inplace)
  void call(const Tensor& x) { const_cast<Tensor&>(x) = x + 1; }
};

}  // namespace ways

#include "ways.graphed.h"

void judge_ways() {
  using namespace ways;
  judged::judge<&WriteThroughAPair::call, &WriteThroughTheOtherOfAPair::call, &WriteThroughATuple::call, &WriteThroughAStruct::call,
                &WriteThroughTheOtherOfAStruct::call, &WriteThroughAList::call, &WriteThroughALoop::call, &WriteToCopiesInALoop::call,
                &WriteThroughALambda::call, &WriteOfALambdasArgument::call, &WriteOfALambdasCopy::call, &WriteThroughAStdFunction::call,
                &WriteOfAChoice::call, &WriteThroughAPointer::call, &WriteThroughAReferenceWrapper::call, &WriteThroughAMap::call,
                &WriteThroughAnOptional::call, &WriteThroughAUniquePointer::call, &WriteToChunks::call, &WriteOfAStructGivenOn::call,
                &WriteByABuilder::call, &WriteThroughIterators::call, &ListGivenByValue::call, &WriteThroughAVariant::call,
                &WriteOfACopyConstructed::call, &WriteOfASum::call, &WriteByAlgorithm::call, &SumByAlgorithm::call,
                &AssignedThroughAConstCast::call>();
}
