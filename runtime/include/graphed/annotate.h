// SPDX-License-Identifier: Apache-2.0
//
// GRAPHED(arguments; options): marks a callable for graphgen. The compiler sees nothing of it.
// The language is described in docs/annotations.md.
#pragma once

#if defined(GRAPHGEN_SCAN)
#define GRAPHED(...) __attribute__((annotate("graphed", #__VA_ARGS__)))
#else
#define GRAPHED(...)
#endif
