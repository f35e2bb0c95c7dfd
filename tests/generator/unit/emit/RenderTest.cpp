// SPDX-License-Identifier: Apache-2.0
//
// What the shipped templates make of plans.
#include "../plan/Callables.h"
#include "emit/Emit.h"
#include "emit/Templates.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace graphgen;
using namespace graphgen::plan_tests;

namespace {

emit::Rendered rendered(const plan::FilePlan& Plan) {
  llvm::Expected<emit::Rendered> Text = emit::render(Plan);
  EXPECT_TRUE(static_cast<bool>(Text)) << llvm::toString(Text.takeError());
  return std::move(*Text);
}

std::string header(const annotation::Callable& Callable) { return rendered(planOf({Callable})).Header; }
std::string source(const annotation::Callable& Callable) { return rendered(planOf({Callable})).Source; }

void expectHolds(const std::string& Text, const std::string& Part) {
  EXPECT_NE(Text.find(Part), std::string::npos) << Part << "\n in\n" << Text;
}
void expectLacks(const std::string& Text, const std::string& Part) {
  EXPECT_EQ(Text.find(Part), std::string::npos) << Part << "\n in\n" << Text;
}

annotation::Callable policy() {
  return function("app::policy", "obs: f32[64, 128], w: f32[128, 10] grad", {parameter("obs"), parameter("w")});
}

TEST(Render, UsesEveryShippedTemplate) {
  std::vector<std::string> Names;
  for (const auto& [Name, Text] : emit::shippedTemplates()) {
    Names.push_back(Name);
  }
  EXPECT_EQ(Names, (std::vector<std::string>{"banner", "class", "glue", "header", "members", "run", "selection", "source", "tables",
                                             "version_check", "watch", "whole"}));
}

TEST(Render, WritesClassAndDefinitionsForAHeader) {
  const emit::Rendered Text = rendered(planOf({policy()}, "net/policy.h"));
  expectHolds(Text.Header, "#include \"net/policy.h\"\n");
  expectHolds(Text.Header, "class graphed::callable<&::app::policy> {");
  expectHolds(Text.Header, "static_assert(GRAPHED_VERSION == ");
  expectLacks(Text.Header, "inline");
  expectHolds(Text.Source, "#include \"policy.graphed.h\"\n");
  expectHolds(Text.Source, "    {\"w\", at::kFloat, w_shape, graphed::impl::flags::grad},\n");
  expectHolds(Text.Source, "\"app::policy\", \"net/policy.h\", /*line=*/7,\n    /*annotation=*/\n    \"GRAPHED(");
  expectHolds(Text.Manifest, "\"file\": \"net/policy.h\"");
}

TEST(Render, WritesOneHeaderForASource) {
  const emit::Rendered Text = rendered(planOf({policy()}, "train.cpp", false));
  EXPECT_EQ(Text.Source, "");
  expectLacks(Text.Header, "#include \"train.cpp\"");
  expectHolds(Text.Header, "inline graphed::callable<&::app::policy>::callable()");
  expectHolds(Text.Header, "inline auto graphed::callable<&::app::policy>::operator()(");
  expectHolds(Text.Header, "struct PolicyFunction final");
}

TEST(Render, IsTheSameForTheSamePlan) {
  const emit::Rendered First = rendered(planOf({policy()}));
  const emit::Rendered Second = rendered(planOf({policy()}));
  EXPECT_EQ(First.Header + First.Source + First.Manifest, Second.Header + Second.Source + Second.Manifest);
}

TEST(Render, HoldsMethodsObjects) {
  annotation::Callable Forward = method("app::NetImpl", "forward", "x: f32[1]", {parameter("x")});
  Forward.ObjectIsModule = true;
  Forward.ObjectIsConst = true;
  expectHolds(header(Forward), "explicit callable(graphed::impl::ObjectHolder<::app::NetImpl> object);");
  expectHolds(source(Forward), "object_(std::move(object)), engine_(net_impl_forward_glue_of_app_in_policy::spec, &*object_) {}");
  expectHolds(source(Forward), "return object.forward(in[0]);");

  annotation::Callable Scale = method("app::Scale", "operator()", "x: f32[1]", {parameter("x")});
  Scale.ObjectIsConst = true;
  expectHolds(header(Scale), "graphed::impl::ObjectHolder<const ::app::Scale> object_;");
  expectHolds(source(Scale), "engine_(scale_call_glue_of_app_in_policy::spec) {}");
  expectHolds(source(Scale), "return object(arguments.x);");
}

TEST(Render, SelectsOverloads) {
  annotation::Callable Function = function("app::f", "x: f32[1]", {parameter("x")});
  Function.FunctionType = "at::Tensor (const at::Tensor &)";
  expectHolds(header(Function), "return graphed::overload<at::Tensor (const at::Tensor &)>(&::app::f);");
  expectHolds(header(Function), "class graphed::callable<graphed::f_glue_of_app_in_policy::function()> {");
  expectHolds(source(Function), "return ::app::f(in[0]);");
  Function.IsOverloaded = true;
  expectHolds(source(Function), "return function(in[0]);");

  annotation::Callable Method = method("app::S", "f", "x: f32[1]", {parameter("x")});
  Method.FunctionType = "void (at::Tensor) const";
  Method.IsOverloaded = true;
  expectHolds(source(Method), "return (object.*function)(in[0]);");
}

TEST(Render, NamesPrivateMethodsByAFriend) {
  annotation::Callable Step = method("app::Net", "step", "x: f32[1]", {parameter("x")});
  Step.IsHidden = true;
  const std::string Pointer = "graphed::access::method<graphed::net_step_glue_of_app_in_policy::method>()";
  expectHolds(header(Step), "constexpr auto " + Pointer + " {\n  return &::app::Net::step;");
  expectHolds(header(Step), "class graphed::callable<" + Pointer + "> {");
  expectHolds(source(Step), "return (object.*function)(in[0]);");
  Step.FunctionType = "void (at::Tensor)";
  expectHolds(header(Step), "return graphed::overload<void (at::Tensor)>(&::app::Net::step);");
}

TEST(Render, PassesScalarsListsAndDefaults) {
  annotation::Callable Callable =
      function("f", "x: f32[1], hs: f32[2] * 3, ts: f32[2] * 2, n: key, eps: const",
               {parameter("x", TypeKind::Optional), parameter("n", TypeKind::Integer), parameter("hs", TypeKind::Vector),
                parameter("ts", TypeKind::ArrayRef), parameter("eps", TypeKind::FloatingPoint)});
  Callable.Parameters[4].Default = "0.5";
  const std::string Source = source(Callable);
  expectHolds(header(Callable), "signature::argument<4> eps = 0.5) const;");
  expectHolds(Source, "signature::argument<4> eps) const -> signature::result {");
  expectHolds(Source, "const graphed::impl::Inputs inputs(arguments.x, arguments.hs, arguments.ts);");
  expectHolds(Source,
              "const auto scalars = [&] { return graphed::impl::Scalars().key(\"n\", arguments.n).constant(\"eps\", arguments.eps); };");
  expectHolds(Source, R"(
    return graphed::impl::packed([&] {
      return ::f(
          in[0],
          arguments.n,
          graphed::impl::slice<graphed::tensor_list>(in, 1, 3),
          graphed::impl::slice<at::TensorList>(in, 4, 2),
          arguments.eps);
    });
)");
  expectHolds(Source, "    {\"hs\", /*count=*/3},\n");
}

TEST(Render, KeepsTheNamesOfParameters) {
  const emit::Rendered Text = rendered(planOf({function("f", "signature: f32[1], engine_: f32[2], in: key",
                                                        {parameter("signature"), parameter("engine_"), parameter("in", TypeKind::Bool)})}));
  expectHolds(
      Text.Header,
      "operator()(\n      the_signature::argument<0> signature, the_signature::argument<1> engine_, the_signature::argument<2> in) const;");
  expectHolds(Text.Header, "  graphed::impl::Engine the_engine_;\n");
  expectHolds(Text.Source, "  the_signature::argument<1>& engine_;\n");
  expectHolds(Text.Source, "return ::f(in[0], in[1], arguments.in);");
  expectHolds(Text.Source, "run</*Ahead=*/false>(the_engine_, {signature, engine_, in});");
}

TEST(Render, ReadsLiveScalarsAfterAllTensors) {
  annotation::Callable Callable =
      function("f", "lr: live, x: f32[1], eps: live, y: f32[1]",
               {parameter("lr", TypeKind::LiveScalar), parameter("x"), parameter("eps", TypeKind::LiveScalar), parameter("y")});
  const std::string Source = source(Callable);
  expectHolds(Source, "graphed::impl::Scalars().live(\"lr\", arguments.lr).live(\"eps\", arguments.eps);");
  expectHolds(Source, "return ::f(graphed::Scalar::over(in[2]), in[0], graphed::Scalar::over(in[3]), in[1]);");
  expectHolds(source(function("g", "lr: live", {parameter("lr", TypeKind::LiveScalar)})), "(graphed::tensor_list& in) {");
}

TEST(Render, PassesObjectsOnAndLooksAtThem) {
  annotation::Callable Callable = function("f", "opt: object, x: f32[1], n: key",
                                           {parameter("opt", TypeKind::Object), parameter("x"), parameter("n", TypeKind::Integer)});
  annotation::WatchedMember Rate{annotation::WatchedMember::Kind::Number, "opt.rate", {}};
  Rate.Steps.push_back({annotation::MemberStep::Way::Pointer, "app::Optimizer", "rate"});
  Callable.Parameters[0].Watched.push_back(Rate);
  const std::string Source = source(Callable);
  expectHolds(Source, "constexpr const char* names_of_arguments[] = {\"opt\", \"opt.rate\"};");
  expectHolds(Source, "graphed::impl::WatchedArgument<&argument_opt>,");
  expectHolds(Source, "graphed::impl::WatchedMember<&argument_opt, &::app::Optimizer::rate>>(object);");
  expectHolds(Source, "return ::f(arguments.opt, in[0], arguments.n);");
  expectHolds(Source, "graphed::impl::Call call(engine, inputs, scalars(), objects);");
  const std::string Alone = source(function("g", "opt: object", {parameter("opt", TypeKind::Object)}));
  expectHolds(Alone, "(graphed::tensor_list&) {");
  expectHolds(Alone, "graphed::impl::Call::prepare(engine, inputs, body, {}, objects);");
}

TEST(Render, FindsPlacesAmongListsOfOtherLengths) {
  const auto Annotated = [](const std::string& Count) {
    return function("f", "hs: f32[2] * " + Count + ", w: f32[1] inplace, lr: live",
                    {parameter("hs", TypeKind::ArrayRef), parameter("w", TypeKind::TensorLvalue), parameter("lr", TypeKind::LiveScalar)});
  };
  const std::string Source = rendered(planOf({Annotated("2"), Annotated("3")})).Source;
  expectHolds(Source, "    std::size_t captured_w = 0;\n");
  expectHolds(Source, "    visit_arguments(refill, captured_hs, captured_w);\n");
  expectHolds(Source, "return ::f(captured_hs, in[captured_w], graphed::Scalar::over(in[in.size() - 1]));");
  expectHolds(rendered(planOf({Annotated("2")})).Source,
              "return ::f(graphed::impl::slice<at::TensorList>(in, 0, 2), in[2], graphed::Scalar::over(in[3]));");
}

TEST(Render, NamesFlagsAsTheRuntimeDoes) {
  const std::string Source =
      source(function("f", "x: f32[1, 2, 3, 4] static grad channels_last, y: i64[2] optional inplace, z: f32[2] optional",
                      {parameter("x"), parameter("y"), parameter("z", TypeKind::Optional)}));
  expectHolds(Source, "x_shape, graphed::impl::flags::grad | graphed::impl::flags::channels_last | graphed::impl::flags::static_address},");
  expectHolds(Source, "y_shape, graphed::impl::flags::inplace | graphed::impl::flags::optional},");
  expectHolds(Source, "return ::f(in[0], in[1], graphed::impl::optional_tensor(in[2]));");
}

TEST(Render, SaysHowCapturesAreKeptWhereThatIsGiven) {
  expectHolds(source(function("f", "; slots = 3, pool = actor", {})), "/*strict=*/false,\n    /*slots=*/3, /*pool=*/\"actor\"};\n");
  expectHolds(source(function("f", "; slots = 3", {})), "    /*slots=*/3, /*pool=*/nullptr};\n");
  expectHolds(source(function("f", "; step", {})), "/*step=*/true};\n");
  expectHolds(source(function("f", "; grads = in_graph", {})), "/*step=*/false, /*grads_in_graph=*/true};\n");
  expectHolds(source(function("f", "", {})), "/*strict=*/false};\n");
}

TEST(Render, MakesATemplateOfDimensionVariables) {
  const annotation::Callable Callable = function("f", "x: f32[B, 2 * k * T], hs: i64[T] * 2, y: f64[]; T in {3, 2}, B in {8, 1} pad repeat",
                                                 {parameter("x"), parameter("hs", TypeKind::Vector), parameter("y")}, {{"k", 4}});
  expectHolds(source(Callable), R"(
template <int64_t T, int64_t B>
struct sample {
  static constexpr int64_t x_shape[] = {B, 8 * T};
  static constexpr int64_t hs_shape[] = {T};
  static constexpr graphed::impl::TensorSpec tensors[] = {
      {"x", at::kFloat, x_shape},
      {"hs[0]", at::kLong, hs_shape},
      {"hs[1]", at::kLong, hs_shape},
      {"y", at::kDouble, {}},
  };
  static constexpr graphed::impl::ListSpec lists[] = {
      {"hs", /*count=*/2},
  };
  static constexpr graphed::impl::PaddedVariable padded[] = {
      {"B", B, graphed::impl::PadFill::Repeat},
  };
  static constexpr graphed::impl::PaddedDim padded_dims[] = {
      {/*tensor=*/0, /*dim=*/0, /*variable=*/0},
  };
};
constexpr graphed::impl::SampleSpec samples[] = {
    {sample<2, 1>::tensors, sample<2, 1>::lists, sample<2, 1>::padded, sample<2, 1>::padded_dims},
    {sample<2, 8>::tensors, sample<2, 8>::lists, sample<2, 8>::padded, sample<2, 8>::padded_dims},
    {sample<3, 1>::tensors, sample<3, 1>::lists, sample<3, 1>::padded, sample<3, 1>::padded_dims},
    {sample<3, 8>::tensors, sample<3, 8>::lists, sample<3, 8>::padded, sample<3, 8>::padded_dims},
};
)");
}

TEST(Render, NumbersTheAnnotationsOfOneCallable) {
  const emit::Rendered Text =
      rendered(planOf({function("f", "x: f32[2]; warmup = 1", {parameter("x")}),
                       function("f", "x: f32[B]; B in {1, 3} pad", {parameter("x")}), function("f", "x: f32[]", {parameter("x")})}));
  expectHolds(Text.Header, "// GRAPHED(x: f32[2]; warmup = 1)\n// GRAPHED(x: f32[B]; B in {1, 3} pad)\n// GRAPHED(x: f32[])\ntemplate <>");
  expectHolds(Text.Source, "struct sample1 {\n  static constexpr int64_t x_shape[] = {2};\n");
  expectHolds(Text.Source, "template <int64_t B>\nstruct sample2 {\n");
  expectHolds(Text.Source, R"(
constexpr graphed::impl::SampleSpec samples[] = {
    {sample1::tensors},
    {sample2<1>::tensors, /*lists=*/{}, sample2<1>::padded, sample2<1>::padded_dims},
    {sample2<3>::tensors, /*lists=*/{}, sample2<3>::padded, sample2<3>::padded_dims},
    {sample3::tensors},
};
)");
  expectHolds(Text.Source, R"code(
    /*annotation=*/
    "GRAPHED(x: f32[2]; warmup = 1)\n"
    "GRAPHED(x: f32[B]; B in {1, 3} pad)\n"
    "GRAPHED(x: f32[])",
    samples,
)code");
  expectHolds(Text.Source, "/*warmup=*/1,");
}

TEST(Render, LeavesOutWhatIsEmpty) {
  const std::string Source = source(function("f", "", {}));
  expectLacks(Source, "tensors[] = {");
  expectHolds(Source, "graphed::impl::SampleSpec samples[] = {{}};");
  expectHolds(Source, "const graphed::impl::Inputs inputs{};");
  expectHolds(source(function("f", "x: f32[]", {parameter("x")})), "{\"x\", at::kFloat, {}},");
}

TEST(Render, TellsCallablesOfOneNameApart) {
  const std::string Source = rendered(planOf({function("left::f", "", {}), function("right::f", "", {})})).Source;
  expectHolds(Source, "namespace graphed::left_f_glue_in_policy {");
  expectHolds(Source, "struct RightFFunction final");
}

TEST(Render, KeepsLinesWithinTheirColumns) {
  std::vector<annotation::Parameter> Parameters;
  std::string Text;
  for (int I = 0; I < 30; ++I) {
    const bool IsKey = I % 2 == 1;
    Parameters.push_back(parameter("a_parameter_" + std::to_string(I), IsKey ? TypeKind::Bool : TypeKind::Tensor));
    Text += (I ? ", " : "") + Parameters.back().Name + (IsKey ? ": key" : ": f32[2]");
  }
  const emit::Rendered File = rendered(planOf({function("app::f", Text, Parameters)}));
  llvm::SmallVector<llvm::StringRef, 0> Lines;
  llvm::StringRef(File.Source).split(Lines, '\n');
  llvm::StringRef(File.Header).split(Lines, '\n');
  for (const llvm::StringRef Line : Lines) {
    EXPECT_LE(Line.size(), 140u) << Line.str();
    EXPECT_FALSE(Line.ends_with(" ")) << Line.str();
  }
}

TEST(Outputs, LieBelowTheOutputFolder) {
  const emit::OutputPaths Header = emit::outputPaths("out", planOf({policy()}, "net/policy.h"));
  EXPECT_EQ(Header.Header, "out/net/policy.graphed.h");
  EXPECT_EQ(Header.Source, "out/net/policy.graphed.cpp");
  EXPECT_EQ(Header.Manifest, "out/net/policy.graphed.json");
  const emit::OutputPaths Source = emit::outputPaths("out", planOf({policy()}, "train.step.cpp", false));
  EXPECT_EQ(Source.Header, "out/train.step.graphed.h");
  EXPECT_EQ(Source.Source, "");
}

TEST(Outputs, AreWritten) {
  llvm::SmallString<128> Folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("graphgen-outputs", Folder));
  const plan::FilePlan Plan = planOf({policy()}, "net/policy.h");
  const emit::OutputPaths Paths = emit::outputPaths(Folder, Plan);
  EXPECT_EQ(llvm::toString(emit::writeOutputs(rendered(Plan), Paths)), "");
  for (const std::string& Path : {Paths.Header, Paths.Source, Paths.Manifest}) {
    EXPECT_TRUE(llvm::sys::fs::exists(Path)) << Path;
  }
  llvm::sys::fs::remove_directories(Folder);
}

}  // namespace
