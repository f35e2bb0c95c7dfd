// SPDX-License-Identifier: Apache-2.0
//
// Recognises classes by their qualified names; any other class is taken for a struct of its data members.
#include "scan/TypeReader.h"

#include "annotation/Bind.h"
#include "scan/Fields.h"
#include "scan/ObjectTypes.h"
#include "scan/Types.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Sema/Sema.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace graphgen::scan {
namespace {

using annotation::Spec;
using annotation::Type;
using annotation::TypeKind;

constexpr unsigned MostLevels = 64;  // which an annotation has as well
constexpr unsigned MostMembers = 4096;

std::string className(clang::QualType T) {
  const clang::CXXRecordDecl* Class = T->getAsCXXRecordDecl();
  return Class ? qualifiedName(*Class) : std::string();
}

bool isString(clang::QualType T) {
  const std::string Name = className(T);
  return (Name == "std::basic_string" || Name == "std::basic_string_view") &&
         templateArguments(T->getAsCXXRecordDecl()).front().getAsType()->isSpecificBuiltinType(clang::BuiltinType::Char_S);
}

TypeKind templateKind(llvm::StringRef Name) {
  return llvm::StringSwitch<TypeKind>(Name)
      .Case("std::optional", TypeKind::Optional)
      .Case("std::vector", TypeKind::Vector)
      .Case("c10::ArrayRef", TypeKind::ArrayRef)
      .Case("c10::List", TypeKind::List)
      .Case("std::array", TypeKind::Array)
      .Cases({"std::map", "std::unordered_map", "c10::Dict", "torch::OrderedDict"}, TypeKind::Map)
      .Cases({"std::tuple", "std::pair"}, TypeKind::Tuple)
      .Default(TypeKind::Unsupported);
}

TypeKind scalarKind(clang::QualType T) {
  if (isString(T)) {
    return TypeKind::String;
  }
  if (className(T) == "graphed::Scalar") {
    return TypeKind::LiveScalar;
  }
  if (T->isBooleanType()) {
    return TypeKind::Bool;
  }
  if (T->isEnumeralType()) {
    return TypeKind::Enum;
  }
  return isFloat(T) ? TypeKind::FloatingPoint : isInteger(T) ? TypeKind::Integer : TypeKind::Unsupported;
}

/// Of what can be a key and is more than a scalar: its elements are a part of its value.
TypeKind valueKind(clang::QualType T);

bool isValue(clang::QualType T) {
  const TypeKind Scalar = scalarKind(T);
  if (Scalar != TypeKind::Unsupported) {
    return Scalar != TypeKind::LiveScalar && !T.hasQualifiers();
  }
  return !T.hasQualifiers() && (valueKind(T) != TypeKind::Unsupported || (className(T) == "std::array" && isValue(elementType(T))));
}

TypeKind valueKind(clang::QualType T) {
  const std::string Class = className(T);
  if (Class == "c10::Device") {
    return TypeKind::Device;
  }
  if (Class == "c10::Scalar") {
    return TypeKind::AnyNumber;
  }
  const TypeKind Kind = templateKind(Class);
  if (Kind != TypeKind::Optional && !annotation::isList(Kind)) {
    return TypeKind::Unsupported;
  }
  return !isValue(elementType(T)) ? TypeKind::Unsupported : Kind == TypeKind::Optional ? TypeKind::OptionalValue : TypeKind::ValueList;
}

// What the annotation says of a part; null where it says nothing.

const Spec* saidOfMember(const Spec* Struct, llvm::StringRef Name) { return Struct ? annotation::specOf(Name, Struct->Fields) : nullptr; }

/// Of a tuple; with 0 also of a map, whose values have this in common.
const Spec* saidOfPosition(const Spec* Whole, size_t Index) {
  return Whole && Index < Whole->Fields.size() ? &Whole->Fields[Index].Value : nullptr;
}

/// Of a list. Elements that are annotated one by one have this in common.
const Spec* saidOfElement(const Spec* List) {
  const bool IsByPosition = List && List->What == Spec::Kind::Aggregate && !List->Repeat && List->Fields.front().Name.empty();
  return IsByPosition ? &List->Fields.front().Value : List;
}

bool isIgnored(const Spec* Said) { return Said && Said->What == Spec::Kind::Unseen && Said->Unseen == annotation::UnseenKind::Ignore; }

/// Of what a std::unique_ptr owns, which each call returns a copy of.
clang::QualType ownedBy(clang::QualType Pointer) {
  if (className(Pointer) != "std::unique_ptr") {
    return {};
  }
  const std::vector<clang::TemplateArgument> Arguments = templateArguments(Pointer->getAsCXXRecordDecl());
  const clang::QualType Owned = Arguments[0].getAsType().getCanonicalType();
  const bool IsUsual = className(Arguments[1].getAsType().getCanonicalType()) == "std::default_delete";
  return IsUsual && !Owned->isArrayType() && !Owned.hasQualifiers() ? Owned : clang::QualType();
}

const clang::FieldDecl* uniquePointerIn(const clang::CXXRecordDecl& Class) {
  const auto Found = llvm::find_if(Class.getDefinition()->fields(), [](const clang::FieldDecl* Each) {
    return className(Each->getType().getCanonicalType()) == "std::unique_ptr";
  });
  return Found == Class.getDefinition()->field_end() ? nullptr : *Found;
}

class Reader {
 public:
  Reader(clang::Sema& Sema, const clang::NamedDecl& From, bool ForResult, std::vector<TypeProblem>& Problems)
      : Sema(Sema), From(From), ForResult(ForResult), Problems(Problems) {}

