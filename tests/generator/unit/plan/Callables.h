// SPDX-License-Identifier: Apache-2.0
//
// Callables for tests, as scan would find them.
#pragma once

#include "annotation/Bind.h"
#include "annotation/Parser.h"
#include "plan/Plan.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace graphgen::plan_tests {

using annotation::TypeKind;

/// A list, array, map or optional is one of `Members`' only type, or of tensors.
inline annotation::Type type(TypeKind Kind, std::vector<annotation::Member> Members = {}) {
  annotation::Type Result;
  Result.Kind = Kind;
  Result.Members = std::move(Members);
  const bool HoldsNothing = annotation::isScalar(Kind) || annotation::isObject(Kind);
  const bool HoldsMore = Kind != TypeKind::Tensor && Kind != TypeKind::TensorLvalue && !HoldsNothing;
  if (HoldsMore && Result.Members.empty()) {
    Result.Members.push_back({"", type(TypeKind::Tensor)});
  }
  return Result;
}

inline annotation::Parameter parameter(std::string Name, annotation::Type Type) {
  annotation::Parameter Result;
  Result.Name = std::move(Name);
  Result.Type = std::move(Type);
  return Result;
}

inline annotation::Parameter parameter(std::string Name, TypeKind Kind = TypeKind::Tensor) {
  return parameter(std::move(Name), type(Kind));
}

inline annotation::Callable function(std::string QualifiedName, const std::string& AnnotationText,
                                     std::vector<annotation::Parameter> Parameters, const annotation::Constants& Known = {}) {
  const annotation::ParseResult Parsed = annotation::parse(AnnotationText);
  EXPECT_TRUE(Parsed.Tree) << AnnotationText;
  annotation::Declaration Declared;
  Declared.QualifiedName = std::move(QualifiedName);
  Declared.Parameters = std::move(Parameters);
  Declared.Result = type(TypeKind::Tensor);
  Declared.Line = 7;
  std::vector<annotation::Diagnostic> Errors;
  std::optional<annotation::Callable> Bound = annotation::bindAnnotation(std::move(Declared), *Parsed.Tree, Known, Errors);
  EXPECT_TRUE(Bound) << AnnotationText;
  return std::move(Bound).value_or(annotation::Callable());
}

inline annotation::Callable method(std::string ObjectType, const std::string& Name, const std::string& AnnotationText,
                                   std::vector<annotation::Parameter> Parameters) {
  annotation::Callable Result = function(ObjectType + "::" + Name, AnnotationText, std::move(Parameters));
  Result.Kind = annotation::CallableKind::Method;
  Result.ObjectType = std::move(ObjectType);
  return Result;
}

inline plan::FilePlan planOf(const std::vector<annotation::Callable>& Callables, const std::string& Input = "policy.h",
                             bool IsHeader = true) {
  std::vector<plan::Problem> Problems;
  std::optional<plan::FilePlan> Plan = plan::makePlan(Input, IsHeader, Callables, Problems);
  EXPECT_TRUE(Plan) << Problems.front().What.Message;
  return Plan.value_or(plan::FilePlan());
}

inline std::vector<plan::Problem> problemsOf(const std::vector<annotation::Callable>& Callables) {
  std::vector<plan::Problem> Problems;
  EXPECT_FALSE(plan::makePlan("policy.h", true, Callables, Problems));
  return Problems;
}

}  // namespace graphgen::plan_tests
