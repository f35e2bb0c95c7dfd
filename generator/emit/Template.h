// SPDX-License-Identifier: Apache-2.0
//
// Mustache templates that fail loudly: LLVM's Mustache renders an unknown key or partial as nothing, so everything that a template names
// is looked up before it is rendered.
//
// A template begins with {{=<% %>=}}. Its tags: <% key %>, <%# section %> ... <%/ section %>, <%^ section %> ... <%/ section %>,
// <%> partial %>, <%! comment %>.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <string>

namespace graphgen::emit {

/// Name -> text.
using TemplateSet = std::map<std::string, std::string, std::less<>>;

/// Renders `Name` over `Data`. Values are printed as they are, without HTML escapes. An error names the template and the line:
/// - a template or partial that is not in the set, or that includes itself;
/// - a section left open, closed twice or under another name, a tag left open, a tag of another kind;
/// - a key that the innermost object lacks: there is no falling back to an outer one;
/// - a value that is not a string, a section that is not a bool, object or list of objects.
llvm::Expected<std::string> renderTemplate(const TemplateSet& Templates, llvm::StringRef Name, const llvm::json::Object& Data);

}  // namespace graphgen::emit
