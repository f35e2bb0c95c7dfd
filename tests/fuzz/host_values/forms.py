# SPDX-License-Identifier: Apache-2.0
#
# The forms of host values: how each is declared, read by a body, and changed from outside. In all texts `$` is the value's name, `x` the
# body's argument, `k` the number of the change, 0 at first.
import dataclasses

NUMBER_USES = ("x * N", "x + N", "at::full_like(x, N)", "(N > 1.25 ? x.tanh() : x.sin())", "at::leaky_relu(x, N)")


@dataclasses.dataclass(frozen=True)
class Form:
    name: str
    type: str
    value: str
    use: str = ""  # a tensor
    number: str = ""  # or a number, which one of NUMBER_USES reads
    changes: tuple = ("$ = V",)  # statements, in which V is `value`
    is_on_device: bool = False
    empty: str | None = None  # how such a global is declared before the device is known, where that can be
    registers: str = ""  # as what a module may register it
    reads_elsewhere: bool = False  # what READ_ELSEWHERE declares

    def change(self, statement, place):
        return statement.replace("V", self.value).replace("$", place) + ";"


READ_ELSEWHERE = (
    "inline double shown = 1;",
    "inline at::Tensor by_shown(const at::Tensor& x) { return x * shown; }",
    "inline auto behind(const double* to) { return [to](const at::Tensor& x) { return x * *to; }; }",
    "inline auto showing(double& to) { return [&to](const at::Tensor& x) { return x * to; }; }",
)


def number(name, type, value="1.0 + k", read="$", changes=("$ = V",)):
    return Form(name, type, value, number=f"double({read})", changes=changes)


def on_device(name, type, value, use, changes=("$ = V",), empty="", registers=""):
    return Form(name, type, value, use=use, changes=changes, is_on_device=True, empty=empty, registers=registers)


def module(name, value, changes=(), use="$->forward(x)"):
    train = "$->train(k % 2 == 0)"
    return on_device(name, f"torch::nn::{name}", value, use, ("$ = V", train, *changes), "{nullptr}", "module")


def arithmetic(type, name=None):
    return number(name or type, type, f"static_cast<{type}>(1 + k)")


