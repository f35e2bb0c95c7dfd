// SPDX-License-Identifier: Apache-2.0
//
// Gradients that optimizers, clipping and scalers pass over in a capture, because there are none, and that come later; scalers after an
// error.
#include "support/device_test.h"

#include <graphed/clip_grad.h>
#include <graphed/grad_scaler.h>
#include <graphed/optim.h>

namespace gradient_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(PassedOver);

const std::vector<argument> batch{{"x", {4}}};

settings of_a_step() {
  settings made;
  made.step = true;
  return made;
}

// A step trains `used`; the caller gives `unused` a gradient now and then.
void expect_noticed(c10::Device device, const std::function<void(scenario&, optim::Optimizer&, const std::vector<Tensor>&)>& update) {
  expect_same(device, [&](scenario& run) {
    const std::vector<Tensor> parameters{run.leaf({4}), run.leaf({4})};
    optim::SGD optimizer(parameters, optim::SGDOptions(0.1));
    const auto body = [&](tensor_list& in) {
      parameters[0].mutable_grad().reset();
      (parameters[0] * in[0]).square().sum().backward();
      update(run, optimizer, parameters);
      return tensor_list{};
    };
    subject step(run, batch, body, of_a_step());
    for (int call = 0; call < 10; ++call) {
      if (call == 5) {
        parameters[1].mutable_grad() = run.random({4});
      }
      step({run.random({4})});
      run.see("parameters", parameters);
      run.see("gradient", parameters[0].grad());
    }
  });
}

TEST_P(PassedOver, ByAnOptimizerIsNoticed) {
  expect_noticed(device(),
                 [](scenario& /*run*/, optim::Optimizer& optimizer, const std::vector<Tensor>& /*parameters*/) { optimizer.step(); });
}

TEST_P(PassedOver, ByClippingIsNoticed) {
  expect_noticed(device(), [](scenario& /*run*/, optim::Optimizer& /*optimizer*/, const std::vector<Tensor>& parameters) {
    clip_grad_norm_(parameters, 0.5);
  });
}

// The step that fails in its middle leaves the scaler there, and so the next one fails as in eager.
TEST_P(PassedOver, ByAScalerThatThrowsIsTheSameErrorAfterwards) {
  expect_same([](scenario& run) {
    const std::vector<Tensor> parameters{run.leaf({4}), run.leaf({4})};
    optim::SGD first({parameters[0]}, optim::SGDOptions(0.1)), second({parameters[1]}, optim::SGDOptions(0.1));
    GradScaler scaler(run.device());
    const auto body = [&](tensor_list& in) {
      parameters[0].mutable_grad().reset();
      scaler.scale((parameters[0] * in[0]).square().sum()).backward();
      scaler.unscale_(first);
      scaler.step(first);
      scaler.step(second);
      scaler.update();
      return tensor_list{};
    };
    subject step(run, batch, body, of_a_step());
    for (int call = 0; call < 9; ++call) {
      if (call == 0 || call == 6) {
        parameters[1].mutable_grad() = call == 0 ? run.random({4}) : Tensor();
      }
      run.see_error("step", [&] { step({run.random({4})}); });
      run.see("parameters", parameters);
    }
  });
}

}  // namespace gradient_test
