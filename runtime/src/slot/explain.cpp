// SPDX-License-Identifier: Apache-2.0
#include "report/annotated.h"
#include "report/text.h"
#include "report/units.h"
#include "slot/slot.h"

namespace graphed::impl {

// "result 0 f32[16, 4], argument 'x' f32[4] with strides [0]"
static std::string pattern_words(const captured_forward& forward, const backward_variant& variant) {
  std::string words;
  for (std::size_t i = 0; i < variant.static_gradients.size(); ++i) {
    const at::Tensor& gradient = variant.static_gradients[i];
    if (!gradient.defined()) {
      continue;
    }
    const node_output& output = forward.callable.outputs[i];
    const std::string name = output.is_input ? "argument '" + std::string(forward.site.sample.tensors[output.index].name) + "'"
                                             : "result " + std::to_string(output.index);
    words += (words.empty() ? "" : ", ") + name + " " + annotated(gradient.scalar_type()) + text(gradient.sizes()) +
             (gradient.is_contiguous() ? "" : " with strides " + text(gradient.strides()));
  }
  return words.empty() ? "nothing" : words;
}

std::vector<std::string> backward_table::explain() {
  const auto alone = try_lock();
  if (!alone) {
    return {"a backward is under way on another thread"};
  }
  std::vector<std::string> lines;
  for (const auto& [pattern, variant] : variants_) {
    lines.push_back(variant->work
                        ? "backward for gradients of " + pattern_words(forward_, *variant) + "; " + counted(variant->replays, "replay")
                        : "a backward by eager autograd: " + variant->refusal);
  }
  return lines;
}

std::vector<std::string> explain(slot& slot) {
  std::vector<std::string> lines = slot.backwards().explain();
  lines.insert(lines.begin(), "forward; holds " + human_bytes(slot.site().bytes_held()) + ", its backwards included");
  return lines;
}

}  // namespace graphed::impl
