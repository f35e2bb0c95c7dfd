// SPDX-License-Identifier: Apache-2.0
//
// From an object's class by its members to the modules, tensors and numbers that it holds.
#include "scan/WatchedMembers.h"

#include "scan/Libraries.h"
#include "scan/MemberReads.h"
#include "scan/MemberSteps.h"
#include "scan/MemberTypes.h"
#include "scan/ObjectTypes.h"
#include "scan/Types.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <map>

namespace graphgen::scan {
namespace {

using annotation::MemberStep;
using annotation::WatchedMember;
using Form = HeldType::Form;

/// Of the classes in each other.
constexpr std::size_t MostClasses = 8;

/// What objects lead to by pointers may be of a template that nothing has instantiated.
class ClassDefiner {
 public:
  explicit ClassDefiner(const Bodies& Bodies) : Bodies(Bodies) {}

  void define(const clang::CXXRecordDecl& Class) {
    if (!Class.hasDefinition() || isOfLibraryOrSystem(Class) || !Seen.insert(Class.getDefinition()).second) {
      return;
    }
    for (const clang::CXXBaseSpecifier& Base : Class.getDefinition()->bases()) {
      if (const clang::CXXRecordDecl* Inherited = Base.getType()->getAsCXXRecordDecl()) {
        define(*Inherited);
      }
    }
    for (const clang::FieldDecl* Field : Class.getDefinition()->fields()) {
      define(Field->getType());
    }
  }
  void define(clang::QualType Type) {
    HeldType Held = heldType(Type);
    if (Held.What == Form::Unknown) {
      Bodies.define(*Held.Class);
      Held = heldType(Type);
    }
    if (Held.What == Form::Class || (Held.What == Form::Leaf && Held.Class)) {
      define(*Held.Class);
    }
    for (const clang::QualType Each : Held.Parts) {
      define(Each);
    }
  }

 private:
  const scan::Bodies& Bodies;
  llvm::SmallPtrSet<const clang::CXXRecordDecl*, 8> Seen;
};

bool isModule(const HeldType& Held) { return Held.What == Form::Leaf && Held.Kind == WatchedMember::Kind::Module; }

/// A list of modules, or of what holds a module.
bool isShort(const HeldType& List) {
  const auto HoldsModule = [](const clang::FieldDecl* Each) { return isModule(heldType(Each->getType())); };
  return isModule(List) || (List.What == Form::Class && llvm::any_of(List.Class->fields(), HoldsModule));
}

/// By something that does not own what it leads to: that may be the object around it.
bool isBorrowed(clang::QualType Type) {
  const clang::CXXRecordDecl* Class = Type->getAsCXXRecordDecl();
  return Type->isPointerOrReferenceType() ||
         (Class && llvm::is_contained({"std::weak_ptr", "std::reference_wrapper"}, qualifiedName(*Class)));
}

class MemberCollector {
 public:
  /// Without a `Report` nothing is reported.
  MemberCollector(const clang::FunctionDecl& Callable, const MemberReads& Reads, Reporter* Report)
      : Callable(Callable), Reads(Reads), Report(Report) {}

  /// Of an object of `Class`. `Name` is that of the argument; empty for the object of a method.
  std::vector<WatchedMember> collect(const clang::CXXRecordDecl& Class, const std::string& Name) {
    Way To;
    To.So.Name = Name;
    addClass(Class, To);
    return std::exchange(Found, {});
  }

  std::vector<WatchedMember> collect(const clang::VarDecl& Variable) {
    Way To;
    To.So.Name = "::" + instanceName(Variable);
    To.So.Steps.push_back(stepTo(Variable));
    To.So.IsPrivate = !isPublic(Variable);
    To.IsConst = Variable.getType().isConstQualified();
    addWhole(Variable, To);
    return std::exchange(Found, {});
  }

  /// What all of is looked at, after collect().
  llvm::SmallPtrSet<const clang::ValueDecl*, 16> declared() const {
    llvm::SmallPtrSet<const clang::ValueDecl*, 16> Whole = Declared;
    llvm::for_each(Missed, [&](const clang::ValueDecl* Each) { Whole.erase(Each); });
    return Whole;
  }

 private:
  /// The way to a member.
  struct Way {
    WatchedMember So;
    bool IsConst = false;    // its numbers are those that it was made with
    bool IsCounted = false;  // a call decides how many there are
    llvm::StringRef WhyNot;
  };

