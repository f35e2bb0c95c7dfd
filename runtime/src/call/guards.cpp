// SPDX-License-Identifier: Apache-2.0
#include "call/guards.h"

#include "backend/staging.h"
#include "report/text.h"
#include "slot/input_layout.h"
#include "slot/padding.h"

#include <algorithm>

namespace graphed::impl {
namespace {

constexpr int64_t unbound = -1;

std::size_t alignment_of(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  return static_cast<std::size_t>(address & (~address + 1));
}

bool is_aligned(const c10::TensorImpl& tensor, std::size_t alignment) {
  return tensor.numel() == 0 || (reinterpret_cast<std::uintptr_t>(tensor.data()) & (alignment - 1)) == 0;
}

bool is_expanded(const at::Tensor& tensor) {
  for (int64_t dim = 0; dim < tensor.dim(); ++dim) {
    if (tensor.strides()[static_cast<std::size_t>(dim)] == 0 && tensor.sizes()[static_cast<std::size_t>(dim)] > 1) {
      return true;
    }
  }
  return false;
}

bool has_usable_strides(const TensorSpec& spec, const at::Tensor& argument) {
  if ((spec.flags & flags::static_address) != 0 || has_declared_strides(spec, argument)) {
    return has_declared_strides(spec, argument);
  }
  return input_strides(spec, argument).has_value() && ((spec.flags & flags::inplace) == 0 || !is_expanded(argument));
}

c10::Device device_of(const TensorSpec& spec, const placement& place) {
  return (spec.flags & flags::host) != 0 ? c10::Device(c10::kCPU) : place.device;
}

// Why a tensor of the right shape, or of a shape that is checked elsewhere, does not match.
std::optional<Miss> misfit(const TensorSpec& spec, const at::Tensor& argument, const placement& place) {
  if (!argument.defined()) {
    return (spec.flags & flags::optional) != 0 ? std::nullopt : std::optional(Miss::Undefined);
  }
  const c10::TensorImpl& tensor = *argument.unsafeGetTensorImpl();
  if (tensor.device() != device_of(spec, place)) {
    return Miss::Device;
  }
  if (tensor.layout() != at::kStrided) {
    return Miss::Strides;
  }
  if (c10::typeMetaToScalarType(tensor.dtype()) != spec.dtype) {
    return Miss::Dtype;
  }
  if (tensor.dim() != static_cast<int64_t>(spec.shape.size())) {
    return Miss::Shape;
  }
  if (!has_values_in_memory(argument) || !has_usable_strides(spec, argument)) {
    return Miss::Strides;
  }
  // The others are copied to an aligned place.
  if ((spec.flags & flags::static_address) != 0 && !is_aligned(tensor, place.alignment)) {
    return Miss::Alignment;
  }
  if (argument.is_inference() && !place.in_inference_mode) {
    return Miss::InferenceTensor;
  }
  if (!place.with_grad) {
    return std::nullopt;
  }
  const bool requires_grad = tensor.requires_grad();
  const bool is_written_leaf = (spec.flags & flags::inplace) != 0 && requires_grad && argument.is_leaf();  // eager's error
  const bool is_marked = (spec.flags & flags::grad) != 0;
  if (is_written_leaf || (requires_grad != is_marked && !(place.in_step && requires_grad && argument.is_leaf()))) {
    return Miss::RequiresGrad;
  }
  return std::nullopt;
}

// Whether all tensors match, each with sizes that `has_shape` accepts.
template <class Shape>
bool fits(const SampleSpec& sample, const Inputs& inputs, const placement& place, Shape&& has_shape) {
  for (std::size_t i = 0; i < sample.tensors.size(); ++i) {
    const at::Tensor& tensor = inputs.tensors()[i];
    if (misfit(sample.tensors[i], tensor, place) || (tensor.defined() && !has_shape(i, tensor.sizes()))) {
      return false;
    }
  }
  return true;
}

bool fits_exactly(const SampleSpec& sample, const Inputs& inputs, const placement& place) {
  return lengths_fit(sample, inputs) &&
         fits(sample, inputs, place, [&](std::size_t i, at::IntArrayRef sizes) { return sizes == sample.tensors[i].shape; });
}

std::optional<open_values> fits_open(const SampleSpec& sample, const Inputs& inputs, const placement& place) {
  if (!lengths_fit(sample, inputs) ||
      !fits(sample, inputs, place, [&](std::size_t i, at::IntArrayRef sizes) { return has_other_extents(sample, i, sizes); })) {
    return std::nullopt;
  }
  auto values = open_values_of(sample, inputs);
  return values && has_open_extents(sample, inputs, *values) ? std::move(values) : std::nullopt;
}

// The padded variables' sizes in a call whose lengths match; a variable that differs between two tensors, or is too large, stays unbound.
std::vector<int64_t> bind(const SampleSpec& sample, const Inputs& inputs) {
  std::vector<int64_t> sizes(sample.padded.size(), unbound);
  std::vector<bool> consistent(sample.padded.size(), true);
  for (const auto& place : sample.padded_dims) {
    const at::Tensor& tensor = inputs.tensors()[static_cast<std::size_t>(place.tensor)];
    if (!tensor.defined() || tensor.dim() <= place.dim) {
      continue;
    }
    const auto variable = static_cast<std::size_t>(place.variable);
    const int64_t size = tensor.size(place.dim);
    consistent[variable] =
        consistent[variable] && size <= sample.padded[variable].size && (sizes[variable] == unbound || sizes[variable] == size);
    sizes[variable] = size;
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sizes[i] = consistent[i] ? sizes[i] : unbound;
  }
  return sizes;
}

std::optional<std::vector<int64_t>> fits_padded(const SampleSpec& sample, const Inputs& inputs, const placement& place) {
  if (sample.padded.empty() || !lengths_fit(sample, inputs)) {
    return std::nullopt;
  }
  auto sizes = bind(sample, inputs);
  if (std::find(sizes.begin(), sizes.end(), unbound) != sizes.end()) {
    return std::nullopt;
  }
  const bool all_fit =
      fits(sample, inputs, place, [&](std::size_t i, at::IntArrayRef given) { return given == own_shape(sample, i, sizes); });
  return all_fit ? std::optional(std::move(sizes)) : std::nullopt;
}

// What `text_of` says of the samples, where it says anything: "2, 3 or 5"
template <class Text>
std::string either(const CallableSpec& spec, Text&& text_of) {
  std::vector<std::string> texts;
  for (const auto& sample : spec.samples) {
    std::string text = text_of(sample);
    if (!text.empty() && std::find(texts.begin(), texts.end(), text) == texts.end()) {
      texts.push_back(std::move(text));
    }
  }
  std::string all;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    all += (i == 0 ? "" : i + 1 == texts.size() ? " or " : ", ") + texts[i];
  }
  return all;
}

// The shapes that the tensor has in the samples, "[1, 8], [4, 8] or at most [16, 8]".
std::string expected_shapes(const CallableSpec& spec, std::size_t index, const char* name) {
  return either(spec, [&](const SampleSpec& sample) -> std::string {
    if (index >= sample.tensors.size() || std::string_view(sample.tensors[index].name) != name) {
      return "";
    }
    const bool is_padded = std::any_of(sample.padded_dims.begin(), sample.padded_dims.end(),
                                       [&](const PaddedDim& place) { return static_cast<std::size_t>(place.tensor) == index; });
    return (is_padded ? "at most " : "") + shape_words(sample, index);
  });
}

// The lengths that the list has in the samples, "2, 3 or 5 elements".
std::string expected_lengths(const CallableSpec& spec, std::size_t index, const char* name) {
  return either(spec,
                [&](const SampleSpec& sample) -> std::string {
                  const bool has_list = index < sample.lists.size() && std::string_view(sample.lists[index].name) == name;
                  return has_list ? std::to_string(sample.lists[index].count) : "";
                }) +
         " elements";
}

mismatch describe(Miss reason, const TensorSpec& spec, const at::Tensor& tensor, const placement& place) {
  const auto differs = [&](std::string expected, std::string got) {
    return mismatch{reason, spec.name, std::move(expected), std::move(got)};
  };
  switch (reason) {
    case Miss::Undefined:
      return differs("a tensor", "an undefined tensor");
    case Miss::Device:
      return differs(device_of(spec, place).str(), tensor.device().str());
    case Miss::Dtype:
      return differs(annotated(spec.dtype), annotated(tensor.scalar_type()));
    case Miss::Alignment:
      return differs("an address that is a multiple of " + std::to_string(place.alignment),
                     "a multiple of " + std::to_string(alignment_of(tensor.const_data_ptr())));
    case Miss::InferenceTensor:
      return differs("a normal tensor", "an inference tensor");
    case Miss::RequiresGrad:
      if (tensor.requires_grad() && (spec.flags & flags::grad) != 0) {
        return differs("a result of other operators, as it is written", "a leaf that requires grad");
      }
      return tensor.requires_grad() ? differs("a tensor that does not require grad (no mark `grad`)", "one that does")
                                    : differs("a tensor that requires grad (marked `grad`)", "one that does not");
    default:
      break;
  }
  if (tensor.layout() != at::kStrided) {
    return differs("a strided tensor", text(tensor.layout()));
  }
  if (!has_values_in_memory(tensor)) {
    return differs("values in memory", tensor._is_zerotensor() ? "zeros without memory" : "a conjugate or negative view");
  }
  const bool is_static = (spec.flags & flags::static_address) != 0;
  const char* const layout = (spec.flags & flags::channels_last) != 0 ? "channels last" : "contiguous";
  return differs(is_static ? layout : "elements that do not overlap", "strides " + text(tensor.strides()));
}

std::vector<mismatch> explain(const CallableSpec& spec, const SampleSpec& sample, const Inputs& inputs, const placement& place) {
  std::vector<mismatch> found;
  const auto lengths = inputs.lengths();
  for (std::size_t i = 0; i < std::min(lengths.size(), sample.lists.size()); ++i) {
    if (lengths[i] != sample.lists[i].count) {
      found.push_back(
          {Miss::ListLength, sample.lists[i].name, expected_lengths(spec, i, sample.lists[i].name), std::to_string(lengths[i])});
    }
  }
  if (found.empty() && inputs.tensors().size() != sample.tensors.size()) {
    found.push_back(
        {Miss::ListLength, "", std::to_string(sample.tensors.size()) + " tensors in all", std::to_string(inputs.tensors().size())});
  }
  if (!found.empty()) {
    return found;  // which tensor is which cannot be known
  }
  const auto sizes = bind(sample, inputs);
  const auto open = open_values_of(sample, inputs);
  const std::string where = open && !open->empty() ? " where " + words_of(sample, *open) : "";
  for (std::size_t i = 0; i < sample.tensors.size(); ++i) {
    const at::Tensor& tensor = inputs.tensors()[i];
    const auto has_shape = [&] {
      return sample.open.empty() ? tensor.sizes() == own_shape(sample, i, sizes)
             : open              ? tensor.sizes() == shape_at(sample, i, *open)
                                 : has_other_extents(sample, i, tensor.sizes());
    };
    const auto reason = misfit(sample.tensors[i], tensor, place);
    const bool comes_before_shape = reason == Miss::Undefined || reason == Miss::Device || reason == Miss::Dtype;
    if (!comes_before_shape && tensor.defined() && !has_shape()) {
      found.push_back(
          {Miss::Shape, sample.tensors[i].name, expected_shapes(spec, i, sample.tensors[i].name) + where, text(tensor.sizes())});
    } else if (reason) {
      found.push_back(describe(*reason, sample.tensors[i], tensor, place));
    }
  }
  return found;
}

}  // namespace