  /// `T` is canonical, without qualifiers.
  Type read(clang::QualType T, const std::string& Spelling, const std::string& Path, const clang::NamedDecl* Place, const Spec* Said) {
    Type Result;
    Result.Spelling = Spelling;
    const std::string Class = className(T);
    if (Class == "at::Tensor") {
      Result.Kind = TypeKind::Tensor;
    } else if (const TypeKind Kind = scalarKind(T); Kind != TypeKind::Unsupported) {
      readScalar(Kind, Result, Path, Place);
    } else if (const TypeKind Kind = valueKind(T); Kind != TypeKind::Unsupported && !ForResult) {
      readScalar(Kind, Result, Path, Place);
    } else if (const TypeKind Kind = templateKind(Class); Kind != TypeKind::Unsupported) {
      readTemplate(Kind, T, Result, Path, Place, Said);
    } else if (Class == "c10::Scalar") {
      refuse(Result, Path, Place, "has type '" + Spelling + "', a number of any type: give it as bool, an integer, float or double");
    } else if (ForResult && Class == "std::unique_ptr") {
      readPointer(T, Result, Path, Place);
    } else if (T->getAsCXXRecordDecl()) {
      Sema.isCompleteType(From.getLocation(), T);  // instantiates a template
      readStruct(*T->getAsCXXRecordDecl(), Result, Path, Place, Said);
    } else {
      refuse(Result, Path, Place, notSupported(Spelling));
    }
    return Result;
  }

  void refuse(Type& Result, const std::string& Path, const clang::NamedDecl* Place, const std::string& Why) {
    Result.Kind = TypeKind::Unsupported;
    Problems.push_back({Path, Why, Place});
  }

  static std::string notSupported(const std::string& Spelling) { return "has type '" + Spelling + "', which is not supported yet"; }

 private:
  void readScalar(TypeKind Kind, Type& Result, const std::string& Path, const clang::NamedDecl* Place) {
    Result.Kind = Kind;
    if (ForResult) {
      if (!annotation::isNumber(Kind)) {
        refuse(Result, Path, Place,
               "has type '" + Result.Spelling +
                   "', which is neither a tensor nor a number that is read of one: a replay would give the captured value; return the "
                   "tensors that it is made of, and make it after the call");
      }
    } else if (Containers != 0) {
      refuse(Result, Path, Place,
             "has type '" + Result.Spelling +
                 "' inside a list, map or optional: each call decides how many of them there are, so none can be marked 'key', "
                 "'const' or 'live'; a std::array, a struct or a parameter of its own can hold it");
    }
  }

