// SPDX-License-Identifier: Apache-2.0
//
// graphgen's own format of diagnostics, which docs/graphgen.md describes.
#pragma once

#include "report/Message.h"

namespace graphgen::report {

/// Indented, ending in a newline.
std::string toJson(const Report& Told, const std::string& Version);

}  // namespace graphgen::report
