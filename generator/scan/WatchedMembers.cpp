// SPDX-License-Identifier: Apache-2.0
//
// From an object's class by its members to the modules, tensors and numbers that it holds.
#include "scan/WatchedMembers.h"

#include "scan/MemberReads.h"
#include "scan/MemberTypes.h"
#include "scan/ObjectTypes.h"
#include "scan/Types.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"

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

bool isPublic(const clang::NamedDecl& D) {
  for (const clang::NamedDecl* Each = &D; Each; Each = llvm::dyn_cast<clang::CXXRecordDecl>(Each->getDeclContext())) {
    if (Each->getAccess() == clang::AS_private || Each->getAccess() == clang::AS_protected) {
      return false;
    }
  }
  return true;
}

bool hasName(const clang::RecordDecl& Class) { return Class.getDeclName() || Class.getTypedefNameForAnonDecl(); }

/// Why generated code cannot take the step to `Field`, in words; empty where it can.
llvm::StringRef whyUnreachable(const clang::FieldDecl& Field) {
  const auto& Class = llvm::cast<clang::CXXRecordDecl>(*Field.getParent());
  if (!hasName(Class)) {
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
  Step.Class = instanceName(llvm::cast<clang::CXXRecordDecl>(*Field.getParent()));
  Step.Member = Field.getNameAsString();
  if (Field.isBitField()) {
    Step.How = MemberStep::Way::Value;
  } else if (Field.getType()->isReferenceType()) {
    Step.How = isPublic(Field) ? MemberStep::Way::Reference : MemberStep::Way::Offset;
  }
  return Step;
}

/// What the object leads to by pointers may be of a template that nothing has instantiated.
void defineClasses(const clang::CXXRecordDecl& Class, const Bodies& Bodies, llvm::SmallPtrSetImpl<const clang::CXXRecordDecl*>& Seen) {
  if (!Class.hasDefinition() || isOfLibraryOrSystem(Class) || !Seen.insert(Class.getDefinition()).second) {
    return;
  }
  for (const clang::CXXBaseSpecifier& Base : Class.getDefinition()->bases()) {
    if (const clang::CXXRecordDecl* Inherited = Base.getType()->getAsCXXRecordDecl()) {
      defineClasses(*Inherited, Bodies, Seen);
    }
  }
  for (const clang::FieldDecl* Field : Class.getDefinition()->fields()) {
    HeldType Held = heldType(Field->getType());
    if (Held.What == Form::Unknown) {
      Bodies.define(*Held.Class);
      Held = heldType(Field->getType());
    }
    if (Held.What == Form::Class) {
      defineClasses(*Held.Class, Bodies, Seen);
    }
  }
}

/// Lists of such classes are short.
bool holdsModule(const clang::CXXRecordDecl& Class) {
  return llvm::any_of(Class.fields(), [](const clang::FieldDecl* Each) {
    const HeldType Held = heldType(Each->getType());
    return Held.What == Form::Leaf && Held.Kind == WatchedMember::Kind::Module;
  });
}

class MemberCollector {
 public:
  /// Without a `Report` nothing is reported.
  MemberCollector(const clang::FunctionDecl& Callable, const MemberReads& Reads, Reporter* Report)
      : Callable(Callable), Reads(Reads), Report(Report) {}

  /// Of an object of `Class`. `Name` is that of the argument; empty for the object of a method.
  std::vector<WatchedMember> collect(const clang::CXXRecordDecl& Class, const std::string& Name) {
    IsModules = isModule(Class);
    Way To;
    To.So.Name = Name;
    addClass(Class, To);
    return std::exchange(Found, {});
  }

  /// After collect().
  bool hasFound(const clang::FieldDecl& Field) const { return Fields.contains(Field.getCanonicalDecl()); }

 private:
  /// The way to a member.
  struct Way {
    WatchedMember So;
    bool IsConst = false;    // its numbers are those that it was made with
    bool IsCounted = false;  // a call decides how many there are
    llvm::StringRef WhyNot;
  };

  void addClass(const clang::CXXRecordDecl& Class, const Way& To) {
    if (Around.size() == MostClasses || llvm::is_contained(Around, &Class)) {
      return;
    }
    Around.push_back(&Class);
    addMembers(Class, To);
    Around.pop_back();
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
      }
    }
  }

  void addField(const clang::FieldDecl& Field, Way To) {
    const HeldType Held = heldType(Field.getType());
    const bool IsNamed = Reads.Named.contains(Field.getCanonicalDecl());
    if (Held.What == Form::Nothing || !(IsNamed || Reads.isUnknown(Field)) || (IsModules && !mayHoldTensors(Held))) {
      return;
    }
    To.So.IsGuessed |= !IsNamed;
    To.IsConst = !Held.IsReferred && (To.IsConst || Field.getType().getCanonicalType().isConstQualified());
    To.IsCounted |= Held.IsCounted && !(Held.What == Form::Class && holdsModule(*Held.Class));
    To.So.Name += (To.So.Name.empty() ? "" : ".") + Field.getNameAsString();
    To.So.Steps.push_back(stepTo(Field));
    To.So.IsPrivate |= !isPublic(Field);
    To.So.What = Held.Kind;
    if (To.WhyNot.empty()) {
      To.WhyNot = whyUnreachable(Field);
    }
    switch (Held.What) {
      case Form::Leaf:
        addLeaf(Field, To);
        return addTensorsOf(Held, To);
      case Form::Class:
        return addClass(*Held.Class, To);
      case Form::Mixed:
        return warn(Field, To, "it is a tuple of other things beside modules, tensors and numbers");
      default:
        return warn(Field, To, "'" + Held.Class->getNameAsString() + "' is not defined here");
    }
  }

  static bool isModel(WatchedMember::Kind What) { return What == WatchedMember::Kind::Model; }

  static bool mayHoldTensors(const HeldType& Held) {
    const bool IsLeaf = Held.What == Form::Leaf && (Held.Kind == WatchedMember::Kind::Tensor || isModel(Held.Kind) || Held.Class);
    return Held.What == Form::Class || IsLeaf;
  }

  /// Of a module, which does not register all of them.
  void addTensorsOf(const HeldType& Module, const Way& To) {
    if (Module.Class && !isOfLibraryOrSystem(*Module.Class)) {
      const llvm::SaveAndRestore InModule(IsModules, true);
      addClass(*Module.Class, To);
    }
  }

  void addLeaf(const clang::FieldDecl& Field, Way To) {
    if (IsModules && To.So.What != WatchedMember::Kind::Tensor && !isModel(To.So.What)) {
      return;
    }
    if (To.So.What == WatchedMember::Kind::Number && To.IsConst) {
      return;
    }
    // A list of any length may be one that grows, and that no call reads.
    if (To.So.IsGuessed && To.IsCounted && To.So.What != WatchedMember::Kind::Module && !isModel(To.So.What)) {
      return;
    }
    if (!To.WhyNot.empty()) {
      return warn(Field, To, To.WhyNot);
    }
    Fields.insert(Field.getCanonicalDecl());
    Found.push_back(std::move(To.So));
  }

  void warn(const clang::FieldDecl& Field, const Way& To, const llvm::Twine& Why) {
    if (Report == nullptr || IsModules) {
      return;
    }
    Report->warning(Field.getLocation(), "graphed-unwatched",
                    "calls of '" + Callable.getNameAsString() + "' do not notice a change of '" + To.So.Name + "': " + Why)
        << Field.getSourceRange();
    Report->note(Callable.getLocation(), "'" + Callable.getNameAsString() + "' is annotated here");
  }

  const clang::FunctionDecl& Callable;
  const MemberReads& Reads;
  Reporter* Report;
  bool IsModules = false;  // of a module's members, its tensors alone: what it has registered is looked at without this
  std::vector<const clang::CXXRecordDecl*> Around;
  std::vector<WatchedMember> Found;
  llvm::SmallPtrSet<const clang::FieldDecl*, 16> Fields;
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
  const bool IsObject = Parameter.Type.Kind == annotation::TypeKind::Object;
  const clang::CXXRecordDecl* Class = IsObject ? referredObject(Declared.getType())->Class : nullptr;
  return Class && !isModule(*Class) ? rootOf(Parameter.Name, *Class) : Root{};
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