  /// `D` leads there; null of the object itself.
  void addClass(const clang::CXXRecordDecl& Class, const Way& To, const clang::ValueDecl* D = nullptr) {
    const bool IsInItself = llvm::is_contained(Around, &Class);
    if (IsInItself || Around.size() == MostClasses) {
      const auto* Field = llvm::dyn_cast<clang::FieldDecl>(D);
      const bool IsWritten = Field && !To.So.IsGuessed && !Reads.Followed.contains(Field->getCanonicalDecl());
      const bool IsBack = IsInItself && Around.back() != &Class && isBorrowed(D->getType());
      if (IsBack && !IsWritten && !IsBehindBack) {
        const llvm::SaveAndRestore Behind(IsBehindBack, true);
        addMembers(Class, To);
      } else if (!IsWritten && !IsBack && !IsBehindBack && !To.IsConst && !To.So.IsGuessed && isRead(Class) && Cut.insert(&Class).second) {
        warn(*D, To, IsInItself ? "of objects of one class in each other, only the outermost is compared" : "it is in too many objects");
      }
      return;
    }
    Around.push_back(&Class);
    addMembers(Class, To);
    Around.pop_back();
  }

  /// Whether a body names something that calls would look at in an object of the class, or in what that leads to.
  bool isRead(const clang::CXXRecordDecl& Class) const {
    llvm::SmallPtrSet<const clang::CXXRecordDecl*, 8> Led;
    addClasses(Class, Led);
    llvm::for_each(Around, [&](const clang::CXXRecordDecl* Each) { Led.erase(Each == &Class ? nullptr : Each); });
    const auto IsValue = [&](const clang::FieldDecl* Field) {
      const HeldType Held = heldType(Field->getType());
      const bool IsNumber = Held.What == Form::Opaque || (Held.What == Form::Leaf && Held.Kind == WatchedMember::Kind::Number);
      const bool IsConst = Field->getType().isConstQualified() && !Held.IsReferred;
      // What a module has registered is looked at with the outermost one.
      const bool IsOther = Held.What == Form::Leaf && !scan::isModule(*llvm::cast<clang::CXXRecordDecl>(Field->getParent()));
      return Reads.Named.contains(Field->getCanonicalDecl()) && (IsNumber ? !IsConst : IsOther);
    };
    return llvm::any_of(Led, [&](const clang::CXXRecordDecl* Each) { return llvm::any_of(Each->fields(), IsValue); });
  }

  void addMembers(const clang::CXXRecordDecl& Class, const Way& To) {
    for (const clang::CXXBaseSpecifier& Base : Class.bases()) {
      const clang::CXXRecordDecl* Inherited = Base.getType()->getAsCXXRecordDecl();
      if (!Inherited || !Inherited->hasDefinition() || isOfLibraryOrSystem(*Inherited)) {
        continue;
      }
      Way Further = To;
      if (Base.getAccessSpecifier() != clang::AS_public && Further.WhyNot.empty()) {
        Further.WhyNot = "it is inherited from a base class that is not public";
      }
      addMembers(*Inherited->getDefinition(), Further);
    }
    for (const clang::FieldDecl* Field : Class.fields()) {
      if (Field->getDeclName()) {
        addField(*Field, To);
      } else if (Field->isAnonymousStructOrUnion()) {
        addMembers(*Field->getType()->getAsCXXRecordDecl(), To);
      }
    }
  }

  void addField(const clang::FieldDecl& Field, Way To) {
    const bool IsNamed = Reads.Named.contains(Field.getCanonicalDecl());
    if (!IsNamed && !Reads.isUnknown(Field)) {
      return;
    }
    To.So.IsGuessed |= !IsNamed;
    To.IsConst = !Field.isMutable() && (To.IsConst || Field.getType().getCanonicalType().isConstQualified());
    To.So.Name += (To.So.Name.empty() ? "" : ".") + Field.getNameAsString();
    To.So.Steps.push_back(stepTo(Field));
    To.So.IsPrivate |= !isPublic(Field);
    if (To.WhyNot.empty()) {
      To.WhyNot = whyUnreachable(Field);
    }
    addWhole(Field, To);
  }