OF_ONE = (
    *(arithmetic(type) for type in ("int", "unsigned", "int64_t", "uint8_t", "int16_t", "char", "float", "double", "long double")),
    arithmetic("std::size_t"),
    number("bool", "bool", "k % 2 == 0", "$ ? 1.5 : 0.5"),
    number("enum", "values::Mode", "static_cast<values::Mode>(k % 3)", "static_cast<int>($)"),
    number("enum of C", "values::Color", "static_cast<values::Color>(k % 3)", "static_cast<int>($)"),
    number("bit-field", "values::Bits", "values::Bits(k)", "double($.steps) + ($.on ? 0.5 : 0)", ("$ = V", "$.on = k % 2 == 0")),
    number("atomic<double>", "std::atomic<double>", changes=("$ = V", "$.store(V)")),
    number("atomic<bool>", "std::atomic<bool>", "k % 2 == 0", "$ ? 1.5 : 0.5"),
    number("Half", "c10::Half", "static_cast<c10::Half>(1.0f + static_cast<float>(k))"),
    number("BFloat16", "c10::BFloat16", "static_cast<c10::BFloat16>(1.0f + static_cast<float>(k))"),
    number("std::complex", "std::complex<double>", "std::complex<double>(1.0 + k, 0.5)", "$.real() + $.imag()"),
    number("c10::complex", "c10::complex<float>", "c10::complex<float>(1.0f + static_cast<float>(k), 0.5f)", "$.real()"),
    number("Scalar", "torch::Scalar", "torch::Scalar(1.0 + k)", "$.toDouble()"),
    Form("Scalar of a product", "torch::Scalar", "torch::Scalar(1.0 + k)", use="x * $"),
    number("Device", "torch::Device", "(k % 2 == 0 ? torch::Device(torch::kCPU) : torch::Device(torch::kMeta))", "$.is_cpu() ? 1.5 : 0.5"),
    number("Device's index", "torch::Device", "torch::Device(torch::kCUDA, static_cast<c10::DeviceIndex>(k))", "$.index() + 1"),
    number("Dtype", "torch::Dtype", "(k % 2 == 0 ? torch::kFloat : torch::kDouble)", "$ == torch::kFloat ? 1.5 : 0.5"),
    Form("TensorOptions", "torch::TensorOptions", "torch::dtype(k % 2 == 0 ? torch::kFloat : torch::kBFloat16)", use="x.to($.dtype().toScalarType()).to(at::kFloat)"),
    number("chrono::milliseconds", "std::chrono::milliseconds", "std::chrono::milliseconds(1 + k)", "$.count()"),
    number("chrono::duration<double>", "std::chrono::duration<double>", "std::chrono::duration<double>(1.0 + k)", "$.count()"),
    number("time_point", "std::chrono::system_clock::time_point", "std::chrono::system_clock::time_point(std::chrono::seconds(1 + k))", "std::chrono::duration<double>($.time_since_epoch()).count()"),
    number("bitset", "std::bitset<8>", "std::bitset<8>(static_cast<unsigned>(1 + k))", "$.to_ulong()", ("$ = V", "$.flip(3)")),
    number("function", "std::function<double()>", "values::function(k)", "$()"),
    Form("function of a tensor", "std::function<at::Tensor(const at::Tensor&)>", "values::scaled_by(1.0 + k)", use="$(x)"),
    *(Form(f"function {name}", "std::function<at::Tensor(const at::Tensor&)>", value, use="$(x)", changes=("shown = 1.5 + k",), reads_elsewhere=True)
      for name, value in {"behind a pointer": "behind(&shown)", "by reference": "showing(shown)", "of a variable": "by_shown"}.items()),
    number("pointer to function", "values::Pointer", "values::pointer(k)", "$()"),
    number("any", "std::any", "std::any(1.0 + k)", "std::any_cast<double>($)"),
    number("IValue", "c10::IValue", "c10::IValue(1.0 + k)", "$.toDouble()"),
    number("union", "values::Either", "values::either(1.0 + k)", "$.real", ("$ = V", "$.real = 1.0 + k")),
    number("struct", "values::Rates", "values::Rates{1.0 + k, 2}", "$.low", ("$ = V", "$.low = 1.0 + k")),
    number("variant of numbers", "values::Number", "values::variant(k)", "values::of($)"),
    number("variant, by its alternative", "values::Number", "values::variant(k)", "std::holds_alternative<double>($) ? 1.5 : 0.5"),
    number("double*", "double*", "values::held(1.0 + k)", "*$", ("$ = V", "*$ = 1.0 + k")),
    number("double&", "double&", "*values::held(1.0 + k)", "$", ("$ = 1.0 + k",)),
    number("shared_ptr<double>", "std::shared_ptr<double>", "std::make_shared<double>(1.0 + k)", "*$", ("$ = V", "*$ = 1.0 + k")),
    number("unique_ptr<int>", "std::unique_ptr<int>", "std::make_unique<int>(1 + k)", "*$", ("$ = V", "*$ = 1 + k")),
    number("shared_ptr<const struct>", "std::shared_ptr<const values::Rates>", "values::rates(k)", "$->low"),
    number("reference_wrapper<double>", "std::reference_wrapper<double>", "std::ref(*values::held(1.0 + k))", "$.get()", ("$ = V", "$.get() = 1.0 + k")),
)

OF_TEXT = (
    number("string", "std::string", "values::word(k)", "$.size()", ("$ = V", "$ += 'a'")),
    number("string, compared", "std::string", "values::word(k)", '$ == "bb" ? 1.5 : 0.5'),
    number("const char*", "const char*", "values::word(k)", "std::strlen($)"),
    number("string_view", "std::string_view", "values::word(k)", "$.size()"),
    number("char[8]", "values::Text", "{}", "std::strlen($)", ("std::strcpy($, values::word(k))",)),
    number("path", "std::filesystem::path", "std::filesystem::path(values::word(k))", "$.native().size()"),
)

