// SPDX-License-Identifier: Apache-2.0
//
// What the tables say of operators, and which of them the functions of LibTorch's stand-in are.
#include "CppUnit.h"
#include "check/torch/Calls.h"
#include "check/torch/Corrections.h"
#include "check/torch/Schema.h"

#include "clang/Lex/Lexer.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

using Kind = Operator::Kind;

/// Of that overload.
const Operator& known(llvm::StringRef Name, llvm::StringRef Overload = "") {
  const auto All = operatorsNamed(Name);
  const auto* Found = llvm::find_if(All, [&](const Operator& Each) { return Each.Overload == Overload; });
  static const Operator None;
  EXPECT_NE(Found, All.end()) << Name.str() << "." << Overload.str();
  return Found == All.end() ? None : *Found;
}

TEST(Schema, SaysParametersAndResults) {
  const Operator Add = parseSchema("add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)");
  EXPECT_EQ(Add.Name, "add");
  EXPECT_EQ(Add.Overload, "out");
  ASSERT_EQ(Add.Parameters.size(), 4U);
  EXPECT_EQ(Add.Parameters[1].Name, "other");
  EXPECT_FALSE(Add.Parameters[1].IsKeywordOnly);
  EXPECT_FALSE(Add.Parameters[1].Default);
  EXPECT_EQ(Add.Parameters[2].Type, Kind::Scalar);
  EXPECT_TRUE(Add.Parameters[2].IsKeywordOnly);
  EXPECT_EQ(Add.Parameters[2].Default, "1");
  EXPECT_TRUE(Add.writes("out"));
  EXPECT_FALSE(Add.writes("self"));
  EXPECT_TRUE(Add.isOut());
  EXPECT_FALSE(Add.isInPlace());
  ASSERT_EQ(Add.Results.size(), 1U);
  EXPECT_EQ(Add.Results[0].Type, Kind::Tensor);
}

TEST(Schema, ReadsEachKindOfType) {
  const Operator All = parseSchema(
      "f(Tensor? a, Tensor[] b, Tensor?[] c, SymInt[2]? d=[0, 1], int e=-1, bool[3] f, float? g=None, ScalarType? h, Device? i, "
      "Layout? j, MemoryFormat? k, Generator? l, str m=\"a\", Dimname[]? n, Tensor(a -> *) o, Tensor(b!)[] p) -> (Tensor, Tensor(a)[] "
      "parts)");
  const Kind Kinds[] = {Kind::OptionalTensor, Kind::TensorList,   Kind::OptionalTensorList,
                        Kind::IntegerList,    Kind::Integer,      Kind::Other,
                        Kind::Float,          Kind::DType,        Kind::Device,
                        Kind::Layout,         Kind::MemoryFormat, Kind::Generator,
                        Kind::String,         Kind::Other,        Kind::Tensor,
                        Kind::TensorList};
  ASSERT_EQ(All.Parameters.size(), std::size(Kinds));
  for (size_t Each = 0; Each < std::size(Kinds); ++Each) {
    EXPECT_EQ(All.Parameters[Each].Type, Kinds[Each]) << Each;
    EXPECT_EQ(All.Parameters[Each].Name, std::string(1, static_cast<char>('a' + Each)));
  }
  EXPECT_EQ(All.Parameters[3].Default, "[0, 1]");
  EXPECT_TRUE(All.Parameters[3].IsOptional);
  EXPECT_TRUE(All.Parameters[14].Memory.OfElements);
  EXPECT_TRUE(All.Parameters[15].Memory.IsWritten);
  ASSERT_EQ(All.Results.size(), 2U);
  EXPECT_EQ(All.Results[1].Name, "parts");
  ASSERT_EQ(All.aliasesOf(All.Results[1]).size(), 1U);
  EXPECT_EQ(All.aliasesOf(All.Results[1])[0]->Name, "o");
  EXPECT_TRUE(All.aliasesOf(All.Results[0]).empty());
  EXPECT_TRUE(parseSchema("g(Tensor self) -> ()").Results.empty());
}

TEST(Operators, SayWhatTheyDoToMemory) {
  EXPECT_TRUE(known("real").isView());
  EXPECT_TRUE(known("unbind", "int").isView());
  EXPECT_FALSE(known("add", "Tensor").isView());
  EXPECT_FALSE(known("add_", "Tensor").isView());
  EXPECT_TRUE(known("add_", "Tensor").isInPlace());
  EXPECT_TRUE(known("_foreach_add_", "Scalar").isInPlace());
  EXPECT_FALSE(known("rrelu_with_noise").isInPlace());
  EXPECT_TRUE(known("rrelu_with_noise").writes("noise"));
  for (const llvm::StringRef Written : {"self", "grads", "exp_avgs", "exp_avg_sqs"}) {
    EXPECT_TRUE(known("_fused_adam_").writes(Written)) << Written.str();
  }
  EXPECT_FALSE(known("_fused_adam_").writes("state_steps"));
}

