// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <graphed/impl/spec.h>

#include <sstream>

namespace graphed::fuzz {
namespace {

using kind = action::kind;

template <class List, class Print>
std::string joined(const List& list, Print&& print) {
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i) {
    text += (i == 0 ? "" : ", ") + print(list[i]);
  }
  return text;
}

std::string print(const shape& sizes) {
  return "{" + joined(sizes, [](int64_t size) { return size == testing::B ? "B" : std::to_string(size); }) + "}";
}

std::string print(const value& value) {
  const char* letter = value.from == value::origin::argument ? "x" : value.from == value::origin::member ? "m" : "v";
  return letter + std::to_string(value.index);
}

// The operation's own text, with names in the place of x[0] and n[0].
std::string print(const operation& op, const step& step) {
  std::string text;
  for (const char* at = op.text; *at != '\0'; ++at) {
    const bool is_placeholder = (*at == 'x' || *at == 'n') && at[1] == '[' && at[2] >= '0' && at[2] <= '9' && at[3] == ']';
    if (!is_placeholder) {
      text += *at;
      continue;
    }
    const auto index = static_cast<std::size_t>(at[2] - '0');
    text += *at == 'x' ? print(step.operands[index]) : std::to_string(step.numbers[index]);
    at += 3;
  }
  return text;
}

// As an annotation has them.
std::string print(const testing::settings& settings) {
  static const char* const policies[] = {"", ", outputs = alias", ", outputs = clone"};
  std::ostringstream out;
  out << "warmup = " << settings.warmup << policies[static_cast<std::size_t>(settings.outputs)];
  if (settings.slots != 2) {
    out << ", slots = " << settings.slots;
  }
  if (settings.pool != nullptr) {
    out << ", pool = " << settings.pool;
  }
  if (settings.grads_in_graph) {
    out << ", grads = in_graph";
  }
  if (settings.sizes.front() != 0) {
    out << ", B in " << print(settings.sizes);
  }
  if (settings.pad) {
    out << (*settings.pad == impl::PadFill::Zero ? " pad zero" : " pad repeat");
  }
  return out.str();
}

std::string print(const testing::argument& argument) {
  const auto flag = [&](unsigned wanted, const char* text) { return (argument.flags & wanted) != 0 ? text : ""; };
  return c10::toString(argument.dtype) + print(argument.shape) + (argument.grad ? " grad" : "") + (argument.inplace ? " inplace" : "") +
         flag(impl::flags::static_address, " static") + flag(impl::flags::optional, " optional");
}

std::string print(const body& body, std::size_t index) {
  std::ostringstream out;
  out << "// " << print(body.settings) << (body.is_method ? ", a method of the module" : "") << "\n";
  out << "auto f" << index << "(";
  for (std::size_t i = 0; i < body.arguments.size(); ++i) {
    const auto& argument = body.arguments[i];
    const bool begins_list = body.settings.list && i == body.settings.list_from;
    out << (i == 0 ? "" : ", ") << (begins_list ? "list of " : "") << "Tensor x" << i << " /* " << print(argument) << " */";
  }
  out << (body.live ? ", Scalar s /* live */" : "");
  out << ") {\n";
  for (std::size_t i = 0; i < body.arguments.size(); ++i) {
    if ((body.arguments[i].flags & impl::flags::optional) != 0 || body.settings.list) {
      out << "  if (!x" << i << ") x" << i << " = ones(" << print(body.arguments[i].shape) << ");\n";
    }
  }
  for (std::size_t i = 0; i < body.steps.size(); ++i) {
    const step& step = body.steps[i];
    out << "  auto v" << i << " = ";
    if (step.only_for_key) {
      out << "key != " << *step.only_for_key << " ? " << print(step.operands[0]) << " : ";
    }
    out << print(*step.op, step) << ";\n";
  }
  out << "  return {" << joined(body.results, [](const auto& result) { return result ? print(*result) : std::string("Tensor()"); })
      << "};\n}\n";
  return out.str();
}

std::string result_name(std::size_t call, std::size_t index) { return "r" + std::to_string(call) + "[" + std::to_string(index) + "]"; }

std::string print(const source& source) {
  static const char* const forms[] = {"fresh()",         "with_history()", "other_requires_grad()",
                                      "transposed()",    "misaligned()",   "expanded()",
                                      "twice_as_long()", "detached()",     "absent()"};
  const std::string detach = source.how == source::form::detached ? ".detach()" : "";
  switch (source.from) {
    case source::origin::again:
      return "argument " + std::to_string(source.index) + " of r" + std::to_string(source.call) + detach;
    case source::origin::result:
      return result_name(source.call, source.index) + detach;
    case source::origin::kept:
      return source.how == source::form::refilled ? "kept().copy_(fresh())" : "kept()";
    case source::origin::member:
      return "m" + std::to_string(source.index);
    default:
      return forms[static_cast<std::size_t>(source.how)];
  }
}

std::string print_call(const action& action, const std::string& callee) {
  static const char* const modes[] = {"", "no_grad", "inference_mode", "autocast", "autocast and no_grad"};
  const std::string mode = modes[static_cast<std::size_t>(action.mode)];
  std::ostringstream out;
  out << callee << "(" << joined(action.arguments, [](const source& source) { return print(source); }) << ");  // key = " << action.key
      << ", s = " << action.live;
  if (action.rows != 0) {
    out << ", B = " << action.rows;
  }
  out << (mode.empty() ? "" : ", " + mode);
  return out.str();
}

std::string print_backward(const action& action) {
  static const char* const losses[] = {"sum(root * random)", "sum(root)", "given gradients"};
  std::string roots = joined(action.roots, [&](std::size_t root) { return result_name(action.call, root); });
  for (const std::size_t other : action.others) {
    roots += ", all of r" + std::to_string(other);
  }
  roots += action.used ? ", m" + std::to_string(*action.used) : "";
  return std::string(action.what == kind::backward ? "backward" : "see_grad_of_leaves") + "({" + roots + "}" +
         (action.flag ? ", retain_graph" : "") + (action.only ? ", only m" + std::to_string(*action.only) : "") + ");  // of " +
         losses[static_cast<std::size_t>(action.how)];
}

std::string print(const action& action) {
  const std::string result = result_name(action.call, action.index);
  const std::string member = "m" + std::to_string(action.index);
  switch (action.what) {
    case kind::call:
      return print_call(action, "auto r" + std::to_string(action.call) + " = f" + std::to_string(action.body));
    case kind::prepare:
      return print_call(action, "f" + std::to_string(action.body) + ".prepare");
    case kind::backward:
    case kind::grad:
      return print_backward(action);
    case kind::zero_grad:
      return std::string("module.zero_grad(") + (action.flag ? "set_to_none" : "") + ");";
    case kind::take_grad:
      return "hold_gradients_and_clear();";
    case kind::hold_grad:
      return "hold(" + member + ".grad());";
    case kind::scale_grad:
      return member + ".grad().mul_(0.5);";
    case kind::give_grad:
      return member + ".mutable_grad() = random;";
    case kind::drop_results:
      return "drop(r" + std::to_string(action.call) + ");";
    case kind::detach_result:
      return result + " = " + result + ".detach();";
    case kind::replace_result:
      return result + " = " + result + " * 1.5;";
    case kind::reset:
      return "f" + std::to_string(action.body) + ".reset();";
    case kind::freeze_argument: {
      const std::string argument = "argument " + std::to_string(action.index) + " of r" + std::to_string(action.call);
      return argument + ".requires_grad_(!requires_grad());";
    }
    case kind::hook_member:
      return member + ".register_hook([](Tensor g) { return g * 0.5; });";
    case kind::drop:
      return "drop(r" + std::to_string(action.call) + " and its arguments);";
    case kind::change_result:
      return result + ".mul_(0.5);" + (action.flag ? "  // no_grad" : "");
    case kind::change_argument:
      return "argument " + std::to_string(action.index) + " of r" + std::to_string(action.call) + ".mul_(0.5);  // no_grad";
    case kind::hook_result:
      return result + ".register_hook([](Tensor g) { return g * 0.5; });";
    case kind::descend:
      return "for (auto& p : module.parameters()) p.sub_(p.grad(), 0.125);  // no_grad";
    case kind::set_data:
      return member + ".set_data(random);";
    case kind::freeze:
      return member + ".requires_grad_(!" + member + ".requires_grad());";
    case kind::train:
      return std::string("module.train(") + (action.flag ? "" : "false") + ");";
    case kind::seed:
      return "manual_seed(" + std::to_string(action.index) + ");";
  }
  return {};
}

}  // namespace

std::string print(const program& program) {
  std::ostringstream out;
  out << "// --seed " << program.seed << ", " << c10::toString(program.dtype) << "\n";
  for (std::size_t i = 0; i < program.members.size(); ++i) {
    const member& member = program.members[i];
    out << (member.is_parameter ? "parameter m" : "buffer m") << i << " " << print(member.sizes) << ";\n";
  }
  for (std::size_t i = 0; i < program.bodies.size(); ++i) {
    out << print(program.bodies[i], i);
  }
  for (const auto& action : program.actions) {
    out << print(action) << "\n";
  }
  return out.str();
}

}  // namespace graphed::fuzz
