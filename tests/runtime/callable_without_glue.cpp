// SPDX-License-Identifier: Apache-2.0
//
// Must not compile: no glue was generated for `f`.
#include HEADER

void f();
graphed::callable<&f> graphed_f;
