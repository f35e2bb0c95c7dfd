// SPDX-License-Identifier: Apache-2.0
//
// A file without annotations is probably not the file that was meant.
// RUN: rm -rf %t && not graphgen --out-dir %t %s %flags 2>&1 | FileCheck %s
// RUN: not ls %t
// CHECK: nothing.h:1:1: error: no GRAPHED declaration in this file [graphed-nothing-annotated]
#pragma once
