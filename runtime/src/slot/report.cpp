// SPDX-License-Identifier: Apache-2.0
//
// What the report says of one slot: its arguments, its results, its memory, and its graphs.
#include "report/text.h"
#include "slot/slot.h"

#include <optional>
#include <unordered_set>

namespace graphed::impl {
namespace {

std::string type_of(const at::Tensor& tensor) {
  return tensor.defined() ? annotated(tensor.scalar_type()) + text(tensor.sizes()) : std::string();
}

// Tensors of other layouts do not show.
uint64_t memory_of(const at::Tensor& tensor) {
  return tensor.defined() && tensor.has_storage() ? static_cast<uint64_t>(tensor.nbytes()) : 0;
}

void add_inputs(reported_capture& to, slot& slot, memory_names& names) {
  const SampleSpec& sample = slot.site().sample;
  const static_arguments& arguments = slot.backwards().forward().arguments;
  const auto& saved = slot.callable().input_saved;
  for (std::size_t i = 0; i < sample.tensors.size(); ++i) {
    const at::Tensor& tensor = arguments.tensors()[i];
    const bool is_static = slot.site().has(i, flags::static_address);
    reported_tensor& one = to.inputs.emplace_back();
    one.name = sample.tensors[i].name;
    one.type = type_of(tensor);
    one.kind = !tensor.defined() ? "absent" : is_static ? "static" : arguments.is_repeated(i) ? "same" : "copied";
    one.bytes = memory_of(tensor);
    one.written_back = tensor.defined() && !is_static && arguments.is_written(i);
    one.saved = !slot.site().spec.step && i < saved.size() && saved[i];
    names.add(tensor, one.name);
  }
  for (const auto& live : arguments.live()) {
    reported_tensor& one = to.inputs.emplace_back();
    one.name = "live " + std::to_string(to.inputs.size() - sample.tensors.size());
    one.type = type_of(live);
    one.kind = "copied";
    one.bytes = memory_of(live);
    names.add(live, one.name);
  }
}

const char* word_of(result_plan::source from) {
  using source = result_plan::source;
  switch (from) {
    case source::undefined:
      return "undefined";
    case source::memory:
      return "graph";
    case source::input:
      return "argument";
    case source::input_view:
      return "view of an argument";
    case source::outside:
      return "closed over";
    case source::outside_view:
      return "view of a tensor that is closed over";
    case source::same:
      return "same";
  }
  return "";
}

void add_results(reported_capture& to, const captured_callable& callable, bool is_step) {
  const auto& plans = callable.results.plans();
  for (std::size_t i = 0; i < plans.size(); ++i) {
    reported_tensor& one = to.results.emplace_back();
    one.name = i < callable.returned ? "result " + std::to_string(i) : ".grad " + std::to_string(i - callable.returned);
    one.type = type_of(plans[i].captured);
    one.kind = word_of(plans[i].from);
    one.bytes = plans[i].from == result_plan::source::memory ? memory_of(plans[i].captured) : 0;
    one.saved = !is_step && i < callable.result_saved.size() && callable.result_saved[i];
  }
}

// Of what the operators made, without results: those that are saved are known by themselves.
std::optional<uint64_t> bytes_saved(const captured_callable& callable) {
  if (!callable.work->reported) {
    return std::nullopt;
  }
  std::unordered_set<const void*> results;
  for (const auto& plan : callable.results.plans()) {
    if (plan.captured.defined() && plan.captured.has_storage()) {
      results.insert(plan.captured.storage().unsafeGetStorageImpl());
    }
  }
  uint64_t bytes = 0;
  for (const auto& [memory, size] : callable.work->reported->kept) {
    bytes += results.count(memory) == 0 ? size : 0;
  }
  return bytes;
}

}  // namespace

reported_capture report_of(slot& slot, const memory_names& parameters) {
  reported_capture made;
  const capture_site& site = slot.site();
  made.on = {site.device.str(), site.known_as.name, site.known_as.compute_capability};
  made.bytes_held = site.bytes_held();
  made.bytes_pinned = site.bytes_pinned();
  made.pool = site.spec.pool == nullptr ? "" : site.spec.pool;
  made.pool_bytes = site.pool->bytes();
  for (const auto& member : slot.callable().closed_over.members()) {
    ++made.closed_over;
    made.closed_over_written += member.written ? 1 : 0;
    made.closed_over_bytes += memory_of(member.tensor);
  }
  memory_names names = parameters;
  add_inputs(made, slot, names);
  add_results(made, slot.callable(), site.spec.step);
  made.work = names.report(*slot.callable().work);
  made.workspace_bytes = slot.callable().work->workspace_bytes();
  made.saved_bytes = bytes_saved(slot.callable());
  made.backwards_are_known = slot.backwards().report(made.backwards, names);
  return made;
}

}  // namespace graphed::impl
