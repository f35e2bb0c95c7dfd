// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/json.h"
#include "report/run/callable_report.h"

namespace graphed::impl {

/// Of report.json: the devices of the captures, each once.
json_array devices_of(const reported_process& process);

}  // namespace graphed::impl