LIST = ("$ = V", "$.push_back(1.0 + k)")
OF_SEVERAL = (
    number("optional<double>", "std::optional<double>", "(k % 2 == 0 ? std::optional<double>(1.0 + k) : std::nullopt)", "$.value_or(0.25)", ("$ = V", "$.emplace(1.5 + k)")),
    number("optional<struct>", "std::optional<values::Rates>", "std::optional<values::Rates>({1.0 + k, 2})", "$->low", ("$ = V", "$->low = 1.0 + k")),
    number("pair", "std::pair<int, double>", "std::pair<int, double>(1, 1.0 + k)", "$.second", ("$ = V", "$.second = 1.0 + k")),
    number("pair of string", "std::pair<std::string, double>", 'std::pair<std::string, double>("a", 1.0 + k)', "$.second"),
    number("tuple", "std::tuple<int, double>", "std::tuple<int, double>(1, 1.0 + k)", "std::get<1>($)", ("$ = V", "std::get<1>($) = 1.0 + k")),
    number("tuple of structs", "std::tuple<values::Rates, int>", "std::tuple<values::Rates, int>({1.0 + k, 2}, 3)", "std::get<0>($).low", ("$ = V", "std::get<0>($).low = 1.0 + k")),
    number("array", "std::array<double, 3>", "std::array<double, 3>{0.5, 1.0 + k, 2.0}", "$[1]", ("$ = V", "$[1] = 1.0 + k")),
    number("array of C", "values::Three", "{0.5, 1.0, 2.0}", "$[1]", ("$[1] = 1.5 + k",)),
    number("array of bool", "std::array<bool, 2>", "std::array<bool, 2>{k % 2 == 0, true}", "$[0] ? 1.5 : 0.5"),
    number("long array", "std::array<double, 100>", "values::hundred(k)", "$[70]", ("$ = V", "$[70] = 1.5 + k")),
    number("array of structs", "std::array<values::Rates, 2>", "std::array<values::Rates, 2>{values::Rates{1.0, 2}, values::Rates{1.0 + k, 2}}", "$[1].low", ("$[1].low = 1.0 + k",)),
    number("vector<double>", "std::vector<double>", "std::vector<double>{1.0 + k, 2.0}", "$[0] + values::count($)", (*LIST, "$[0] = 1.0 + k")),
    number("vector<int64_t>", "std::vector<int64_t>", "std::vector<int64_t>{1 + k, 2}", "values::sum($)"),
    number("vector<bool>", "std::vector<bool>", "std::vector<bool>{k % 2 == 0, true}", "$[0] ? 1.5 : 0.5", ("$ = V", "$[0] = k % 2 == 0")),
    number("vector<string>", "std::vector<std::string>", "std::vector<std::string>{values::word(k)}", "$[0].size()"),
    number("vector<struct>", "std::vector<values::Rates>", "std::vector<values::Rates>{values::Rates{1.0 + k, 2}}", "$.front().low", ("$ = V", "$[0].low = 1.0 + k")),
    number("vector<vector<double>>", "std::vector<std::vector<double>>", "std::vector<std::vector<double>>{{1.0 + k}, {2.0}}", "$[0][0]", ("$ = V", "$[0][0] = 1.0 + k")),
    number("SmallVector", "c10::SmallVector<double, 4>", "values::small(k)", "$[0]"),
    number("deque", "std::deque<double>", "std::deque<double>{1.0 + k, 2.0}", "$.front() + values::count($)", (*LIST, "$[0] = 1.0 + k")),
    number("list", "std::list<int>", "std::list<int>{1 + k, 2}", "values::sum($)", ("$ = V", "$.front() = 1 + k")),
    number("forward_list", "std::forward_list<double>", "std::forward_list<double>{1.0 + k}", "$.front()"),
    number("set", "std::set<int>", "std::set<int>{1 + k}", "*$.begin()", ("$ = V", "$.insert(-k)")),
    number("set of strings", "std::set<std::string>", "std::set<std::string>{values::word(k)}", '$.count("bb") * 2 + 1'),
    number("unordered_set", "std::unordered_set<int>", "std::unordered_set<int>{1 + k}", "$.count(2) * 2 + 1"),
    number("map", "std::map<std::string, double>", 'std::map<std::string, double>{{"a", 1.0 + k}}', '$.at("a") + values::count($)', ("$ = V", '$["a"] = 1.0 + k', "$[values::word(k)] = 2")),
    number("map of structs", "std::map<int, values::Rates>", "std::map<int, values::Rates>{{1, values::Rates{1.0 + k, 2}}}", "$.at(1).low", ("$ = V", "$[1].low = 1.0 + k")),
    number("unordered_map", "std::unordered_map<int, double>", "std::unordered_map<int, double>{{1, 1.0 + k}}", "$.find(1)->second", ("$ = V", "$[1] = 1.0 + k")),
    number("queue", "std::queue<double>", "std::queue<double>(std::deque<double>{1.0 + k})", "$.front()"),
    number("c10::List of numbers", "c10::List<double>", "c10::List<double>({1.0 + k})", "$.get(0)", ("$ = V", "$.set(0, 1.0 + k)")),
    number("c10::Dict of numbers", "c10::Dict<std::string, double>", "values::dict(k)", '$.at("a")', ("$ = V", '$.insert_or_assign("a", 1.0 + k)')),
)

