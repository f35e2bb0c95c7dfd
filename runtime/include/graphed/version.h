// SPDX-License-Identifier: Apache-2.0
//
// The version of the runtime. Generated code refuses to compile against another one than it was written for.
#pragma once

#define GRAPHED_VERSION_MAJOR 0
#define GRAPHED_VERSION_MINOR 1
#define GRAPHED_VERSION_PATCH 0
#define GRAPHED_VERSION (GRAPHED_VERSION_MAJOR * 10000 + GRAPHED_VERSION_MINOR * 100 + GRAPHED_VERSION_PATCH)
