// SPDX-License-Identifier: Apache-2.0
//
// Recognises holders and containers by their qualified names.
#include "scan/MemberTypes.h"

#include "scan/Libraries.h"
#include "scan/Types.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/CXXInheritance.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace graphgen::scan {
namespace {

using Form = HeldType::Form;
using Kind = annotation::WatchedMember::Kind;

/// Numbers of a longer array would make each call's key long.
constexpr uint64_t MostNumbers = 64;

bool isNumber(clang::QualType T) { return T->isEnumeralType() || isFloat(T) || isInteger(T); }

HeldType leaf(Kind Kind) {
  HeldType Result;
  Result.What = Form::Leaf;
  Result.Kind = Kind;
  return Result;
}

bool isNumberLeaf(const HeldType& Type) { return Type.What == Form::Leaf && Type.Kind == Kind::Number; }

/// One of `Count` elements.
HeldType element(clang::QualType Element, uint64_t Count) {
  const HeldType Held = heldType(Element);
  return isNumberLeaf(Held) && Count > MostNumbers ? HeldType() : Held;
}

HeldType counted(clang::QualType Element) {
  HeldType Held = heldType(Element);
  Held.IsCounted = true;
  return isNumberLeaf(Held) ? HeldType() : Held;
}

HeldType referred(clang::QualType Pointee, bool MayBeNumber) {
  if (Pointee->isArrayType()) {
    return {};
  }
  HeldType Held = heldType(Pointee);
  Held.IsReferred = true;
  return isNumberLeaf(Held) && !MayBeNumber ? HeldType() : Held;
}

HeldType tuple(llvm::ArrayRef<clang::TemplateArgument> Elements) {
  HeldType Result;
  std::vector<HeldType> All;
  for (const clang::TemplateArgument& Each : Elements) {
    All.push_back(heldType(Each.getAsType()));
    Result.IsCounted |= All.back().IsCounted;
    Result.Kind = std::min(Result.Kind, All.back().What == Form::Leaf ? All.back().Kind : Kind::Number);
  }
  const auto Is = [&](Form What) { return [What](const HeldType& Each) { return Each.What == What; }; };
  Result.What = llvm::all_of(All, Is(Form::Leaf)) ? Form::Leaf : llvm::all_of(All, Is(Form::Nothing)) ? Form::Nothing : Form::Mixed;
  return Result;
}

/// Of an instance of a library's template.
HeldType instance(const clang::ClassTemplateSpecializationDecl& Class, llvm::StringRef Name) {
  const std::vector<clang::TemplateArgument> Arguments = templateArguments(&Class);
  const auto Type = [&](unsigned Index) { return Arguments[Index].getAsType(); };
  if (Name == "std::pair" || Name == "std::tuple") {
    return tuple(Arguments);
  }
  if (Name == "std::array") {
    return element(Type(0), Arguments[1].getAsIntegral().getZExtValue());
  }
  if (Name == "std::atomic") {
    return isNumber(Type(0).getCanonicalType()) ? leaf(Kind::Number) : HeldType();
  }
  if (Name == "std::optional") {
    return heldType(Type(0));
  }
  if (Name == "std::reference_wrapper") {
    return referred(Type(0), /*MayBeNumber=*/true);
  }
  if (llvm::is_contained({"std::unique_ptr", "std::shared_ptr", "std::weak_ptr"}, Name)) {
    return referred(Type(0), /*MayBeNumber=*/Name != "std::weak_ptr");
  }
  if (llvm::is_contained({"std::vector", "std::deque", "std::list", "std::set"}, Name)) {
    return counted(Type(0));
  }
  if (llvm::is_contained({"std::map", "std::unordered_map", "torch::OrderedDict"}, Name)) {
    return counted(Type(1));
  }
  return {};
}

HeldType classType(const clang::CXXRecordDecl& Class) {
  const std::string Name = qualifiedName(Class);
  if (Name == "at::Tensor") {
    return leaf(Kind::Tensor);
  }
  if (Name == "std::basic_string" || Name == "std::basic_string_view") {
    return leaf(Kind::Number);
  }
  if (isModel(Class)) {
    return leaf(Kind::Model);
  }
  if (isModule(Class) || isModuleHolder(Class)) {
    HeldType Result = leaf(Kind::Module);
    Result.Class = isModule(Class) ? Class.getDefinition() : moduleHeldBy(Class);
    return Result;
  }
  const auto* Instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&Class);
  if (Instance && isOfLibraryOrSystem(Class)) {
    return instance(*Instance, Name);
  }
  if (isOfLibraryOrSystem(Class) || Class.isLambda() || Class.isUnion()) {
    return {};
  }
  HeldType Result;
  Result.What = Class.hasDefinition() ? Form::Class : Form::Unknown;
  Result.Class = Class.hasDefinition() ? Class.getDefinition() : &Class;
  return Result;
}

}  // namespace

