// SPDX-License-Identifier: Apache-2.0
//
// Goes over the tensors of a tree, aggregates' members included, and checks each by itself.
#include "annotation/FlagRules.h"

#include "annotation/Variables.h"
#include "annotation/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace graphgen::annotation {
namespace {

bool hasGradients(DType Type) {
  switch (Type) {
    case DType::I64:
    case DType::I32:
    case DType::I16:
    case DType::I8:
    case DType::U8:
    case DType::Bool:
      return false;
    default:
      return true;
  }
}

class FlagChecker {
 public:
  std::vector<Diagnostic> check(const Annotation& Tree) {
    for (const DimVariable& Variable : Tree.Variables) {
      if (Variable.Pad) {
        Padded.insert(Variable.Name);
      }
    }
    const auto Gives = [](const Option& Each) { return Each.Kind == OptionKind::Outputs && Each.Word == "host"; };
    const auto IsStep = [](const Option& Each) { return Each.Kind == OptionKind::Step; };
    HasNoHistory = llvm::any_of(Tree.Options, Gives) && llvm::none_of(Tree.Options, IsStep);
    for (const Field& Argument : Tree.Arguments) {
      check(Argument);
    }
    return std::move(Found);
  }

 private:
  void check(const Field& Member) {
    for (const Field& Inner : Member.Value.Fields) {
      check(Inner);
    }
    for (const FlagUse& Use : Member.Value.Flags) {
      check(Use, Member.Value, Member.Name.empty() ? "it" : quoted(Member.Name));
    }
  }

  void check(const FlagUse& Use, const Spec& Tensor, const std::string& Name) {
    if (Use.Value == Flag::Grad && !hasGradients(Tensor.Type)) {
      report("graphed-dtype", Use,
             "only floating-point and complex tensors can require grad, but " + Name + " is " + spelling(Tensor.Type));
    }
    if (Use.Value == Flag::Grad && HasNoHistory) {
      report("graphed-flag", Use,
             "results in the memory of the host have no history: with 'outputs = host', " + Name + " cannot be 'grad'");
    }
    if (Use.Value == Flag::Static) {
      checkStatic(Use, Tensor, Name);
    }
    if (Use.Value == Flag::Host) {
      checkHost(Use, Tensor, Name);
    }
    if (Use.Value == Flag::ChannelsLast && Tensor.Dims.size() != 4 && Tensor.Dims.size() != 5) {
      report("graphed-flag", Use,
             "'channels_last' is for tensors of 4 or 5 dimensions, but " + Name + " has " + llvm::Twine(Tensor.Dims.size()));
    }
  }

  void checkStatic(const FlagUse& Use, const Spec& Tensor, const std::string& Name) {
    const auto Dim = llvm::find_if(Tensor.Dims, [this](const Expr& Each) { return usesAny(Each, Padded); });
    if (Dim != Tensor.Dims.end()) {
      report("graphed-flag", Use,
             "a 'static' tensor is not copied and so cannot be padded, but " + Name + " has the padded dimension " + quoted(Dim->Name));
    }
  }

  void checkHost(const FlagUse& Use, const Spec& Tensor, const std::string& Name) {
    for (const FlagUse& Other : Tensor.Flags) {
      const bool IsRefused = Other.Value == Flag::Grad || Other.Value == Flag::Inplace || Other.Value == Flag::Static;
      if (IsRefused) {
        report("graphed-flag", Use,
               "a 'host' tensor is copied to the device by each call, so " + Name + " cannot be " + quoted(spelling(Other.Value)));
      }
    }
  }

  void report(const char* Id, const FlagUse& Use, const llvm::Twine& Message) { addInOrder(Found, {Id, Use.Range, Message.str(), {}}); }

  std::set<std::string> Padded;
  bool HasNoHistory = false;  // of the results
  std::vector<Diagnostic> Found;
};

}  // namespace

const FlagUse* findFlag(const Spec& Tensor, Flag Value) {
  const auto Use = llvm::find_if(Tensor.Flags, [Value](const FlagUse& Each) { return Each.Value == Value; });
  return Use == Tensor.Flags.end() ? nullptr : &*Use;
}

std::vector<Diagnostic> checkFlags(const Annotation& Tree) { return FlagChecker().check(Tree); }

}  // namespace graphgen::annotation