  /// What `D` holds. Of what a body reads behind it beyond that, nothing is looked at.
  void addWhole(const clang::ValueDecl& D, const Way& To) {
    const HeldType Held = heldType(D.getType());
    add(D, Held, To);
    const auto Its = Reads.Beyond.find(llvm::cast<clang::ValueDecl>(D.getCanonicalDecl()));
    const bool IsNothing = Held.What == Form::Class && !isRead(*Held.Class);
    if (Its != Reads.Beyond.end() && !IsNothing && !isMissed(D)) {
      report(D, To, Its->second);
    }
  }

  /// What `D` or a part of it holds.
  void add(const clang::ValueDecl& D, const HeldType& Held, Way To) {
    To.IsConst &= !Held.IsReferred;
    To.IsCounted |= Held.IsCounted && !isShort(Held);
    To.So.What = Held.Kind;
    switch (Held.What) {
      case Form::Nothing:
        return;
      case Form::Leaf:
        addLeaf(D, To);
        return addMembersOf(D, Held, To);
      case Form::Class:
        return addObjects(D, Held, To);
      case Form::Parts:
        return addParts(D, Held, To);
      case Form::Opaque:
        return To.IsConst ? declare(D) : To.So.IsGuessed ? miss(D) : warn(D, To, Held.Why);
      case Form::Unknown:
        return warn(D, To, "'" + Held.Class->getNameAsString() + "' is not defined here");
    }
  }

  /// Objects of a class. What is looked at in each shows whether there are any; without it, that is looked at by itself.
  void addObjects(const clang::ValueDecl& D, const HeldType& Held, const Way& To) {
    const clang::CXXRecordDecl* Class = Held.Class->getDefinition();
    const bool MayDerive = Held.IsReferred && !D.getType()->isReferenceType() && Class->isPolymorphic() && !Class->isEffectivelyFinal();
    const std::size_t Before = Found.size();
    addClass(*Held.Class, To, &D);
    if (MayDerive || (Held.IsHeld && !To.So.IsGuessed && Found.size() == Before)) {
      Way Objects = To;
      Objects.So.What = WatchedMember::Kind::Number;
      Objects.So.Steps.push_back({MemberStep::Way::Objects, "", ""});
      addLeaf(D, Objects);
    } else if (Found.size() != Before) {
      declare(D);
    }
  }

  void addParts(const clang::ValueDecl& D, const HeldType& Held, const Way& To) {
    if (Held.IsVariant) {
      Way Index = To;
      Index.So.What = WatchedMember::Kind::Number;
      Index.So.Steps.push_back(stepTo(-1));
      addLeaf(D, Index);
    }
    for (const auto& [Number, Part] : llvm::enumerate(Held.Parts)) {
      Way Further = To;
      Further.So.Name += "[" + std::to_string(Number) + "]";
      Further.So.Steps.push_back(stepTo(static_cast<int64_t>(Number)));
      Further.IsConst |= Part.isConstQualified();
      add(D, heldType(Part), Further);
    }
  }

  /// Of a module, beside what it has registered.
  void addMembersOf(const clang::ValueDecl& D, const HeldType& Module, const Way& To) {
    if (Module.Class && !isOfLibraryOrSystem(*Module.Class)) {
      addClass(*Module.Class, To, &D);
    }
  }

  void addLeaf(const clang::ValueDecl& D, Way To) {
    const bool IsOfMany = To.So.What == WatchedMember::Kind::Module || To.So.What == WatchedMember::Kind::Model;
    if (IsBehindBack && IsOfMany) {
      return;
    }
    if (To.So.What == WatchedMember::Kind::Number && To.IsConst) {
      declare(D);
      return;
    }
    // A list of any length may be one that grows, and that no call reads.
    if (To.So.IsGuessed && To.IsCounted && !IsOfMany) {
      return;
    }
    if (!To.WhyNot.empty()) {
      const bool IsNext = To.So.IsGuessed && !Hidden.insert(D.getDeclContext()).second;
      return IsNext ? miss(D) : warn(D, To, To.WhyNot);
    }
    declare(D);
    Found.push_back(std::move(To.So));
  }

  void declare(const clang::ValueDecl& D) { Declared.insert(llvm::cast<clang::ValueDecl>(D.getCanonicalDecl())); }
  bool isMissed(const clang::ValueDecl& D) const { return Missed.contains(llvm::cast<clang::ValueDecl>(D.getCanonicalDecl())); }
  void miss(const clang::ValueDecl& D) { Missed.insert(llvm::cast<clang::ValueDecl>(D.getCanonicalDecl())); }

  void warn(const clang::ValueDecl& D, const Way& To, const llvm::Twine& Why) {
    miss(D);
    report(D, To, Why);
  }

