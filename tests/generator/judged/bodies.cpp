// SPDX-License-Identifier: Apache-2.0
//
// Ways from a call to a read on the host: helpers, lambdas, objects; and ways that no call takes.
#include "judge.h"

#include <graphed/annotate.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <vector>

namespace bodies {

using namespace judged;

struct ItemCaught : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    try {
      return x * x.sum().item<float>();
    } catch (const std::exception&) {
      return x;
    }
  }
};

struct ItemInAHelper : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * norm_of(x); }
  static double norm_of(const Tensor& x) { return x.norm().item().toDouble(); }
};

struct ItemInALambda : Program {
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) {
    double sum = 0;
    const std::vector<Tensor> both{x, y};
    std::for_each(both.begin(), both.end(), [&](const Tensor& each) { sum += each.sum().item<double>(); });
    return x * sum;
  }
};

struct ItemInAStoredFunction : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * scale(x); }
  std::function<double(const Tensor&)> scale = [](const Tensor& x) { return x.sum().item<double>(); };
};

struct ItemOfAnOverride : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return scaled->of(x); }
  struct Scaled {
    virtual ~Scaled() = default;
    virtual Tensor of(const Tensor& x) const = 0;
  };
  struct ByItsSum final : Scaled {
    Tensor of(const Tensor& x) const override { return x * x.sum().item<float>(); }
  };
  std::unique_ptr<Scaled> scaled = std::make_unique<ByItsSum>();
};

struct ItemInABranchThatIsNeverTaken : Program {
  static constexpr bool kDebug = false;
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    if (kDebug) {
      std::cout << x.sum().item<float>();
    }
    return x * 2;
  }
};

struct ItemBound : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return std::bind(&ItemBound::scaled, std::placeholders::_1, 2.0)(x); }
  static Tensor scaled(const Tensor& x, double by) { return x * x.sum().item<double>() * by; }
};

struct ItemInvoked : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return std::invoke(&ItemInvoked::scaled, x); }
  static Tensor scaled(const Tensor& x) { return x * x.sum().item<double>(); }
};

struct ItemOfABase : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return Scaled().run(x); }
  template <class Derived>
  struct Base {
    Tensor run(const Tensor& x) { return static_cast<Derived*>(this)->step(x); }
  };
  struct Scaled : Base<Scaled> {
    Tensor step(const Tensor& x) { return x * x.sum().item<float>(); }
  };
};

struct ItemOfAnOrder : Program {
  GRAPHED(x: f32[4], y: f32[4])
  Tensor call(const Tensor& x, const Tensor& y) {
    Tensors both{x, y};
    std::sort(both.begin(), both.end(), [](const Tensor& a, const Tensor& b) { return a.sum().item<float>() < b.sum().item<float>(); });
    return both[0] * 2;
  }
};

struct ItemInADestructor : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const Reader reader{x};
    return x * 2;
  }
  struct Reader {
    ~Reader() noexcept(false) { of.sum().item<float>(); }
    Tensor of;
  };
};

struct ItemInAConstructor : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * Scale(x).by; }
  struct Scale {
    explicit Scale(const Tensor& x) : by(x.sum().item<double>()) {}
    double by;
  };
};

struct ItemInAConversion : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const double by = Sum{x};
    return x * by;
  }
  struct Sum {
    operator double() const { return of.sum().item<double>(); }
    Tensor of;
  };
};

struct ItemInATemplate : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    return x * of(x, [](const Tensor& each) { return each.sum(); });
  }
  template <class Reduce>
  static double of(const Tensor& x, const Reduce& reduce) {
    return reduce(x).template item<double>();
  }
};

struct ItemInARecursion : Program {
  static constexpr const char* not_found = "a body that runs already is not run again: the number that ends the recursion is never met";
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return halved(x, 3); }
  static Tensor halved(const Tensor& x, int times) { return times == 0 ? x * x.sum().item<float>() : halved(x / 2, times - 1); }
};

struct ItemInAHandler : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    try {
      return x * 2;
    } catch (const std::exception&) {
      return x * x.sum().item<float>();
    }
  }
};

struct ItemBehindAConstant : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    if constexpr (sizeof(float) == 8) {
      return x * x.sum().item<float>();
    }
    return false && x.sum().item<float>() > 0 ? x : x * 2;
  }
};

struct ItemBehindAKey : Program {
  GRAPHED(x: f32[4], check: key)
  Tensor call(const Tensor& x, bool check) {
    if (check) {
      TORCH_CHECK(!x.isnan().any().item<bool>());
    }
    return x * 2;
  }
};

struct ItemInASwitch : Program {
  enum class Kind { sum, mean };
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    switch (kind) {
      case Kind::sum:
        return x * x.sum().item<float>();
      case Kind::mean:
        return x * x.mean();
    }
    return x;
  }
  const Kind kind = Kind::mean;
};

struct ItemOfAMeasuredLoss : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const Tensor loss = x.square().mean();
    best = std::min(best, loss.item<double>());
    return loss;
  }
  Tensors state() const override { return {number(best)}; }
  double best = 1e9;
};

}  // namespace bodies

#include "bodies.graphed.h"

void judge_bodies() {
  using namespace bodies;
  judged::judge<&ItemCaught::call, &ItemInAHelper::call, &ItemInALambda::call, &ItemInAStoredFunction::call, &ItemOfAnOverride::call,
                &ItemInABranchThatIsNeverTaken::call, &ItemBound::call, &ItemInvoked::call, &ItemOfABase::call, &ItemOfAnOrder::call,
                &ItemInADestructor::call, &ItemInAConstructor::call, &ItemInAConversion::call, &ItemInATemplate::call,
                &ItemInARecursion::call, &ItemInAHandler::call, &ItemBehindAConstant::call, &ItemBehindAKey::call, &ItemInASwitch::call,
                &ItemOfAMeasuredLoss::call>();
}
