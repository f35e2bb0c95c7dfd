// SPDX-License-Identifier: Apache-2.0
//
// How generated code spells names, literals and lists.
#include "emit/Spelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace llvm;

namespace graphgen::emit {
namespace {

constexpr std::size_t Columns = 140;

/// The namespaces, types and aliases of namespace graphed, and those inside graphed::callable.
constexpr StringLiteral NamesOfGraphed[] = {
    "BackwardHereGuard",
    "CallableStatistics",
    "CaptureError",
    "CaptureErrorMode",
    "CaptureGuard",
    "CaptureOptions",
    "DeviceError",
    "DisableGuard",
    "Error",
    "EventInfo",
    "ExecutableGraph",
    "GradScaler",
    "GradScalerOptions",
    "Graph",
    "GraphEvent",
    "GraphedCallable",
    "GraphedOptions",
    "GuardError",
    "Hook",
    "HookHandle",
    "LogHandler",
    "LogLevel",
    "MemPool",
    "MemPoolGuard",
    "Miss",
    "NamedPoolBytes",
    "OutputPolicy",
    "PlainCallable",
    "PoolHandle",
    "Scalar",
    "Statistics",
    "StatisticsTable",
    "VerifyError",
    "callable",
    "impl",
    "optim",
    "signature",
    "tensor_list",
};

/// The variables and members that generated code uses beside the parameters.
constexpr StringLiteral NamesInMembers[] = {
    "body",   "call",    "engine_", "explain", "form",  "function",  "graph", "graphed", "in",
    "inputs", "object_", "prepare", "refill",  "reset", "signature", "stats", "visit",
};

/// Those that the tables of samples use.
constexpr StringLiteral NamesInTables[] = {"at", "graphed", "int64_t", "lists", "padded", "padded_dims", "tensors"};

bool isIdentifierByte(char C) { return isAlnum(C) || C == '_' || static_cast<unsigned char>(C) >= 0x80; }

/// `Code` with each word replaced by what `Spell` makes of it and of the text before it.
std::string rewritten(StringRef Code, function_ref<std::string(StringRef Word, StringRef Before)> Spell) {
  std::string Result;
  while (!Code.empty()) {
    const std::size_t Length = std::min(Code.size(), Code.find_if_not(isIdentifierByte));
    Result += Length == 0 ? Code.take_front(1).str() : Spell(Code.take_front(Length), Result);
    Code = Code.drop_front(std::max<std::size_t>(Length, 1));
  }
  return Result;
}

bool isNameInTables(StringRef Name) { return is_contained(NamesInTables, Name) || Name.starts_with("sample") || Name.ends_with("_shape"); }

}  // namespace

std::string literal(StringRef Text) {
  std::string Spelled = "\"";
  raw_string_ostream Out(Spelled);
  for (const char C : Text) {
    const bool MayBeTrigraph = C == '?' && StringRef(Spelled).ends_with("?");
    if (C == '"' || C == '\\' || MayBeTrigraph) {
      Out << '\\' << C;
    } else if (static_cast<unsigned char>(C) < 0x20 || C == 0x7f) {
      Out << format("\\%03o", static_cast<unsigned>(C));
    } else {
      Out << C;
    }
  }
  return Spelled + '"';
}

std::string dtypeName(annotation::DType Type) {
  switch (Type) {
    case annotation::DType::F64:
      return "at::kDouble";
    case annotation::DType::F32:
      return "at::kFloat";
    case annotation::DType::F16:
      return "at::kHalf";
    case annotation::DType::BF16:
      return "at::kBFloat16";
    case annotation::DType::F8E4M3:
      return "at::kFloat8_e4m3fn";
    case annotation::DType::F8E5M2:
      return "at::kFloat8_e5m2";
    case annotation::DType::C64:
      return "at::kComplexFloat";
    case annotation::DType::C128:
      return "at::kComplexDouble";
    case annotation::DType::I64:
      return "at::kLong";
    case annotation::DType::I32:
      return "at::kInt";
    case annotation::DType::I16:
      return "at::kShort";
    case annotation::DType::I8:
      return "at::kChar";
    case annotation::DType::U8:
      return "at::kByte";
    case annotation::DType::Bool:
      return "at::kBool";
  }
  llvm_unreachable("a dtype without a name");
}

std::string snakeCase(StringRef CamelCase) {
  std::string Result;
  for (std::size_t I = 0; I < CamelCase.size(); ++I) {
    const bool BeginsWord =
        isUpper(CamelCase[I]) && I > 0 && (!isUpper(CamelCase[I - 1]) || (I + 1 < CamelCase.size() && isLower(CamelCase[I + 1])));
    if (BeginsWord) {
      Result += '_';
    }
    Result += toLower(CamelCase[I]);
  }
  return Result;
}

bool isNameOfGraphed(StringRef Name) { return is_contained(NamesOfGraphed, Name); }

std::string reachable(StringRef Code) {
  return rewritten(
      Code, [](StringRef Name, StringRef Before) { return (isNameOfGraphed(Name) && !Before.ends_with(":") ? "::" : "") + Name.str(); });
}

std::string renamed(StringRef Code, StringRef Name, StringRef New) {
  return rewritten(Code, [&](StringRef Each, StringRef) { return (Each == Name ? New : Each).str(); });
}

std::string reachableFunction(StringRef QualifiedName) {
  return QualifiedName.take_until([](char C) { return C == '<'; }).contains("::") ? reachable(QualifiedName) : "::" + QualifiedName.str();
}

std::vector<std::string> argumentNames(ArrayRef<plan::Parameter> Parameters) {
  StringSet<> Taken;
  for (const plan::Parameter& Each : Parameters) {
    Taken.insert(Each.Name);
  }
  for (const StringLiteral Name : NamesInMembers) {
    Taken.insert(Name);
  }

  std::vector<std::string> Names;
  for (const plan::Parameter& Each : Parameters) {
    std::string Name = Each.Name;
    if (is_contained(NamesInMembers, Name)) {
      do {
        Name += StringRef(Name).ends_with("_") ? "argument" : "_argument";  // two underscores are the compiler's
      } while (!Taken.insert(Name).second);
    }
    Names.push_back(std::move(Name));
  }
  return Names;
}

std::vector<std::string> variableNames(ArrayRef<plan::DimVariable> Variables) {
  StringSet<> Taken;
  for (const plan::DimVariable& Each : Variables) {
    Taken.insert(Each.Name);
  }
  std::vector<std::string> Names;
  for (const plan::DimVariable& Each : Variables) {
    std::string Name = Each.Name;
    if (isNameInTables(Name)) {
      Name = "dim_" + Name;
      do {
        Name += "_size";
      } while (!Taken.insert(Name).second);
    }
    Names.push_back(std::move(Name));
  }
  return Names;
}

std::string commaList(ArrayRef<std::string> Items, std::size_t Around, std::size_t Indent) {
  const std::string OneLine = join(Items, ", ");
  if (Items.empty() || Around + OneLine.size() <= Columns) {
    return OneLine;
  }
  const std::string NewLine = '\n' + std::string(Indent, ' ');
  return NewLine + join(Items, "," + NewLine);
}

}  // namespace graphgen::emit
