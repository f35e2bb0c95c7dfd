// SPDX-License-Identifier: Apache-2.0
//
// Parameters that are not objects, although the annotation says so, and a default argument of one.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <functional>
#include <memory>

namespace app {

struct NetImpl : torch::nn::Module {};
struct Logger {
  virtual void log(double value);
};
struct Later;

// CHECK: :[[#@LINE+6]]:21: error: parameter 'net' has type 'NetImpl', which has virtual methods: its copy in a capture would lose what a derived class adds [graphed-parameter-type]
// CHECK: note: {{.*}}; modules and other objects by reference, pointer or smart pointer
// CHECK: :[[#@LINE+4]]:55: error: parameter 'f' has type 'const std::function<void ()> &', which is not supported yet [graphed-parameter-type]
// CHECK: :[[#@LINE+3]]:65: error: parameter 'later' has type 'Later &', whose class is not defined here [graphed-parameter-type]
// CHECK: :[[#@LINE+2]]:81: error: parameter 'logger' has type 'Logger &&', which a call may move from: take it by value or by reference [graphed-parameter-type]
GRAPHED(net: module, f: object, later: object, logger: object)
void cannot(NetImpl net, const std::function<void()>& f, Later& later, Logger&& logger);

// CHECK: :[[#@LINE+2]]:43: error: the default argument of parameter 'logger' cannot be repeated in generated code: it is neither a constant nor '{}'; write '= nullptr' of a pointer, or remove the default argument [graphed-default-argument]
GRAPHED(logger: object)
void made_for_each(const Logger& logger = Logger());

// The callable could give the parameter another object, which no call looks at.
// CHECK: :[[#@LINE+3]]:37: error: parameter 'logger' has type 'Logger *&', which the callable could point at another object: take it by value, as 'Logger *' [graphed-parameter-type]
// CHECK: :[[#@LINE+2]]:70: error: parameter 'shared' has type 'std::shared_ptr<Logger> &', which the callable could point at another object: take it by value, as 'std::shared_ptr<Logger>' [graphed-parameter-type]
GRAPHED(logger: object, shared: object, kept: object)
void could_point_elsewhere(Logger*& logger, std::shared_ptr<Logger>& shared, Logger* const& kept);

}  // namespace app
