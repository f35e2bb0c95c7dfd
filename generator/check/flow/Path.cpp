// SPDX-License-Identifier: Apache-2.0
#include "check/flow/Path.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check::flow {

const clang::ValueDecl* PathNode::declared() const {
  const PathNode* Top = root();
  return Top->From == Root::Fresh ? nullptr : static_cast<const clang::ValueDecl*>(Top->Where);
}

/// Of a closure's field the variable that it captures.
static const clang::ValueDecl* namedBy(const clang::FieldDecl& Member) {
  const auto* Class = llvm::dyn_cast<clang::CXXRecordDecl>(Member.getParent());
  if (Class && Class->isLambda()) {
    for (const auto& [Capture, Field] : llvm::zip(Class->captures(), Class->fields())) {
      if (Field == &Member && Capture.capturesVariable()) {
        return Capture.getCapturedVar();
      }
    }
  }
  return &Member;
}

const clang::ValueDecl* PathNode::named() const {
  const PathNode* Each = this;
  while (Each->Parent && Each->Last.What != Step::Kind::Field) {
    Each = Each->Parent;
  }
  return Each->Parent ? namedBy(*Each->Last.Member) : declared();
}

bool PathNode::isWithin(const PathNode& Other) const {
  for (const PathNode* Each = this; Each; Each = Each->Parent) {
    if (Each == &Other) {
      return true;
    }
  }
  return false;
}

bool PathNode::isOfReference() const {
  const bool IsOfMember = Last.What == Step::Kind::Pointee && Parent->Parent && Parent->Last.What == Step::Kind::Field;
  const bool IsOfVariable = Last.What == Step::Kind::Pointee && !Parent->Parent && Parent->declared();
  return (IsOfMember && Parent->Last.Member->getType()->isReferenceType()) ||
         (IsOfVariable && Parent->declared()->getType()->isReferenceType() && From != Root::Argument && From != Root::Given);
}

bool PathNode::isOneOfSeveral() const {
  for (const PathNode* Each = this; Each; Each = Each->Parent) {
    if (Each->Last.What == Step::Kind::AnyElement) {
      return true;
    }
  }
  return false;
}

void PathNode::print(llvm::raw_ostream& Out) const {
  if (!Parent) {
    const clang::ValueDecl* Variable = declared();
    Out << (From == Root::Object ? "this" : Variable ? Variable->getName() : "made here");
    return;
  }
  Parent->print(Out);
  switch (Last.What) {
    case Step::Kind::Field:
      Out << '.' << Last.Member->getName();
      return;
    case Step::Kind::Element:
      Last.Index < 0 ? Out << "[\"" << Last.Key << "\"]" : Out << '[' << Last.Index << ']';
      return;
    case Step::Kind::AnyElement:
      Out << "[...]";
      return;
    case Step::Kind::Pointee:
      Out << "->";
      return;
    case Step::Kind::None:
      return;
  }
}

void PathNode::profile(llvm::FoldingSetNodeID& Id, const PathNode* Parent, Root From, const void* Where, const Step& Last) {
  Id.AddPointer(Parent);
  Id.AddInteger(static_cast<unsigned>(From));
  Id.AddPointer(Where);
  Id.AddInteger(static_cast<unsigned>(Last.What));
  Id.AddPointer(Last.Member);
  Id.AddInteger(Last.Index);
  Id.AddString(Last.Key);
}

Path Paths::of(Path Parent, Root From, const void* Where, const Step& Last) {
  llvm::FoldingSetNodeID Id;
  PathNode::profile(Id, Parent, From, Where, Last);
  void* Place = nullptr;
  if (PathNode* Found = Known.FindNodeOrInsertPos(Id, Place)) {
    return Found;
  }
  auto* Made = new (Nodes.Allocate()) PathNode(Parent, From, Where, Last, Next++);
  Known.InsertNode(Made, Place);
  return Made;
}

Path Paths::variable(const clang::VarDecl& Declared) {
  const clang::VarDecl* One = Declared.getCanonicalDecl();
  return of(nullptr, One->hasLocalStorage() ? Root::Local : Root::Global, One, {});
}

Path Paths::field(Path Of, const clang::FieldDecl& Member) {
  return of(Of, Of->from(), nullptr, {Step::Kind::Field, Member.getCanonicalDecl(), 0, {}});
}

Path Paths::moved(Path Of, Path Old, Path New) {
  return Of == Old ? New : of(moved(Of->parent(), Old, New), New->from(), nullptr, Of->last());
}

}  // namespace graphgen::check::flow