  void readTemplate(TypeKind Kind, clang::QualType T, Type& Result, const std::string& Path, const clang::NamedDecl* Place,
                    const Spec* Said) {
    const std::vector<clang::TemplateArgument> Arguments = templateArguments(T->getAsCXXRecordDecl());
    Result.Kind = Kind;
    switch (Kind) {
      case TypeKind::Tuple:
        for (const auto& [Index, Each] : llvm::enumerate(Arguments)) {
          add(Result, "", Each.getAsType(), Path + '[' + std::to_string(Index) + ']', Place, saidOfPosition(Said, Index));
        }
        return;
      case TypeKind::Map:
        if (!isString(Arguments[0].getAsType().getCanonicalType())) {
          return refuse(Result, Path, Place, "has type '" + Result.Spelling + "', whose keys are not strings");
        }
        ++Maps;
        addElement(Result, Arguments[1].getAsType(), Path + "[...]", Place, saidOfPosition(Said, 0));
        --Maps;
        return;
      case TypeKind::Array: {
        const std::optional<int64_t> Length = Arguments[1].getAsIntegral().tryExtValue();
        if (!Length) {
          return refuse(Result, Path, Place, notSupported(Result.Spelling));
        }
        Result.Length = *Length;
        return add(Result, "", Arguments[0].getAsType(), Path + "[...]", Place, saidOfElement(Said));
      }
      case TypeKind::ArrayRef:
        if (ForResult || Path != From.getNameAsString()) {
          return refuse(Result, Path, Place, "has type '" + Result.Spelling + "', which does not own its elements");
        }
        break;
      default:
        break;
    }
    const bool IsOptional = Kind == TypeKind::Optional;
    addElement(Result, Arguments[0].getAsType(), IsOptional ? Path : Path + "[...]", Place, IsOptional ? Said : saidOfElement(Said));
    if (Kind == TypeKind::Vector && Result.Members.front().Type.Kind == TypeKind::Bool) {
      refuse(Result, Path, Place, "has type '" + Result.Spelling + "', whose elements have no addresses: return a tensor of them");
    }
    if (IsOptional && Result.Members.front().Type.Kind == TypeKind::Optional) {
      refuse(Result, Path, Place, notSupported(Result.Spelling));
    }
  }

  /// Each call returns a copy of what it owns.
  void readPointer(clang::QualType T, Type& Result, const std::string& Path, const clang::NamedDecl* Place) {
    const clang::QualType Owned = ownedBy(T);
    if (Owned.isNull()) {
      return refuse(Result, Path, Place, notSupported(Result.Spelling));
    }
    const std::string Spelling = writtenName(Sema.Context, Owned);
    if (Maps != 0) {
      return refuse(Result, Path, Place,
                    "has type '" + Result.Spelling + "' inside a map, of which each call returns a copy: hold '" + Spelling +
                        "' itself, or a std::optional of it");
    }
    Result.Kind = TypeKind::UniquePointer;
    Result.Members.push_back({"", read(Owned, Spelling, Path, Place, nullptr)});
    if (Result.Members.front().Type.Kind == TypeKind::Unsupported) {
      Result.Kind = TypeKind::Unsupported;
    }
  }

  /// There may be none, or more than one.
  void addElement(Type& Result, clang::QualType Declared, const std::string& Path, const clang::NamedDecl* Place, const Spec* Said) {
    ++Containers;
    add(Result, "", Declared, Path, Place, Said);
    --Containers;
  }

