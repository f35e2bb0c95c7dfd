// SPDX-License-Identifier: Apache-2.0
//
// By pointers to members, which may be private; by functions where there is none.
#include "scan/MemberSteps.h"

#include "scan/Types.h"

#include "clang/AST/DeclCXX.h"

namespace graphgen::scan {

using annotation::MemberStep;

bool isPublic(const clang::NamedDecl& D) {
  for (const clang::NamedDecl* Each = &D; Each; Each = llvm::dyn_cast<clang::CXXRecordDecl>(Each->getDeclContext())) {
    if (Each->getAccess() == clang::AS_private || Each->getAccess() == clang::AS_protected) {
      return false;
    }
  }
  return true;
}

MemberStep stepTo(const clang::VarDecl& Variable) {
  MemberStep Step;
  Step.How = Variable.getTLSKind() != clang::VarDecl::TLS_None || Variable.getType()->isReferenceType() ? MemberStep::Way::Getter
                                                                                                        : MemberStep::Way::Variable;
  Step.Member = instanceName(Variable);
  return Step;
}

const clang::CXXRecordDecl& classOf(const clang::FieldDecl& Field) {
  const auto* Class = llvm::cast<clang::CXXRecordDecl>(Field.getParent());
  while (Class->isAnonymousStructOrUnion()) {
    Class = llvm::cast<clang::CXXRecordDecl>(Class->getDeclContext());
  }
  return *Class;
}

llvm::StringRef whyUnreachable(const clang::FieldDecl& Field) {
  const clang::CXXRecordDecl& Class = classOf(Field);
  if (!Class.getDeclName() && !Class.getTypedefNameForAnonDecl()) {
    return "its class has no name";
  }
  if (Field.isBitField() && !isPublic(Field)) {
    return "it is a bit-field that is not public";
  }
  if (Field.getType()->isReferenceType() && !isPublic(Field) && Class.getNumVBases() != 0) {
    return "it is a reference that is not public, in a class with virtual bases";
  }
  return "";
}

MemberStep stepTo(const clang::FieldDecl& Field) {
  MemberStep Step;
  Step.Class = instanceName(classOf(Field));
  Step.Member = Field.getNameAsString();
  if (Field.isBitField()) {
    Step.How = MemberStep::Way::Value;
  } else if (Field.getType()->isReferenceType()) {
    Step.How = isPublic(Field) ? MemberStep::Way::Reference : MemberStep::Way::Offset;
  }
  return Step;
}

MemberStep stepTo(int64_t Element) {
  MemberStep Step;
  Step.How = MemberStep::Way::Element;
  Step.Member = std::to_string(Element);
  return Step;
}

}  // namespace graphgen::scan
