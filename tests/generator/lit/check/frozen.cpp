// SPDX-License-Identifier: Apache-2.0
//
// Numbers that a capture freezes, though the program changes them: the callable changes them as well, so that no call looks at them.
// RUN: graphgen --check --checks=-graphed-host-state,-graphed-unmarked-write %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/sync.h>
#include <graphed/annotate.h>

#include <map>
#include <vector>

// CHECK: sync.h:{{[0-9]+}}:34: warning: 'rate' is read when the graph is captured: replays keep that value [graphed-frozen]
// CHECK: sync.h:{{[0-9]+}}:28: note: it is changed here
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { in_header::current(), in_header::rate += 0; }

double temperature = 1;
void cool() { temperature *= 0.5; }

void use(const double& value);

struct Net : torch::nn::Module {
  GRAPHED(x: f32[2]) void run(const torch::Tensor& x) {
    // CHECK: frozen.cpp:[[#@LINE+3]]:12: warning: 'scale' is read when the graph is captured: replays keep that value [graphed-frozen]
    // CHECK: :[[#@LINE+14]]:42: note: it is changed here
    torch::Tensor y = x;
    y.mul_(scale);
    // CHECK: :[[#@LINE+2]]:12: warning: 'temperature' is read
    // CHECK: :[[#@LINE-11]]:27: note: it is changed here
    y.mul_(temperature);
    // CHECK: :[[#@LINE+2]]:9: warning: 'step' is read
    // CHECK: :[[#@LINE+10]]:7: note: it is changed here
    if (step > 100) { y.zero_(); }
    // CHECK: :[[#@LINE+2]]:9: warning: 'scale' is read
    // CHECK: :[[#@LINE+4]]:42: note: it is changed here
    use(scale);
    step++, scale += 0, temperature += 0;
  }
  void set_scale(double value) {   scale = value; }
  void train() {
    for (int i = 0; i < 8; ++i) {
      ++this->step;
    }
  }
  double scale = 1;
  int step = 0;
};

// By a reference, and by what a lambda captures.
struct Captured : torch::nn::Module {
  GRAPHED(x: f32[2]) void run(const torch::Tensor& x) {
    torch::Tensor y = x;
    const double& shown = scale;
    // CHECK: :[[#@LINE+3]]:44: warning: 'scale' is read
    // CHECK: note: it is changed here
    // CHECK: note: called from 'Captured::run' here
    const auto by_reference = [&] { y.mul_(shown); };
    by_reference();
    // CHECK: :[[#@LINE+2]]:32: warning: 'scale' is read
    // CHECK: note: it is changed here
    const auto by_value = [k = scale, &y] { y.mul_(k); };
    by_value();
    // CHECK: :[[#@LINE+2]]:26: warning: 'scale' is read
    // CHECK: note: it is changed here
    const double local = scale;
    const auto of_local = [local, &y] { y.mul_(local); };
    of_local(), scale += 0;
  }
  void cool() { scale *= 0.5; }
  double scale = 1;
};

// What only constructors write, and what they call; settings that are made before; constants; what each call sets; an object of its own.
struct Settings {
  double eps = 1e-5;
  int layers = 2;
};
struct SafeNet {
  explicit SafeNet(Settings given) : settings(given), scale(1) { configure(); }
  GRAPHED(x: f32[2]) void run(const torch::Tensor& x) {
    torch::Tensor y = x;
    y.mul_(scale);
    y.mul_(settings.eps);
    for (int i = 0; i < settings.layers; ++i) {
      y.mul_(2.0);
    }
    size = x.size(0);
    y.mul_(double(size));
    use(scale);
    Settings own;
    own.eps = 2;
    own.eps *= 2;
    y.mul_(own.eps);
    double& shown = own.eps;
    const double& fixed = scale;
    const auto by_reference = [&] { y.mul_(shown).mul_(fixed); };
    by_reference();
    if (!is_ready) {
      is_ready = true;
    }
  }
  void configure() { scale = 2; }
  Settings settings;
  double scale;
  std::int64_t size = 0;
  bool is_ready = false;
};
void tune(Settings& settings) { settings.eps = 1; }
int main() {
  Settings settings;
  settings.eps *= 0.1;
  for (int i = 0; i < 2; ++i) {
    settings.layers = i;
  }
  SafeNet net(settings);
}

// A method that a program calls before the callable is used.
struct Configured {
  GRAPHED(x: f32[2]) void run(const torch::Tensor& x) {
    torch::Tensor y = x;
    y.mul_(width);
  }
  void set_width(double value) { width = value; }
  double width = 1;
};
void example() {
  Configured net;
  net.set_width(2);
}

#define SCALED(tensor) tensor.mul_(temperature)
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+3]]:3: warning: 'temperature' is read
  // CHECK: :[[#@LINE-3]]:36: note: expanded from macro 'SCALED'
  // CHECK: note: it is changed here
  SCALED(x), temperature += 0;
}

