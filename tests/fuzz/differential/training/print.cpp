// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <graphed/impl/spec.h>

#include <sstream>

namespace graphed::fuzz::training {
namespace {

std::string net(std::size_t index) { return "n" + std::to_string(index); }
std::string opt(std::size_t index) { return "o" + std::to_string(index); }

std::string text(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

std::string print(const network& network, std::size_t index) {
  static const char* const names[] = {"linear(6)", "tied", "conv", "batch_norm", "layer_norm", "dropout", "tanh", "relu", "gelu", "spare"};
  std::string layers;
  for (const layer layer : network.layers) {
    layers += std::string(names[static_cast<std::size_t>(layer)]) + ", ";
  }
  return "network " + net(index) + "(" + layers + "linear(2));" +
         (network.is_hooked ? "  // a hook halves the gradient of its first parameter" : "") + "\n";
}

std::string print(const optimizer& optimizer, std::size_t index) {
  static const char* const kinds[] = {"SGD", "Adam", "AdamW", "Adagrad", "RMSprop"};
  std::string text = std::string("graphed::optim::") + kinds[static_cast<std::size_t>(optimizer.what)] + " " + opt(index) + "(" +
                     net(optimizer.network) + (optimizer.leaves_out ? " without its last parameter" : "");
  for (std::size_t i = 0; i < numbers; ++i) {
    const auto which = static_cast<number>(i);
    if (const char* name = name_of(optimizer.what, which); name != nullptr && (i == 0 || optimizer.options[i] != 0)) {
      text += std::string(", ") + name + " = " + training::text(optimizer.options[i]);
    }
  }
  return text + ");" + (optimizer.has_two_groups ? "  // the first parameter apart, at half the rate" : "") + "\n";
}

std::string loss_of(const statement& statement) {
  static const char* const parts[] = {"x", "first half", "second half"};
  const std::string of = parts[static_cast<std::size_t>(statement.of)];
  const std::string found = net(statement.network) + "(" + of + ")", other = net(statement.other) + "(" + of + ")";
  switch (statement.how) {
    case statement::loss::squares:
      return "mse(" + found + ", y)";
    case statement::loss::huber:
      return "huber(" + found + ", y)";
    case statement::loss::target:
      return "mse(" + found + ", no_grad " + other + ")";
    case statement::loss::actor:
      return "-mean(" + found + " * " + other + ")";
    case statement::loss::penalty:
      return "mse_with_gradient_penalty(" + found + ", y)";
  }
  return {};
}

std::string print(const statement& statement) {
  using kind = statement::kind;
  const std::string parameters = net(statement.network) + ".parameters()";
  switch (statement.what) {
    case kind::zero_grad:
      return opt(statement.optimizer) + ".zero_grad(" + (statement.flag ? "true" : "false") + ");";
    case kind::backward:
      return (statement.flag ? "scaler.scale(" + loss_of(statement) + ")" : loss_of(statement)) + ".backward();";
    case kind::gradients:
      return "auto g = grad(" + loss_of(statement) + ", " + parameters + ");" + (statement.flag ? "  p -= g / 16;" : "");
    case kind::unscale:
      return "scaler.unscale_(" + opt(statement.optimizer) + ");";
    case kind::clip_norm:
      return "clip_grad_norm_(" + parameters + ", " + text(statement.number) + ");";
    case kind::clip_value:
      return "clip_grad_value_(" + parameters + ", " + text(statement.number) + ");";
    case kind::step:
      return opt(statement.optimizer) + ".step();";
    case kind::scaler_step:
      return "scaler.step(" + opt(statement.optimizer) + ");";
    case kind::scaler_update:
      return "scaler.update();";
    case kind::average:
      return "lerp_(" + net(statement.other) + ", " + net(statement.network) + ", " + text(statement.number) + ");";
    case kind::copy:
      return "copy_(" + net(statement.other) + ", " + net(statement.network) + ");";
  }
  return {};
}

std::string print(const routine& routine, std::size_t index) {
  static const char* const policies[] = {"", ", outputs = alias", ", outputs = clone"};
  const auto& settings = routine.settings;
  std::ostringstream out;
  out << "// step, warmup = " << settings.warmup << policies[static_cast<std::size_t>(settings.outputs)]
      << (settings.pool != nullptr ? ", pool = fuzz" : "") << ", of ";
  for (const int64_t rows : settings.sizes) {
    out << rows << " ";
  }
  out << "rows" << (routine.is_method ? ", a method of the networks' module" : "") << (routine.live ? ", live factor of the losses" : "")
      << "\nauto f" << index << "(Tensor x, Tensor y) {\n";
  for (const auto& statement : routine.statements) {
    out << "  " << print(statement) << "\n";
  }
  out << "}\n";
  return out.str();
}

std::string print_call(const action& action) {
  static const char* const manners[] = {"", "  // plainly", "  // graphed::DisableGuard", "  // prepare()"};
  const std::string targets = action.flag ? "huge" : "random";
  return "f" + std::to_string(action.routine) + "(random({" + std::to_string(action.rows) + ", 4}), " + targets +
         ", s = " + text(action.value) + ");" + manners[static_cast<std::size_t>(action.how)];
}

std::string print(const action& action, const program& program) {
  using kind = action::kind;
  const std::string o = opt(action.optimizer), n = net(action.network);
  const std::string parameter = n + ".parameters()[" + std::to_string(action.index) + "]";
  switch (action.what) {
    case kind::call:
      return print_call(action);
    case kind::set_rate:
      return o + ".param_groups()[" + std::to_string(action.index) + "].set_lr(" + text(action.value) + ");";
    case kind::schedule:
      return "StepLR of " + o + ".step();";
    case kind::set_option: {
      const char* name = name_of(program.optimizers[action.optimizer].what, action.which);
      return o + ": " + (name != nullptr ? name : "nothing") + " = " + text(action.value) + ";";
    }
    case kind::zero_grad:
      return o + ".zero_grad(" + (action.flag ? "true" : "false") + ");";
    case kind::hold_gradients:
      return "held += gradients of " + n + ";";
    case kind::drop_gradients:
      return "held = {};";
    case kind::scale_gradient:
      return parameter + ".grad().mul_(0.5);";
    case kind::replace_gradient:
      return parameter + ".mutable_grad() = " + (action.flag ? "Tensor();" : "random;");
    case kind::set_data:
      return parameter + ".set_data(random);";
    case kind::scale_parameter:
      return parameter + ".mul_(0.75);  // no_grad";
    case kind::accumulate:
      return "mean(square(" + n + "(random))).backward();";
    case kind::freeze:
      return parameter + ": requires_grad flips";
    case kind::train:
      return n + ".train(" + (action.flag ? "true" : "false") + ");";
    case kind::save:
      return "save(" + o + ", its parameters, scaler);";
    case kind::load:
      return "load(" + o + ", its parameters, scaler);";
    case kind::add_group:
      return o + ".add_param_group(the parameter that it lacks);";
    case kind::set_scale:
      return "scaler.update(" + text(action.value) + ");";
    case kind::seed:
      return "manual_seed(" + std::to_string(action.index) + ");";
  }
  return {};
}

}  // namespace

const char* name_of(optimizer::kind kind, number which) {
  static const char* const names[][numbers] = {
      {"lr", "weight_decay", "momentum", "dampening", "nesterov", "maximize", "live"},
      {"lr", "weight_decay", "beta1", "beta2", "amsgrad", "maximize", "live"},
      {"lr", "weight_decay", "beta1", "beta2", "amsgrad", "maximize", "live"},
      {"lr", "weight_decay", "lr_decay", nullptr, nullptr, "maximize", "live"},
      {"lr", "weight_decay", "momentum", "alpha", "centered", "maximize", "live"},
  };
  return names[static_cast<std::size_t>(kind)][static_cast<std::size_t>(which)];
}

std::string print(const program& program) {
  std::ostringstream out;
  out << "// --steps --seed " << program.seed << ", " << c10::toString(program.dtype) << "\n";
  for (std::size_t i = 0; i < program.networks.size(); ++i) {
    out << print(program.networks[i], i);
  }
  for (std::size_t i = 0; i < program.optimizers.size(); ++i) {
    out << print(program.optimizers[i], i);
  }
  for (std::size_t i = 0; i < program.routines.size(); ++i) {
    out << print(program.routines[i], i);
  }
  for (const auto& action : program.actions) {
    out << print(action, program) << "\n";
  }
  return out.str();
}

}  // namespace graphed::fuzz::training
