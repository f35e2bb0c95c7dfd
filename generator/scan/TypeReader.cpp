// SPDX-License-Identifier: Apache-2.0
//
// Recognises classes by their qualified names; any other class is taken for a struct of its data members.
#include "scan/TypeReader.h"

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
  const TypeKind Kind = templateKind(Class);
  if (Kind != TypeKind::Optional && !annotation::isList(Kind)) {
    return TypeKind::Unsupported;
  }
  return !isValue(elementType(T)) ? TypeKind::Unsupported : Kind == TypeKind::Optional ? TypeKind::OptionalValue : TypeKind::ValueList;
}

/// Of aggregates, those that own what they hold.
bool isChangeable(llvm::StringRef Class) { return !Class.empty() && templateKind(Class) != TypeKind::ArrayRef; }

class Reader {
 public:
  Reader(clang::Sema& Sema, const clang::NamedDecl& From, bool ForResult, std::vector<TypeProblem>& Problems)
      : Sema(Sema), From(From), ForResult(ForResult), Problems(Problems) {}

  /// `T` is canonical, without qualifiers.
  Type read(clang::QualType T, const std::string& Spelling, const std::string& Path, const clang::NamedDecl* Place) {
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
      readTemplate(Kind, T, Result, Path, Place);
    } else if (T->getAsCXXRecordDecl()) {
      Sema.isCompleteType(From.getLocation(), T);  // instantiates a template
      readStruct(*T->getAsCXXRecordDecl(), Result, Path, Place);
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
                 "' inside a list, map or optional: each call decides how many of them there are, so that none can be told to be 'key', "
                 "'const' or 'live'; a std::array, a struct or a parameter of its own can hold it");
    }
  }

  void readTemplate(TypeKind Kind, clang::QualType T, Type& Result, const std::string& Path, const clang::NamedDecl* Place) {
    const std::vector<clang::TemplateArgument> Arguments = templateArguments(T->getAsCXXRecordDecl());
    Result.Kind = Kind;
    switch (Kind) {
      case TypeKind::Tuple:
        for (const auto& [Index, Each] : llvm::enumerate(Arguments)) {
          add(Result, "", Each.getAsType(), Path + '[' + std::to_string(Index) + ']', Place);
        }
        return;
      case TypeKind::Map:
        if (!isString(Arguments[0].getAsType().getCanonicalType())) {
          return refuse(Result, Path, Place, "has type '" + Result.Spelling + "', whose keys are no strings");
        }
        return addElement(Result, Arguments[1].getAsType(), Path + "[...]", Place);
      case TypeKind::Array: {
        const std::optional<int64_t> Length = Arguments[1].getAsIntegral().tryExtValue();
        if (!Length) {
          return refuse(Result, Path, Place, notSupported(Result.Spelling));
        }
        Result.Length = *Length;
        return add(Result, "", Arguments[0].getAsType(), Path + "[...]", Place);
      }
      case TypeKind::ArrayRef:
        if (ForResult || Path != From.getNameAsString()) {
          return refuse(Result, Path, Place, "has type '" + Result.Spelling + "', which does not own its elements");
        }
        break;
      default:
        break;
    }
    addElement(Result, Arguments[0].getAsType(), Kind == TypeKind::Optional ? Path : Path + "[...]", Place);
    if (Kind == TypeKind::Vector && Result.Members.front().Type.Kind == TypeKind::Bool) {
      refuse(Result, Path, Place, "has type '" + Result.Spelling + "', whose elements have no addresses: return a tensor of them");
    }
    if (Kind == TypeKind::Optional && Result.Members.front().Type.Kind == TypeKind::Optional) {
      refuse(Result, Path, Place, notSupported(Result.Spelling));
    }
  }

  /// There may be none, or more than one.
  void addElement(Type& Result, clang::QualType Declared, const std::string& Path, const clang::NamedDecl* Place) {
    ++Containers;
    add(Result, "", Declared, Path, Place);
    --Containers;
  }

  void readStruct(const clang::CXXRecordDecl& Class, Type& Result, const std::string& Path, const clang::NamedDecl* Place) {
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
      add(Result, Name, Field->getType(), Path.empty() ? Name : Path + '.' + Name, Field);
    }
    Around.pop_back();
  }

  void add(Type& Result, const std::string& Name, clang::QualType Declared, const std::string& Path, const clang::NamedDecl* Place) {
    const clang::QualType T = Declared.getCanonicalType();
    const std::string Spelling = writtenName(Sema.Context, Declared);
    annotation::Member New{Name, {}};
    if (++Members > MostMembers) {
      New.Type.Kind = TypeKind::Unsupported;
      if (Members == MostMembers + 1) {
        refuse(New.Type, Path, Place, "is one more than the " + std::to_string(MostMembers) + " members that a parameter can have in all");
      }
    } else if (T.hasQualifiers() || T->isReferenceType()) {
      New.Type.Spelling = Spelling;
      refuse(New.Type, Path, Place, "has type '" + Spelling + "': a reference or a const value cannot be given another tensor");
    } else {
      New.Type = read(T, Spelling, Path, Place);
    }
    Result.Members.push_back(std::move(New));
  }

  clang::Sema& Sema;
  const clang::NamedDecl& From;
  const bool ForResult;
  std::vector<TypeProblem>& Problems;
  unsigned Containers = 0;
  unsigned Members = 0;  // read so far
  std::vector<const clang::CXXRecordDecl*> Around;
};

}  // namespace

