// SPDX-License-Identifier: Apache-2.0
//
// What a tape holds, for people to read.
#include "backend/tape/tape.h"

#include <ostream>
#include <set>

namespace graphed::impl {
namespace {

void write_label(std::ostream& out, const std::string& name, const std::vector<c10::IValue>& results) {
  out << name;
  for (const auto& result : results) {
    for_each_tensor(result, [&](const at::Tensor& tensor) {
      if (tensor.defined()) {
        out << "\\n" << tensor.scalar_type() << ' ' << tensor.sizes();
      }
    });
  }
}

}  // namespace

std::map<std::string, std::size_t> tape::operator_counts() const {
  std::map<std::string, std::size_t> counts;
  for (const step& step : steps_) {
    ++counts[c10::toString(step.op.operator_name())];
  }
  return counts;
}

void tape::write_dot(std::ostream& out) const {
  out << "digraph tape {\n  node [shape=box];\n";
  std::unordered_map<const c10::StorageImpl*, std::size_t> last_writer;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const step& step = steps_[i];
    out << "  n" << i << " [label=\"";
    write_label(out, c10::toString(step.op.operator_name()), step.results);
    out << "\"];\n";
    std::set<std::size_t> sources;
    for (const auto& argument : step.arguments) {
      for_each_storage(argument, [&](const c10::StorageImpl* storage) {
        if (const auto found = last_writer.find(storage); found != last_writer.end()) {
          sources.insert(found->second);
        }
      });
    }
    for (const std::size_t source : sources) {
      out << "  n" << source << " -> n" << i << ";\n";
    }
    const auto write = [&](const c10::StorageImpl* storage) { last_writer[storage] = i; };
    for (std::size_t argument = 0; argument < step.arguments.size(); ++argument) {
      const auto* alias = step.op.schema().arguments()[argument].alias_info();
      if (alias != nullptr && alias->isWrite()) {
        for_each_storage(step.arguments[argument], write);
      }
    }
    step.for_each_made(write);
  }
  out << "}\n";
}

}  // namespace graphed::impl
