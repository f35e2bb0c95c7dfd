// SPDX-License-Identifier: Apache-2.0
//
// Statements nest as C++ does; what they do to tensors is what the checks look for, and what they should not mind.
#include "Body.h"

#include "Parameters.h"

#include "llvm/ADT/StringRef.h"

namespace graphgen::fuzz {
namespace {

/// $ and % are tensors, @ is the number of a new variable.
constexpr const char* Simple[] = {
    "auto t@ = $ + %;",
    "auto t@ = $.matmul(%).tanh();",
    "torch::Tensor t@ = $ * %;",
    "$.sum();",
    "$.add_(%);",
    "$ = %;",
    "$.zero_();",
    "$[0] = %;",
    "float f@ = $.item<float>();",
    "auto t@ = $.cpu();",
    "$.backward();",
    "static torch::Tensor t@ = $;",
    "kept = $;",
    "auto t@ = torch::where($ > 0.0, $, %);",
    "auto t@ = $.nonzero();",
    "auto t@ = $.index({%});",
    "torch::print($);",
    "torch::NoGradGuard guard@;",
    "$.register_hook([](torch::Tensor g) { return g; });",
    "auto [p@, q@] = std::make_pair($, %);",
    "auto t@ = flag() ? $ : %;",
    "torch::Tensor t@ = helper($, &%);",
    "std::vector<torch::Tensor> v@{$, %}; for (auto& e : v@) e.mul_(2.0);",
    "auto* p@ = &$; p@->copy_(%);",
    "at::parallel_for(0, 2, 1, [&](int64_t, int64_t) { $.mul_(%); });",
    "torch::manual_seed(7);",
    "$.set_data(%);",
    "auto t@ = std::move($);",
    "auto t@ = $.data_ptr<float>()[$.size(0)];",
    "struct L@ { torch::Tensor t; void run() { t = kept; } } l@{$}; l@.run();",
    "goto end@; end@:;",
    "recursive($);",
    "std::tuple<torch::Tensor, int> u@{$, 1}; std::get<0>(u@) = %;",
    "new torch::Tensor($);",
    "auto t@ = torch::zeros({$.size(0), 3}, torch::kCPU);",
};

/// What is around the statements inside.
constexpr const char* Around[][2] = {
    {"{", "}"},
    {"for (int i@ = 0; i@ < 3; ++i@) {", "}"},
    {"for (int64_t i@ = 0; i@ < $.size(0); ++i@) {", "}"},
    {"if ($.item<bool>()) {", "}"},
    {"if (flag()) {", "} else { return; }"},
    {"while ($.norm().item<float>() > 1) {", "}"},
    {"do {", "} while (flag());"},
    {"auto f@ = [&](torch::Tensor v@) {", "}; f@($);"},
    {"auto f@ = [=, c@ = $]() mutable {", "}; f@();"},
    {"try {", "} catch (...) {}"},
    {"switch ($.size(0)) { case 0: {", "} break; default:; }"},
    {"for (const auto& e@ : {$, %}) {", "}"},
    {"if (auto t@ = $; t@.defined()) {", "}"},
    {"struct S@ { static void run(torch::Tensor a@) {", "} }; S@::run($);"},
};

class Writer {
 public:
  Writer(Choices& From, std::vector<std::string> Tensors) : From(From), Tensors(std::move(Tensors)) { this->Tensors.push_back("kept"); }

  std::string block() {
    std::string Text;
    for (unsigned I = 0, Count = From.below(5); I < Count && Statements < MostStatements; ++I) {
      Text += statement() + "\n";
    }
    return Text;
  }

 private:
  static constexpr unsigned MostStatements = 40;
  static constexpr unsigned DeepestNesting = 5;

  std::string statement() {
    ++Statements;
    switch (From.below(8)) {
      case 6:
        return nested();
      case 7:
        return From.oneIn(4) ? codeOf(From.text()) : nested();
      default:
        return filled(From.of(Simple));
    }
  }

  std::string nested() {
    if (Depth == DeepestNesting) {
      return ";";
    }
    const auto& [Before, After] = From.of(Around);
    const unsigned Number = ++Variables;
    const size_t Outside = Tensors.size();
    ++Depth;
    std::string Text = filled(Before, Number) + " " + block();
    --Depth;
    Tensors.resize(Outside);
    return Text + filled(After, Number);
  }

  std::string filled(llvm::StringRef Pattern) {
    const unsigned Number = ++Variables;
    std::string Text = filled(Pattern, Number);
    if (Pattern.contains(" t@ =")) {
      Tensors.push_back("t" + std::to_string(Number));
    }
    return Text;
  }

  std::string filled(llvm::StringRef Pattern, unsigned Number) {
    std::string Text;
    for (const char C : Pattern) {
      Text += C == '$' || C == '%' ? Tensors[From.below(static_cast<unsigned>(Tensors.size()))]
              : C == '@'           ? std::to_string(Number)
                                   : std::string(1, C);
    }
    return Text;
  }

  Choices& From;
  std::vector<std::string> Tensors;
  unsigned Statements = 0;
  unsigned Depth = 0;
  unsigned Variables = 0;
};

}  // namespace

std::string body(Choices& From, const std::vector<std::string>& Tensors) { return Writer(From, Tensors).block(); }

}  // namespace graphgen::fuzz
