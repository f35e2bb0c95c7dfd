// SPDX-License-Identifier: Apache-2.0
//
// Recognises holders and containers by their qualified names.
#include "scan/MemberTypes.h"

#include "scan/Fields.h"
#include "scan/Libraries.h"
#include "scan/ObjectTypes.h"
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

bool isNumber(clang::QualType T) {
  return T->isEnumeralType() || isFloat(T) || isInteger(T) || T->isSpecificBuiltinType(clang::BuiltinType::LongDouble);
}

HeldType leaf(Kind Kind) {
  HeldType Result;
  Result.What = Form::Leaf;
  Result.Kind = Kind;
  return Result;
}

HeldType opaque(llvm::StringRef Why) {
  HeldType Result;
  Result.What = Form::Opaque;
  Result.Why = Why;
  return Result;
}

bool isNumberLeaf(const HeldType& Type) { return Type.What == Form::Leaf && Type.Kind == Kind::Number; }

/// One of `Count` elements.
HeldType element(clang::QualType Element, uint64_t Count) {
  HeldType Held = heldType(Element);
  Held.IsCounted |= isNumberLeaf(Held) && Count > MostNumbers;
  return Held;
}

HeldType counted(clang::QualType Element) {
  HeldType Held = heldType(Element);
  Held.IsCounted = Held.IsHeld = true;
  return Held;
}

/// By a pointer that may lead to the first one of several numbers.
HeldType referredByPointer(clang::QualType Pointee) {
  if (Pointee->isFunctionType()) {
    return leaf(Kind::Number);
  }
  if (Pointee.isConstQualified() && Pointee->isCharType()) {
    return leaf(Kind::Number);  // a text
  }
  HeldType Held = heldType(Pointee);
  Held.IsReferred = Held.IsHeld = true;
  const bool IsOfNumbers = isNumber(Pointee.getCanonicalType()) || Pointee->isArrayType();
  return IsOfNumbers ? opaque("it is a pointer to numbers, which does not say how many there are") : Held;
}

HeldType referred(clang::QualType Pointee) {
  if (Pointee->isArrayType()) {
    return opaque("it is a pointer to an array, which does not say how long that is");
  }
  HeldType Held = heldType(Pointee);
  Held.IsReferred = true;
  return Held;
}

HeldType parts(llvm::ArrayRef<clang::TemplateArgument> Elements, bool AreAlternatives) {
  HeldType Result;
  std::vector<HeldType> All;
  for (const clang::TemplateArgument& Each : Elements) {
    const clang::CXXRecordDecl* Class = Each.getAsType()->getAsCXXRecordDecl();
    const bool IsMark = AreAlternatives && Class && Class->hasDefinition() && Class->isEmpty();
    Result.Parts.push_back(Each.getAsType());
    All.push_back(IsMark ? leaf(Kind::Number) : heldType(Each.getAsType()));
    Result.IsCounted |= All.back().IsCounted;
    Result.Kind = std::min(Result.Kind, All.back().What == Form::Leaf ? All.back().Kind : Kind::Number);
  }
  Result.IsVariant = AreAlternatives;
  const auto AreAll = [&](Form What) { return llvm::all_of(All, [What](const HeldType& Each) { return Each.What == What; }); };
  const bool HasClasses = llvm::any_of(All, [](const HeldType& Each) { return Each.Class != nullptr; });  // a module has members
  const bool IsNothing = AreAll(Form::Nothing) && !AreAlternatives;
  Result.What = AreAll(Form::Leaf) && !HasClasses ? Form::Leaf : IsNothing ? Form::Nothing : Form::Parts;
  return Result;
}

bool holdsPointer(clang::QualType Type) {
  const clang::QualType T = Type.getCanonicalType();
  if (T->isAnyPointerType() || T->isReferenceType()) {
    return true;
  }
  const clang::CXXRecordDecl* Class = T->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  return Class && Class->hasDefinition() &&
         (llvm::any_of(Class->getDefinition()->fields(), [](const clang::FieldDecl* Each) { return holdsPointer(Each->getType()); }) ||
          llvm::any_of(Class->getDefinition()->bases(), [](const clang::CXXBaseSpecifier& Each) { return holdsPointer(Each.getType()); }));
}