OF_TENSORS = (
    on_device("Tensor", "at::Tensor", "values::row(k)", "x * $", ("$ = V", "$.fill_(1.0 + k)"), registers="buffer"),
    on_device("parameter", "at::Tensor", "values::weight(k)", "x * $", ("$ = V", "$.set_data(values::row(k))"), registers="parameter"),
    on_device("optional<Tensor>", "std::optional<at::Tensor>", "std::optional<at::Tensor>(values::row(k))", "x * *$"),
    on_device("vector<Tensor>", "std::vector<at::Tensor>", "std::vector<at::Tensor>{values::row(k), values::row(1)}", "x * $[0] * values::count($)", ("$ = V", "$[0] = values::row(k)", "$.push_back(values::row(k))")),
    on_device("map of tensors", "std::map<std::string, at::Tensor>", 'std::map<std::string, at::Tensor>{{"a", values::row(k)}}', 'x * $.at("a")', ("$ = V", '$["a"] = values::row(k)')),
    on_device("unordered_map of tensors", "std::unordered_map<int, at::Tensor>", "std::unordered_map<int, at::Tensor>{{1, values::row(k)}}", "x * $.at(1)"),
    on_device("deque of tensors", "std::deque<at::Tensor>", "std::deque<at::Tensor>{values::row(k)}", "x * $.back()", ("$ = V", "$.push_back(values::row(k))")),
    on_device("array of tensors", "std::array<at::Tensor, 2>", "std::array<at::Tensor, 2>{values::row(0), values::row(k)}", "x * $[1]", ("$ = V", "$[1] = values::row(k)")),
    on_device("pair of tensors", "std::pair<at::Tensor, double>", "std::pair<at::Tensor, double>(values::row(k), 1)", "x * $.first * $.second", ("$ = V", "$.first = values::row(k)", "$.second = 1.0 + k")),
    on_device("shared_ptr<Tensor>", "std::shared_ptr<at::Tensor>", "std::make_shared<at::Tensor>(values::row(k))", "x * *$", ("$ = V", "*$ = values::row(k)")),
    on_device("c10::List of tensors", "c10::List<at::Tensor>", "c10::List<at::Tensor>({values::row(k)})", "x * $.get(0)", ("$ = V", "$.set(0, values::row(k))"), empty=None),
    on_device("c10::Dict of tensors", "c10::Dict<std::string, at::Tensor>", "values::tensors(k)", 'x * $.at("a")', ("$ = V", '$.insert_or_assign("a", values::row(k))'), empty=None),
    on_device("OrderedDict", "torch::OrderedDict<std::string, at::Tensor>", "values::ordered(k)", 'x * $["a"]', ("$ = V", '$["a"] = values::row(k)')),
    on_device("IValue of a tensor", "c10::IValue", "c10::IValue(values::row(k))", "x * $.toTensor()"),
    on_device("any of a tensor", "std::any", "std::any(values::row(k))", "x * std::any_cast<at::Tensor>($)"),
    on_device("variant of a tensor", "std::variant<double, at::Tensor>", "std::variant<double, at::Tensor>(values::row(k))", "x * std::get<1>($)"),
    on_device("function with a tensor", "std::function<at::Tensor(const at::Tensor&)>", "values::scaled_by(values::row(k))", "$(x)"),
    on_device("struct of a tensor", "values::Norm", "values::Norm{values::row(k), 0.5 + k}", "(x - $.mean) * $.scale", ("$ = V", "$.mean = values::row(k)", "$.scale = 0.5 + k")),
)

WEIGHTS = ("$->weight = values::matrix(k)", "$->bias = values::weight(k)", "$->weight.set_data(values::matrix(k).detach())",
           "$->bias.detach().fill_(1.0 + k)", "$->weight.requires_grad_(k % 2 == 0)")
