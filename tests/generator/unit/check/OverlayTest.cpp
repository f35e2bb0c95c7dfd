// SPDX-License-Identifier: Apache-2.0
//
// The rows that functions have, and that no row is of a function, a parameter or a rule that there is not.
#include "CppUnit.h"
#include "check/torch/Operator.h"
#include "check/torch/Overlay.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace graphgen::check {
namespace {

using Rules = std::vector<std::string>;

/// The rules of the rows of the calls and constructions of a function, in their order.
Rules rulesIn(clang::FunctionDecl& Function) {
  Rules Found;
  forEachCall(Function, [&](const clang::Expr& E) {
    const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
    const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E);
    const clang::FunctionDecl* Callee = Call ? Call->getDirectCallee() : Construction->getConstructor();
    for (const OverlayRow* Each : Callee ? overlayOf(*Callee) : llvm::SmallVector<const OverlayRow*, 2>()) {
      if (!Each->What->Rule.empty()) {
        Found.push_back(Each->What->Rule.str());
      }
    }
  });
  return Found;
}

struct RuledBody {
  const char* Statements;
  Rules Told;
};

const std::vector<RuledBody>& ruledBodies() {
  static const std::vector<RuledBody> All = {
      // Operators in all their forms.
      {"x.item();", {"graphed-host-item"}},
      {"x.item<float>();", {"graphed-host-item"}},
      {"torch::equal(x, y);", {"graphed-host-compare"}},
      {"at::linalg_inv_out(x, y);", {"graphed-linalg-sync"}},
      {"x.pin_memory();", {"graphed-host-memory"}},
      {"x.add_(y);", {}},
      // One overload.
      {"at::where(x);", {"graphed-dynamic-shape"}},
      {"at::where(x, x, y);", {}},
      {"x.repeat_interleave(y);", {"graphed-dynamic-shape"}},
      {"x.repeat_interleave(2);", {}},
      // Functions, methods and constructors.
      {"torch::cuda::synchronize();", {"graphed-sync"}},
      {"getenv(\"PATH\");", {"graphed-host-input"}},
      {"std::chrono::steady_clock::now();", {"graphed-host-clock"}},
      // What a rule of its own checks.
      {"numbers.push_back(1);", {}},
      {"std::mt19937 engine; engine();", {"graphed-host-random", "graphed-host-random"}},
      {"std::thread worker([] {});", {"graphed-thread"}},
      {"std::ifstream file(\"a\");", {"graphed-host-input"}},
      {"torch::optim::Adam adam; adam.step();", {"graphed-torch-optim"}},
      // A method that is overridden.
      {"own.set_current_seed(1);", {"graphed-seed"}},
  };
  return All;
}

clang::ASTUnit& overlayUnit() {
  std::vector<std::string> Statements;
  for (const RuledBody& Each : ruledBodies()) {
    Statements.push_back(Each.Statements);
  }
  static const auto Unit = parsed(
      "#include <ATen/Functions.h>\n#include <torch/cuda.h>\n#include <torch/logging.h>\n#include <torch/nn.h>\n#include <torch/optim.h>\n"
      "#include <torch/torch.h>\n#include <chrono>\n#include <cstdlib>\n#include <fstream>\n#include <random>\n#include <thread>\n"
      "#include <vector>\nstruct Own : c10::GeneratorImpl { void set_current_seed(std::uint64_t) override; };\n"
      "void facts(torch::Tensor x, torch::nn::ReLUImpl& relu) { x.argmax(); x.sizes(); relu.forward(x); }\n" +
          overloads("f", "torch::Tensor x, torch::Tensor y, std::vector<int> numbers, Own& own", Statements),
      {GRAPHGEN_TEST_INPUTS});
  return *Unit;
}

TEST(Overlay, HasRowsForOperatorsFunctionsMethodsAndConstructors) {
  const auto Functions = functionsNamed(overlayUnit(), "f");
  ASSERT_EQ(Functions.size(), ruledBodies().size());
  for (size_t Each = 0; Each < Functions.size(); ++Each) {
    EXPECT_EQ(rulesIn(*Functions[Each]), ruledBodies()[Each].Told) << ruledBodies()[Each].Statements;
  }
}

TEST(Overlay, HasNoRowsForFunctionsOfPrograms) {
  const auto Unit = parsed(
      "namespace { int rand() { return 4; } }\nint time(double);\nnamespace own { struct Tensor { void item(); }; }\n"
      "void f(own::Tensor x) { rand(); time(1.0); x.item(); }",
      {GRAPHGEN_TEST_INPUTS});
  EXPECT_EQ(rulesIn(*functionsNamed(*Unit, "f").at(0)), Rules{});
}

TEST(Overlay, TellsFactsOfValues) {
  std::vector<std::pair<Trait, Level>> Facts;
  forEachCall(*functionsNamed(overlayUnit(), "facts").at(0), [&](const clang::Expr& E) {
    const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
    for (const OverlayRow* Each : Call ? overlayOf(*Call->getDirectCallee()) : llvm::SmallVector<const OverlayRow*, 2>()) {
      if (Each->What->Its != Trait::None) {
        Facts.emplace_back(Each->What->Its, Each->What->How);
      }
    }
  });
  EXPECT_EQ(Facts, (std::vector<std::pair<Trait, Level>>{{Trait::CutsGradient, Level::Certain},
                                                         {Trait::GivesPlaces, Level::Certain},
                                                         {Trait::TellsForm, Level::Certain},
                                                         {Trait::WritesFirst, Level::Perhaps}}));
}

