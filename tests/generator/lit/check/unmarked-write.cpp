// SPDX-License-Identifier: Apache-2.0
//
// Arguments that are written and not marked.
// RUN: not graphgen --check --diagnostics-format=json %s %flags -fno-caret-diagnostics | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/writes.h>
#include <graphed/annotate.h>
#include <torch/nn.h>

// CHECK: writes.h:{{[0-9]+}}:{{[0-9]+}}: error: 'add_' writes to the argument 'x'
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { writes::add(x); }

torch::Tensor global;

GRAPHED(x: f32[2]) void unmarked(torch::Tensor x) {
  // CHECK: unmarked-write.cpp:[[#@LINE+1]]:5: error: 'add_' writes to the argument 'x', which the annotation does not mark 'inplace' [graphed-unmarked-write]
  x.add_(global);
  // CHECK: :[[#@LINE+1]]:18: error: 'mul_' writes
  x.select(0, 1).mul_(2);
  // CHECK: :[[#@LINE+1]]:8: error: '=' writes
  x[0] = global;
  // CHECK: :[[#@LINE+1]]:8: error: '=' writes
  x[0] = 1.0;
  // CHECK: :[[#@LINE+1]]:5: error: '+=' writes
  x += global;
  // CHECK: :[[#@LINE+1]]:10: error: 'relu_' writes
  torch::relu_(x);
  // CHECK: :[[#@LINE+1]]:10: error: 'add_out' writes
  torch::add_out(x, global, global);
  // CHECK: :[[#@LINE+1]]:20: error: 'zeros_' writes
  torch::nn::init::zeros_(x);
  auto row = x[0].detach();
  // CHECK: :[[#@LINE+1]]:7: error: 'zero_' writes
  row.zero_();
  // CHECK: :[[#@LINE+1]]:7: error: 'fill_' writes
  row.fill_(1.0).mul_(2);
  // CHECK: :[[#@LINE+1]]:5: error: 'add_' writes
  x.add_(global).select(0, 1).mul_(2).zero_();
  // CHECK: :[[#@LINE+1]]:17: error: 'zero_' writes
  x.chunk(2)[0].zero_();
}

// By integers, slices, None and `...` an index is a view; by tensors and by what a variable holds it is a copy, or that is unknown.
GRAPHED(x: f32[2, 4], i: i64[2]) void sliced(torch::Tensor x, const torch::Tensor& i) {
  using namespace at::indexing;
  // CHECK: :[[#@LINE+1]]:35: error: 'mul_' writes to the argument 'x'
  x.index({Slice(), Slice(0, 2)}).mul_(2);
  // CHECK: :[[#@LINE+1]]:23: error: 'zero_' writes
  x.index({"...", 0}).zero_();
  // CHECK: :[[#@LINE+1]]:39: error: '+=' writes
  x.index({Ellipsis, torch::nullopt}) += global;
  auto column = x.index({Slice(), 0});
  // CHECK: :[[#@LINE+1]]:10: error: 'fill_' writes
  column.fill_(1.0);
  x.index({i}).zero_();
  x.index({Slice(), i}).zero_();
  x.index({true}).zero_();
  const at::TensorIndex any = i;
  x.index({any}).zero_();
  const std::vector<at::TensorIndex> places = {Slice(), 0};
  // CHECK: :[[#@LINE+1]]:19: error: 'zero_' writes
  x.index(places).zero_();
  x.clone().index({Slice()}).zero_();
}

