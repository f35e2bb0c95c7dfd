// SPDX-License-Identifier: Apache-2.0
//
// `process_exit DEVICE WAY` ends while graphed callables, graphs, results, a call that awaits its backward and, on a GPU, replays in flight
// are alive. WAY is `return` from main, or `exit` below it. `capture` is the same inside of a CaptureGuard's scope, `callable` inside of a
// callable that is being captured. For `thread`, the callable is in a thread's storage; for `log`, a call warns while static storage is
// destroyed.
#include "support/standalone.h"

#include <graphed/log.h>

#include <cstdlib>
#include <iostream>
#include <thread>

namespace {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

struct alive {
  explicit alive(c10::Device device)
      : x(at::full({512, 512}, 0.01, at::TensorOptions(device))),
        w(at::full({512, 512}, 0.01, at::TensorOptions(device)).requires_grad_()),
        f({{"x", {512, 512}}, {"w", {512, 512}, at::kFloat, true}},
          [](tensor_list& in) { return tensor_list{at::dropout(in[0].matmul(in[1]).matmul(in[1]), 0.5, /*train=*/true)}; }) {
    for (int step = 0; step < 4; ++step) {
      f({x, w})[0].sum().backward();
    }
    graph = make_graph(device, [&] { y = at::dropout(x.matmul(x), 0.5, /*train=*/true); });
    flying = f({x, w})[0];
    for (int step = 0; step < 20; ++step) {
      graph.replay();
    }
  }

  Tensor x, w, y, flying;
  test_callable f;
  ExecutableGraph graph;
};

std::optional<alive> in_the_process;

// Its end comes before that of the callable.
struct warns_at_the_end {
  ~warns_at_the_end() {
    in_the_process->f({at::zeros({3, 512}, in_the_process->x.options()), in_the_process->w});
    if (line->find("parameter 'x': expected [512, 512], got [3, 512]") == std::string::npos) {
      std::cout << "the handler's last line is '" << *line << "'\n";
      std::_Exit(1);
    }
  }
  const std::shared_ptr<std::string> line = std::make_shared<std::string>();
};

void make(c10::Device device) {
  in_the_process.emplace(device);
  if (in_the_process->f.stats().replays != 3 || in_the_process->f.stats().backward_replays != 2) {
    std::cout << in_the_process->f.stats();
    std::_Exit(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "", way = argc > 2 ? argv[2] : "";
  const c10::Device device(name);
  if (!device.is_cpu() && !torch::cuda::is_available()) {
    std::cout << "there is no GPU\n";
    return 0;
  }
  make(device);
  if (way == "thread") {
    std::thread([device] { thread_local alive in_the_thread(device); }).join();
  }
  if (way == "exit") {
    const alive on_the_stack(device);
    std::exit(0);  // NOLINT(concurrency-mt-unsafe): what is tested
  }
  if (way == "capture") {
    const Tensor x = in_the_process->x;
    Graph graph(device);
    const CaptureGuard scope(graph);
    const Tensor y = at::dropout(x.matmul(x), 0.5, /*train=*/true).add_(1);
    std::exit(0);  // NOLINT(concurrency-mt-unsafe): what is tested
  }
  if (way == "callable") {
    test_callable ends({{"x", {512, 512}}}, [&](tensor_list& in) {
      const Tensor y = at::dropout(in[0].matmul(in[0]), 0.5, /*train=*/true).add_(1);
      if (is_current_stream_capturing(device)) {
        std::exit(0);  // NOLINT(concurrency-mt-unsafe): what is tested
      }
      return tensor_list{y};
    });
    while (ends.stats().replays == 0) {
      ends({in_the_process->x});
    }
  }
  if (way == "log") {
    static const warns_at_the_end last;
    set_log_handler([line = last.line](LogLevel, std::string_view text) { *line = text; });
  }
  return way == "return" || way == "thread" || way == "log" ? 0 : 1;
}