bool lengths_fit(const SampleSpec& sample, const Inputs& inputs) {
  return inputs.tensors().size() == sample.tensors.size() && inputs.lengths().size() == sample.lists.size() &&
         std::equal(sample.lists.begin(), sample.lists.end(), inputs.lengths().begin(),
                    [](const ListSpec& list, int64_t length) { return list.count == length; });
}

std::optional<served_sample> find_sample(const CallableSpec& spec, const Inputs& inputs, const placement& place, std::size_t first) {
  for (std::size_t i = first; i < spec.samples.size(); ++i) {
    if (!spec.samples[i].open.empty()) {
      if (auto values = fits_open(spec.samples[i], inputs, place)) {
        return served_sample{i, {}, std::move(*values)};
      }
    } else if (fits_exactly(spec.samples[i], inputs, place)) {
      return served_sample{i, {}, {}};
    }
  }
  std::optional<served_sample> smallest;
  for (std::size_t i = 0; i < spec.samples.size(); ++i) {
    if (smallest && elements_of(spec.samples[i]) >= elements_of(spec.samples[smallest->index])) {
      continue;
    }
    if (auto sizes = fits_padded(spec.samples[i], inputs, place)) {
      smallest = served_sample{i, std::move(*sizes), {}};
    }
  }
  return smallest;
}

