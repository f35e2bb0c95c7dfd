// SPDX-License-Identifier: Apache-2.0
//
// Generated code copies a struct, and names each of its members.
#include "scan/Fields.h"

#include "scan/ObjectTypes.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace graphgen::scan {
namespace {

/// Private and unnamed ones among them.
void collect(const clang::CXXRecordDecl& Class, std::vector<const clang::FieldDecl*>& Fields) {
  for (const clang::CXXBaseSpecifier& Base : Class.bases()) {
    if (const clang::CXXRecordDecl* Definition = Base.getType()->getAsCXXRecordDecl()) {
      collect(*Definition->getDefinition(), Fields);
    }
  }
  for (const clang::FieldDecl* Field : Class.fields()) {
    Fields.push_back(Field);
  }
}

bool hasHiddenBase(const clang::CXXRecordDecl& Class) {
  for (const clang::CXXBaseSpecifier& Base : Class.bases()) {
    const clang::CXXRecordDecl* Definition = Base.getType()->getAsCXXRecordDecl();
    if (Base.getAccessSpecifier() != clang::AS_public || Base.isVirtual() || !Definition || hasHiddenBase(*Definition)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool isCopyable(const clang::CXXRecordDecl& Class) {
  const auto IsOpen = [](const clang::CXXConstructorDecl* Each) {
    return Each->isCopyConstructor() && !Each->isDeleted() && Each->getAccess() == clang::AS_public;
  };
  return Class.needsImplicitCopyConstructor() ? !Class.defaultedCopyConstructorIsDeleted() : llvm::any_of(Class.ctors(), IsOpen);
}

std::string whyNoStruct(const clang::CXXRecordDecl& Class) {
  if (isRandomSource(Class)) {
    return "each call copies, so that each draws the same numbers: take it by reference, as 'object'";
  }
  if (Class.isInStdNamespace() || Class.isLambda()) {
    return "is not supported yet";
  }
  const clang::CXXRecordDecl* Definition = Class.getDefinition();
  if (!Definition) {
    return "is not defined here";
  }
  if (Definition->isUnion()) {
    return "is a union";
  }
  if (Definition->isPolymorphic()) {
    return "has virtual methods: its copy in a capture would lose what a derived class adds";
  }
  if (hasHiddenBase(*Definition)) {
    return "has a virtual base, or one that is not public";
  }
  std::vector<const clang::FieldDecl*> Fields;
  collect(*Definition, Fields);
  llvm::StringSet<> Names;
  for (const clang::FieldDecl* Field : Fields) {
    if (Field->getAccess() != clang::AS_public) {
      return "has members that are not public: a capture would freeze them";
    }
    if (!Field->getDeclName() || Field->isBitField()) {
      return "has a member without a name, or a bit-field";
    }
    if (!Names.insert(Field->getName()).second) {
      return "has two members called '" + Field->getNameAsString() + "'";
    }
  }
  if (Fields.empty()) {
    return "has no data members";
  }
  return isCopyable(*Definition) ? "" : "cannot be copied";
}

std::vector<const clang::FieldDecl*> fieldsOf(const clang::CXXRecordDecl& Class) {
  std::vector<const clang::FieldDecl*> Fields;
  collect(*Class.getDefinition(), Fields);
  return Fields;
}

}  // namespace graphgen::scan