llvm::StringSet<> wordsOf(llvm::StringRef Text) {
  constexpr llvm::StringLiteral Parts = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  llvm::StringSet<> Words;
  for (size_t Begin = Text.find_first_of(Parts), End = 0; Begin != llvm::StringRef::npos; Begin = Text.find_first_of(Parts, End)) {
    End = Text.find_first_not_of(Parts, Begin);
    Words.insert(Text.slice(Begin, End));
  }
  return Words;
}

/// The words of each header, but for those of single operators, which the schemas stand for.
std::vector<llvm::StringSet<>> wordsOfHeaders() {
  std::vector<llvm::StringSet<>> Result;
  const std::string Root = GRAPHGEN_TORCH_INCLUDE;
  for (const std::string Part : {"/ATen", "/c10", "/torch/csrc/api", "/torch/csrc/autograd", "/torch/csrc/jit/serialization"}) {
    std::error_code Error;
    for (llvm::sys::fs::recursive_directory_iterator Each(Root + Part, Error), End; Each != End && !Error; Each.increment(Error)) {
      const llvm::StringRef Path = Each->path();
      if (Path.ends_with(".h") && !Path.contains("/ATen/ops/")) {
        if (const auto Text = llvm::MemoryBuffer::getFile(Path)) {
          Result.push_back(wordsOf((*Text)->getBuffer()));
        }
      }
    }
  }
  return Result;
}

bool hasWord(const llvm::StringSet<>& Words, llvm::StringRef Pattern) {
  if (!Pattern.contains('*')) {
    return Words.contains(Pattern);
  }
  const auto Glob = llvm::cantFail(llvm::GlobPattern::create(Pattern));
  return llvm::any_of(Words.keys(), [&](llvm::StringRef Each) { return Glob.match(Each); });
}

/// The class or namespace and the function of a name, without the namespaces around.
std::pair<llvm::StringRef, llvm::StringRef> lastTwo(llvm::StringRef Name) {
  const auto [Before, Function] = Name.rsplit("::");
  const llvm::StringRef Last = Before.rsplit("::").second;
  return {Last.empty() ? Before : Last, Function.starts_with("operator") ? "operator" : Function};
}

bool isOfTorch(llvm::StringRef Name) { return Name.starts_with("at::") || Name.starts_with("c10::") || Name.starts_with("torch::"); }

TEST(OverlayRows, AreOfFunctionsThatThereAre) {
  const std::vector<llvm::StringSet<>> Headers = wordsOfHeaders();
  ASSERT_GT(Headers.size(), 500U);
  unsigned Count = 0;
  for (const OverlayRow& Row : overlay()) {
    for (const std::string& Name : namesOf(Row)) {
      const auto [Class, Function] = lastTwo(Name);
      const bool Is = !isOfTorch(Name) || llvm::any_of(Headers, [&, &Around = Class, &Called = Function](const llvm::StringSet<>& Words) {
        return hasWord(Words, Called) && hasWord(Words, Around);
      });
      EXPECT_TRUE(Is) << Name;
      Count += isOfTorch(Name) ? 1 : 0;
    }
  }
  EXPECT_GT(Count, 150U);  // else the rows were not read
}

/// "aten::name", "aten::name.overload", "aten::name.": those that the row is of.
std::vector<const Operator*> operatorsOf(llvm::StringRef Name) {
  Name.consume_front("aten::");
  std::vector<const Operator*> Result;
  for (const Operator& Each : operatorsNamed(Name.split('.').first)) {
    if (!Name.contains('.') || Each.Overload == Name.split('.').second) {
      Result.push_back(&Each);
    }
  }
  return Result;
}

TEST(OverlayRows, AreOfOperatorsAndParametersThatThereAre) {
  for (const OverlayRow& Row : overlay()) {
    const auto HasParameters = [&](const Operator* One) {
      return llvm::all_of(Row.Conditions, [&](const Condition& If) { return If.Parameter.empty() || One->parameter(If.Parameter); });
    };
    for (const std::string& Name : namesOf(Row)) {
      EXPECT_TRUE(!llvm::StringRef(Name).starts_with("aten::") || llvm::any_of(operatorsOf(Name), HasParameters)) << Name;
    }
  }
}

TEST(OverlayRows, AreOfRulesThatTheIndexNames) {
  const auto Index = llvm::MemoryBuffer::getFile(GRAPHGEN_DOCS "/reference/checks/README.md");
  ASSERT_TRUE(Index);
  for (const OverlayRow& Each : overlay()) {
    EXPECT_NE(Each.What->Rule.empty(), Each.What->Its == Trait::None) << Each.Name.str();
    EXPECT_TRUE(Each.What->Rule.empty() || (*Index)->getBuffer().contains(("| [" + Each.What->Rule + "](").str())) << Each.What->Rule.str();
  }
}

TEST(OverlayRows, StandOnce) {
  llvm::StringSet<> Seen;
  for (const OverlayRow& Row : overlay()) {
    std::string What = (" " + Row.What->Rule + " " + Row.What->Says + " " + llvm::Twine(static_cast<int>(Row.What->Its))).str();
    for (const Condition& If : Row.Conditions) {
      What += (" " + llvm::Twine(static_cast<int>(If.What)) + " " + If.Parameter + "=" + If.Values).str();
    }
    for (const std::string& Name : namesOf(Row)) {
      EXPECT_TRUE(Seen.insert(Name + What).second) << Name << What;
    }
  }
}

}  // namespace
}  // namespace graphgen::check
