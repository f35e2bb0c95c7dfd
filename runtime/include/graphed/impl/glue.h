// SPDX-License-Identifier: Apache-2.0
//
// Everything that generated code uses. Programs include none of the headers in this folder: docs/contributing/releases.md.
#pragma once

#include <graphed/annotate.h>
#include <graphed/callable.h>
#include <graphed/error.h>
#include <graphed/future.h>
#include <graphed/impl/engine.h>
#include <graphed/impl/graph.h>
#include <graphed/impl/host_results.h>
#include <graphed/impl/host_values.h>
#include <graphed/impl/inputs.h>
#include <graphed/impl/object.h>
#include <graphed/impl/on_device.h>
#include <graphed/impl/packed.h>
#include <graphed/impl/refill.h>
#include <graphed/impl/scalars.h>
#include <graphed/impl/spec.h>
#include <graphed/impl/watched.h>
#include <graphed/results.h>
#include <graphed/scalar.h>
#include <graphed/stats.h>
#include <graphed/version.h>

#include <c10/core/GradMode.h>
