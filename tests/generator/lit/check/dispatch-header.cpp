// SPDX-License-Identifier: Apache-2.0
//
// What a header's pointer leads to is sure where no other file can give it another object.
// RUN: not graphgen --check %s %flags -fno-caret-diagnostics 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
// RUN: graphgen --check %s %flags -fno-caret-diagnostics -DOPEN 2>&1 | FileCheck %s --check-prefix=OPEN --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/policies.h>
#include <graphed/annotate.h>

// CHECK: policies.h:[[#]]:69: error: 'item' reads
// CHECK: note: 'policies::Reading::act' overrides 'policies::Policy::act'
// CHECK: note: called from 'policies::Closed::run' here
// CHECK: note: called from 'run' here
// OPEN: policies.h:[[#]]:69: warning: 'item' reads
// OPEN: note: 'policies::Reading::act' overrides 'policies::Policy::act'
// OPEN: note: called from 'policies::Open::run' here
// OPEN: note: called from 'run' here
#ifdef OPEN
using Agent = policies::Open;
#else
using Agent = policies::Closed;
#endif
Agent agent;
GRAPHED(x: f32[8]) void run(const torch::Tensor& x) { agent.run(x); }
