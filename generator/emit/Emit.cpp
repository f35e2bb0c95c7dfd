// SPDX-License-Identifier: Apache-2.0
//
// A plan as text, and that text in files.
#include "emit/Emit.h"

#include "emit/Context.h"
#include "emit/Template.h"
#include "emit/Templates.h"
#include "emit/WriteFile.h"
#include "plan/PlanJson.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace graphgen::emit {

Expected<Rendered> render(const plan::FilePlan& Plan) {
  const json::Object Context = templateContext(Plan);
  Rendered Result;
  Expected<std::string> Header = renderTemplate(shippedTemplates(), Plan.IsHeader ? "header" : "whole", Context);
  if (!Header) {
    return Header.takeError();
  }
  Result.Header = std::move(*Header);

  if (Plan.IsHeader) {
    Expected<std::string> Source = renderTemplate(shippedTemplates(), "source", Context);
    if (!Source) {
      return Source.takeError();
    }
    Result.Source = std::move(*Source);
  }
  Result.Manifest = plan::toJson(Plan);
  return Result;
}

OutputPaths outputPaths(StringRef OutDir, const plan::FilePlan& Plan) {
  SmallString<256> Stem = OutDir;
  sys::path::append(Stem, Plan.Input);
  sys::path::replace_extension(Stem, ".graphed");
  OutputPaths Paths;
  Paths.Header = (Stem + ".h").str();
  if (Plan.IsHeader) {
    Paths.Source = (Stem + ".cpp").str();
  }
  Paths.Manifest = (Stem + ".json").str();
  return Paths;
}

Error checkStayInside(StringRef OutDir, const OutputPaths& Paths) {
  for (const std::string* Each : {&Paths.Header, &Paths.Source, &Paths.Manifest}) {
    if (Each->empty()) {
      continue;
    }
    if (Error Outside = checkStaysInside(OutDir, *Each)) {
      return Outside;
    }
  }
  return Error::success();
}

Error writeOutputs(const Rendered& Text, const OutputPaths& Paths) {
  if (Error Failure = writeIfChanged(Paths.Header, Text.Header)) {
    return Failure;
  }
  if (!Paths.Source.empty()) {
    if (Error Failure = writeIfChanged(Paths.Source, Text.Source)) {
      return Failure;
    }
  }
  return writeIfChanged(Paths.Manifest, Text.Manifest);
}

}  // namespace graphgen::emit
