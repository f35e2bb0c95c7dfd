// SPDX-License-Identifier: Apache-2.0
#include "call/owned_spec.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace graphed::impl {
namespace {

class owned_spec {
 public:
  explicit owned_spec(const CallableSpec& from) : spec(from) {
    for (const char** text : {&spec.name, &spec.file, &spec.annotation, &spec.pool}) {
      *text = copy(*text);
    }
    for (const SampleSpec& sample : from.samples) {
      samples_.push_back(copy(sample));
    }
    spec.samples = samples_;
  }
  owned_spec& operator=(owned_spec&&) = delete;

  CallableSpec spec;

 private:
  struct tables {
    std::deque<std::vector<int64_t>> shapes;
    std::vector<TensorSpec> tensors;
    std::vector<ListSpec> lists;
    std::vector<PaddedVariable> padded;
    std::vector<PaddedDim> padded_dims;
    std::vector<OpenVariable> open;
    std::vector<OpenDim> open_dims;
  };

  const char* copy(const char* text) { return text == nullptr ? nullptr : texts_.emplace_back(text).c_str(); }

  SampleSpec copy(const SampleSpec& sample) {
    tables& made = tables_.emplace_back();
    for (TensorSpec tensor : sample.tensors) {
      tensor.name = copy(tensor.name);
      tensor.shape = made.shapes.emplace_back(tensor.shape.vec());
      made.tensors.push_back(tensor);
    }
    for (ListSpec list : sample.lists) {
      list.name = copy(list.name);
      made.lists.push_back(list);
    }
    for (PaddedVariable variable : sample.padded) {
      variable.name = copy(variable.name);
      made.padded.push_back(variable);
    }
    made.padded_dims = sample.padded_dims.vec();
    for (OpenVariable variable : sample.open) {
      variable.name = copy(variable.name);
      made.open.push_back(variable);
    }
    for (OpenDim dim : sample.open_dims) {
      dim.text = copy(dim.text);
      made.open_dims.push_back(dim);
    }
    return {made.tensors, made.lists, made.padded, made.padded_dims, made.open, made.open_dims};
  }

  std::deque<std::string> texts_;
  std::deque<tables> tables_;
  std::vector<SampleSpec> samples_;
};

}  // namespace

std::shared_ptr<const CallableSpec> owned_copy(const CallableSpec& spec) {
  const auto made = std::make_shared<const owned_spec>(spec);
  return {made, &made->spec};
}

}  // namespace graphed::impl
