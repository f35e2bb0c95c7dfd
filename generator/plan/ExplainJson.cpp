// SPDX-License-Identifier: Apache-2.0
#include "plan/ExplainJson.h"

#include "plan/Explanation.h"
#include "plan/Sizes.h"

#include "annotation/Utf8.h"
#include "annotation/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace llvm;

namespace graphgen::plan {
namespace {

void attribute(json::OStream& Out, StringRef Name, StringRef Value) {
  if (!Value.empty()) {
    Out.attribute(Name, utf8(Value));
  }
}

void strings(json::OStream& Out, StringRef Name, ArrayRef<std::string> Values) {
  Out.attributeArray(Name, [&] { for_each(Values, [&](const std::string& Each) { Out.value(utf8(Each)); }); });
}

/// "obs: f32[8, 128] grad"
std::string argumentOf(const Samples& Set, const Tensor& Tensor, const Size& At) {
  std::string Told = Tensor.Name + ": " + typeAndShape(Tensor.Type, *extentsAt(Tensor, At, openSizesOf(Set)));
  for (const annotation::Flag Each : Tensor.Flags) {
    Told += " " + annotation::spelling(Each).str();
  }
  return Told;
}

std::vector<std::string> variablesAt(const Samples& Set, const Size& At) {
  std::vector<std::string> Told;
  for (const DimVariable& Each : Set.Variables) {
    if (Each.isOpen()) {
      Told.push_back(Each.Name + " in any " + std::to_string(*Each.AtMost));
    } else {
      Told.push_back(Each.Name + " = " + std::to_string(At.at(Each.Name)) + (Each.Pad ? ", padded" : ""));
    }
  }
  return Told;
}

void writeSample(json::OStream& Out, const Samples& Set, const Size& At) {
  Out.object([&] {
    Out.attributeArray("arguments", [&] {
      for (const Tensor& Each : Set.Tensors) {
        Out.value(utf8(argumentOf(Set, Each, At)));
      }
    });
    if (const std::vector<std::string> Variables = variablesAt(Set, At); !Variables.empty()) {
      strings(Out, "variables", Variables);
    }
  });
}

void writeBytes(json::OStream& Out, const InputBytes& Bytes) {
  Out.attributeObject("bytes", [&] {
    for (const auto& [Factor, Number] : Bytes.parts()) {
      if (Number != 0) {
        Out.attribute(Factor.empty() ? "fixed" : "for each " + Factor, static_cast<int64_t>(Number));
      }
    }
  });
}

void writeInputs(json::OStream& Out, const Explanation::Inputs& Told) {
  Out.object([&] {
    Out.attribute("annotation", utf8(Told.Annotation));
    attribute(Out, "at", Told.At);
    Out.attributeArray("tensors", [&] {
      for (const Explanation::Input& Each : Told.Tensors) {
        Out.object([&] {
          Out.attribute("name", utf8(Each.Name));
          Out.attribute("type", Each.Type);
          writeBytes(Out, Each.Bytes);
          Out.attribute("how", Each.Fate);
        });
      }
    });
    writeBytes(Out, Told.Static);
  });
}

void writeWatched(json::OStream& Out, StringRef Name, const std::optional<Explanation::WatchedGroup>& Told) {
  if (!Told) {
    return;
  }
  Out.attributeArray(Name, [&] {
    for (const Explanation::Watched& Each : Told->Members) {
      Out.object([&] {
        Out.attribute("name", utf8(Each.Name));
        Out.attribute("what", Each.What);
        Out.attribute("effect", Each.Effect);
      });
    }
  });
}

void writeWrites(json::OStream& Out, const Explanation& Told) {
  if (!Told.Writes) {
    return;
  }
  Out.attributeArray("writes", [&] {
    for (const annotation::Write& Each : *Told.Writes) {
      Out.object([&] {
        Out.attribute("target", utf8(Each.Target));
        Out.attribute("operation", utf8(Each.Operation));
        Out.attribute("outcome", utf8(Each.Outcome));
      });
    }
  });
}

void writeDeclared(json::OStream& Out, const Callable& Callable, const Explanation& Told) {
  Out.attribute("kind", utf8(Told.Kind));
  attribute(Out, "overload", Callable.IsOverloaded ? *Callable.FunctionType : "");
  Out.attributeArray("parameters", [&] {
    for (const Explanation::Parameter& Each : Told.Parameters) {
      Out.object([&] {
        Out.attribute("name", utf8(Each.Name));
        Out.attribute("type", Each.Type);
        attribute(Out, "scalar", Each.Scalar);
        attribute(Out, "default", Each.Default);
      });
    }
  });
  Out.attribute("result", Told.Result);
  Out.attributeArray("inputs", [&] { for_each(Told.Samples, [&](const Explanation::Inputs& Each) { writeInputs(Out, Each); }); });
  writeWatched(Out, "object_members", Told.Object);
  writeWatched(Out, "variables", Told.Variables);
  writeWatched(Out, "object_arguments", Told.Arguments);
  writeWrites(Out, Told);
  if (Callable.Elsewhere) {
    strings(Out, "calls_elsewhere", *Callable.Elsewhere);
  }
  strings(Out, "captures", Told.Captures);
  strings(Out, "misses", Told.Misses);
}

void writeNode(json::OStream& Out, const annotation::SourceNode& Node) {
  Out.object([&] {
    Out.attribute("operator", utf8(Node.Operator));
    attribute(Out, "file", Node.File);
    if (Node.Line != 0) {
      Out.attribute("line", static_cast<int64_t>(Node.Line));
    }
    attribute(Out, "module", Node.Module);
    if (!Node.After.empty()) {
      Out.attributeArray("after", [&] { for_each(Node.After, [&](std::size_t Each) { Out.value(static_cast<int64_t>(Each)); }); });
    }
    if (!Node.Reads.empty()) {
      strings(Out, "reads", Node.Reads);
    }
    for (const auto& [Name, Holds] :
         {std::pair("perhaps", Node.IsPerhaps), {"repeated", Node.IsRepeated}, {"elsewhere", Node.IsElsewhere}}) {
      if (Holds) {
        Out.attribute(Name, true);
      }
    }
  });
}

/// The graph of the source, where the file has one.
void writeGraphs(json::OStream& Out, const std::optional<annotation::SourceGraph>& Outline) {
  Out.attributeArray("graphs", [&] {
    if (!Outline) {
      return;
    }
    Out.object([&] {
      Out.attribute("from_source", true);
      if (Outline->IsCutShort) {
        Out.attribute("cut_short", true);
      }
      Out.attributeArray("nodes", [&] { for_each(Outline->Nodes, [&](const annotation::SourceNode& Each) { writeNode(Out, Each); }); });
    });
  });
}

/// As the report of a process: three always, others where they are given.
void writeOptions(json::OStream& Out, ArrayRef<Explanation::Option> Options) {
  std::map<std::string, std::string> Values;
  for (const Explanation::Option& Each : Options) {
    if (Each.IsGiven || Each.Name == "warmup" || Each.Name == "slots" || Each.Name == "outputs") {
      std::string& Value = Values[Each.Name];
      Value += (Value.empty() ? "" : " ") + Each.Value;  // several are `allow`
    }
  }
  Out.attributeObject("options", [&] {
    for (const auto& [Name, Value] : Values) {
      Out.attribute(Name, utf8(Value));
    }
  });
}

void write(json::OStream& Out, const FilePlan& Plan, const Callable& Callable) {
  const Explanation Told = explanationOf(Plan, Callable);
  Out.attribute("name", utf8(Callable.QualifiedName));
  Out.attribute("file", utf8(Plan.Input));
  Out.attribute("line", static_cast<int64_t>(Callable.Line));
  strings(Out, "annotations", Callable.Spelled);
  Out.attributeArray("parameters", [&] {
    for (const Tensor& Each : Callable.SampleSets.front().Tensors) {
      Out.value(utf8(Each.Name));
    }
  });
  Out.attributeArray("samples", [&] {
    for (const Samples& Set : Callable.SampleSets) {
      for_each(sizesOf(Set), [&](const Size& At) { writeSample(Out, Set, At); });
    }
  });
  writeOptions(Out, Told.Options);
  writeGraphs(Out, Callable.Outline);
  Out.attributeObject("declared", [&] { writeDeclared(Out, Callable, Told); });
}

}  // namespace

void writeExplanations(json::OStream& Out, const FilePlan& Plan) {
  for (const Callable& Each : Plan.Callables) {
    Out.object([&] { write(Out, Plan, Each); });
  }
}

}  // namespace graphgen::plan
