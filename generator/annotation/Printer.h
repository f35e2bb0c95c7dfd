// SPDX-License-Identifier: Apache-2.0
//
// The canonical text of a tree: one line that parses to the same tree again, whatever the user's spacing was.
#pragma once

#include "annotation/Syntax.h"

#include <string>

namespace graphgen::annotation {

/// What is between the parentheses of GRAPHED(...): "obs: f32[64, 128], w: f32[128, 10] grad; warmup = 3".
std::string print(const Annotation& Tree);
std::string print(const Spec& Value);

/// With the fewest parentheses that keep the tree: "(a + b) * -c".
std::string print(const Expr& Value);

}  // namespace graphgen::annotation