TEST(Operators, SayWhatMakesATensor) {
  for (const llvm::StringRef Name : {"zeros", "arange", "zeros_like", "new_zeros", "randn", "from_blob", "tensor"}) {
    EXPECT_TRUE(operatorsNamed(Name)[0].isFactory()) << Name.str();
  }
  EXPECT_FALSE(known("to", "dtype_layout").isFactory());
  EXPECT_FALSE(known("_to_copy").isFactory());
  EXPECT_FALSE(known("zeros", "out").isFactory());
  EXPECT_FALSE(known("sum").isFactory());
}

TEST(Operators, HaveTags) {
  EXPECT_TRUE(known("sigmoid").has(Pointwise));
  EXPECT_TRUE(known("logsumexp").has(Reduction));
  EXPECT_TRUE(known("squeeze_").has(InplaceView));
  EXPECT_TRUE(known("nonzero").has(DynamicOutputShape));
  EXPECT_TRUE(known("item").has(DataDependentOutput));
  EXPECT_TRUE(known("uniform_").has(NondeterministicSeeded));
  EXPECT_TRUE(known("view_copy").has(ViewCopy));
  EXPECT_FALSE(known("view").has(ViewCopy));
}

TEST(Operators, AreNoneForOtherNames) { EXPECT_TRUE(operatorsNamed("frobnicate").empty()); }

TEST(Corrections, SayWhereMemoryIsPerhapsShared) {
  const Operator& Reshape = known("reshape");
  ASSERT_EQ(Reshape.aliasesOf(Reshape.Results[0]).size(), 1U);
  EXPECT_TRUE(Reshape.aliasesOf(Reshape.Results[0])[0]->Memory.IsPerhaps);
  EXPECT_FALSE(known("view").Parameters[0].Memory.IsPerhaps);
  EXPECT_TRUE(known("atleast_2d").isView());
  EXPECT_TRUE(known("meshgrid").isView());
  EXPECT_FALSE(known("meshgrid").Parameters[0].Memory.IsPerhaps);
  EXPECT_TRUE(known("index", "TensorIndex").isView());
  EXPECT_FALSE(known("index", "Tensor").isView());
  const Operator& BatchNorm = known("batch_norm");
  EXPECT_TRUE(BatchNorm.writes("running_mean"));
  EXPECT_TRUE(BatchNorm.parameter("running_mean")->Memory.IsPerhaps);
  EXPECT_FALSE(BatchNorm.isView());
}

TEST(Corrections, NameParametersThatThereAre) {
  for (const Correction& Each : corrections()) {
    const auto [Name, Overload] = Each.Operator.split('.');
    EXPECT_TRUE(llvm::any_of(
        operatorsNamed(Name),
        [&, Its = Overload](const Operator& One) { return (Its.empty() || One.Overload == Its) && One.parameter(Each.Parameter); }))
        << Each.Operator.str() << " " << Each.Parameter.str();
  }
}

std::string standIns() { return GRAPHGEN_TEST_INPUTS; }

/// The operators of the calls of `f`, in their order, the outer ones first.
std::vector<std::string> operatorsIn(const std::string& Statements) {
  const auto Unit =
      parsed("#include <ATen/Functions.h>\n#include <torch/cuda.h>\nvoid f(torch::Tensor x, torch::Tensor y) {\n" + Statements + "\n}",
             {standIns()});
  std::vector<std::string> Names;
  forEachCall(*Unit, [&](const clang::Expr& E) {
    const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
    const Operator* Its = Call && Call->getDirectCallee() ? operatorOf(*Call->getDirectCallee()) : nullptr;
    if (Its) {
      Names.push_back((Its->Name + (Its->Overload.empty() ? "" : "." + Its->Overload.str())).str());
    }
  });
  return Names;
}

using Names = std::vector<std::string>;

TEST(OperatorOf, KnowsFunctionsAndMethods) {
  EXPECT_EQ(operatorsIn("x.add_(y);"), Names{"add_.Tensor"});
  EXPECT_EQ(operatorsIn("x.mul_(2.0);"), Names{"mul_.Scalar"});
  EXPECT_EQ(operatorsIn("x.max();"), Names{"max"});
  EXPECT_EQ(operatorsIn("x.max(0);"), Names{"max.dim"});
  EXPECT_EQ(operatorsIn("torch::nonzero_out(x, y);"), Names{"nonzero.out"});
  EXPECT_EQ(operatorsIn("at::where(x);"), Names{"where"});
  EXPECT_EQ(operatorsIn("at::where(x, x, y);"), Names{"where.self"});
  EXPECT_EQ(operatorsIn("x.item<float>();"), Names{"item"});
}

