// SPDX-License-Identifier: Apache-2.0
//
// Checks the annotation of each node.
#include "check/conform/ValueComparison.h"

#include "check/conform/Examples.h"

#include "annotation/FlagRules.h"
#include "annotation/Printer.h"
#include "annotation/Words.h"
#include "scan/ObjectTypes.h"

#include "clang/AST/Decl.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {

using annotation::Field;
using annotation::Flag;
using annotation::ScalarKind;
using annotation::Spec;
using annotation::TextRange;
using annotation::TypeKind;
using annotation::UnseenKind;

/// Of all maps within it, in their order.
static std::vector<std::string> keysOf(const annotation::Bound& B) {
  std::vector<std::string> Keys;
  for (const annotation::Bound& Each : B.Parts) {
    if (B.Kind == TypeKind::Map) {
      Keys.push_back(Each.Name);
    }
    llvm::append_range(Keys, keysOf(Each));
  }
  return Keys;
}

/// Of each tensor whether it is.
static std::vector<bool> onHost(const annotation::Bound& B) {
  std::vector<bool> Found;
  annotation::forEachTensor(B, [&](const Spec& Tensor) { Found.push_back(annotation::findFlag(Tensor, Flag::Host) != nullptr); });
  return Found;
}

clang::DiagnosticBuilder ValueComparison::error(clang::SourceLocation Where, const llvm::Twine& Message) {
  return Report.error(Where, "graphed-mismatch", Message);
}

void ValueComparison::noteDeclaration() {
  Report.note(Declared.getLocation(), "'" + Whole.Name + "' is declared here with type '" + Whole.Spelling + "'")
      << Declared.getSourceRange();
}

void ValueComparison::tell(TextRange Place, const Bound& B, const llvm::Twine& Message) {
  const clang::CharSourceRange Range = Text.range(Place);
  error(Range.getBegin(), nameOf(B) + " " + Message) << Range;
  noteDeclaration();
}

void ValueComparison::compare(const Bound& B, bool InMap) {
  if (B.Kind == TypeKind::Ignored || B.Said->What == Spec::Kind::Unseen) {
    return;
  }
  if (annotation::isObject(B.Kind)) {
    return compareObject(B);
  }
  if (B.Said->What == Spec::Kind::Object) {
    return tell(B.Said->Range, B,
                "takes no " + annotation::quoted(annotation::spelling(B.Said->Object)) +
                    ", which is for a parameter that is a reference, a pointer or a smart pointer to a class, or a module holder");
  }
  switch (B.Kind) {
    case TypeKind::Tensor:
    case TypeKind::TensorLvalue:
      return compareTensor(B, InMap);
    case TypeKind::Optional:
      return compareParts(B, InMap);
    case TypeKind::Vector:
    case TypeKind::ArrayRef:
    case TypeKind::List:
    case TypeKind::Array:
      return compareList(B, InMap);
    case TypeKind::Struct:
      return compareStruct(B, InMap);
    case TypeKind::Tuple:
      return hasMembers(B, /*Named=*/false, "a tuple") ? compareParts(B, InMap) : void();
    case TypeKind::Map:
      return hasMembers(B, /*Named=*/true, "a map") ? compareParts(B, /*InMap=*/true) : void();
    default:
      return compareScalar(B);
  }
}

void ValueComparison::compareParts(const Bound& B, bool InMap) {
  for (const Bound& Each : B.Parts) {
    if (Each.Said) {
      compare(Each, InMap);
    }
  }
}

void ValueComparison::compareObject(const Bound& B) {
  const Spec& Value = *B.Said;
  const bool IsModule = B.Kind == TypeKind::Module;
  if (Value.What == Spec::Kind::Object && (Value.Object == annotation::ObjectKind::Module) == IsModule) {
    return;
  }
  const clang::CharSourceRange Range = Text.range(Value.Range);
  const llvm::StringRef Word = IsModule ? "module" : "object";
  error(Range.getBegin(), nameOf(B) + " is " +
                              (IsModule                           ? "a torch::nn::Module"
                               : Value.What == Spec::Kind::Object ? "not a torch::nn::Module"
                                                                  : "an object that the call refers to") +
                              ": it takes '" + Word + "'")
      << Range << scan::fixIt(Range, Word);
  noteDeclaration();
}

