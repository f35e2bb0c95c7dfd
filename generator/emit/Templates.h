// SPDX-License-Identifier: Apache-2.0
//
// The files of templates/, as they were when graphgen was built.
#pragma once

#include "emit/Template.h"

namespace graphgen::emit {

/// Name without ".mustache" -> text.
const TemplateSet& shippedTemplates();

}  // namespace graphgen::emit