/// Of a parameter that a call copies, but for a tensor.
static Type readValueType(clang::Sema& Sema, const clang::ParmVarDecl& Declared, std::vector<TypeProblem>& Problems) {
  Reader Read(Sema, Declared, /*ForResult=*/false, Problems);
  const std::string Name = Declared.getNameAsString();
  const std::string Spelling = writtenName(Sema.Context, Declared.getType());
  const clang::QualType T = Declared.getType().getCanonicalType();
  const clang::QualType Value = T.getNonReferenceType();
  const bool IsMutable = T->isLValueReferenceType() && !Value.isConstQualified();
  const bool IsTensor = className(Value) == "at::Tensor";
  Type Result;
  Result.Spelling = Spelling;
  if (T->isRValueReferenceType() || Value.isVolatileQualified() || (IsMutable && !IsTensor && !isChangeable(className(Value)))) {
    Read.refuse(Result, Name, nullptr, Reader::notSupported(Spelling));
    return Result;
  }
  Result = Read.read(Value.getUnqualifiedType(), Spelling, Name, nullptr);
  if (IsMutable && IsTensor) {
    Result.Kind = TypeKind::TensorLvalue;
  } else if (IsMutable && annotation::isScalar(Result.Kind)) {
    Read.refuse(Result, Name, nullptr, Reader::notSupported(Spelling));
  } else {
    Result.IsChangeable = IsMutable;
  }
  return Result;
}

Type readParameterType(clang::Sema& Sema, const clang::ParmVarDecl& Declared, SaidOf Said, std::vector<TypeProblem>& Problems) {
  Type Object;
  Object.Spelling = Declared.getType().getAsString(Sema.Context.getPrintingPolicy());
  std::optional<ReferredObject> Referred = referredObject(Declared.getType());
  if (Referred && !Referred->Class->hasDefinition()) {
    Sema.isCompleteType(Declared.getLocation(), Sema.Context.getCanonicalTagType(Referred->Class));  // instantiates a template
    Referred = referredObject(Declared.getType());
  }
  if (!Referred) {
    return readValueType(Sema, Declared, Problems);
  }
  Object.Kind = Referred->IsModule ? TypeKind::Module : TypeKind::Object;
  if (Referred->IsModule || Said == SaidOf::Object) {
    if (!Referred->Class->hasDefinition()) {
      Object.Kind = TypeKind::Unsupported;
      Problems.push_back({Declared.getNameAsString(), "has type '" + Object.Spelling + "', whose class is not defined here", nullptr});
    }
    return Object;
  }
  std::vector<TypeProblem> Found;
  const Type Value = readValueType(Sema, Declared, Found);
  if (Value.Kind == TypeKind::Unsupported && (Said == SaidOf::Nothing || Referred->IsNoValue)) {
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
    Result = Read.read(T, Result.Spelling, "", nullptr);
  }
  return Result;
}

}  // namespace graphgen::scan