// A function that writes what it is handed by reference, and one that makes it another tensor.
void clip(torch::Tensor& tensor) {
  // CHECK: :[[#@LINE+2]]:23: error: 'zero_' writes to the argument 'x'
  // CHECK: note: called from 'handed' here
  tensor.select(0, 1).zero_();
}
void replace(torch::Tensor& tensor) {
  tensor = tensor + tensor;
  tensor.zero_();
}
void rename(torch::Tensor& tensor) {
  auto& other = tensor;
  other = tensor + tensor;
}
void replace_deeper(torch::Tensor& tensor) { replace(tensor); }
GRAPHED(x: f32[2], y: f32[2], z: f32[2], w: f32[2]) void handed(torch::Tensor x, torch::Tensor y, torch::Tensor z, torch::Tensor w) {
  clip(x);
  // CHECK: :[[#@LINE+1]]:5: error: 'zero_' writes to the argument 'x'
  x.zero_();
  replace(y);
  y.zero_();
  rename(z);
  z.zero_();
  replace_deeper(w);
  w.zero_();
}

// One that returns it.
torch::Tensor& halve(torch::Tensor& tensor) {
  // CHECK: :[[#@LINE+2]]:17: error: 'mul_' writes to the argument 'x'
  // CHECK: note: called from 'given_back' here
  return tensor.mul_(0.5);
}
torch::Tensor& same(torch::Tensor& tensor) { return tensor; }
GRAPHED(x: f32[2], y: f32[2], z: f32[2]) void given_back(torch::Tensor x, torch::Tensor y, torch::Tensor z) {
  const auto& halved = halve(x);
  global.copy_(halved);
  same(y) = y + y;
  y.zero_();
  auto& other = same(z);
  other = z + z;
  z.zero_();
}

GRAPHED(x: f32[2], y: f32[2], on: key) void either(torch::Tensor x, torch::Tensor y, bool on) {
  // CHECK: :[[#@LINE+2]]:16: warning: 'zero_' may write to the argument 'x'
  // CHECK: :[[#@LINE+1]]:16: warning: 'zero_' may write to the argument 'y'
  (on ? x : y).zero_();
  // CHECK: :[[#@LINE+1]]:16: error: 'zero_' writes to the argument 'x'
  (on ? x : x).zero_();
  (on ? x + x : y + y).zero_();
}

// What gives the argument's values or a copy.
GRAPHED(x: f32[2, 4]) void perhaps(torch::Tensor x) {
  // CHECK: :[[#@LINE+1]]:18: warning: 'zero_' may write to the argument 'x', which the annotation does not mark 'inplace' [graphed-unmarked-write]
  x.reshape({8}).zero_();
  // CHECK: :[[#@LINE+1]]:18: warning: 'zero_' may write
  x.contiguous().zero_();
  // CHECK: :[[#@LINE+1]]:26: warning: 'zero_' may write
  x.view({8}).flatten(0).zero_();
  // CHECK: :[[#@LINE+1]]:26: warning: 'zero_' may write
  torch::reshape(x, {8}).zero_();
  // CHECK: :[[#@LINE+1]]:23: warning: 'zero_' may write
  x.to(torch::kFloat).zero_();
  // CHECK: :[[#@LINE+1]]:34: warning: 'zero_' may write
  x.contiguous().to(x.options()).zero_();
  const auto column = x.transpose(0, 1).to(torch::kFloat);
  // CHECK: :[[#@LINE+1]]:10: warning: 'zero_' may write
  column.zero_();
}
GRAPHED(x: i64[2, 4], y: f32[2, 4], z: f32[2, 4] inplace) void copies(torch::Tensor x, torch::Tensor y, torch::Tensor z) {
  x.to(torch::kFloat).zero_();
  x.contiguous().to(torch::TensorOptions().dtype(torch::kFloat)).zero_();
  y.to(torch::kFloat, false, true).zero_();
  y.transpose(0, 1).contiguous().zero_();
  // CHECK: :[[#@LINE+1]]:31: warning: 'zero_' may write
  y.select(1, 0).reshape({2}).zero_();
  const auto columns = y.transpose(0, 1);
  columns.contiguous().zero_();
  (y + y).reshape({8}).zero_();
  z.reshape({8}).zero_();
}

