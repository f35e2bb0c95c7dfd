// SPDX-License-Identifier: Apache-2.0
//
// Everything that generated code uses.
#pragma once

#include <graphed/annotate.h>
#include <graphed/callable.h>
#include <graphed/engine.h>
#include <graphed/error.h>
#include <graphed/function.h>
#include <graphed/graph.h>
#include <graphed/inputs.h>
#include <graphed/object.h>
#include <graphed/refill.h>
#include <graphed/results.h>
#include <graphed/scalar.h>
#include <graphed/scalars.h>
#include <graphed/spec.h>
#include <graphed/stats.h>
#include <graphed/version.h>
#include <graphed/watched.h>
