// SPDX-License-Identifier: Apache-2.0
#pragma once

#define GRAPHED_API __attribute__((visibility("default")))