// As another tensor's.
struct Pair {
  torch::Tensor whole, half;
};
torch::Tensor as(const torch::Tensor& x, const torch::Tensor& other) { return x.to(other.scalar_type()); }
GRAPHED(q: i64[2], x: f32[2], p: {whole: i64[2], half: f32[2]})
void converts(const torch::Tensor& q, const torch::Tensor& x, const Pair& p) {
  q.to(x.scalar_type()).zero_();
  q.to(x.options()).zero_();
  q.to(x).zero_();
  const auto type = x.scalar_type();
  const torch::Tensor same = x;
  q.to(type).zero_();
  q.to(same.scalar_type()).zero_();
  q.to(p.half.scalar_type()).zero_();
  as(q, x).zero_();
  q.to(p.whole.options().dtype(torch::kFloat)).zero_();
}
GRAPHED(q: i64[2], x: f32[2], y: i64[2], p: {whole: i64[2], half: f32[2]})
void keeps(const torch::Tensor& q, const torch::Tensor& x, const torch::Tensor& y, const Pair& p) {
  // CHECK: :[[#@LINE+1]]:25: warning: 'zero_' may write to the argument 'q'
  q.to(y.scalar_type()).zero_();
  // CHECK: :[[#@LINE+1]]:11: warning: 'zero_' may write
  q.to(y).zero_();
  // CHECK: :[[#@LINE+1]]:31: warning: 'zero_' may write
  q.to(p.whole.scalar_type()).zero_();
  // CHECK: :[[#@LINE+1]]:41: warning: 'zero_' may write
  q.to(x.options().dtype(torch::kLong)).zero_();
  // CHECK: :[[#@LINE+1]]:19: warning: 'zero_' may write
  q.reshape_as(x).zero_();
  q.to((x + x).scalar_type()).zero_();
}
GRAPHED(q: i64[2], x: f32[2]) GRAPHED(q: i64[2], x: i64[2])
void converts_in_one(const torch::Tensor& q, const torch::Tensor& x) {
  // CHECK: :[[#@LINE+1]]:25: warning: 'zero_' may write
  q.to(x.scalar_type()).zero_();
}

// Modules and functions that are reported to write into their input.
struct Activated : torch::nn::Module {
  Activated() { assigned = torch::nn::ReLU(torch::nn::ReLUOptions().inplace(true)); }
  GRAPHED(x: f32[2]) void forward(torch::Tensor x) {
    // CHECK: :[[#@LINE+1]]:5: error: 'ReLU' writes to the argument 'x', which the annotation does not mark 'inplace' [graphed-unmarked-write]
    given(x);
    // CHECK: :[[#@LINE+1]]:15: error: 'ReLU' writes
    assigned->forward(x);
    // CHECK: :[[#@LINE+1]]:5: warning: 'Dropout' may write
    dropped(x);
    const auto options = torch::nn::ReLUOptions(true);
    // CHECK: :[[#@LINE+1]]:28: error: 'relu' writes
    torch::nn::functional::relu(x, options);
    torch::nn::functional::relu(x, torch::nn::ReLUOptions(false));
    torch::nn::functional::relu(x);
    plain(x);
    given(linear(x));
    given(x + x);
  }
  torch::nn::ReLU given{torch::nn::ReLUOptions(true)}, assigned, plain{torch::nn::ReLUOptions(false)};
  torch::nn::Dropout dropped{torch::nn::DropoutOptions(0.5).inplace(true)};
  torch::nn::Linear linear;
};

