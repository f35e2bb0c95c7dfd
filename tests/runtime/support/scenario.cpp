// SPDX-License-Identifier: Apache-2.0
#include "scenario.h"

#include "spins.h"

#include <ATen/Context.h>
#include <c10/core/GradMode.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <iomanip>
#include <regex>
#include <sstream>
#include <utility>

namespace graphed::testing {
namespace {

[[maybe_unused]] const bool spins = spin_where_asked();

// A dimension of one element has any stride: kernels leave what they happen to compute.
std::vector<int64_t> meaningful_strides(const at::Tensor& tensor) {
  std::vector<int64_t> strides = tensor.strides().vec();
  for (std::size_t dim = 0; dim < strides.size(); ++dim) {
    strides[dim] = tensor.sizes()[dim] == 1 ? 1 : strides[dim];
  }
  return strides;
}

std::string properties_of(const at::Tensor& tensor) {
  if (!tensor.defined()) {
    return "undefined";
  }
  std::ostringstream properties;
  properties << tensor.dtype() << ' ' << tensor.sizes() << " strides " << at::IntArrayRef(meaningful_strides(tensor)) << ' '
             << tensor.device();
  if (tensor.requires_grad()) {
    properties << " requires grad";
  }
  if (tensor.is_inference()) {
    properties << " inference";
  }
  return properties.str();
}

bool has_values(const at::Tensor& tensor) { return tensor.defined() && !tensor.is_meta(); }

at::Tensor values_of(const at::Tensor& tensor) { return tensor.detach().resolve_conj().resolve_neg().contiguous(); }

std::string bytes_of(const at::Tensor& values) {
  const at::Tensor here = values.to(at::kCPU);
  return {static_cast<const char*>(here.const_data_ptr()), here.nbytes()};
}

observation observe(const std::string& label, const at::Tensor& tensor) {
  const c10::AutoGradMode no_grad(false);
  return {label, properties_of(tensor), has_values(tensor) ? bytes_of(values_of(tensor)) : ""};
}

at::Tensor generator_state(c10::Device device) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard lock(generator.mutex());
  return generator.get_state();
}

std::string difference(const observation& plain, const observation& graphed) {
  if (plain.properties != graphed.properties) {
    return "plain: " + plain.properties + "\ngraphed: " + graphed.properties;
  }
  std::size_t byte = 0;
  while (byte < plain.bytes.size() && byte < graphed.bytes.size() && plain.bytes[byte] == graphed.bytes[byte]) {
    ++byte;
  }
  const auto words = [byte](const std::string& bytes) {
    std::ostringstream out;
    for (std::size_t i = byte / 8 * 8; i < std::min(bytes.size(), byte / 8 * 8 + 16); ++i) {
      out << ' ' << std::hex << std::setw(2) << std::setfill('0') << static_cast<int>(static_cast<unsigned char>(bytes[i]));
    }
    return out.str();
  };
  return "the values differ from byte " + std::to_string(byte) + " on, " + plain.properties + "\nfrom byte " +
         std::to_string(byte / 8 * 8) + ", plain:" + words(plain.bytes) + ", graphed:" + words(graphed.bytes);
}

}  // namespace

std::string message_of(const std::exception& error) {
  const auto* of_torch = dynamic_cast<const c10::Error*>(&error);
  const std::string text = of_torch != nullptr ? of_torch->what_without_backtrace() : error.what();
  return std::regex_replace(text.substr(0, text.find('\n')), std::regex(", which is output [0-9]+ of .*, is at version"), " is at version");
}

void scenario::see(const std::string& label, const at::Tensor& tensor) {
  if (!looks_at_the_end_ || !has_values(tensor)) {
    observations_.push_back(observe(label, tensor));
    return;
  }
  const c10::AutoGradMode no_grad(false);
  copies_.emplace_back(observations_.size(), values_of(tensor).clone());
  observations_.push_back({label, properties_of(tensor), ""});
}

const std::vector<observation>& scenario::observations() {
  for (auto& [index, copy] : copies_) {
    observations_[index].bytes = bytes_of(std::exchange(copy, {}));
  }
  copies_.clear();
  return observations_;
}

void scenario::see(const std::string& label, const tensor_list& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    see(label + "[" + std::to_string(i) + "]", tensors[i]);
  }
}

void scenario::see_grad(const std::string& label, const at::Tensor& leaf) {
  see(label, leaf.grad());
  leaf.mutable_grad() = at::Tensor();
}

subject::~subject() { EXPECT_EQ(stats().differences, 0U) << stats(); }

void subject::expect_replays(uint64_t forward, uint64_t backward) const {
  if (!graphed_) {
    return;
  }
  EXPECT_EQ(stats().replays, forward) << stats();
  EXPECT_EQ(stats().backward_replays, backward) << stats();
}

void subject::expect_captures(uint64_t forward) const {
  if (graphed_) {
    EXPECT_EQ(stats().captures, forward) << stats();
  }
}

void subject::expect_misses(Miss reason, uint64_t count) const {
  if (graphed_) {
    EXPECT_EQ(callable_.misses(reason), count) << stats();
  }
}

std::vector<observation> observe(c10::Device device, bool graphed, const std::function<void(scenario&)>& program) {
  at::manual_seed(7);
  scenario run(device, graphed);
  program(run);
  run.see("random state of the CPU", generator_state(at::kCPU));
  if (!device.is_cpu()) {
    run.see("random state of the device", generator_state(device));
  }
  return run.observations();
}

std::optional<std::string> first_difference(const std::vector<observation>& plain, const std::vector<observation>& graphed) {
  for (std::size_t i = 0; i < std::min(plain.size(), graphed.size()); ++i) {
    const std::string place = "observation " + std::to_string(i) + ", " + plain[i].label;
    if (plain[i].label != graphed[i].label) {
      return place + ": the graphed run sees " + graphed[i].label;
    }
    if (plain[i].properties != graphed[i].properties || plain[i].bytes != graphed[i].bytes) {
      return place + ":\n" + difference(plain[i], graphed[i]);
    }
  }
  if (plain.size() != graphed.size()) {
    return "plain: " + std::to_string(plain.size()) + " observations\ngraphed: " + std::to_string(graphed.size());
  }
  return std::nullopt;
}

void expect_same(c10::Device device, const std::function<void(scenario&)>& program) {
  const auto plain = observe(device, false, program);
  const auto graphed = observe(device, true, program);
  if (const auto found = first_difference(plain, graphed)) {
    ADD_FAILURE() << *found;
  }
}

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  const observation first = observe("", a), second = observe("", b);
  return first.properties == second.properties && first.bytes == second.bytes;
}

}  // namespace graphed::testing
