// SPDX-License-Identifier: Apache-2.0
#include "judge.h"

#include <ATen/CPUGeneratorImpl.h>

#include <iostream>
#include <sstream>

namespace judged {

Tensor Arguments::tensor() const {
  at::Generator own = at::detail::createCPUGenerator(static_cast<uint64_t>(100 * call_) + tensors_.size());
  return at::randn({4}, own).set_requires_grad(grad_);
}

void Sight::see(const std::string& label, const Tensor& tensor) {
  if (!tensor.defined()) {
    lines_.push_back({label, "undefined"});
    return;
  }
  std::ostringstream text;
  text << tensor.scalar_type() << ' ' << tensor.sizes() << (tensor.requires_grad() ? " grad" : "");
  const Tensor bytes = tensor.detach().contiguous();
  text << std::hex;
  for (std::size_t i = 0; i < bytes.nbytes(); ++i) {
    text << ' ' << int{static_cast<const unsigned char*>(bytes.const_data_ptr())[i]};
  }
  lines_.push_back({label, text.str()});
}

void Sight::see(const std::string& label, const Tensors& tensors) {
  lines_.push_back({label + "s", std::to_string(tensors.size())});
  for (const Tensor& tensor : tensors) {
    see(label, tensor);
  }
}

std::string Sight::first_difference(const Sight& other) const {
  for (std::size_t i = 0; i < lines_.size() && i < other.lines_.size(); ++i) {
    if (lines_[i] != other.lines_[i]) {
      return lines_[i].first + ": " + lines_[i].second + " by the plain callable, " + other.lines_[i].second + " by the graphed one";
    }
  }
  return lines_.size() == other.lines_.size() ? "" : "one run saw more than the other";
}

void go_back(const Tensors& results) {
  Tensors differentiable, gradients;
  for (const Tensor& result : results) {
    if (result.defined() && result.requires_grad()) {
      differentiable.push_back(result);
      gradients.push_back(at::full_like(result, 0.75));
    }
  }
  if (!differentiable.empty()) {
    torch::autograd::backward(differentiable, gradients);
  }
}

// One line, whatever the texts are.
static std::string flat(std::string text) {
  for (char& each : text) {
    each = each == '\n' || each == '\t' ? ' ' : each;
  }
  return text;
}

void tell(const Verdict& verdict) {
  const graphed::Statistics& stats = verdict.stats;
  const bool is_refused = stats.replays == 0 || stats.miss_count() > 0 || stats.failed_captures > 0;
  const char* said = is_refused ? "refused" : verdict.difference.empty() ? "equal" : "differs";
  std::cout << said << '\t' << verdict.harmless_on_a_tape << '\t' << verdict.not_found << '\t' << flat(verdict.explained) << '\t'
            << flat(verdict.difference) << '\n';
}

}  // namespace judged
