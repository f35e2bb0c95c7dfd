// SPDX-License-Identifier: Apache-2.0
//
// The plan as JSON, attribute by attribute: the order of the keys is that of this file.
#include "plan/PlanJson.h"

#include "annotation/Utf8.h"
#include "annotation/Words.h"
#include "plan/PlanWords.h"
#include "plan/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace graphgen::plan {
namespace {

/// A number, or arithmetic as a string.
std::string extent(const std::string& Spelled) { return all_of(Spelled, isDigit) ? Spelled : '"' + Spelled + '"'; }

void writeTensor(json::OStream& Out, const Tensor& Tensor) {
  Out.object([&] {
    Out.attribute("name", utf8(Tensor.Name));
    Out.attribute("dtype", annotation::spelling(Tensor.Type));
    Out.attributeBegin("shape");
    Out.rawValue("[" + join(map_range(Tensor.Shape, extent), ", ") + "]");
    Out.attributeEnd();
    Out.attributeArray("flags", [&] {
      for (const annotation::Flag Each : Tensor.Flags) {
        Out.value(annotation::spelling(Each));
      }
    });
  });
}

void writeVariable(json::OStream& Out, const DimVariable& Variable) {
  Out.object([&] {
    Out.attribute("name", utf8(Variable.Name));
    if (Variable.isOpen()) {
      Out.attribute("at_most", *Variable.AtMost);
      return;
    }
    Out.attributeBegin("values");
    Out.rawValue("[" + join(map_range(Variable.Values, [](int64_t Value) { return std::to_string(Value); }), ", ") + "]");
    Out.attributeEnd();
    if (Variable.Pad) {
      Out.attribute("pad", *Variable.Pad == annotation::PadFill::Zero ? "zero" : "repeat");
    }
  });
}

void writeList(json::OStream& Out, const List& List) {
  Out.object([&] {
    Out.attribute("name", utf8(List.Name));
    Out.attribute("count", List.Count);
  });
}

void writeSamples(json::OStream& Out, const Samples& Samples) {
  Out.object([&] {
    Out.attribute("annotation", utf8(Samples.AnnotationText));
    if (!Samples.Variables.empty()) {
      Out.attributeArray("variables", [&] {
        for (const DimVariable& Each : Samples.Variables) {
          writeVariable(Out, Each);
        }
      });
    }
    Out.attributeArray("tensors", [&] {
      for (const Tensor& Each : Samples.Tensors) {
        writeTensor(Out, Each);
      }
    });
    if (!Samples.Lists.empty()) {
      Out.attributeArray("lists", [&] {
        for (const List& Each : Samples.Lists) {
          writeList(Out, Each);
        }
      });
    }
  });
}

/// Those of an aggregate's members.
void writeScalars(json::OStream& Out, const Parameter& Parameter) {
  Out.attributeArray("scalars", [&] {
    forEachScalar(Parameter, [&](const Part& Scalar, const std::string& Path) {
      Out.object([&] {
        Out.attribute("name", utf8(Path));
        Out.attribute("type", wordFor(Scalar));
        Out.attribute("scalar", annotation::spelling(*Scalar.Scalar));
      });
    });
  });
}

/// The tensors of the annotations are at the same places, unless their lists have different lengths.
void writeParameter(json::OStream& Out, const Parameter& Parameter, bool HasPlace) {
  Out.object([&] {
    Out.attribute("name", utf8(Parameter.Name));
    Out.attribute("type", wordFor(Parameter));
    if (Parameter.Scalar) {
      Out.attribute("scalar", annotation::spelling(*Parameter.Scalar));
    } else if (HasPlace && !annotation::isObject(Parameter.Type) && Parameter.Type != annotation::TypeKind::Ignored) {
      Out.attribute("first_tensor", static_cast<int64_t>(Parameter.FirstTensor));
      Out.attribute("tensor_count", static_cast<int64_t>(Parameter.TensorCount));
    }
    if (!Parameter.Scalar && hasScalars(Parameter)) {
      writeScalars(Out, Parameter);
    }
    if (Parameter.Default) {
      Out.attribute("default", utf8(*Parameter.Default));
    }
  });
}

void writeOptions(json::OStream& Out, const Options& Settings) {
  Out.attributeObject("options", [&] {
    Out.attribute("warmup", Settings.Warmup);
    Out.attribute("outputs", wordFor(Settings.Outputs));
    Out.attribute("strict", Settings.Strict);
    Out.attribute("slots", Settings.Slots);
    if (!Settings.Pool.empty()) {
      Out.attribute("pool", utf8(Settings.Pool));
    }
    Out.attribute("step", Settings.Step);
    if (Settings.GradsInGraph) {
      Out.attribute("grads", "in_graph");
    }
  });
}

void writeCallable(json::OStream& Out, const Callable& Callable) {
  Out.object([&] {
    Out.attribute("name", utf8(Callable.QualifiedName));
    Out.attribute("kind", wordFor(Callable.Kind));
    if (Callable.IsOverloaded) {
      Out.attribute("overload", utf8(*Callable.FunctionType));
    }
    if (Callable.Kind == annotation::CallableKind::Method) {
      Out.attribute("object", utf8(Callable.ObjectType));
      Out.attribute("module", Callable.ObjectIsModule);
    }
    Out.attribute("line", static_cast<int64_t>(Callable.Line));
    Out.attributeArray("parameters", [&] {
      for (const Parameter& Each : Callable.Parameters) {
        writeParameter(Out, Each, !hasVaryingLengths(Callable));
      }
    });
    Out.attributeArray("samples", [&] {
      for (const Samples& Each : Callable.SampleSets) {
        writeSamples(Out, Each);
      }
    });
    writeOptions(Out, Callable.Settings);
    if (Callable.Elsewhere && !Callable.Elsewhere->empty()) {
      Out.attribute("calls_elsewhere", static_cast<int64_t>(Callable.Elsewhere->size()));
    }
  });
}

}  // namespace

std::string toJson(const FilePlan& Plan) {
  std::string Text;
  raw_string_ostream Stream(Text);
  json::OStream Out(Stream, /*IndentSize=*/2);
  Out.object([&] {
    Out.attribute("schema", SchemaVersion);
    Out.attribute("graphgen", versionText());
    Out.attribute("file", utf8(Plan.Input));
    Out.attributeArray("callables", [&] {
      for (const Callable& Each : Plan.Callables) {
        writeCallable(Out, Each);
      }
    });
  });
  Out.flush();
  Stream << '\n';
  return Text;
}

}  // namespace graphgen::plan
