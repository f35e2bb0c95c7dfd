// SPDX-License-Identifier: Apache-2.0
//
// What all tests of the runtime include, precompiled.
#pragma once

#include <graphed/impl/glue.h>

#include <ATen/ATen.h>
#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/nn.h>

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>