bool isOfLibraryOrSystem(const clang::Decl& D) {
  const clang::NamespaceDecl* Namespace = outermostNamespace(D);
  if (Namespace) {
    return isLibrarys(*Namespace) || Namespace->getName() == "graphed";
  }
  return D.getASTContext().getSourceManager().isInSystemHeader(D.getLocation());
}

bool isModule(const clang::CXXRecordDecl& Class) {
  const auto IsOther = [](const clang::CXXRecordDecl* Each) { return qualifiedName(*Each) != "torch::nn::Module"; };
  return !IsOther(&Class) || (Class.hasDefinition() && !Class.forallBases(IsOther));
}

bool isModel(const clang::CXXRecordDecl& Class) {
  const std::string Name = qualifiedName(Class);
  return Name == "torch::jit::Module" || Name == "torch::inductor::AOTIModelPackageLoader" ||
         llvm::StringRef(Name).starts_with("torch::inductor::AOTIModelContainerRunner");
}

bool isModuleHolder(const clang::CXXRecordDecl& Class) {
  const std::string Name = qualifiedName(Class);
  return Name == "torch::nn::ModuleHolder" || Name == "torch::nn::AnyModule" ||
         (Class.hasDefinition() && llvm::any_of(Class.bases(), [](const clang::CXXBaseSpecifier& Each) {
            const clang::CXXRecordDecl* Base = Each.getType()->getAsCXXRecordDecl();
            return Base && isModuleHolder(*Base);
          }));
}

const clang::CXXRecordDecl* moduleHeldBy(const clang::CXXRecordDecl& Holder) {
  if (qualifiedName(Holder) == "torch::nn::ModuleHolder") {
    const clang::CXXRecordDecl* Held = templateArguments(&Holder).front().getAsType()->getAsCXXRecordDecl();
    return Held ? Held->getDefinition() : nullptr;
  }
  if (!Holder.hasDefinition()) {
    return nullptr;
  }
  for (const clang::CXXBaseSpecifier& Each : Holder.bases()) {
    const clang::CXXRecordDecl* Base = Each.getType()->getAsCXXRecordDecl();
    if (const clang::CXXRecordDecl* Held = Base ? moduleHeldBy(*Base) : nullptr) {
      return Held;
    }
  }
  return nullptr;
}

HeldType heldType(clang::QualType Type) {
  const clang::QualType T = Type.getCanonicalType();
  if (T->isReferenceType()) {
    return referred(T.getNonReferenceType(), /*MayBeNumber=*/true);
  }
  if (T->isPointerType()) {
    return referred(T->getPointeeType(), /*MayBeNumber=*/false);
  }
  if (const auto* Array = llvm::dyn_cast<clang::ConstantArrayType>(T.getTypePtr())) {
    return element(Array->getElementType(), Array->getSize().getZExtValue());
  }
  if (isNumber(T)) {
    return leaf(Kind::Number);
  }
  const clang::CXXRecordDecl* Class = T->getAsCXXRecordDecl();
  return Class ? classType(*Class) : HeldType();
}

void addClasses(const clang::CXXRecordDecl& Class, llvm::SmallPtrSetImpl<const clang::CXXRecordDecl*>& Classes) {
  const clang::CXXRecordDecl* Definition = Class.getDefinition();
  if (!Definition || isOfLibraryOrSystem(*Definition) || !Classes.insert(Definition).second) {
    return;
  }
  for (const clang::CXXBaseSpecifier& Base : Definition->bases()) {
    if (const clang::CXXRecordDecl* Inherited = Base.getType()->getAsCXXRecordDecl()) {
      addClasses(*Inherited, Classes);
    }
  }
  for (const clang::FieldDecl* Field : Definition->fields()) {
    const HeldType Held = heldType(Field->getType());
    if (Held.What == Form::Class || (Held.What == Form::Leaf && Held.Class)) {
      addClasses(*Held.Class, Classes);
    }
  }
}

}  // namespace graphgen::scan
