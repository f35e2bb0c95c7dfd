// SPDX-License-Identifier: Apache-2.0
//
// What a run reported.
#include "report/Message.h"

#include <iterator>

namespace graphgen::report {

void Report::append(Report Other) {
  Messages.insert(Messages.end(), std::make_move_iterator(Other.Messages.begin()), std::make_move_iterator(Other.Messages.end()));
  Sources.merge(Other.Sources);
}

const std::vector<Edit>* fixOf(const Message& M) {
  if (!M.Fix.empty()) {
    return &M.Fix;
  }
  const std::vector<Edit>* Found = nullptr;
  for (const Note& Each : M.Notes) {
    if (!Each.Fix.empty()) {
      if (Found) {
        return nullptr;
      }
      Found = &Each.Fix;
    }
  }
  return Found;
}

}  // namespace graphgen::report
