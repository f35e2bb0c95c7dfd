// SPDX-License-Identifier: Apache-2.0
//
// Must not compile: what is given is not an object that a graphed method could be called on later.
#include <graphed/impl/object.h>

struct Net {};
void take(graphed::impl::ObjectHolder<Net>);

void give() {
#if defined(UNIQUE_PTR)
  take(std::make_unique<Net>());
#elif defined(TEMPORARY)
  take(Net());
#else
  take(graphed::impl::NoObject());
#endif
}