/// Its bytes are its value: a complex number, a device, a std::bitset, a duration, options of a module.
bool isPlain(const clang::CXXRecordDecl& Class) {
  const clang::CXXRecordDecl* Definition = Class.getDefinition();
  return Definition && Definition->isTriviallyCopyable() && !Definition->isEmpty() &&
         !holdsPointer(Class.getASTContext().getCanonicalTagType(&Class));
}

bool isListName(llvm::StringRef Name) {
  return llvm::is_contained(
      {"std::vector", "std::deque", "std::list", "std::forward_list", "std::set", "std::multiset", "std::unordered_set",
       "std::unordered_multiset", "std::valarray", "std::span", "c10::ArrayRef", "c10::SmallVector"},
      Name);
}

bool isMapName(llvm::StringRef Name) {
  return llvm::is_contained({"std::map", "std::multimap", "std::unordered_map", "std::unordered_multimap", "torch::OrderedDict"}, Name);
}

/// What may hold a number that no call can compare; empty of any other class.
llvm::StringRef whyOpaque(llvm::StringRef Name) {
  if ((Name.starts_with("torch::nn::") || Name.starts_with("torch::optim::")) && Name.ends_with("Options")) {
    return "its options are not compared";
  }
  if (Name.ends_with("iterator")) {
    return "it is an iterator, and what it points to is not compared";
  }
  return llvm::StringSwitch<llvm::StringRef>(Name)
      .Cases({"at::indexing::Slice", "at::indexing::TensorIndex", "c10::SymInt"}, "its numbers are not compared; hold integers")
      .Cases({"std::future", "std::shared_future", "std::promise"}, "no call can compare what it will hold")
      .Cases({"std::any", "std::move_only_function", "std::basic_stringstream", "std::basic_istringstream"},
             "no call can compare what it holds")
      .Cases({"std::stack", "std::queue", "std::priority_queue"}, "it does not show its elements")
      .Case("std::filesystem::path", "its text is not compared; hold a std::string")
      .Cases({"c10::List", "c10::Dict", "c10::IValue"}, "it is one of TorchScript's values, whose elements are not compared")
      .Default("");
}

/// Of which a copy leads to the same thing, or that draws random numbers, which is reported where it does: the object is no value.
bool isHandle(llvm::StringRef Name) {
  using Names = std::initializer_list<llvm::StringRef>;
  return llvm::any_of(Names{"at::Generator", "at::cuda::", "c10::OperatorHandle", "c10::Storage", "c10::Type::", "c10::TypedOperatorHandle",
                            "c10::cuda::", "c10::impl::", "c10d::", "graphed::", "std::__exception_ptr::", "std::pmr::", "std::stop_",
                            "torch::autograd::", "torch::data::", "torch::optim::", "torch::profiler::", "torch::serialize::"},
                      [Name](llvm::StringRef Each) { return Name.starts_with(Each); });
}

/// Whether its objects are values, as a std::locale is. Locks, threads and streams cannot be copied, data sets have virtual functions, and
/// C has no classes but handles.
bool isValue(const clang::CXXRecordDecl& Class, llvm::StringRef Name) {
  const clang::CXXRecordDecl* Definition = Class.getDefinition();
  return Definition && !Definition->isEmpty() && !Definition->isPolymorphic() && isCopyable(*Definition) && outermostNamespace(Class) &&
         !isRandomSource(Class) && !isHandle(Name);
}

/// Which function it holds, with what that captures by value, is in its bytes. What a capture refers to is not.
HeldType function(clang::QualType Signature) {
  const auto* Type = Signature->getAs<clang::FunctionType>();
  const HeldType Result = Type ? heldType(Type->getReturnType()) : HeldType();
  const bool IsObject = Result.IsReferred || Result.What == Form::Class || Result.What == Form::Opaque || Result.What == Form::Unknown;
  const bool IsTensor = Result.What == Form::Leaf && Result.Kind != Kind::Number;
  return IsObject && !IsTensor  ? opaque("what it returns is not compared")
         : isNumberLeaf(Result) ? opaque(isNumber(Type->getReturnType().getCanonicalType()) ? "the number that it returns is not compared"
                                                                                            : "what it returns is not compared")
                                : leaf(Kind::Number);
}

