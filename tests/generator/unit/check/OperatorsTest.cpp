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

using Names = std::vector<std::string>;

struct CallingBody {
  const char* Statements;
  Names Operators;
};

const std::vector<CallingBody>& callingBodies() {
  static const std::vector<CallingBody> All = {
      // Functions and methods.
      {"x.add_(y);", {"add_.Tensor"}},
      {"x.mul_(2.0);", {"mul_.Scalar"}},
      {"x.max();", {"max"}},
      {"x.max(0);", {"max.dim"}},
      {"torch::nonzero_out(x, y);", {"nonzero.out"}},
      {"at::where(x);", {"where"}},
      {"at::where(x, x, y);", {"where.self"}},
      {"x.item<float>();", {"item"}},
      // Overloads, by the types of parameters.
      {"x.to(torch::kLong);", {"to.dtype"}},
      {"x.to(y);", {"to.other"}},
      {"x.to(torch::TensorOptions());", {"to.dtype_layout"}},
      {"x.masked_fill(y, 1.0);", {"masked_fill.Scalar"}},
      {"x.masked_fill(y, y);", {"masked_fill.Tensor"}},
      {"x.repeat_interleave(y);", {"repeat_interleave.self_Tensor"}},
      // Operators of C++.
      {"x + y;", {"add.Tensor"}},
      {"x / 2.0;", {"div.Scalar"}},
      {"x += y;", {"add_.Tensor"}},
      {"~x;", {"bitwise_not"}},
      {"x[0];", {"select.subscript"}},
      {"x[y];", {"select.subscript_Tensor"}},
      {"x[0] = y;", {"copy_", "select.subscript"}},
      {"x = y;", {}},
      // Declarations with other names, by their order.
      {"x.reshape({2});", {"reshape"}},
      {"x.copy_(y);", {"copy_"}},
      {"at::from_blob(nullptr, {2});", {"from_blob"}},
      {"x.index({torch::TensorIndex(y)});", {"index.TensorIndex"}},
      // Functions of the program.
      {"add_(x, x); tensor.zero_();", {}},
  };
  return All;
}

struct Given {
  const char* Call;
  const char* Parameter;
  const char* Text;  // "-" where nothing is given
};

constexpr Given AllGiven[] = {
    {"x.add_(y)", "self", "x"},
    {"x.add_(y)", "other", "y"},
    {"x.add_(y)", "alpha", "-"},
    {"at::add_out(y, x, x)", "out", "y"},
    {"x + y", "other", "y"},
    {"x.reshape({2})", "shape", "{2}"},
    {"x.copy_(y)", "src", "y"},
    {"x.copy_(y)", "non_blocking", "-"},
    {"x.copy_(y, true)", "non_blocking", "true"},
    // Options, for what these say.
    {"x.to(options)", "device", "options"},
    {"x.to(options)", "dtype", "options"},
    {"x.to(type)", "dtype", "type"},
    {"x.to(type)", "device", "-"},
    {"at::zeros({2}, options)", "pin_memory", "options"},
};

clang::ASTUnit& operatorsUnit() {
  std::vector<std::string> Statements, Calls;
  for (const CallingBody& Each : callingBodies()) {
    Statements.push_back(Each.Statements);
  }
  for (const Given& Each : AllGiven) {
    Calls.push_back(std::string(Each.Call) + ";");
  }
  static const auto Unit = parsed(
      "#include <ATen/Functions.h>\n#include <torch/torch.h>\ntorch::Tensor add_(torch::Tensor self, torch::Tensor other);\nstruct Tensor "
      "{ void zero_(); };\n" +
          overloads("f", "torch::Tensor x, torch::Tensor y, Tensor tensor", Statements) +
          overloads("g", "torch::Tensor x, torch::Tensor y, torch::TensorOptions options, torch::ScalarType type", Calls),
      {GRAPHGEN_TEST_INPUTS});
  return *Unit;
}

/// The operators of the calls of a function, in their order, the outer ones first.
Names operatorsCalled(clang::FunctionDecl& Function) {
  Names Found;
  forEachCall(Function, [&](const clang::Expr& E) {
    const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
    const Operator* Its = Call && Call->getDirectCallee() ? operatorOf(*Call->getDirectCallee()) : nullptr;
    if (Its) {
      Found.push_back((Its->Name + (Its->Overload.empty() ? "" : "." + Its->Overload.str())).str());
    }
  });
  return Found;
}

TEST(OperatorOf, IsThatOfEachCall) {
  const auto Functions = functionsNamed(operatorsUnit(), "f");
  ASSERT_EQ(Functions.size(), callingBodies().size());
  for (size_t Each = 0; Each < Functions.size(); ++Each) {
    EXPECT_EQ(operatorsCalled(*Functions[Each]), callingBodies()[Each].Operators) << callingBodies()[Each].Statements;
  }
}

/// What the only call of a function gives to a parameter; "-" where that is nothing. And back: the parameter of what was found.
std::string given(clang::FunctionDecl& Function, llvm::StringRef Parameter) {
  std::string Name = "-";
  forEachCall(Function, [&](const clang::Expr& E) {
    const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
    const clang::Expr* Found = Call ? argument(E, Parameter) : nullptr;
    if (!Found) {
      return;
    }
    const Operator::Parameter* Back = parameterOf(E, *Found);
    EXPECT_TRUE(Back && (Back->Name == Parameter || Back->Name == "dtype")) << Parameter.str();
    Name = clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(Found->getSourceRange()), operatorsUnit().getSourceManager(),
                                       operatorsUnit().getLangOpts())
               .str();
  });
  return Name;
}

TEST(Arguments, AreFoundByTheNamesOfTheSchema) {
  const auto Functions = functionsNamed(operatorsUnit(), "g");
  ASSERT_EQ(Functions.size(), std::size(AllGiven));
  for (size_t Each = 0; Each < Functions.size(); ++Each) {
    const auto& [Call, Parameter, Text] = AllGiven[Each];
    EXPECT_EQ(given(*Functions[Each], Parameter), Text) << Call << " " << Parameter;
  }
}

}  // namespace
}  // namespace graphgen::check
