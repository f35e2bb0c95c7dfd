// SPDX-License-Identifier: Apache-2.0
//
// The files of templates/, as they were when graphgen was built.
#include "emit/Templates.h"

namespace graphgen::emit {

const TemplateSet& shippedTemplates() {
  static const TemplateSet Templates = {
#include "Templates.inc"
  };
  return Templates;
}

}  // namespace graphgen::emit
