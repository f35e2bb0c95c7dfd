// SPDX-License-Identifier: Apache-2.0
//
// What is watched on each call, as a part of its key: in a torch::nn::Module, in the method's object, and in the objects among the
// arguments.
#pragma once

#include "torch/modes.h"

#include <graphed/impl/watched.h>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/util/FunctionRef.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace graphed::impl {

class recording;

/// Which tensors and modules, in an order.
using tensor_identities = c10::SmallVector<const void*, 32>;
/// Names of values, and what those are.
using named_words = std::vector<std::pair<std::string, std::string>>;

/// The modules that a look has met, so that none is looked at twice.
class met_modules {
 public:
  void add(const torch::nn::Module* module) { modules_.push_back(module); }
  /// Members lead to most modules in the order in which they are registered.
  bool contains(const torch::nn::Module* module) {
    if (next_ == modules_.size() || modules_[next_] != module) {
      next_ = static_cast<std::size_t>(std::find(modules_.begin(), modules_.end(), module) - modules_.begin());
    }
    return next_ != modules_.size() && ++next_ != 0;
  }

 private:
  c10::SmallVector<const torch::nn::Module*, 32> modules_;
  std::size_t next_ = 0;
};

class watched_module {
 public:
  explicit watched_module(const torch::nn::Module* module) : module_(module) {}

  bool is_there() const { return module_ != nullptr; }
  /// Which submodules train, which parameters require grad, and the options of LibTorch's modules: each combination selects its own
  /// capture. Adds which tensors() there are to `tensors`: a capture serves only these. Nothing of what has been `met`.
  void append_key(key_bytes& key, tensor_identities& tensors, met_modules& met) const;
  /// "train", "eval", or "2 of 5 modules train"; empty without a module.
  std::string training_words() const;
  /// Of its first parameter or buffer.
  std::optional<c10::Device> device() const;
  /// All parameters and buffers, submodules included, and what members of LibTorch's modules hold in their place, without those that are
  /// undefined.
  std::vector<at::Tensor> tensors() const;
  /// Whether it is that module, or has registered it, or one of its submodules has.
  bool has(const torch::nn::Module& module) const;
  /// Calls `f` with each of them and its name, "fc1.weight", and the name of its own module, "fc1", behind `prefix`.
  void for_each_named(const std::string& prefix,
                      c10::function_ref<void(const at::Tensor&, const std::string&, const std::string&)> f) const;

 private:
  const torch::nn::Module* module_;
};

/// What the callable itself does to a member of its object. No key can hold what it leaves.
enum class assignment : char {
  none,             ///< when it last ran
  changed,          ///< when it last ran; a replay does not
  resized,          ///< ever: it fills a list or a cache, whose elements belong to it
  carried,          ///< ever: it has replaced the tensors that were there, which captures take and give
  carried_in_place  ///< and has written into those that were there
};
using assigned_members = std::vector<assignment>;  ///< empty where it does nothing to any of them
inline bool is_carried(assignment what) { return what == assignment::carried || what == assignment::carried_in_place; }

/// One tensor of a carried member.
struct carried_tensor {
  std::string name;  ///< "h", or "layers[1]"
  at::Tensor* place;
  bool is_written;  ///< in place
};

/// The members of a callable's object, then the objects among its arguments and their members, as one call finds them. Those that the
/// callable assigns are left out where such are given.
class object_members {
 public:
  /// Looks at them, where there are such. Keeps references. What the `module` of the callable has registered is left out of words().
  object_members(const WatchedObject& object, const WatchedObject& arguments, const watched_module& module);
  explicit operator bool() const { return found_.has_value(); }

  /// Numbers, and what watched_module::append_key adds of modules: each combination selects its own capture. Adds which modules and tensors
  /// there are to `tensors`: a capture serves only these.
  void append_key(const assigned_members& assigned, key_bytes& key, tensor_identities& tensors, met_modules& met) const;
  /// Of its modules' first tensors, or of its own tensors. One in host memory does not say where the callable computes.
  std::optional<c10::Device> accelerator() const;
  /// Whether they are any, on whatever device.
  bool hold_tensors() const;
  /// Those that are defined, with those of its modules.
  std::vector<at::Tensor> tensors(const assigned_members& assigned) const;
  /// Calls `f` with the tensors of its modules, as watched_module::for_each_named behind the member's name.
  void for_each_named(c10::function_ref<void(const at::Tensor&, const std::string&, const std::string&)> f) const;
  /// Of the objects among the arguments.
  c10::ArrayRef<Owner> owners() const { return found_ ? found_->owners() : c10::ArrayRef<Owner>(); }
  /// "the member 'count' of its object", "the variable '::app::count'", "'logger.count' of its arguments"
  std::string place_of(std::size_t member) const;
  /// The same of the member that holds this tensor or module, as append_key() adds it; empty where none does.
  std::string place_of(const void* identity) const;
  /// "scale" and "0.5", "layers" and "2, 3", by a look of its own.
  named_words words(const assigned_members& assigned) const;
  /// As WatchedMembers::take_functions(), by a look of its own.
  std::vector<std::shared_ptr<const void>> functions() const;

  /// Before the callable runs.
  void remember();
  /// After it ran, and under no lock, since that runs the user's code.
  void look_again();
  /// What it has done since remember(), beside what it did `earlier`. `seen`: that run of it. Of a module's own tensors, and of those of
  /// one that the object holds, only what the run has read is carried: it may keep what others look at. Variables are not carried.
  assigned_members find_assigned(const assigned_members& earlier, const recording& seen, bool is_module) const;
  /// The first carried member that holds another number of tensors than before, as place_of(); else empty.
  std::string find_refilled(const assigned_members& assigned) const;
  /// After look_again(): why no capture can hold what the models among them do, or empty.
  std::string objection_to_models() const;
  /// Puts the tensors that there were before back into carried members; or into all that hold as many.
  void put_back(const assigned_members& assigned) const;
  void put_back() const;
  /// The tensors of carried members, as the last look found them.
  std::vector<carried_tensor> carried(const assigned_members& assigned) const;
  /// Lets go of the tensors that there were before: what only this keeps has no other owner.
  void forget();

 private:
  template <class F>
  void for_each(const assigned_members& assigned, F&& f) const;
  template <class F>
  void compare(F&& f) const;
  void look(WatchedMembers& into) const;
  const char* name_of(std::size_t member) const;
  bool is_variable(std::size_t member) const { return name_of(member)[0] == ':'; }  // "::app::count"

  const WatchedObject &object_, &arguments_;
  const watched_module module_;
  std::optional<WatchedMembers> found_;
  std::optional<WatchedMembers> before_;    // which points to tensors that may be gone
  std::vector<at::Tensor> tensors_before_;  // kept, so that no other tensor takes the address
};

}  // namespace graphed::impl
