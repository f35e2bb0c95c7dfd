// SPDX-License-Identifier: Apache-2.0
//
// What ends: the object's own destructor, those of its parts and bases, and of what its owners hold. These may be empty.
#include "check/code/Library.h"
#include "check/flow/BodyRun.h"
#include "check/flow/Types.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"

namespace graphgen::check::flow {
namespace {

constexpr unsigned MostDestructorDepth = 8;

}  // namespace

void BodyRun::destroy(ValueRef Object, clang::QualType Type, const Destroyed& By, bool IsLikely, unsigned Depth) {
  while (const clang::ArrayType* Array = Type.isNull() ? nullptr : Type->getAsArrayTypeUnsafe()) {
    Type = Array->getElementType();
    Object = anyElementOf(Object);
  }
  const clang::CXXRecordDecl* Class = Type.isNull() ? nullptr : Type->getAsCXXRecordDecl();
  if (!Class || !Class->hasDefinition() || Class->hasTrivialDestructor() || Depth > MostDestructorDepth || !Object) {
    return;
  }
  if (isOfLibrary(*Class)) {
    return destroyHeld(Object, *Class, By, Depth);
  }
  if (const clang::CXXDestructorDecl* Own = Class->getDestructor(); Own && Own->isUserProvided()) {
    const size_t Before = Telling->size();
    followOne({By.At, Own, Object, {}, {}}, {{Own, Object, IsLikely}}, IsLikely);
    for (Fact& Each : llvm::MutableArrayRef(*Telling).drop_front(Before)) {
      Each.Where = By.Where;
    }
  }
  for (const clang::FieldDecl* Each : Class->fields()) {
    destroy(step(Object, [&](Path Of) { return All.Places.field(Of, *Each); }), Each->getType(), By, IsLikely, Depth + 1);
  }
  for (const clang::CXXBaseSpecifier& Each : Class->bases()) {
    destroy(Object, Each.getType(), By, IsLikely, Depth + 1);
  }
}

/// The last owner of a shared object may be elsewhere.
void BodyRun::destroyHeld(ValueRef Object, const clang::CXXRecordDecl& Owner, const Destroyed& By, unsigned Depth) {
  const auto* Instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&Owner);
  constexpr llvm::StringLiteral Owners[] = {"unique_ptr", "optional", "vector", "array", "deque", "list", "pair", "tuple", "map"};
  if (!Instance || !llvm::is_contained(Owners, Owner.getName())) {
    return;
  }
  const ValueRef Held = Owner.getName() == "unique_ptr" ? load(Object)
                        : Owner.getName() == "optional" ? pointeeOf(Object)
                                                        : anyElementOf(Object);
  for (const clang::TemplateArgument& Each : Instance->getTemplateArgs().asArray()) {
    const bool IsPack = Each.getKind() == clang::TemplateArgument::Pack;
    for (const clang::TemplateArgument& Part : IsPack ? Each.getPackAsArray() : llvm::ArrayRef(Each)) {
      if (Part.getKind() == clang::TemplateArgument::Type) {
        destroy(Held, Part.getAsType(), By, false, Depth + 1);
      }
    }
  }
}

void BodyRun::destroy(const clang::VarDecl& Variable) {
  const clang::Stmt& At = Variable.getInit() ? static_cast<const clang::Stmt&>(*Variable.getInit()) : *Definition.getBody();
  const ValueRef Object = All.Known.keep(Value::to(All.Places.variable(Variable)));
  if (isGradGuard(Variable.getType())) {
    Now.set(All.Places.gradMode(), load(Object));
  }
  if (!Variable.getType()->isReferenceType()) {
    destroy(Object, Variable.getType(), {At, Variable.getLocation()}, !Variable.isNRVOVariable(), 0);
  }
}

void BodyRun::destroy(const clang::CXXBindTemporaryExpr& Temporary) {
  destroy(value(&Temporary), Temporary.getType(), {Temporary, Temporary.getBeginLoc()}, true, 0);
}

void BodyRun::destroy(const clang::CXXDeleteExpr& E) {
  destroy(value(E.getArgument()), E.getDestroyedType(), {E, E.getBeginLoc()}, false, 0);
}

}  // namespace graphgen::check::flow
