// SPDX-License-Identifier: Apache-2.0
//
// Callables for tests, as scan would find them.
#pragma once

#include "annotation/Callable.h"
#include "annotation/Parser.h"
#include "plan/Plan.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace graphgen::plan_tests {

using annotation::ParameterType;

inline annotation::Parameter parameter(std::string Name, ParameterType Type = ParameterType::Tensor) {
  annotation::Parameter Result;
  Result.Name = std::move(Name);
  Result.Type = Type;
  return Result;
}

inline annotation::Callable function(std::string QualifiedName, std::string AnnotationText, std::vector<annotation::Parameter> Parameters) {
  annotation::ParseResult Parsed = annotation::parse(AnnotationText);
  EXPECT_TRUE(Parsed.Tree) << AnnotationText;
  annotation::Callable Result;
  Result.QualifiedName = std::move(QualifiedName);
  Result.Parameters = std::move(Parameters);
  Result.Result = annotation::ResultType::Tensor;
  Result.File = "policy.h";
  Result.Line = 7;
  Result.AnnotationText = std::move(AnnotationText);
  Result.Spec = std::move(*Parsed.Tree);
  return Result;
}

inline annotation::Callable method(std::string ObjectType, const std::string& Name, std::string AnnotationText,
                                   std::vector<annotation::Parameter> Parameters) {
  annotation::Callable Result = function(ObjectType + "::" + Name, std::move(AnnotationText), std::move(Parameters));
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
