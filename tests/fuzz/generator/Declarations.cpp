// SPDX-License-Identifier: Apache-2.0
//
// Annotated callables in the places where C++ has them, and text around them.
#include "Declarations.h"

#include "Body.h"
#include "Parameters.h"
#include "Program.h"

namespace graphgen::fuzz {
namespace {

constexpr const char* Names[] = {"obs", "x",    "w",     "state", "call",    "graph", "in",  "engine_",   "graphed", "a_b",
                                 "_x",  "size", "visit", "at",    "element", "form",  "a$b", "signature", "int64_t", "gr\xc3\xb6\xc3\x9f_"};
constexpr const char* Functions[] = {"policy",    "forward", "call", "graph", "capture", "state", "f$", "\xe5\x87\xbd\xe6\x95\xb0",
                                     "operatorx", "_f",      "F1_2"};
constexpr const char* Scopes[] = {"app", "graphed_app", "detail", "torch", "graphed", "\xc3\xa9", "engine", "std1"};
constexpr const char* Results[] = {"torch::Tensor",
                                   "void",
                                   "std::vector<torch::Tensor>",
                                   "std::tuple<torch::Tensor, torch::Tensor>",
                                   "std::array<torch::Tensor, 2>",
                                   "std::map<std::string, torch::Tensor>",
                                   "std::optional<torch::Tensor>",
                                   "std::pair<torch::Tensor, std::vector<torch::Tensor>>",
                                   "auto",
                                   "const torch::Tensor&"};
constexpr const char* Options[] = {"strict",           "warmup = 2", "slots = 3",       "outputs = alias", "outputs = clone",
                                   "grads = in_graph", "step",       "pool = INJECTED", "order = 2",       "allow = graphed-host-item",
                                   "slots = kSize * 2"};
constexpr const char* Comments[] = {"",   "/* INJECTED */", "/* \" INJECTED */",   "// INJECTED \\\n",
                                    "\n", "\\\n",           "/* INJECTED ?\?/ */", "\t"};
constexpr const char* Texts[] = {"#line 70 \"INJECTED.h\"",
                                 "#line 9 \"a\\\"\\nINJECTED\"",
                                 "// INJECTED \\\n more",
                                 "/* INJECTED */",
                                 "#pragma once",
                                 "using namespace torch;",
                                 "#define kSize 7",
                                 "#define f32 float",
                                 "#define policy \"INJECTED\"",
                                 "// graphgen: allow(*)",
                                 "typedef torch::Tensor T;",
                                 "#pragma clang assume_nonnull begin",
                                 "extern \"C\" {",
                                 "}",
                                 "#if 0",
                                 "#endif",
                                 "static_assert(true, \"INJECTED\");",
                                 "#include \"nowhere.h\"",
                                 "#include \"policy.graphed.h\"",
                                 "#define GRAPHED(...)",
                                 "struct Net : torch::nn::Module {",
                                 "namespace app {",
                                 "using torch::Tensor;"};

struct Signature {
  std::string Before;
  std::string Annotation;
  std::string Parameters;
  std::string Defined;  // the parameters without default arguments
  std::vector<std::string> Tensors;
};

/// Some text of the fuzzer's own takes the place of a part of the annotation.
void tamper(Choices& From, std::string& Text) {
  const size_t At = From.below(64) * Text.size() / 64;
  Text.replace(At, From.below(8), codeOf(From.text()));
}

std::string options(Choices& From, const std::string& Arguments) {
  std::string Text;
  const auto Add = [&](llvm::StringRef Option) { Text += (Text.empty() ? "; " : ", ") + Option.str(); };
  if (Arguments.find("BB") != std::string::npos) {
    Add(From.oneIn(3) ? "BB in {8, 1} pad repeat" : From.oneIn(3) ? "BB in {1, kSize} pad" : "BB in {1, 8}");
  }
  if (Arguments.find("CC") != std::string::npos) {
    Add("CC in {2}");
  }
  for (unsigned I = 0, Count = From.below(4); I < Count; ++I) {
    Add(From.of(Options));
  }
  return Text;
}

Signature signature(Choices& From, unsigned Number) {
  Signature Result;
  unsigned Unique = 100 * Number;
  for (unsigned I = 0, Count = From.below(5), First = From.below(std::size(Names)); I < Count; ++I) {
    const Parameter Next = parameter(From, Names[(First + I) % std::size(Names)], Unique);
    Result.Before += Next.Before;
    Result.Annotation += (I == 0 ? "" : ", ") + Next.Name + ": " + Next.Spec;
    Result.Parameters += (I == 0 ? "" : ", ") + Next.Type + " " + Next.Name + Next.Default;
    Result.Defined += (I == 0 ? "" : ", ") + Next.Type + " " + Next.Name;
    Result.Tensors.insert(Result.Tensors.end(), Next.Tensors.begin(), Next.Tensors.end());
  }
  Result.Annotation += options(From, Result.Annotation);
  if (From.oneIn(8)) {
    tamper(From, Result.Annotation);
  }
  Result.Annotation += From.of(Comments);
  return Result;
}

std::string returned(llvm::StringRef Type, const std::vector<std::string>& Tensors) {
  const std::string First = Tensors.empty() ? "torch::Tensor()" : Tensors.front();
  return Type == "void" ? "" : Type == "torch::Tensor" || Type == "auto" ? "return " + First + ";" : "return {};";
}

std::string block(Choices& From, const Signature& Of, const std::string& Result) {
  return " {\n" + body(From, Of.Tensors) + returned(Result, Of.Tensors) + "\n}\n";
}

/// The annotated function or method, declared or, with its specifier, defined.
std::string callable(Choices& From, const Signature& Of, const std::string& Name, llvm::StringRef Specifier) {
  const std::string Result = From.of(Results);
  const bool IsDefined = From.oneIn(2);
  const std::string Head = (IsDefined ? Specifier : "").str() + Result + " " + Name + "(" + Of.Parameters + ")";
  return "GRAPHED(" + Of.Annotation + ")\n" + Head + (IsDefined ? block(From, Of, Result) : ";\n");
}

std::string inScope(Choices& From, const std::string& Text) {
  const std::string Scope = From.of(Scopes);
  return "namespace " + Scope + " {\n" + Text + "}\n";
}

std::string inClass(Choices& From, unsigned Number, llvm::StringRef Base) {
  const Signature Of = signature(From, Number);
  const bool IsFunctor = Base.empty() && From.oneIn(2);
  const std::string Method = callable(From, Of, IsFunctor ? "operator()" : "forward", From.oneIn(4) ? "virtual " : "");
  const std::string Kept = From.oneIn(2) ? "torch::Tensor kept;\n" : "";
  return Of.Before + "struct Net" + std::to_string(Number) + "Impl " + Base.str() + " {\n" + Kept + Method + "};\n";
}

std::string inTemplate(Choices& From, unsigned Number) {
  static constexpr const char* Heads[][2] = {{"int N", "3"},
                                             {"char C", "'?'"},
                                             {"char C", "'\\\\'"},
                                             {"bool Y", "true"},
                                             {"class T", "torch::Tensor"},
                                             {"char... C", "'?', '\\n', '\"', '/'"},
                                             {"class T", "std::vector<char>"},
                                             {"auto V", "L'\\n'"},
                                             {"Kind K", "Kind::on"},
                                             {"Text S", "Text{\"INJECTED \\\"*/\\\\\"}"}};
  const auto& [Head, Argument] = From.of(Heads);
  const std::string Name = "Of" + std::to_string(Number);
  const Signature Of = signature(From, Number);
  const std::string Method = callable(From, Of, "run", "");
  return Of.Before + "template <" + Head + "> struct " + Name + " {\n" + Method + "};\ntemplate struct " + Name + "<" + Argument + ">;\n";
}

}  // namespace

const char* const Prologue = R"(#include <graphed/annotate.h>
#include <torch/torch.h>
#include <graphed/scalar.h>
constexpr int kSize = 4;
namespace app { constexpr int kIn = 3; }
enum { kE = 5 };
enum class Kind { off, on };
struct Text { char bytes[16]; };
extern torch::Tensor kept;
bool flag();
torch::Tensor helper(torch::Tensor x, torch::Tensor* y);
inline void recursive(torch::Tensor x) { if (x.item<bool>()) recursive(x); }
)";

std::string declaration(Choices From, unsigned Number, bool IsHeader) {
  const char* const Specifier = IsHeader || From.oneIn(2) ? "inline " : "static ";
  switch (From.below(8)) {
    case 4:
      return inClass(From, Number, "");
    case 5:
      return inClass(From, Number, ": torch::nn::Module");
    case 6:
      return inTemplate(From, Number);
    case 7:
      return From.oneIn(2) ? codeOf(From.text()) + "\n" : std::string(From.of(Texts)) + "\n";
    default: {
      const Signature Of = signature(From, Number);
      const std::string Function = callable(From, Of, From.of(Functions), Specifier);
      return Of.Before + (From.oneIn(4) ? Function : inScope(From, Function));
    }
  }
}

Split annotatedElsewhere(Choices From, unsigned Number) {
  const Signature Of = signature(From, Number);
  const std::string Result = From.of(Results);
  const std::string Head = Result + " policy" + std::to_string(Number) + "(";
  return {Of.Before + "GRAPHED(" + Of.Annotation + ")\n" + Head + Of.Parameters + ");\n",
          Head + Of.Defined + ")" + block(From, Of, Result)};
}

}  // namespace graphgen::fuzz