template <class Number>
struct Schedule {
  // CHECK: :[[#@LINE+3]]:35: warning: 'now' is read
  // CHECK: :[[#@LINE+3]]:24: note: it is changed here
  // CHECK: note: called from 'Scheduled::run' here
  Number current() const { return now; }
  void advance() { now = now * 0.5; }
  Number now = 1;
};
struct Scheduled : torch::nn::Module {
  GRAPHED(x: f32[2]) void run(const torch::Tensor& x) { x.mul_(schedule.current()), schedule.now += 0; }
  Schedule<double> schedule;
};

// Members of what a local reference shows.
struct Gains {
  double p = 1, i = 1, d = 1;
};
struct Controller : torch::nn::Module {
  GRAPHED(x: f32[2]) void run(const torch::Tensor& x) {
    torch::Tensor y = x + x;
    const auto& shown = gains;
    // CHECK: :[[#@LINE+2]]:18: warning: 'p' is read
    // CHECK: :[[#@LINE+18]]:33: note: it is changed here
    y.mul_(shown.p);
    const auto& again = shown;
    // CHECK: :[[#@LINE+2]]:18: warning: 'i' is read
    // CHECK: :[[#@LINE+17]]:11: note: it is changed here
    y.mul_(again.i);
    // CHECK: :[[#@LINE+2]]:12: warning: 'rate' is read
    // CHECK: :[[#@LINE+16]]:12: note: it is changed here
    y.mul_(rate);
    y.mul_(shown.d);
    Gains own;
    auto& mine = own;
    mine.p *= 2;
    mine.d *= 2;
    y.mul_(mine.p);
    y.mul_(mine.d), gains.p += 0, gains.i += 0, rate += 0;
  }
  Gains gains;
  void tune(double p) { gains.p = p; }
  void relax() {
    auto& its = gains;
    its.i *= 0.5;
    auto& slower = rate;
    slower *= 0.5;
  }
  double rate = 1;
};

// As a key.
struct Keyed : torch::nn::Module {
  GRAPHED(x: f32[2]) torch::Tensor run(const torch::Tensor& x) {
    torch::Tensor y = x + tables[fixed];
    turn += 0;
    // CHECK: :[[#@LINE+2]]:33: warning: 'turn' is read
    // CHECK: :[[#@LINE+3]]:17: note: it is changed here
    return y.mul_(1.0) + tables[turn];
  }
  void next() { ++turn; }
  std::map<int, torch::Tensor> tables;
  int turn = 0, fixed = 0;
};

// Bodies that a template's instance leads to.
template <class Part>
void apply(Part& part, const torch::Tensor& x) {
  part.forward(x);
}
struct FirstBatch {
  void forward(const torch::Tensor& x) {
    if (!is_ready) {
      is_ready = true;
    }
  }
  bool is_ready = false;
};
struct EachBatch {
  void forward(const torch::Tensor& x) {
    // CHECK: :[[#@LINE+2]]:10: warning: 'is_ready' is read
    // CHECK: :[[#@LINE+5]]:29: note: it is changed here
    if (!is_ready) {
      is_ready = true;
    }
  }
  void restart() { is_ready = false; }
  bool is_ready = false;
};
// CHECK: note: called from 'apply<EachBatch>' here
// CHECK: note: called from 'Applied::run' here
struct Applied {
  GRAPHED(x: f32[2]) void run(const torch::Tensor& x) {
    apply(first, x);
    apply(each, x);
  }
  FirstBatch first;
  EachBatch each;
};

GRAPHED(x: f32[2]) void silenced(const torch::Tensor& x) {
  x.mul_(temperature), temperature += 0;  // graphgen: allow(graphed-frozen)
}

// Lists that are declared behind the callable, which no generated code can name: their elements and their length.
GRAPHED(x: f32[2]) void lists_read(const torch::Tensor& x);
std::vector<double> rates, fixed_rates{1.0};
std::vector<torch::Tensor> waiting;
void lists_read(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:20: warning: 'rates' is read when the graph is captured: replays keep that value
  // CHECK: :[[#@LINE+15]]:9: note: it is changed here
  for (double rate : rates) {
    x.mul_(rate);
  }
  // CHECK: :[[#@LINE+2]]:15: warning: 'waiting' is read
  // CHECK: :[[#@LINE+11]]:11: note: it is changed here
  if (waiting.size() > 2) {
    x.tanh();
  }
  x.mul_(static_cast<double>(fixed_rates.size()));
  for (const torch::Tensor& each : waiting) {
    x + each;
  }
}
void next_list() {
  rates.push_back(0.5);
  waiting.pop_back();
}

// Calls look at what only others change: in members, behind references, and in variables.
struct Watched : torch::nn::Module {
  GRAPHED(x: f32[2]) void run(const torch::Tensor& x) {
    const Gains& shown = gains;
    const auto by_reference = [&] { x.mul_(shown.p).mul_(scale).mul_(threshold); };
    by_reference();
    for (double each : list) {
      x.mul_(each);
    }
    Gains own;
    own.p *= 2;
  }
  void change() {
    scale *= 2, gains.p *= 2;
    list.push_back(1);
    ++threshold;
  }
  Gains gains;
  double scale = 1;
  std::vector<double> list;
  static inline double threshold = 1;
};
