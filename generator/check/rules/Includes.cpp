// SPDX-License-Identifier: Apache-2.0
#include "check/rules/Includes.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Tooling/Inclusions/HeaderIncludes.h"

#include <climits>

namespace graphgen::check {

namespace tooling = clang::tooling;

/// With the line ends of the text that it goes into.
static std::string withEndsOf(llvm::StringRef Text, llvm::StringRef New) {
  std::string Result = New.str();
  if (Text.take_until([](char Each) { return Each == '\n'; }).ends_with("\r")) {
    for (size_t End = Result.find('\n'); End != std::string::npos; End = Result.find('\n', End + 2)) {
      Result.insert(End, 1, '\r');
    }
  }
  return Result;
}

std::optional<clang::FixItHint> fixThatIncludes(llvm::StringRef Header, clang::SourceLocation Place, const clang::SourceManager& Sources) {
  const clang::FileID File = Sources.getFileID(Place);
  tooling::IncludeStyle Style{};
  Style.IncludeCategories = {{"^<graphed/", INT_MAX, 0, true}, {".*", 1, 0, true}};  // without others of graphed, it is the last
  const tooling::HeaderIncludes Includes(Sources.getFilename(Sources.getLocForStartOfFile(File)), Sources.getBufferData(File), Style);
  const auto Added = Includes.insert(Header, /*IsAngled=*/true, tooling::IncludeDirective::Include);
  if (!Added) {
    return std::nullopt;
  }
  const clang::SourceLocation Where = Sources.getComposedLoc(File, Added->getOffset());
  return clang::FixItHint::CreateInsertion(Where, withEndsOf(Sources.getBufferData(File), Added->getReplacementText()));
}

}  // namespace graphgen::check