  void report(const clang::ValueDecl& D, const Way& To, const llvm::Twine& Why) {
    if (Report == nullptr) {
      return;
    }
    Report->warning(D.getLocation(), "graphed-unwatched",
                    "calls of '" + Callable.getNameAsString() + "' do not notice a change of '" + To.So.Name + "': " + Why)
        << D.getSourceRange();
    Report->note(Callable.getLocation(), "'" + Callable.getNameAsString() + "' is annotated here");
  }

  const clang::FunctionDecl& Callable;
  const MemberReads& Reads;
  Reporter* Report;
  std::vector<const clang::CXXRecordDecl*> Around;
  llvm::SmallPtrSet<const clang::DeclContext*, 2> Hidden;  // of whose members one is reported, where it is unknown which are read
  bool IsBehindBack = false;                               // a pointer to an object of a class in Around, which need not be that one
  llvm::SmallPtrSet<const clang::CXXRecordDecl*, 4> Cut;   // of which not all objects are looked at, as is reported
  std::vector<WatchedMember> Found;
  llvm::SmallPtrSet<const clang::ValueDecl*, 16> Declared, Missed;
};

/// The method's object, which has no name, or an object among the arguments.
struct Root {
  std::string Name;
  const clang::CXXRecordDecl* Class;
};

/// Empty where it is a library's.
Root rootOf(const std::string& Name, const clang::CXXRecordDecl& Class) { return {Name, isOfLibraryOrSystem(Class) ? nullptr : &Class}; }

Root objectOf(const clang::FunctionDecl& Callable) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Callable);
  return Method && !Method->isStatic() ? rootOf("", *Method->getParent()) : Root{};
}

Root objectOf(const annotation::Parameter& Parameter, const clang::ParmVarDecl& Declared) {
  const bool IsObject = annotation::isObject(Parameter.Type.Kind);
  const clang::CXXRecordDecl* Class = IsObject ? referredObject(Declared.getType())->Class : nullptr;
  Class = Class && isModuleHolder(*Class) ? moduleHeldBy(*Class) : Class;
  return Class ? rootOf(Parameter.Name, *Class) : Root{};
}

/// That of the method, then one for each parameter.
std::vector<Root> rootsOf(const ScannedCallable& From) {
  std::vector<Root> Roots{objectOf(*From.Declaration)};
  for (const auto& [Each, Declared] : llvm::zip_equal(From.Callable.Parameters, From.Declaration->parameters())) {
    Roots.push_back(objectOf(Each, *Declared));
  }
  return Roots;
}

std::vector<const clang::CXXRecordDecl*> classesOf(llvm::ArrayRef<Root> Roots) {
  std::vector<const clang::CXXRecordDecl*> Classes;
  for (const Root& Each : Roots) {
    if (Each.Class) {
      Classes.push_back(Each.Class);
    }
  }
  return Classes;
}

/// What is watched of a callable.
struct WatchedOfCallable {
  std::vector<std::vector<WatchedMember>> Roots;  // of each
  std::vector<WatchedMember> Variables;
  WatchedPlaces Places;
};

/// The generated code of a header is in a file of its own, that of a source is a part of it.
bool isOfHeader(const clang::FunctionDecl& Callable) {
  return Callable.getASTContext().getLangOpts().IsHeaderFile || !isInMainFile(Callable);
}

/// In a source the generated code is behind the annotated declaration, and the classes around it.
clang::SourceLocation endOf(const clang::FunctionDecl& Callable) {
  clang::SourceLocation End = Callable.getLocation();
  for (const clang::DeclContext* Each = Callable.getDeclContext(); Each->isRecord(); Each = Each->getParent()) {
    End = llvm::cast<clang::RecordDecl>(Each)->getEndLoc();
  }
  return End;
}

/// Whether generated code can name it.
bool isNameable(const clang::VarDecl& Variable, const clang::FunctionDecl& Callable) {
  const clang::SourceManager& Sources = Variable.getASTContext().getSourceManager();
  const bool IsHeader = isOfHeader(Callable);
  const bool IsBefore = IsHeader ? Callable.getASTContext().getLangOpts().IsHeaderFile || !isInMainFile(*Variable.getCanonicalDecl())
                                 : Sources.isBeforeInTranslationUnit(Variable.getCanonicalDecl()->getLocation(), endOf(Callable));
  const bool IsPrivateGetter = !isPublic(Variable) && stepTo(Variable).How == MemberStep::Way::Getter;
  return IsBefore && !Variable.isStaticLocal() && (!IsHeader || Variable.isExternallyVisible()) && !IsPrivateGetter &&
         !llvm::isa<clang::VarTemplateSpecializationDecl>(Variable);
}