  void readStruct(const clang::CXXRecordDecl& Class, Type& Result, const std::string& Path, const clang::NamedDecl* Place,
                  const Spec* Said) {
    if (const clang::FieldDecl* Pointer = ForResult && Class.hasDefinition() ? uniquePointerIn(Class) : nullptr) {
      const std::string Name = "'" + Pointer->getNameAsString() + "'";
      return refuse(Result, Path, Pointer,
                    "has type '" + Result.Spelling + "', whose member " + Name +
                        " is a std::unique_ptr, so that no call can return a copy: let " + Name +
                        " be what it points to, or a std::optional of that, or return it beside the struct, in a std::tuple");
    }
    if (const std::string Why = whyNoStruct(Class); !Why.empty()) {
      return refuse(Result, Path, Place, "has type '" + Result.Spelling + "', which " + Why);
    }
    if (llvm::is_contained(Around, &Class)) {
      return refuse(Result, Path, Place, "has type '" + Result.Spelling + "', which contains itself");
    }
    Result.Kind = TypeKind::Struct;
    if (Around.size() == MostLevels) {
      return refuse(Result, Path, Place,
                    "has type '" + Result.Spelling + "', which nests deeper than " + std::to_string(MostLevels) + " levels");
    }
    Around.push_back(&Class);
    for (const clang::FieldDecl* Field : fieldsOf(Class)) {
      const std::string Name = Field->getNameAsString();
      add(Result, Name, Field->getType(), Path.empty() ? Name : Path + '.' + Name, Field, saidOfMember(Said, Name));
    }
    Around.pop_back();
  }

  void add(Type& Result, const std::string& Name, clang::QualType Declared, const std::string& Path, const clang::NamedDecl* Place,
           const Spec* Said) {
    const clang::QualType T = Declared.getCanonicalType();
    const std::string Spelling = writtenName(Sema.Context, Declared);
    annotation::Member New{Name, {}};
    if (++Members > MostMembers) {
      New.Type.Kind = TypeKind::Unsupported;
      if (Members == MostMembers + 1) {
        refuse(New.Type, Path, Place, "is one more than the " + std::to_string(MostMembers) + " members that a parameter can have in all");
      }
    } else if (isIgnored(Said)) {
      New.Type.Kind = TypeKind::Ignored;
      New.Type.Spelling = Spelling;
    } else if (T.hasQualifiers() || T->isReferenceType()) {
      New.Type.Spelling = Spelling;
      refuse(New.Type, Path, Place, "has type '" + Spelling + "': a reference or a const value cannot be given another tensor");
    } else {
      New.Type = read(T, Spelling, Path, Place, Said);
    }
    Result.Members.push_back(std::move(New));
  }

  clang::Sema& Sema;
  const clang::NamedDecl& From;
  const bool ForResult;
  std::vector<TypeProblem>& Problems;
  unsigned Containers = 0;
  unsigned Maps = 0;
  unsigned Members = 0;  // read so far
  std::vector<const clang::CXXRecordDecl*> Around;
};

}  // namespace

/// Why a parameter of this type cannot be, and what can; empty where its reference is allowed.
static std::string whyNoReference(const clang::ASTContext& Context, clang::QualType Declared) {
  const clang::QualType T = Declared.getCanonicalType();
  const clang::QualType Value = T.getNonReferenceType();
  const std::string Spelling = writtenName(Context, Declared);
  if (T->isRValueReferenceType()) {
    return "has type '" + Spelling + "', which a call may move from: take it by value or by reference";
  }
  if (Value.isVolatileQualified()) {
    return Reader::notSupported(Spelling);
  }
  const bool IsMutable = T->isLValueReferenceType() && !Value.isConstQualified();
  const bool IsScalar = scalarKind(Value) != TypeKind::Unsupported || valueKind(Value) != TypeKind::Unsupported;
  if (IsMutable && (IsScalar || templateKind(className(Value)) == TypeKind::ArrayRef)) {
    const std::string Bare = writtenName(Context, Declared.getNonReferenceType());
    return "has type '" + Spelling + "', which a replay would not write: make it 'const " + Bare + " &', or take it by value";
  }
  return IsMutable && className(Value).empty() ? Reader::notSupported(Spelling) : "";
}