/// What to write in its place.
static std::string insteadOfOut(const Bound& B, bool IsGivenBack, bool IsInList) {
  switch (B.Kind) {
    case TypeKind::Tensor:
    case TypeKind::TensorLvalue:
      return IsInList && IsGivenBack ? "say its dtype and shape, or return the list, map or optional that it is in"
                                     : "take it by reference to non-const, or say its dtype and shape";
    case TypeKind::Struct:
      return "say it of its members, such as '{loss: out}'";
    case TypeKind::Tuple:
    case TypeKind::Array:
      return "say it of its tensors, such as '{out, out}'";
    case TypeKind::Optional:
    case TypeKind::Vector:
    case TypeKind::ArrayRef:
    case TypeKind::List:
    case TypeKind::Map:
      return "return it, or say what it holds before the call";
    default:
      return "return it";
  }
}

/// Each call returns a list as a whole, so its contents must be known.
void ValueComparison::compareUnseen(const Bound& B, bool IsInList) {
  if (!B.Said) {
    return;
  }
  const bool IsGivenBack = B.Path == Whole.Path ? B.IsChangeable : Whole.IsChangeable;
  const bool IsIgnored = annotation::isSaid(B, UnseenKind::Ignore);
  if (IsIgnored != (B.Kind == TypeKind::Ignored)) {
    return tell(B.Said->Range, B,
                IsIgnored ? "is not ignored in the first annotation" : "is ignored in the first annotation: it takes 'ignore'");
  }
  if (IsIgnored && IsGivenBack && IsInList) {
    return tell(B.Said->Range, B, "cannot be ignored: each call returns the list, map or optional that it is in");
  }
  if (annotation::isSaid(B, UnseenKind::Out) && (!annotation::isTensor(B.Kind) || !IsGivenBack || IsInList)) {
    return tell(B.Said->Range, B,
                "takes no 'out', which is for a 'Tensor &' that the callable assigns, or such a member of a struct, tuple or array by "
                "reference: " +
                    insteadOfOut(B, IsGivenBack, IsInList));
  }
  const bool IsListOfParts = B.Kind != TypeKind::Struct && B.Kind != TypeKind::Tuple;
  const bool IsFixed =
      B.Kind == TypeKind::Array && llvm::all_of(B.Parts, [](const Bound& Each) { return annotation::isTensor(Each.Kind); });
  for (const Bound& Each : B.Parts) {
    compareUnseen(Each, IsInList || (IsListOfParts && !(IsFixed && annotation::isSaid(Each, UnseenKind::Out))));
  }
}

void ValueComparison::compareScalar(const Bound& B) {
  const Spec& Value = *B.Said;
  const bool IsLive = B.Kind == TypeKind::LiveScalar;
  const llvm::StringRef Words = IsLive ? "'live'" : "'key' or 'const'";
  const clang::CharSourceRange Range = Text.range(Value.Range);
  if (Value.What != Spec::Kind::Scalar) {
    return tell(Value.Range, B, "is not a tensor: it takes " + Words);
  }
  if (Value.Repeat) {
    return tellCount(B);
  }
  if (IsLive == (Value.Scalar == ScalarKind::Live)) {
    return;
  }
  if (IsLive) {
    error(Range.getBegin(), nameOf(B) + " is a graphed::Scalar, which the graph reads in every call: it takes 'live'")
        << Range << scan::fixIt(Range, "live");
    return noteDeclaration();
  }
  const llvm::StringRef Type = B.Path == Whole.Path ? "const graphed::Scalar &" : "graphed::Scalar";
  const std::string Way = annotation::couldBeLive(B.Kind) ? ("declare it '" + Type + "', or mark it ").str() : "it takes ";
  tell(Value.Range, B, "is not a graphed::Scalar, which 'live' needs: " + Way + Words);
}

void ValueComparison::compareTensor(const Bound& B, bool InMap) {
  const Spec& Value = *B.Said;
  if (Value.What == Spec::Kind::Scalar) {
    return tell(Value.Range, B, "holds tensors: it takes a dtype and a shape, such as 'f32[64, 128]'");
  }
  if (Value.What == Spec::Kind::Aggregate) {
    return tell(Value.Range, B, "is one tensor: it takes no braces");
  }
  if (Value.Repeat) {
    tellCount(B);
  }
  if (const annotation::FlagUse* Host = annotation::findFlag(Value, Flag::Host)) {
    compareHost(B, *Host);
  }
  const annotation::FlagUse* Optional = annotation::findFlag(Value, Flag::Optional);
  if (Optional && InMap) {
    tell(Optional->Range, B, "is found by its key, which is there on every call: it cannot be 'optional'");
  }
}

