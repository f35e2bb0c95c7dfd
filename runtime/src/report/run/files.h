// SPDX-License-Identifier: Apache-2.0
//
// The report's files, and the end of the process.
#pragma once

#include "report/run/callable_report.h"

namespace graphed::impl {

/// Who knows the callables that are alive.
using report_source = std::vector<reported_callable> (*)();
void set_report_source(report_source source);

/// Of a callable that ends while reports are collected.
void keep_report(reported_callable&& ended) noexcept;

}  // namespace graphed::impl
