// SPDX-License-Identifier: Apache-2.0
//
// All optimizers.
#pragma once

#include <graphed/optim/adagrad.h>
#include <graphed/optim/adam.h>
#include <graphed/optim/adamw.h>
#include <graphed/optim/optimizer.h>
#include <graphed/optim/rmsprop.h>
#include <graphed/optim/sgd.h>
