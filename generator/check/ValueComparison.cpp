// SPDX-License-Identifier: Apache-2.0
//
// Follows the type and the annotation downwards together.
#include "check/ValueComparison.h"

#include "check/code/Arguments.h"

#include "annotation/Evaluate.h"
#include "annotation/FlagRules.h"

#include "clang/AST/Decl.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace graphgen::check {

using annotation::Field;
using annotation::Member;
using annotation::Parameter;
using annotation::Spec;
using annotation::TextRange;
using annotation::Type;
using annotation::TypeKind;

void ValueComparison::compare(const Spec& Value, const Parameter& P) { compare(Value, Subject{P.Name, P.Type, P, false}); }

void ValueComparison::noteDeclaration(const Parameter& P) {
  const auto Index = static_cast<unsigned>(&P - Scanned.Callable.Parameters.data());
  const clang::ParmVarDecl& Declared = *Scanned.Declaration->getParamDecl(Index);
  Report.note(Declared.getLocation(), "'" + P.Name + "' is declared here with type '" + P.Type.Spelling + "'") << Declared.getSourceRange();
}

void ValueComparison::tell(TextRange Place, const llvm::Twine& Message, const Subject& S) {
  const clang::CharSourceRange Range = Scanned.Text->range(Place);
  Error(Range.getBegin(), S.text() + " " + Message) << Range;
  noteDeclaration(S.Of);
}

void ValueComparison::compare(const Spec& Given, const Subject& S) {
  const Spec& Value = annotation::withoutBraces(Given, S.Type);
  switch (S.Type.Kind) {
    case TypeKind::Tensor:
    case TypeKind::TensorLvalue:
      return compareTensor(Value, S);
    case TypeKind::Optional:
      return compare(Value, Subject{S.Path, S.Type.Members.front().Type, S.Of, S.InMap});
    case TypeKind::Vector:
    case TypeKind::ArrayRef:
    case TypeKind::List:
    case TypeKind::Array:
      return compareList(Value, S);
    case TypeKind::Struct:
      return compareStruct(Value, S);
    case TypeKind::Tuple:
      return compareTuple(Value, S);
    case TypeKind::Map:
      return compareMap(Value, S);
    default:
      return compareScalar(Value, S);
  }
}

void ValueComparison::compareScalar(const Spec& Value, const Subject& S) {
  const bool IsLive = S.Type.Kind == TypeKind::LiveScalar;
  const llvm::StringRef Words = IsLive ? "'live'" : "'key' or 'const'";
  const clang::CharSourceRange Range = Scanned.Text->range(Value.Range);
  if (Value.What != Spec::Kind::Scalar) {
    Error(Range.getBegin(), S.text() + " is no tensor: it takes " + Words) << Range;
  } else if (Value.Repeat) {
    return tellCount(Value, S);
  } else if (IsLive == (Value.Scalar == annotation::ScalarKind::Live)) {
    return;
  } else if (IsLive) {
    Error(Range.getBegin(), S.text() + " is a graphed::Scalar, which the graph reads anew on every call: it takes 'live'")
        << Range << scan::fixIt(Range, "live");
  } else {
    const llvm::StringRef Type = S.isMember() ? "graphed::Scalar" : "const graphed::Scalar &";
    const std::string Way = isNumber(S.Type.Kind) ? ("declare it '" + Type + "', or mark it ").str() : "it takes ";
    Error(Range.getBegin(), S.text() + " is no graphed::Scalar, which 'live' needs: " + Way + Words) << Range;
  }
  noteDeclaration(S.Of);
}

void ValueComparison::compareTensor(const Spec& Value, const Subject& S) {
  if (Value.What == Spec::Kind::Scalar) {
    return tell(Value.Range, "holds tensors: it takes a dtype and a shape, such as 'f32[64, 128]'", S);
  }
  if (Value.What == Spec::Kind::Aggregate) {
    return tell(Value.Range, "is one tensor: it takes no braces", S);
  }
  if (Value.Repeat) {
    tellCount(Value, S);
  }
  const annotation::FlagUse* Optional = annotation::findFlag(Value, annotation::Flag::Optional);
  if (Optional && S.InMap) {
    tell(Optional->Range, "is found by its key, which is there on every call: it cannot be 'optional'", S);
  }
  if (S.Type.Kind == TypeKind::TensorLvalue && !annotation::findFlag(Value, annotation::Flag::Inplace)) {
    tellReference(Value, S);
  }
}

