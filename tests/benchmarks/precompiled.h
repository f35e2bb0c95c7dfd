// SPDX-License-Identifier: Apache-2.0
//
// What all files of the benchmarks include, precompiled.
#pragma once

#include <graphed/annotate.h>
#include <graphed/impl/glue.h>
#include <graphed/impl/object.h>
#include <graphed/stats.h>

#include <ATen/ATen.h>
#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/nn.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>
