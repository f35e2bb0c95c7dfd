// SPDX-License-Identifier: Apache-2.0
#include "judge.h"

#include "world.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <sstream>
#include <utility>
#include <vector>

namespace judged {
namespace {

/// What a caller sees in one run: a label and a text for each thing.
class Sight {
 public:
  void see(const std::string& label, const Tensor& tensor);
  void see(const std::string& label, const Tensors& tensors);
  void see(const std::string& label, const std::string& text) { lines_.push_back({label, text}); }
  std::string first_difference(const Sight& other) const;

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
};

void Sight::see(const std::string& label, const Tensor& tensor) {
  if (!tensor.defined()) {
    lines_.push_back({label, "undefined"});
    return;
  }
  std::ostringstream form;
  form << tensor.scalar_type() << ' ' << tensor.sizes() << (tensor.requires_grad() ? " grad " : " ");
  const Tensor bytes = tensor.detach().contiguous();
  lines_.push_back({label, form.str() + std::string(static_cast<const char*>(bytes.const_data_ptr()), bytes.nbytes())});
}

void Sight::see(const std::string& label, const Tensors& tensors) {
  lines_.push_back({label + "s", std::to_string(tensors.size())});
  for (const Tensor& tensor : tensors) {
    see(label, tensor);
  }
}

/// The bytes of a tensor as numbers, the first of them.
std::string readable(const std::string& text) {
  constexpr std::size_t kMost = 240;
  std::ostringstream out;
  for (const char each : text.substr(0, kMost)) {
    if (each >= ' ' && each <= '~') {
      out << each;
    } else {
      out << '\\' << int{static_cast<unsigned char>(each)};
    }
  }
  return out.str();
}

std::string Sight::first_difference(const Sight& other) const {
  for (std::size_t i = 0; i < lines_.size() && i < other.lines_.size(); ++i) {
    if (lines_[i] != other.lines_[i]) {
      return lines_[i].first + ": " + readable(lines_[i].second) + " by the original function, " + readable(other.lines_[i].second) +
             " by the graphed one";
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

/// Of an exception's text, which may go on with a stack.
std::string first_line(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

void see_call(Sight& sight, const Call& call, Arguments& arguments) {
  try {
    const Tensors results = call(arguments);
    sight.see("result", results);
    go_back(results);
    for (const Tensor& result : results) {
      sight.see("retained gradient", result.defined() && result.retains_grad() ? result.grad() : Tensor());
    }
  } catch (const std::exception& error) {
    sight.see("exception", first_line(error));
  }
  sight.see("argument", arguments.tensors());
  for (const Tensor& tensor : arguments.tensors()) {
    sight.see("gradient", tensor.is_leaf() ? tensor.grad() : Tensor());
  }
}

Sight seen(const Run& run, int calls, bool grad) {
  World world;
  Sight sight;
  Tensors former;
  for (int i = 0; i < calls; ++i) {
    world.before_call(i);
    run.object.between(i);
    Arguments arguments(i, grad);
    see_call(sight, run.call, arguments);
    sight.see("state", run.object.state());
    sight.see("state of the call before", former);
    former = run.object.state();
    sight.see("world", world.after_call());
  }
  return sight;
}

// One line, whatever the texts are.
std::string flat(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char each) { return each == '\n' || each == '\t'; }, ' ');
  return text;
}

}  // namespace

at::Generator Arguments::generator() const { return at::detail::createCPUGenerator(static_cast<uint64_t>(100 * call_) + tensors_.size()); }

Tensor Arguments::kept(Tensor made) {
  tensors_.push_back(made);
  return made;
}

Tensor Arguments::normal(at::IntArrayRef sizes) { return kept(at::randn(sizes, generator())); }
Tensor Arguments::uniform(at::IntArrayRef sizes) { return kept(at::rand(sizes, generator())); }
Tensor Arguments::below(int64_t end, at::IntArrayRef sizes) { return kept(at::randint(end, sizes, generator(), torch::kLong)); }

void seed() { at::manual_seed(0); }

Tensors Seen::state() const {
  Tensors all = module.parameters();
  const Tensors buffers = module.buffers();
  all.insert(all.end(), buffers.begin(), buffers.end());
  return all;
}

std::string first_difference(const Run& plain, const Run& graphed, int calls, bool grad) {
  const Sight expected = seen(plain, calls, grad);
  return expected.first_difference(seen(graphed, calls, grad));
}

void tell(const Runs& runs, const Reasons& reasons) {
  const bool is_refused = runs.stats.replays == 0 || runs.stats.miss_count() > 0 || runs.stats.failed_captures > 0;
  const char* said = is_refused ? "refused" : runs.difference.empty() ? "equal" : "differs";
  std::cout << said << '\t' << reasons.harmless_on_a_tape << '\t' << reasons.not_found << '\t' << flat(runs.explained) << '\t'
            << flat(runs.difference) << '\n';
}

}  // namespace judged