/// What is watched in each root.
std::vector<std::vector<WatchedMember>> membersOf(const ScannedCallable& From, const Bodies& Bodies, Reporter& Report) {
  const std::vector<Root> Roots = rootsOf(From);
  const std::vector<const clang::CXXRecordDecl*> Classes = classesOf(Roots);
  std::vector<std::vector<WatchedMember>> Members(Roots.size());
  if (Classes.empty()) {
    return Members;
  }
  llvm::SmallPtrSet<const clang::CXXRecordDecl*, 8> Seen;
  for (const clang::CXXRecordDecl* Each : Classes) {
    defineClasses(*Each, Bodies, Seen);
  }
  const MemberReads Reads = membersNamedBy(*From.Declaration, Classes, Bodies);
  MemberCollector Collector(*From.Declaration, Reads, &Report);
  for (auto [Each, Found] : llvm::zip_equal(Roots, Members)) {
    if (Each.Class) {
      Found = Collector.collect(*Each.Class, Each.Name);
    }
  }
  return Members;
}

}  // namespace

void addWatchedMembers(llvm::MutableArrayRef<annotation::Callable> Callables, llvm::ArrayRef<ScannedCallable> Scanned, const Bodies& Bodies,
                       Reporter& Report) {
  std::map<const clang::FunctionDecl*, std::vector<std::vector<WatchedMember>>> Known;
  for (auto [Callable, From] : llvm::zip_equal(Callables, Scanned)) {
    const auto [Found, IsNew] = Known.try_emplace(From.Declaration);
    if (IsNew) {
      Found->second = membersOf(From, Bodies, Report);
    }
    Callable.Watched = Found->second.front();
    for (auto [Each, Its] : llvm::zip_equal(Callable.Parameters, llvm::drop_begin(Found->second))) {
      Each.Watched = Its;
    }
  }
}

bool isWatchedMember(const ScannedCallable& Callable, const clang::FieldDecl& Field, bool IsNamed) {
  const std::vector<Root> Roots = rootsOf(Callable);
  MemberReads Reads;
  if (IsNamed) {
    Reads.Named.insert(Field.getCanonicalDecl());
  }
  for (const clang::CXXRecordDecl* Each : classesOf(Roots)) {
    addClasses(*Each, Reads.Unknown);
  }
  MemberCollector Members(*Callable.Declaration, Reads, nullptr);
  for (const Root& Each : Roots) {
    if (Each.Class) {
      Members.collect(*Each.Class, Each.Name);
    }
  }
  return Members.hasFound(Field);
}

}  // namespace graphgen::scan
