// SPDX-License-Identifier: Apache-2.0
//
// Uses the runtime without a header of LibTorch's.
#include <graphed/disable.h>

int main() { return graphed::is_disabled() ? 1 : 0; }