void ValueComparison::compareHost(const Bound& B, const annotation::FlagUse& Host) {
  if (B.Kind == TypeKind::TensorLvalue) {
    tell(Host.Range, B, "is a 'Tensor &', which the callable may assign: a 'host' tensor is taken by value or by reference to const");
  } else if (Whole.IsChangeable) {
    tell(Host.Range, B,
         "is in an argument that the callable may assign: one with 'host' tensors is taken by value or by reference to const");
  }
}

void ValueComparison::compareList(const Bound& B, bool InMap) {
  const Spec& Value = *B.Said;
  const bool IsArray = B.Kind == TypeKind::Array;
  if (Value.What == Spec::Kind::Scalar && !annotation::isScalar(B.Parts.front().Kind)) {
    return tell(Value.Range, B, "holds tensors: it takes a dtype and a shape, such as 'f32[64, 128]'");
  }
  if (!Value.Repeat && !B.IsByPosition) {
    const clang::CharSourceRange Range = Text.range(Value.Range);
    const llvm::StringRef Kind = annotation::isFlat(B) ? "a list of tensors" : IsArray ? "an array" : "a list";
    error(Range.getEnd(), nameOf(B) + " is " + Kind + ": say how many, such as '* " + llvm::Twine(IsArray ? B.Length : 3) + "'") << Range;
    return noteDeclaration();
  }
  if (const std::optional<int64_t> Count = annotation::countOf(B); IsArray && Count != B.Length) {
    tell(B.IsByPosition ? Value.Range : Value.Repeat->Range, B,
         "has " + llvm::Twine(B.Length) + " elements, not " + (Count ? std::to_string(*Count) : annotation::print(*Value.Repeat)));
  }
  for (const Bound& Each : annotation::isFlat(B) ? B.Parts : std::vector<Bound>()) {
    if (const annotation::FlagUse* Optional = annotation::findFlag(*Each.Said, Flag::Optional)) {
      return tell(Optional->Range, B, "is a list of tensors, none of which can be absent");
    }
  }
  compareParts(B, InMap);
  if (B.IsByPosition) {
    compareElements(B);
  }
}

/// Generated code visits all elements of a list in the same way.
void ValueComparison::compareElements(const Bound& List) {
  for (const Bound& Each : List.Parts) {
    if (keysOf(Each) != keysOf(List.Parts.front())) {
      return tell(Each.Said->Range, List, "holds maps, whose keys are the same in each of its elements");
    }
    if (!Whole.IsChangeable && onHost(Each) != onHost(List.Parts.front())) {
      return tell(Each.Said->Range, List, "holds 'host' tensors, which are the same ones in each of its elements");
    }
  }
}

bool ValueComparison::hasMembers(const Bound& B, bool Named, llvm::StringRef Kind) {
  const Spec& Value = *B.Said;
  const bool IsAggregate = Value.What == Spec::Kind::Aggregate;
  if (IsAggregate && Value.Repeat) {
    tellCount(B);
  } else if (!IsAggregate) {
    tell(Value.Range, B, "is " + Kind + ": say what its members are, in braces");
    if (B.Path == Whole.Path) {
      offerObject(Declared, B.Name, Text.range(Value.Range).getBegin(), Report);
    }
  } else if (!Value.Fields.empty() && Value.Fields.front().Name.empty() == Named) {
    tell(Value.Range, B, "is " + Kind + ": its members " + (Named ? "need names" : "have no names"));
  } else if (!Value.Fields.empty() && !Named) {
    tell(Value.Range, B, "has " + llvm::Twine(B.Parts.size()) + " members, not " + llvm::Twine(Value.Fields.size()));
  } else {
    return true;
  }
  return false;
}

void ValueComparison::compareStruct(const Bound& B, bool InMap) {
  if (!hasMembers(B, /*Named=*/true, "a struct")) {
    return;
  }
  llvm::StringSet<> Offered;  // for a misspelt name
  for (const Field& Each : B.Said->Fields) {
    tellUnknown(Each, B.Parts, "member of '" + B.Path + "'", Text, Offered, Report);
  }
  compareParts(B, InMap);
  for (const Bound& Each : B.Parts) {
    if (!Each.Said && !Offered.contains(Each.Name)) {
      tellMissing(B, Each);
    }
  }
}