// The first module of a Sequential, and what only hands its input on before it.
using torch::nn::Sequential;
struct Chained : torch::nn::Module {
  explicit Chained(bool is_deep) {
    const auto options = torch::nn::ReLUOptions(true);
    registered = register_module("registered", Sequential(torch::nn::ReLU(options), torch::nn::Linear()));
    pushed->push_back("first", torch::nn::ReLU(torch::nn::ReLUOptions().inplace(true)));
    pushed_later->push_back(torch::nn::Linear());
    pushed_later->push_back(torch::nn::ReLU(options));
    pushed_behind->push_back(torch::nn::ReLU(options));
    if (is_deep) {
      one_of_two = Sequential(torch::nn::ReLU(options));
    } else {
      one_of_two = Sequential(torch::nn::Linear());
    }
  }
  GRAPHED(x: f32[2]) void forward(torch::Tensor x) {
    // CHECK: :[[#@LINE+1]]:12: error: 'ReLU' writes to the argument 'x', which the annotation does not mark 'inplace' [graphed-unmarked-write]
    given->forward(x);
    // CHECK: :[[#@LINE+1]]:5: error: 'ReLU' writes
    registered(x);
    // CHECK: :[[#@LINE+1]]:13: warning: 'ReLU' may write
    pushed->forward(x);
    // CHECK: :[[#@LINE+1]]:13: error: 'ReLU' writes
    nested->forward(x);
    // CHECK: :[[#@LINE+1]]:12: error: 'ReLU' writes
    named->forward(x);
    // CHECK: :[[#@LINE+1]]:14: warning: 'Dropout' may write
    dropped->forward(x);
    // CHECK: :[[#@LINE+1]]:16: warning: 'ReLU' may write
    flattened->forward(x);
    // CHECK: :[[#@LINE+1]]:17: warning: 'ReLU' may write
    one_of_two->forward(x);
    Sequential local(torch::nn::ReLU(torch::nn::ReLUOptions(true)));
    // CHECK: :[[#@LINE+1]]:12: error: 'ReLU' writes
    local->forward(x);
    pushed_later->forward(x);
    pushed_behind->forward(x);
    behind->forward(x);
    behind_unknown->forward(x);
    plain->forward(x);
    given->forward(x + x);
  }
  Sequential made_elsewhere();
  torch::nn::ReLU activation{torch::nn::ReLUOptions(true)};
  Sequential given{torch::nn::ReLU(torch::nn::ReLUOptions(true)), torch::nn::Linear()}, registered, pushed, pushed_later, one_of_two;
  Sequential pushed_behind{torch::nn::Linear()};
  Sequential nested{Sequential(torch::nn::ReLU(torch::nn::ReLUOptions(true))), torch::nn::Linear()};
  Sequential named{activation, torch::nn::Linear()};
  static constexpr bool in_place = true;
  Sequential dropped{torch::nn::Dropout(torch::nn::DropoutOptions(0.5).inplace(in_place)), torch::nn::Linear()};
  Sequential flattened{torch::nn::Flatten(), torch::nn::ReLU(torch::nn::ReLUOptions(true))};
  Sequential behind{torch::nn::Linear(), torch::nn::ReLU(torch::nn::ReLUOptions(true))};
  Sequential behind_unknown{made_elsewhere(), torch::nn::ReLU(torch::nn::ReLUOptions(true))};
  Sequential plain{torch::nn::ReLU(), torch::nn::ReLU(torch::nn::ReLUOptions(true))};
};

// Of a template the pattern is seen, where a constructor's initializers are lists in parentheses.
template <class T>
struct Templated : torch::nn::Module {
  explicit Templated(torch::nn::ReLU given)
      : one(torch::nn::ReLU(torch::nn::ReLUOptions(true))), two(torch::nn::ReLU(torch::nn::ReLUOptions(true)), given), safe(given, given) {}
  void run(const torch::Tensor& x) {
    // CHECK: :[[#@LINE+2]]:10: error: 'ReLU' writes
    // CHECK: note: called from 'of_a_template' here
    one->forward(x);
    // CHECK: :[[#@LINE+2]]:10: error: 'ReLU' writes
    // CHECK: note: called from 'of_a_template' here
    two->forward(x);
    safe->forward(x);
  }
  Sequential one, two, safe;
};
GRAPHED(x: f32[2]) void of_a_template(const torch::Tensor& x) { Templated<int>(torch::nn::ReLU()).run(x); }