/// Without a `Report` nothing is reported.
WatchedOfCallable watchedOf(const ScannedCallable& From, const Bodies& Bodies, Reporter* Report) {
  const std::vector<Root> Roots = rootsOf(From);
  std::vector<const clang::CXXRecordDecl*> Classes = classesOf(Roots);
  ClassDefiner Definer(Bodies);
  for (const clang::CXXRecordDecl* Each : Classes) {
    Definer.define(*Each);
  }
  MemberReads Reads = readsOf(*From.Declaration, Classes, Bodies);
  const std::size_t OfRoots = Classes.size();
  for (const clang::VarDecl* Each : Reads.Variables) {
    Definer.define(Each->getType());
    const HeldType Held = heldType(Each->getType());
    if (Held.Class && !isOfLibraryOrSystem(*Held.Class)) {
      Classes.push_back(Held.Class);
    }
  }
  if (Classes.size() != OfRoots) {
    Reads = readsOf(*From.Declaration, Classes, Bodies);
  }
  MemberCollector Collector(*From.Declaration, Reads, Report);
  WatchedOfCallable Watched;
  for (const Root& Each : Roots) {
    Watched.Roots.push_back(Each.Class ? Collector.collect(*Each.Class, Each.Name) : std::vector<WatchedMember>());
  }
  for (const clang::VarDecl* Each : Reads.Variables) {
    if (isNameable(*Each, *From.Declaration)) {
      llvm::append_range(Watched.Variables, Collector.collect(*Each));
      Watched.Places.Variables.insert(Each);
    }
  }
  Watched.Places.Members.insert_range(Collector.declared());
  return Watched;
}

}  // namespace

void addWatchedMembers(llvm::MutableArrayRef<annotation::Callable> Callables, llvm::ArrayRef<ScannedCallable> Scanned, const Bodies& Bodies,
                       Reporter& Report) {
  std::map<const clang::FunctionDecl*, WatchedOfCallable> Known;
  for (auto [Callable, From] : llvm::zip_equal(Callables, Scanned)) {
    const auto [Found, IsNew] = Known.try_emplace(From.Declaration);
    if (IsNew) {
      Found->second = watchedOf(From, Bodies, &Report);
    }
    Callable.Watched = Found->second.Roots.front();
    Callable.WatchedVariables = Found->second.Variables;
    for (auto [Each, Its] : llvm::zip_equal(Callable.Parameters, llvm::drop_begin(Found->second.Roots))) {
      Each.Watched = Its;
    }
  }
}

bool WatchedPlaces::has(const clang::FieldDecl& Field) const { return Members.contains(Field.getCanonicalDecl()); }

bool WatchedPlaces::has(const clang::VarDecl& Variable, const clang::ValueDecl& Part) const {
  return Variables.contains(Variable.getCanonicalDecl()) && Members.contains(llvm::cast<clang::ValueDecl>(Part.getCanonicalDecl()));
}

void addWatchedPlaces(llvm::MutableArrayRef<ScannedCallable> Callables, const Bodies& Bodies) {
  std::map<const clang::FunctionDecl*, std::shared_ptr<const WatchedPlaces>> Known;
  for (ScannedCallable& Each : Callables) {
    std::shared_ptr<const WatchedPlaces>& Its = Known[Each.Declaration];
    if (!Its) {
      Its = std::make_shared<const WatchedPlaces>(watchedOf(Each, Bodies, nullptr).Places);
    }
    Each.Watched = Its;
  }
}

bool isOfDerived(const ScannedCallable& Callable, const clang::FieldDecl& Field) {
  llvm::SmallPtrSet<const clang::CXXRecordDecl*, 16> Reached;
  for (const clang::CXXRecordDecl* Each : classesOf(rootsOf(Callable))) {
    addClasses(*Each, Reached);
  }
  const clang::CXXRecordDecl* Class = classOf(Field).getDefinition();
  return !Reached.contains(Class) && llvm::any_of(Reached, [&](const auto* Each) { return Class->isDerivedFrom(Each); });
}

}  // namespace graphgen::scan