std::vector<mismatch> explain(const CallableSpec& spec, const Inputs& inputs, const placement& place) {
  const bool any_fits =
      std::any_of(spec.samples.begin(), spec.samples.end(), [&](const auto& sample) { return lengths_fit(sample, inputs); });
  std::vector<mismatch> nearest;
  for (const auto& sample : spec.samples) {
    if (any_fits && !lengths_fit(sample, inputs)) {
      continue;
    }
    auto found = explain(spec, sample, inputs, place);
    if (nearest.empty() || found.size() < nearest.size()) {
      nearest = std::move(found);
    }
  }
  return nearest;
}

std::optional<mismatch> check_tensor(const TensorSpec& spec, const at::Tensor& tensor, const placement& place) {
  const auto reason = misfit(spec, tensor, place);
  return reason ? std::optional(describe(*reason, spec, tensor, place)) : std::nullopt;
}

std::optional<mismatch> check_views(const SampleSpec& sample, const Inputs& inputs) {
  const auto tensors = inputs.tensors();
  for (std::size_t i = 0; c10::GradMode::is_enabled() && i < tensors.size(); ++i) {
    if ((sample.tensors[i].flags & flags::inplace) != 0 && tensors[i].defined() && tensors[i].is_view()) {
      return mismatch{Miss::Overlap, sample.tensors[i].name, "a tensor of its own, as gradients may go through it",
                      "a view of another tensor"};
    }
  }
  return std::nullopt;
}

std::optional<mismatch> check_overlap(const SampleSpec& sample, const Inputs& inputs) {
  const auto tensors = inputs.tensors();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if ((sample.tensors[i].flags & flags::inplace) == 0 || !tensors[i].defined()) {
      continue;
    }
    for (std::size_t j = 0; j < tensors.size(); ++j) {
      if (i == j || !tensors[j].defined() || !tensors[i].is_alias_of(tensors[j])) {
        continue;
      }
      return mismatch{Miss::Overlap, sample.tensors[i].name, "memory of its own",
                      std::string("memory shared with '") + sample.tensors[j].name + "'"};
    }
  }
  return std::nullopt;
}

}  // namespace graphed::impl
