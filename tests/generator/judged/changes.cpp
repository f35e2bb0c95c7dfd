// SPDX-License-Identifier: Apache-2.0
//
// What a caller changes between two calls: numbers, tensors, modes of modules.
#include "judge.h"

#include <graphed/annotate.h>

#include <memory>
#include <vector>

namespace changes {

using namespace judged;

struct NumberOfAnObject : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * scale; }
  void between(int call) override { scale = call < 6 ? 1 : 2; }
  double scale = 1;
};

struct NumberOfAModule : torch::nn::Module, Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * scale; }
  void between(int call) override { scale = call < 6 ? 1 : 2; }
  double scale = 1;
};

struct NumberOfAModuleAsAKey : torch::nn::Module, Program {
  GRAPHED(x: f32[4], negate: key)
  Tensor call(const Tensor& x, bool negate) { return x * (negate ? -1 : 2); }
};

struct NumberOfAModuleThatStays : torch::nn::Module, Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * scale; }
  double scale = 3;
};

struct LateNumberOfAModule : torch::nn::Module, Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * scale; }
  void between(int call) override {
    if (call == 8) {
      scale = 5;
    }
  }
  double scale = 1;
};

double global_scale = 1;

struct NumberOfAGlobal : Program {
  NumberOfAGlobal() { global_scale = 1; }
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * global_scale; }
  void between(int call) override { global_scale = call < 8 ? 1 : 4; }
};

struct LiveNumber : Program {
  GRAPHED(x: f32[4], scale: live)
  Tensor call(const Tensor& x, const graphed::Scalar& scale) { return x * scale.like(x); }
};

struct NumbersInAList : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * scales[0]; }
  void between(int call) override { scales[0] = call < 8 ? 1 : 2; }
  std::vector<double> scales{1};
};

struct NumberOfADerivedObject : Program {
  struct Layer {
    virtual ~Layer() = default;
    virtual Tensor forward(const Tensor& x) const = 0;
  };
  struct Scaled : Layer {
    Tensor forward(const Tensor& x) const override { return x * gain; }
    double gain = 1;
  };
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return layer->forward(x); }
  void between(int call) override { static_cast<Scaled&>(*layer).gain = call < 8 ? 1 : 2; }
  std::shared_ptr<Layer> layer = std::make_shared<Scaled>();
};

struct ClassOfAnObject : Program {
  struct Layer {
    virtual ~Layer() = default;
    virtual Tensor forward(const Tensor& x) const { return x * 2; }
  };
  struct Other : Layer {
    Tensor forward(const Tensor& x) const override { return x + 3; }
  };
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return layer->forward(x); }
  void between(int call) override { layer = call < 8 ? std::make_shared<Layer>() : std::shared_ptr<Layer>(std::make_shared<Other>()); }
  std::shared_ptr<Layer> layer = std::make_shared<Layer>();
};

struct ReplacedFromOutside : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * weight; }
  void between(int call) override {
    if (call == 7) {
      weight = torch::full({4}, 3.0);
    }
  }
  Tensor weight = torch::ones({4});
};

struct ModesOfAModule : torch::nn::Module, Program {
  ModesOfAModule() { register_module("norm", norm); }
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return norm(x.view({2, 2})); }
  void between(int call) override { train(call % 2 == 0); }
  Tensors state() const override { return {norm->running_mean, norm->running_var, norm->num_batches_tracked}; }
  torch::nn::BatchNorm1d norm{2};
};

struct CumulativeAverage : torch::nn::Module, Program {
  CumulativeAverage() { register_module("norm", norm); }
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return norm(x.view({2, 2})); }
  Tensors state() const override { return {norm->running_mean, norm->running_var, norm->num_batches_tracked}; }
  torch::nn::BatchNorm1d norm{torch::nn::BatchNorm1dOptions(2).momentum(c10::nullopt)};
};

}  // namespace changes

#include "changes.graphed.h"

void judge_changes() {
  using namespace changes;
  judged::judge<&NumberOfAnObject::call, &NumberOfAModule::call, &NumberOfAModuleAsAKey::call, &NumberOfAModuleThatStays::call,
                &LateNumberOfAModule::call, &NumberOfAGlobal::call, &LiveNumber::call, &NumbersInAList::call, &NumberOfADerivedObject::call,
                &ClassOfAnObject::call, &ReplacedFromOutside::call, &ModesOfAModule::call, &CumulativeAverage::call>();
}
