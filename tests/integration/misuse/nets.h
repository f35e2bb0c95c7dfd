// SPDX-License-Identifier: Apache-2.0
//
// Never compiled: what is wrong is in CMakeLists.txt.
#pragma once