void ValueComparison::compareList(const Spec& Value, const Subject& S) {
  const bool IsArray = S.Type.Kind == TypeKind::Array;
  if (Value.What == Spec::Kind::Scalar && !annotation::isScalar(S.Type.Members.front().Type.Kind)) {
    return tell(Value.Range, "holds tensors: it takes a dtype and a shape, such as 'f32[64, 128]'", S);
  }
  if (!Value.Repeat) {
    const clang::CharSourceRange Range = Scanned.Text->range(Value.Range);
    const llvm::StringRef Kind = annotation::isFlat(S.Type) ? "a list of tensors" : IsArray ? "an array" : "a list";
    Error(Range.getEnd(), S.text() + " is " + Kind + ": say how many, such as '* " + llvm::Twine(IsArray ? S.Type.Length : 3) + "'")
        << Range;
    return noteDeclaration(S.Of);
  }
  if (IsArray) {
    compareLength(Value, S);
  }
  const annotation::FlagUse* Optional = annotation::findFlag(Value, annotation::Flag::Optional);
  if (Optional && annotation::isFlat(S.Type)) {
    return tell(Optional->Range, "is a list of tensors, none of which can be absent", S);
  }
  Spec Element = Value;
  Element.Repeat.reset();
  compare(Element, Subject{S.Path + "[0]", S.Type.Members.front().Type, S.Of, S.InMap});
}

void ValueComparison::compareLength(const Spec& Value, const Subject& S) {
  const annotation::Evaluated<int64_t> Count = annotation::evaluateCount(*Value.Repeat, Scanned.Callable.Constants);
  const int64_t* Number = std::get_if<int64_t>(&Count);
  if (Number && *Number != S.Type.Length) {
    tell(Value.Repeat->Range, "has " + llvm::Twine(S.Type.Length) + " elements, not " + llvm::Twine(*Number), S);
  }
}

bool ValueComparison::hasMembers(const Spec& Value, const Subject& S, bool Named, llvm::StringRef Kind) {
  if (Value.What != Spec::Kind::Aggregate) {
    tell(Value.Range, "is " + Kind + ": say what its members are, in braces", S);
    return false;
  }
  if (Value.Repeat) {
    tellCount(Value, S);
    return false;
  }
  if (Value.Fields.front().Name.empty() == Named) {
    tell(Value.Range, "is " + Kind + ": its members " + (Named ? "need names" : "have no names"), S);
    return false;
  }
  return true;
}

void ValueComparison::compareStruct(const Spec& Value, const Subject& S) {
  if (!hasMembers(Value, S, /*Named=*/true, "a struct")) {
    return;
  }
  llvm::StringSet<> Offered;  // for a misspelt name
  for (const Field& Each : Value.Fields) {
    const auto Found = llvm::find_if(S.Type.Members, [&](const Member& M) { return M.Name == Each.Name; });
    if (Found == S.Type.Members.end()) {
      Offered.insert(tellUnknown(Value, Each, S));
    } else {
      compare(Each.Value, Subject{S.Path + '.' + Each.Name, Found->Type, S.Of, S.InMap});
    }
  }
  for (const Member& Each : S.Type.Members) {
    if (!findField(Value, Each.Name) && !Offered.contains(Each.Name)) {
      tellMissing(Value, Each, S);
    }
  }
}

void ValueComparison::compareTuple(const Spec& Value, const Subject& S) {
  if (!hasMembers(Value, S, /*Named=*/false, "a tuple")) {
    return;
  }
  if (Value.Fields.size() != S.Type.Members.size()) {
    return tell(Value.Range, "has " + llvm::Twine(S.Type.Members.size()) + " members, not " + llvm::Twine(Value.Fields.size()), S);
  }
  for (const auto& [Index, Each, Declared] : llvm::enumerate(Value.Fields, S.Type.Members)) {
    compare(Each.Value, Subject{S.Path + '[' + std::to_string(Index) + ']', Declared.Type, S.Of, S.InMap});
  }
}

