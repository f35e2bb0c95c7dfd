// SPDX-License-Identifier: Apache-2.0
#include "solver.graphed.h"
#include "workload.h"

#include <graphed/control_flow.h>

#include <array>
#include <memory>

namespace benchmarks {

SolverImpl::SolverImpl() {
  const Tensor drawn = torch::randn({unknowns, unknowns});
  matrix_ = register_buffer("matrix", drawn.mm(drawn.t()) / unknowns + torch::eye(unknowns));
}

void SolverImpl::advance(Tensor x, Tensor r, Tensor p, Tensor rr) {
  const Tensor product = matrix_.mv(p);
  const Tensor length = rr / p.dot(product);
  x.addcmul_(p, length);
  r.addcmul_(product, length, -1);
  const Tensor now = r.dot(r);
  torch::addcmul_out(p, r, p, now / rr);
  rr.copy_(now);
}

Tensor SolverImpl::solve(const Tensor& b) {
  using State = std::array<Tensor, 4>;
  const auto last = graphed::while_loop([](const State& now) { return is_far(now[3]); },
                                        [this](const State& now) {
                                          advance(now[0], now[1], now[2], now[3]);
                                          return now;
                                        },
                                        State{torch::zeros_like(b), b, b, b.dot(b)}, most);
  return last[0];
}

namespace {

workload solver(c10::Device device, optimizers) {
  const Solver net;
  net.ptr()->to(device);
  const auto fast = std::make_shared<graphed::callable<&SolverImpl::solve>>(net);
  const auto step = std::make_shared<graphed::callable<&SolverImpl::advance>>(net);
  workload made{draw_batches([&] { return batch{{at::randn({unknowns}, device)}}; }),
                {[net](const tensor_list& in) {
                  auto& its = *net.ptr();
                  return its.solve_by([&](auto&... state) { its.advance(state...); }, in[0]);
                }},
                {[net, fast](const tensor_list& in) { return (*fast)(in[0]); }},
                [fast] { return fast->stats(); },
                state_of(net)};
  made.loop_on_host = {[net, step](const tensor_list& in) { return net->solve_by(*step, in[0]); }};
  return made;
}

}  // namespace

std::vector<entry> solver_workloads() {
  return {{"solver-512", unit::inference, /*small=*/true, {"loop-on-host"}, solver, /*is_beyond_a_graph=*/true}};
}

}  // namespace benchmarks