/// Of an instance of a library's template; none of one without a known form.
std::optional<HeldType> instance(const clang::ClassTemplateSpecializationDecl& Class, llvm::StringRef Name) {
  const std::vector<clang::TemplateArgument> Arguments = templateArguments(&Class);
  const auto Type = [&](unsigned Index) { return Arguments[Index].getAsType(); };
  if (Name == "std::pair" || Name == "std::tuple" || Name == "std::variant") {
    return parts(Arguments, /*AreAlternatives=*/Name == "std::variant");
  }
  if (Name == "std::function") {
    return function(Type(0));
  }
  if (Name == "std::array") {
    return element(Type(0), Arguments[1].getAsIntegral().getZExtValue());
  }
  if (Name == "std::atomic") {
    const HeldType Held = heldType(Type(0));
    return isNumberLeaf(Held) ? Held : opaque("what it holds is not compared");
  }
  if (Name == "std::optional") {
    HeldType Held = heldType(Type(0));
    Held.IsHeld = true;
    return Held;
  }
  if (llvm::is_contained({"std::reference_wrapper", "std::unique_ptr", "std::shared_ptr", "std::weak_ptr", "c10::intrusive_ptr"}, Name)) {
    HeldType Held = referred(Type(0));
    Held.IsHeld |= Name != "std::reference_wrapper";
    return Held;
  }
  if (isListName(Name) || isMapName(Name)) {
    HeldType Held = counted(Type(isMapName(Name) ? 1 : 0));
    Held.IsReferred |= Name == "std::span" || Name == "c10::ArrayRef";
    return Held;
  }
  return std::nullopt;
}

HeldType classOfLibrary(const clang::CXXRecordDecl& Class, llvm::StringRef Name) {
  const bool IsBytes = isPlain(Class) && !isRandomSource(Class);
  if (const llvm::StringRef Why = whyOpaque(Name); !Why.empty() && !IsBytes) {
    return opaque(Why);
  }
  if (const auto* Instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&Class)) {
    if (const std::optional<HeldType> Held = instance(*Instance, Name)) {
      return *Held;
    }
  }
  return Name == "c10::Scalar" || IsBytes ? leaf(Kind::Number)
         : isValue(Class, Name)           ? opaque("no call can compare objects of its class")
                                          : HeldType();
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
  if (isOfLibraryOrSystem(Class)) {
    return classOfLibrary(Class, Name);
  }
  if (Class.isLambda() || Class.isUnion()) {
    return isPlain(Class) ? leaf(Kind::Number) : opaque(Class.isLambda() ? "it is a lambda that refers to others" : "it is a union");
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
  if (T.isVolatileQualified()) {
    return opaque("it is volatile");
  }
  if (T->isReferenceType()) {
    return referred(T.getNonReferenceType());
  }
  if (T->isPointerType()) {
    return referredByPointer(T->getPointeeType());
  }
  if (const auto* Array = llvm::dyn_cast<clang::ConstantArrayType>(T.getTypePtr())) {
    return element(Array->getElementType(), Array->getSize().getZExtValue());
  }
  if (T->isIncompleteArrayType()) {
    return opaque("its length is not known here");
  }
  if (isNumber(T) || T->isMemberPointerType()) {
    return leaf(Kind::Number);
  }
  const clang::CXXRecordDecl* Class = T->getAsCXXRecordDecl();
  return Class ? classType(*Class) : HeldType();
}

static void addClassesOf(const HeldType& Held, llvm::SmallPtrSetImpl<const clang::CXXRecordDecl*>& Classes) {
  if (Held.What == Form::Class || (Held.What == Form::Leaf && Held.Class)) {
    addClasses(*Held.Class, Classes);
  }
  for (const clang::QualType Each : Held.Parts) {
    addClassesOf(heldType(Each), Classes);
  }
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
    addClassesOf(heldType(Field->getType()), Classes);
  }
}

}  // namespace graphgen::scan