TEST(OperatorOf, KnowsOverloadsByTheTypesOfParameters) {
  EXPECT_EQ(operatorsIn("x.to(torch::kLong);"), Names{"to.dtype"});
  EXPECT_EQ(operatorsIn("x.to(y);"), Names{"to.other"});
  EXPECT_EQ(operatorsIn("x.to(torch::TensorOptions());"), Names{"to.dtype_layout"});
  EXPECT_EQ(operatorsIn("x.masked_fill(y, 1.0);"), Names{"masked_fill.Scalar"});
  EXPECT_EQ(operatorsIn("x.masked_fill(y, y);"), Names{"masked_fill.Tensor"});
  EXPECT_EQ(operatorsIn("x.repeat_interleave(y);"), Names{"repeat_interleave.self_Tensor"});
}

TEST(OperatorOf, KnowsOperatorsOfCpp) {
  EXPECT_EQ(operatorsIn("x + y;"), Names{"add.Tensor"});
  EXPECT_EQ(operatorsIn("x / 2.0;"), Names{"div.Scalar"});
  EXPECT_EQ(operatorsIn("x += y;"), Names{"add_.Tensor"});
  EXPECT_EQ(operatorsIn("~x;"), Names{"bitwise_not"});
  EXPECT_EQ(operatorsIn("x[0];"), Names{"select.subscript"});
  EXPECT_EQ(operatorsIn("x[y];"), Names{"select.subscript_Tensor"});
  EXPECT_EQ(operatorsIn("x[0] = y;"), (Names{"copy_", "select.subscript"}));
  EXPECT_EQ(operatorsIn("x = y;"), Names{});
}

TEST(OperatorOf, KnowsDeclarationsWithOtherNamesByTheirOrder) {
  EXPECT_EQ(operatorsIn("x.reshape({2});"), Names{"reshape"});
  EXPECT_EQ(operatorsIn("x.copy_(y);"), Names{"copy_"});
  EXPECT_EQ(operatorsIn("at::from_blob(nullptr, {2});"), Names{"from_blob"});
  EXPECT_EQ(operatorsIn("x.index({torch::TensorIndex(y)});"), Names{"index.TensorIndex"});
}

TEST(OperatorOf, IsNoneForFunctionsOfPrograms) {
  const auto Unit = parsed(
      "#include <torch/torch.h>\ntorch::Tensor add_(torch::Tensor self, torch::Tensor other);\n"
      "struct Tensor { void zero_(); };\nvoid f(torch::Tensor x, Tensor y) { add_(x, x); y.zero_(); }",
      {standIns()});
  forEachCall(*Unit, [](const clang::Expr& E) {
    if (const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E)) {
      EXPECT_EQ(operatorOf(*Call->getDirectCallee()), nullptr);
    }
  });
}

/// The name of what the only call of `f` gives to a parameter; "-" where that is nothing. And back: the parameter of what was found.
std::string given(const std::string& Call, llvm::StringRef Parameter) {
  const auto Unit = parsed(
      "#include <ATen/Functions.h>\nvoid f(torch::Tensor x, torch::Tensor y, torch::TensorOptions options, double number, "
      "torch::ScalarType type) {\n" +
          Call + ";\n}",
      {standIns()});
  std::string Name = "-";
  forEachCall(*Unit, [&](const clang::Expr& E) {
    const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
    const clang::Expr* Found = Call ? argument(E, Parameter) : nullptr;
    if (!Found) {
      return;
    }
    const Operator::Parameter* Back = parameterOf(E, *Found);
    EXPECT_TRUE(Back && (Back->Name == Parameter || Back->Name == "dtype")) << Call;
    const clang::SourceManager& Sources = Unit->getSourceManager();
    Name = clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(Found->getSourceRange()), Sources, Unit->getLangOpts()).str();
  });
  return Name;
}

TEST(Arguments, AreFoundByTheNamesOfTheSchema) {
  EXPECT_EQ(given("x.add_(y)", "self"), "x");
  EXPECT_EQ(given("x.add_(y)", "other"), "y");
  EXPECT_EQ(given("x.add_(y)", "alpha"), "-");
  EXPECT_EQ(given("at::add_out(y, x, x)", "out"), "y");
  EXPECT_EQ(given("x + y", "other"), "y");
  EXPECT_EQ(given("x.reshape({2})", "shape"), "{2}");
  EXPECT_EQ(given("x.copy_(y)", "src"), "y");
  EXPECT_EQ(given("x.copy_(y)", "non_blocking"), "-");
  EXPECT_EQ(given("x.copy_(y, true)", "non_blocking"), "true");
}

TEST(Arguments, AreOptionsForWhatTheseSay) {
  EXPECT_EQ(given("x.to(options)", "device"), "options");
  EXPECT_EQ(given("x.to(options)", "dtype"), "options");
  EXPECT_EQ(given("x.to(type)", "dtype"), "type");
  EXPECT_EQ(given("x.to(type)", "device"), "-");
  EXPECT_EQ(given("at::zeros({2}, options)", "pin_memory"), "options");
}

}  // namespace
}  // namespace graphgen::check