OF_MODULES = (
    module("Linear", "values::linear(k)", WEIGHTS),
    module("Dropout", "values::on(torch::nn::Dropout(0.25 + 0.125 * k))", ("$->options.p(0.25 + 0.125 * k)", "k % 2 == 0 ? $->train() : $->eval()")),
    module("AlphaDropout", "values::on(torch::nn::AlphaDropout(0.25 + 0.125 * k))", ("$->options.p(0.25 + 0.125 * k)",)),
    module("LeakyReLU", "values::on(torch::nn::LeakyReLU(torch::nn::LeakyReLUOptions().negative_slope(0.1 + k)))", ("$->options.negative_slope(0.1 + k)",)),
    module("ELU", "values::on(torch::nn::ELU(torch::nn::ELUOptions().alpha(1.0 + k)))", ("$->options.alpha(1.0 + k)",)),
    module("Softplus", "values::on(torch::nn::Softplus(torch::nn::SoftplusOptions().beta(1.0 + k)))", ("$->options.beta(1.0 + k)",)),
    module("Hardtanh", "values::on(torch::nn::Hardtanh(torch::nn::HardtanhOptions().min_val(-0.1 - 0.1 * k)))", ("$->options.min_val(-0.1 - 0.1 * k)",)),
    module("Softmax", "values::on(torch::nn::Softmax(k % 2))", ("$->options.dim(k % 2)",)),
    module("PReLU", "values::on(torch::nn::PReLU(torch::nn::PReLUOptions().init(0.1 + k)))", ("$->weight = values::weight(k).slice(0, 0, 1)",)),
    module("LayerNorm", "values::layer_norm(k)", ("$->options.eps(0.1 + k)", "$->weight = values::weight(k)")),
    module("BatchNorm1d", "values::on(torch::nn::BatchNorm1d(torch::nn::BatchNormOptions(3).eps(0.1 + k)))",
           ("$->options.eps(0.1 + k)", "$->options.momentum(0.1 + 0.1 * k)", "$->running_mean = values::row(k)", "$->weight = values::weight(k)")),
    module("Sequential", "values::sequential(k)", ("$->ptr<torch::nn::LeakyReLUImpl>(1)->options.negative_slope(0.1 + k)",
           "$->ptr<torch::nn::LinearImpl>(0)->weight = values::matrix(k)", "$->push_back(torch::nn::Tanh())")),
    module("ModuleList", "values::modules(k)", ("$->ptr<torch::nn::LinearImpl>(0)->bias = values::weight(k)",), use="$->ptr<torch::nn::LinearImpl>(0)->forward(x)"),
    on_device("AnyModule", "torch::nn::AnyModule", "torch::nn::AnyModule(values::linear(k))", "$.forward(x)", ("$ = V", "$.get<torch::nn::LinearImpl>().weight = values::matrix(k)")),
    on_device("DropoutImpl", "torch::nn::DropoutImpl", "torch::nn::DropoutImpl(0.25 + 0.125 * k)", "$.forward(x)", ("$ = V", "$.train(k % 2 == 0)", "$.options.p(0.25 + 0.125 * k)")),
    on_device("shared_ptr<LinearImpl>", "std::shared_ptr<torch::nn::LinearImpl>", "values::linear(k).ptr()", "$->forward(x)", ("$ = V", "$->weight = values::matrix(k)")),
    on_device("vector<Linear>", "std::vector<torch::nn::Linear>", "std::vector<torch::nn::Linear>{values::linear(k)}", "$[0]->forward(x)", ("$ = V", "$[0] = values::linear(k)", "$[0]->weight = values::matrix(k)")),
    on_device("map of modules", "std::map<std::string, torch::nn::Linear>", 'std::map<std::string, torch::nn::Linear>{{"a", values::linear(k)}}', '$.at("a")->forward(x)', ("$ = V", '$.at("a") = values::linear(k)')),
    on_device("optional<Dropout>", "std::optional<torch::nn::Dropout>", "std::optional<torch::nn::Dropout>(torch::nn::Dropout(0.25 + 0.125 * k))", "(*$)->forward(x)", ("$ = V", "(*$)->train(k % 2 == 0)", "(*$)->options.p(0.25 + 0.125 * k)")),
    on_device("variant of modules", "std::variant<torch::nn::Linear, torch::nn::Dropout>", "std::variant<torch::nn::Linear, torch::nn::Dropout>(values::linear(k))", "std::get<0>($)->forward(x)", ("$ = V", "std::get<0>($)->weight = values::matrix(k)"), empty=None),
    on_device("tuple of modules", "std::tuple<torch::nn::Linear, torch::nn::Dropout>", "std::tuple<torch::nn::Linear, torch::nn::Dropout>(values::linear(k), torch::nn::Dropout(0.25 + 0.125 * k))", "std::get<1>($)->forward(std::get<0>($)->forward(x))", ("$ = V", "std::get<1>($)->options.p(0.25 + 0.125 * k)", "std::get<0>($)->bias = values::weight(k)"), empty=None),
    on_device("any of a module", "std::any", "std::any(values::linear(k))", "std::any_cast<torch::nn::Linear&>($)->forward(x)"),
    on_device("function with a module", "std::function<at::Tensor(const at::Tensor&)>", "values::runs(values::linear(k))", "$(x)"),
)

FORMS = (OF_ONE, OF_TEXT, OF_SEVERAL, OF_TENSORS, OF_MODULES)