/// Of a parameter that a call copies, but for a tensor.
static Type readValueType(clang::Sema& Sema, const clang::ParmVarDecl& Declared, const Spec* Said, std::vector<TypeProblem>& Problems) {
  Reader Read(Sema, Declared, /*ForResult=*/false, Problems);
  const std::string Name = Declared.getNameAsString();
  const clang::QualType T = Declared.getType().getCanonicalType();
  const clang::QualType Value = T.getNonReferenceType();
  Type Result;
  Result.Spelling = writtenName(Sema.Context, Declared.getType());
  if (const std::string Why = whyNoReference(Sema.Context, Declared.getType()); !Why.empty()) {
    Read.refuse(Result, Name, nullptr, Why);
    return Result;
  }
  Result = Read.read(Value.getUnqualifiedType(), Result.Spelling, Name, nullptr, Said);
  const bool IsMutable = T->isLValueReferenceType() && !Value.isConstQualified();
  if (IsMutable && Result.Kind == TypeKind::Tensor) {
    Result.Kind = TypeKind::TensorLvalue;
  } else {
    Result.IsChangeable = IsMutable;
  }
  return Result;
}

bool isKeyType(clang::QualType Type) { return isValue(Type); }

Type readParameterType(clang::Sema& Sema, const clang::ParmVarDecl& Declared, const Spec* Said, std::vector<TypeProblem>& Problems) {
  Type Object;
  Object.Spelling = Declared.getType().getAsString(Sema.Context.getPrintingPolicy());
  if (isIgnored(Said)) {
    Object.Kind = TypeKind::Ignored;
    return Object;
  }
  std::optional<ReferredObject> Referred = referredObject(Declared.getType());
  if (Referred && !Referred->Class->hasDefinition()) {
    Sema.isCompleteType(Declared.getLocation(), Sema.Context.getCanonicalTagType(Referred->Class));  // instantiates a template
    Referred = referredObject(Declared.getType());
  }
  if (!Referred && couldPointElsewhere(Declared.getType())) {
    Problems.push_back({Declared.getNameAsString(),
                        "has type '" + Object.Spelling + "', which the callable could point at another object: take it by value, as '" +
                            Declared.getType().getNonReferenceType().getAsString(Sema.Context.getPrintingPolicy()) + "'",
                        nullptr});
    return Object;
  }
  if (!Referred) {
    return readValueType(Sema, Declared, Said, Problems);
  }
  Object.Kind = Referred->IsModule ? TypeKind::Module : TypeKind::Object;
  if (Referred->IsModule || (Said && Said->What == Spec::Kind::Object)) {
    if (!Referred->Class->hasDefinition()) {
      Object.Kind = TypeKind::Unsupported;
      Problems.push_back({Declared.getNameAsString(), "has type '" + Object.Spelling + "', whose class is not defined here", nullptr});
    }
    return Object;
  }
  std::vector<TypeProblem> Found;
  const Type Value = readValueType(Sema, Declared, Said, Found);
  if (Value.Kind == TypeKind::Unsupported && (!Said || Referred->IsNoValue)) {
    return Object;
  }
  Problems.insert(Problems.end(), Found.begin(), Found.end());
  return Value;
}

Type readResultType(clang::Sema& Sema, const clang::FunctionDecl& Declared, std::vector<TypeProblem>& Problems) {
  Reader Read(Sema, Declared, /*ForResult=*/true, Problems);
  Type Result;
  Result.Spelling = writtenName(Sema.Context, Declared.getReturnType());
  const clang::QualType T = Declared.getReturnType().getCanonicalType();
  if (T->isVoidType() && !T.hasQualifiers()) {
    Result.Kind = TypeKind::Void;
  } else if (T.hasQualifiers() || T->isReferenceType()) {
    Read.refuse(Result, "", nullptr, Reader::notSupported(Result.Spelling));
  } else {
    Result = Read.read(T, Result.Spelling, "", nullptr, nullptr);
  }
  return Result;
}

}  // namespace graphgen::scan
