// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "peer.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <torch/utils.h>

#include <map>
#include <sstream>

namespace benchmarks {
namespace {

constexpr uint64_t seed = 1;

/// A workload that has run some units, and then the compared ones.
struct record {
  int units = 0;
  std::vector<tensor_list> after_each_call;
  graphed::Statistics statistics;
};

tensor_list copies(const tensor_list& tensors) {
  tensor_list all;
  for (const Tensor& each : tensors) {
    all.push_back(each.defined() ? each.detach().clone() : each);
  }
  return all;
}

/// Without `units`, as many as the peer needs.
record record_of(const entry& entry, const std::string& name, c10::Device device, int units) {
  torch::manual_seed(seed);
  record made;
  const workload workload = entry.make(device, optimizers::graphed);
  const auto peer = make_peer(name, entry.kind, workload);
  if (units > 0) {
    for (int i = 0; i < units; ++i) {
      peer->run();
    }
  } else {
    units = peer->prepare();
  }
  for (std::size_t i = 0; i < workload.batches.size(); ++i) {
    peer->stage();
    tensor_list all{peer->run()};
    for (const tensor_list& more : {peer->gradients(), workload.state}) {
      all.insert(all.end(), more.begin(), more.end());
    }
    made.after_each_call.push_back(copies(all));
  }
  made.units = units;
  made.statistics = workload.statistics();
  return made;
}

bool same_bits(const Tensor& left, const Tensor& right) {
  return left.defined() == right.defined() && (!left.defined() || (left.sizes() == right.sizes() && at::equal(left, right)));
}

std::string difference_between(const record& plain, const record& theirs) {
  std::ostringstream out;
  for (std::size_t call = 0; call < plain.after_each_call.size(); ++call) {
    const tensor_list &expected = plain.after_each_call[call], &got = theirs.after_each_call[call];
    if (expected.size() != got.size()) {
      out << "call " << call << ": " << got.size() << " tensors, plain " << expected.size();
      return out.str();
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (!same_bits(expected[i], got[i])) {
        out << "call " << call << ", tensor " << i << " of result, gradients and state";
        return out.str();
      }
    }
  }
  if (theirs.statistics.miss_count() > 0) {
    out << theirs.statistics.miss_count() << " calls ran plainly:\n" << theirs.statistics;
  }
  return out.str();
}

}  // namespace

std::vector<std::string> first_differences(const entry& entry, const std::vector<std::string>& peers, c10::Device device) {
  const c10::AutoGradMode with_grad(entry.kind != unit::inference);
  std::map<int, record> plain;  // by the units before the compared ones
  std::vector<std::string> differences;
  for (const std::string& peer : peers) {
    const record theirs = record_of(entry, peer, device, 0);
    auto found = plain.find(theirs.units);
    if (found == plain.end()) {
      found = plain.emplace(theirs.units, record_of(entry, "plain", device, theirs.units)).first;
    }
    differences.push_back(difference_between(found->second, theirs));
  }
  return differences;
}

}  // namespace benchmarks
