// SPDX-License-Identifier: Apache-2.0
#include "call/open_samples.h"

#include "report/text.h"

#include <algorithm>
#include <utility>

namespace graphed::impl {
namespace {

using extents = c10::SmallVector<Extent, 4>;

bool is_of(const OpenDim& place, std::size_t tensor) { return static_cast<std::size_t>(place.tensor) == tensor; }

}  // namespace

std::optional<open_values> open_values_of(const SampleSpec& sample, const Inputs& inputs) {
  open_values values;
  for (const auto& variable : sample.open) {
    const at::Tensor& tensor = inputs.tensors()[static_cast<std::size_t>(variable.tensor)];
    if (!tensor.defined() || tensor.dim() <= variable.dim) {
      return std::nullopt;
    }
    values.push_back(tensor.sizes()[static_cast<std::size_t>(variable.dim)]);
  }
  return values;
}

bool has_open_extents(const SampleSpec& sample, const Inputs& inputs, const open_values& values) {
  const extents open(values.begin(), values.end());
  return std::all_of(sample.open_dims.begin(), sample.open_dims.end(), [&](const OpenDim& place) {
    const at::Tensor& tensor = inputs.tensors()[static_cast<std::size_t>(place.tensor)];
    return !tensor.defined() ||
           (tensor.dim() > place.dim && place.extent(open.data()).is(tensor.sizes()[static_cast<std::size_t>(place.dim)]));
  });
}

bool has_other_extents(const SampleSpec& sample, std::size_t tensor, at::IntArrayRef sizes) {
  const auto shape = sample.tensors[tensor].shape;
  return std::equal(shape.begin(), shape.end(), sizes.begin(), sizes.end(),
                    [](int64_t declared, int64_t size) { return declared == open_extent || declared == size; });
}

std::vector<int64_t> shape_at(const SampleSpec& sample, std::size_t tensor, const open_values& values) {
  const extents open(values.begin(), values.end());
  std::vector<int64_t> shape = sample.tensors[tensor].shape.vec();
  for (const auto& place : sample.open_dims) {
    if (is_of(place, tensor)) {
      shape[static_cast<std::size_t>(place.dim)] = std::max(place.extent(open.data()).value_or(open_extent), open_extent);
    }
  }
  return shape;
}

std::string shape_words(const SampleSpec& sample, std::size_t tensor) {
  const auto shape = sample.tensors[tensor].shape;
  std::string words;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    const auto open = std::find_if(sample.open_dims.begin(), sample.open_dims.end(), [&](const OpenDim& place) {
      return is_of(place, tensor) && static_cast<std::size_t>(place.dim) == dim;
    });
    words += (dim == 0 ? "" : ", ") + (open == sample.open_dims.end() ? std::to_string(shape[dim]) : std::string(open->text));
  }
  return '[' + words + ']';
}

std::string words_of(const SampleSpec& sample, const open_values& values) {
  std::string words;
  for (std::size_t i = 0; i < values.size(); ++i) {
    words += (i == 0 ? "" : ", ") + std::string(sample.open[i].name) + " = " + std::to_string(values[i]);
  }
  return words;
}

sized_sample::sized_sample(const CallableSpec& callable, std::size_t open_index, open_values values, std::size_t index)
    : open_index(open_index), values(std::move(values)), index(index) {
  const SampleSpec& open = callable.samples[open_index];
  for (std::size_t i = 0; i < open.tensors.size(); ++i) {
    shapes_.push_back(shape_at(open, i, this->values));
  }
  for (std::size_t i = 0; i < open.tensors.size(); ++i) {
    tensors_.push_back({open.tensors[i].name, open.tensors[i].dtype, shapes_[i], open.tensors[i].flags});
  }
  spec_.tensors = tensors_;
  spec_.lists = open.lists;
}

std::shared_ptr<const sized_sample> sized_samples::find(std::size_t open_index, const open_values& values) const {
  for (const auto& each : all_) {
    if (each->open_index == open_index && each->values == values) {
      return each;
    }
  }
  return nullptr;
}

std::shared_ptr<const sized_sample> sized_samples::add(const CallableSpec& callable, std::size_t open_index, const open_values& values) {
  const auto variables = callable.samples[open_index].open;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (refuses(variables[i], values[i])) {
      return nullptr;
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto& known = values_[variables[i].number];
    if (std::find(known.begin(), known.end(), values[i]) == known.end()) {
      known.push_back(values[i]);
    }
  }
  return all_.emplace_back(std::make_shared<sized_sample>(callable, open_index, values, callable.samples.size() + all_.size()));
}

const std::vector<int64_t>& sized_samples::values_of(const OpenVariable& variable) const {
  static const std::vector<int64_t> none;
  const auto known = values_.find(variable.number);
  return known == values_.end() ? none : known->second;
}

bool sized_samples::refuses(const OpenVariable& variable, int64_t value) const {
  const auto& known = values_of(variable);
  return static_cast<int64_t>(known.size()) >= variable.at_most && std::find(known.begin(), known.end(), value) == known.end();
}

}  // namespace graphed::impl
