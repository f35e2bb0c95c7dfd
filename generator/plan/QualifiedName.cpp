// SPDX-License-Identifier: Apache-2.0
//
// What is between the brackets of template arguments belongs to the name before them.
#include "plan/QualifiedName.h"

using namespace llvm;

namespace graphgen::plan {

std::vector<StringRef> componentsOf(StringRef QualifiedName) {
  std::vector<StringRef> Components;
  std::size_t Begin = 0;
  unsigned Depth = 0;
  for (std::size_t I = 0; I < QualifiedName.size(); ++I) {
    const StringRef Rest = QualifiedName.drop_front(I);
    if (Rest.front() == '<' || Rest.front() == '(') {
      ++Depth;
    } else if ((Rest.front() == '>' || Rest.front() == ')') && Depth > 0) {
      --Depth;
    } else if (Depth == 0 && Rest.starts_with("::")) {
      Components.push_back(QualifiedName.slice(Begin, I));
      Begin = I + 2;
      ++I;
    }
  }
  Components.push_back(QualifiedName.drop_front(Begin));
  return Components;
}

}  // namespace graphgen::plan