void ValueComparison::compareMap(const Spec& Value, const Subject& S) {
  if (!hasMembers(Value, S, /*Named=*/true, "a map")) {
    return;
  }
  for (const Field& Each : Value.Fields) {
    compare(Each.Value, Subject{S.Path + '.' + Each.Name, S.Type.Members.front().Type, S.Of, true});
  }
}

void ValueComparison::tellCount(const Spec& Value, const Subject& S) {
  const unsigned End = Value.Repeat->Range.End;
  const llvm::StringRef Before = Scanned.Text->text().take_front(Value.Repeat->Range.Begin);
  const auto Star = static_cast<unsigned>(Before.rfind('*'));
  const auto Begin = static_cast<unsigned>(Before.take_front(Star).rtrim().size());
  const clang::CharSourceRange Range = Scanned.Text->range({Star, End});
  const llvm::StringRef Kind = Value.What == Spec::Kind::Tensor ? "one tensor" : Value.What == Spec::Kind::Scalar ? "one value" : "no list";
  Error(Range.getBegin(), S.text() + " is " + Kind + ": it takes no count")
      << Range << clang::FixItHint::CreateRemoval(Scanned.Text->range({Begin, End}));
  noteDeclaration(S.Of);
}

void ValueComparison::tellReference(const Spec& Value, const Subject& S) {
  const clang::CharSourceRange End = Scanned.Text->range({Value.Range.End, Value.Range.End});
  Error(End.getBegin(), S.text() + " is a reference that the callable may write: mark it 'inplace', or declare it const")
      << scan::fixIt(End, " inplace");
  noteDeclaration(S.Of);
}

llvm::StringRef ValueComparison::tellUnknown(const Spec& Value, const Field& Unknown, const Subject& S) {
  std::vector<llvm::StringRef> Free;
  for (const Member& Each : S.Type.Members) {
    if (!findField(Value, Each.Name)) {
      Free.push_back(Each.Name);
    }
  }
  const llvm::StringRef Near = nearestName(Unknown.Name, Free);
  const std::string Question = Near.empty() ? "" : ("; did you mean '" + Near + "'?").str();
  const clang::CharSourceRange Range = Scanned.Text->range(Unknown.NameRange);
  clang::DiagnosticBuilder Builder = Error(Range.getBegin(), "'" + Unknown.Name + "' is no member of '" + S.Path + "'" + Question);
  Builder << Range;
  if (!Near.empty()) {
    Builder << scan::fixIt(Range, Near);
  }
  return Near;
}

void ValueComparison::tellMissing(const Spec& Value, const Member& Missing, const Subject& S) {
  const bool IsScalar = annotation::isScalar(Missing.Type.Kind);
  const clang::CharSourceRange Range = Scanned.Text->range(Value.Range);
  Error(Range.getBegin(), "member '" + S.Path + "." + Missing.Name + "' of type '" + Missing.Type.Spelling + "' is not in the annotation" +
                              (IsScalar ? ": a capture would freeze its value" : ""))
      << Range;
  const unsigned Last = Value.Fields.back().Value.Range.End;
  const clang::CharSourceRange End = Scanned.Text->range({Last, Last});
  if (!IsScalar) {
    Report.note(End.getBegin(), "say what it holds here, such as '" + Missing.Name + ": " + exampleOf(Missing.Type) + "'");
    return;
  }
  const std::string Addition = ", " + Missing.Name + ": ";
  if (Missing.Type.Kind == TypeKind::LiveScalar) {
    Report.note(End.getBegin(), "'" + Missing.Name + ": live' lets the graph read each call's value")
        << scan::fixIt(End, Addition + "live");
    return;
  }
  Report.note(End.getBegin(), "'" + Missing.Name + ": key' captures one graph for each value") << scan::fixIt(End, Addition + "key");
  Report.note(End.getBegin(), "'" + Missing.Name + ": const' keeps the first call's value; another is an error")
      << scan::fixIt(End, Addition + "const");
}

}  // namespace graphgen::check