void ValueComparison::tellCount(const Bound& B) {
  const Spec& Value = *B.Said;
  const unsigned End = Value.Repeat->Range.End;
  const llvm::StringRef Before = Text.text().take_front(Value.Repeat->Range.Begin);
  const auto Star = static_cast<unsigned>(Before.rfind('*'));
  const auto Begin = static_cast<unsigned>(Before.take_front(Star).rtrim().size());
  const clang::CharSourceRange Range = Text.range({Star, End});
  const llvm::StringRef Kind = B.Kind == TypeKind::ValueList      ? "one value of any length"
                               : Value.What == Spec::Kind::Tensor ? "one tensor"
                               : Value.What == Spec::Kind::Scalar ? "one value"
                                                                  : "not a list";
  error(Range.getBegin(), nameOf(B) + " is " + Kind + ": it takes no count")
      << Range << clang::FixItHint::CreateRemoval(Text.range({Begin, End}));
  noteDeclaration();
}

void ValueComparison::tellMissing(const Bound& B, const Bound& Missing) {
  const bool IsScalar = annotation::isScalar(Missing.Kind);
  const clang::CharSourceRange Range = Text.range(B.Said->Range);
  error(Range.getBegin(), "member '" + Missing.Path + "' of type '" + Missing.Spelling + "' is not in the annotation" +
                              (IsScalar ? ": a capture would freeze its value" : ""))
      << Range;
  const llvm::StringRef Before = Text.text().take_front(B.Said->Range.End);
  const auto Last = static_cast<unsigned>(Before.take_front(Before.rfind('}')).rtrim().size());
  const clang::CharSourceRange End = Text.range({Last, Last});
  if (IsScalar) {
    return offerMarks(Missing, End, ", ", Report);
  }
  Report.note(End.getBegin(), "say what it holds here, such as '" + Missing.Name + ": " + exampleOf(Missing) + "'");
}

void tellUnknown(const Field& Unknown, const std::vector<annotation::Bound>& Parts, const llvm::Twine& Of, const scan::MacroText& Text,
                 llvm::StringSet<>& Offered, scan::Reporter& Report) {
  std::vector<llvm::StringRef> Free;
  for (const annotation::Bound& Each : Parts) {
    if (!Each.Said && !Offered.contains(Each.Name)) {
      Free.push_back(Each.Name);
    }
  }
  const llvm::StringRef Near = annotation::nearestName(Free, Unknown.Name);
  const std::string Question = Near.empty() ? "" : ("; did you mean '" + Near + "'?").str();
  const clang::CharSourceRange Range = Text.range(Unknown.NameRange);
  clang::DiagnosticBuilder Builder = Report.error(Range.getBegin(), "graphed-mismatch", "'" + Unknown.Name + "' is not a " + Of + Question);
  Builder << Range;
  if (!Near.empty()) {
    Builder << scan::fixIt(Range, Near);
    Offered.insert(Near);
  }
}

void offerObject(const clang::ParmVarDecl& Declared, llvm::StringRef Name, clang::SourceLocation Place, scan::Reporter& Report) {
  if (scan::referredObject(Declared.getType())) {
    Report.note(Place, "or '" + Name + ": object', which captures one graph for each object, and looks on each call at what it holds");
  }
}

void offerMarks(const annotation::Bound& Scalar, clang::CharSourceRange Place, llvm::StringRef Before, scan::Reporter& Report) {
  const auto Offer = [&](llvm::StringRef Word, llvm::StringRef Meaning) {
    const std::string Argument = (Scalar.Name + ": " + Word).str();
    Report.note(Place.getBegin(), "'" + Argument + "' " + Meaning) << scan::fixIt(Place, (Before + Argument).str());
  };
  if (Scalar.Kind == TypeKind::Module) {
    return Offer("module", "looks on each call at the module, its modes, and its parameters and buffers");
  }
  if (Scalar.Kind == TypeKind::Object) {
    return Offer("object", "captures one graph for each object, and looks on each call at what it holds");
  }
  if (Scalar.Kind == TypeKind::LiveScalar) {
    return Offer("live", "lets the graph read each call's value");
  }
  Offer("key", "captures one graph for each value");
  Offer("const", "keeps the first call's value; another is an error");
}

}  // namespace graphgen::check