// One body, reported for each argument that it is given.
void clear_given(const torch::Tensor& given) {
  // CHECK: :[[#@LINE+4]]:9: error: 'zero_' writes to the argument 'x'
  // CHECK: note: called from 'two_arguments' here
  // CHECK: :[[#@LINE+2]]:9: error: 'zero_' writes to the argument 'y'
  // CHECK: note: called from 'two_arguments' here
  given.zero_();
}
GRAPHED(x: f32[2], y: f32[2]) void two_arguments(const torch::Tensor& x, const torch::Tensor& y) {
  clear_given(x + y);
  clear_given(x);
  clear_given(y);
}
void clear_by_lambda(const torch::Tensor& given) {
  // CHECK: :[[#@LINE+3]]:34: error: 'zero_' writes to the argument 'y'
  // CHECK: note: called from 'clear_by_lambda' here
  // CHECK: note: called from 'by_a_lambda' here
  const auto clear = [&] { given.zero_(); };
  clear();
}
GRAPHED(x: f32[2], y: f32[2]) void by_a_lambda(const torch::Tensor& x, const torch::Tensor& y) {
  clear_by_lambda(x + y);
  clear_by_lambda(y);
}

struct Batch {
  torch::Tensor state, seen;
};
GRAPHED(b: {state: f32[2] inplace, seen: f32[2]}) void members(const Batch& b) {
  b.state.zero_();
  // CHECK: :[[#@LINE+1]]:10: error: 'zero_' writes to the argument 'b.seen'
  b.seen.zero_();
}

GRAPHED(xs: f32[2] * 2, x: f32[2]) void lists(const std::vector<torch::Tensor>& xs, const torch::Tensor& x) {
  // CHECK: :[[#@LINE+1]]:9: error: 'zero_' writes to the argument 'xs'
  xs[0].zero_();
  for (const torch::Tensor& each : xs) {
    // CHECK: :[[#@LINE+1]]:10: warning: 'zero_' writes to the argument 'xs'
    each.zero_();
  }
  // CHECK: :[[#@LINE+1]]:7: error: '_foreach_add_' writes to the argument 'xs'
  at::_foreach_add_(xs, 1.0);
}

// Tensors that are marked, that the callable makes, and that it keeps.
struct Net : torch::nn::Module {
  GRAPHED(x: f32[2], out: f32[2] inplace) torch::Tensor safe(torch::Tensor x, torch::Tensor out) {
    out.copy_(x);
    out[0] = x[0];
    torch::add_out(out, x, x);
    mean.mul_(0.9).add_(x);
    mean[0] = x[0];
    for (const torch::Tensor& each : parameters()) {
      each.mul_(0.9);
    }
    global.zero_();
    torch::Tensor y = x + x;
    y.add_(x);
    torch::Tensor h = x;
    for (int i = 0; i < 3; ++i) {
      h = h + x;
    }
    h.zero_();
    x = x + x;
    x.zero_();
    return y;
  }
  torch::Tensor mean;
};

#define CLEAR(tensor) (tensor).zero_()
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: error: 'zero_' writes
  // CHECK: note: expanded from macro 'CLEAR'
  CLEAR(x);
}

// The same body with a tensor of the callable's own and with an argument.
template <class T>
void clear(const T& tensor) {
  // CHECK: :[[#@LINE+2]]:10: error: 'zero_' writes to the argument 'x'
  // CHECK: note: called from 'in_a_template' here
  tensor.zero_();
}
GRAPHED(x: f32[2]) void in_a_template(const torch::Tensor& x) {
  clear(x + x);
  clear(x);
}

GRAPHED(x: f32[2]) void silenced(const torch::Tensor& x) {
  x.zero_();  // graphgen: allow(graphed-unmarked-write)
}
GRAPHED(x: f32[2]; allow = graphed-unmarked-write) void allowed(const torch::Tensor& x) { x.zero_(); }
