// SPDX-License-Identifier: Apache-2.0
//
// The table of operators, against the dispatcher of the LibTorch that the tests are built with: a name that it lacks would never be met.
#include "watch/operators.h"

#include <gtest/gtest.h>

#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace operators_test {

using namespace graphed::impl;

std::vector<c10::OperatorHandle> operators_of(const operator_row& row) {
  std::vector<c10::OperatorHandle> found;
  for (const auto& name : c10::Dispatcher::singleton().getAllOpNames()) {
    const auto op = is_about(row, name) ? c10::Dispatcher::singleton().findSchema(name) : std::nullopt;
    if (op) {
      found.push_back(*op);
    }
  }
  return found;
}

c10::OperatorHandle find(const char* name, const char* overload) { return c10::Dispatcher::singleton().findSchemaOrThrow(name, overload); }

bool is_made_of_others(const c10::OperatorHandle& op) {
  return op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd) && !op.hasKernelForDispatchKey(c10::DispatchKey::CPU);
}

TEST(Operators, EachRowIsAboutOperatorsOfThisLibTorch) {
  for (const auto& row : operator_rows()) {
    EXPECT_FALSE(operators_of(row).empty()) << row.name << ": this LibTorch has no such operator; the row must say since or until when";
  }
}

TEST(Operators, TheRecorderMeetsWhatEachRowIsAbout) {
  for (const auto& row : operator_rows()) {
    const auto all = operators_of(row);
    const bool is_met = !std::all_of(all.begin(), all.end(), is_made_of_others);
    EXPECT_EQ(is_met, !includes(row.traits, trait::has_kernel) && !includes(row.traits, trait::reads_by_pointer)) << row.name;
  }
}

TEST(Operators, HaveOneRowEach) {
  std::set<std::string_view> names;
  for (const auto& row : operator_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(row.traits != trait::none || !row.remedy.empty()) << row.name << " says nothing";
  }
}

TEST(Operators, OfEveryTraitTakeTheArgumentsThatItSpeaksOf) {
  for (const auto& row : operator_rows()) {
    for (const auto& op : operators_of(row)) {
      const auto& arguments = op.schema().arguments();
      if (includes(row.traits, trait::steps)) {
        EXPECT_EQ(*arguments.back().type(), *c10::NumberType::get()) << full_name(op);
        EXPECT_TRUE(arguments.front().alias_info()->isWrite()) << full_name(op);
      }
      if (includes(row.traits, trait::shaped_by_mask)) {
        EXPECT_EQ(arguments.at(1).name(), "indices") << full_name(op);
      }
      if (includes(row.traits, trait::allocates)) {
        EXPECT_EQ(op.schema().returns().size(), 1) << full_name(op);
      }
    }
  }
}

TEST(Operators, AreFoundByName) {
  EXPECT_TRUE(has_trait(find("aten::add_", "Tensor"), trait::steps));
  EXPECT_FALSE(has_trait(find("aten::add_", "Scalar"), trait::steps));
  EXPECT_TRUE(has_trait(find("aten::add_", "Scalar"), trait::calculates));
  EXPECT_FALSE(has_trait(find("aten::add", "out"), trait::calculates));
  EXPECT_TRUE(has_trait(find("aten::copy_", ""), trait::fills));
  EXPECT_TRUE(has_trait(find("aten::copy_", ""), trait::copies));
  EXPECT_TRUE(has_trait(find("aten::resize_as_", ""), trait::replaces_memory));
  EXPECT_TRUE(has_trait(find("aten::_foreach_copy_", ""), trait::stays_on_stream));  // by two rows
  EXPECT_TRUE(has_trait(find("aten::_foreach_copy_", ""), trait::copies));
  EXPECT_EQ(traits_of(find("aten::tanh", "")), trait::none);
}

// The random generator is watched around operators with LibTorch's tag.
TEST(Operators, ThatTakeAGeneratorAreTaggedAsDrawing) {
  for (const auto& name : c10::Dispatcher::singleton().getAllOpNames()) {
    const auto op = is_of_libtorch(name) ? c10::Dispatcher::singleton().findSchema(name) : std::nullopt;
    const bool draws = op && op->schema().argumentIndexWithName("generator") && !op->schema().hasAnyAliasInfo();
    EXPECT_TRUE(!draws || op->hasTag(at::Tag::nondeterministic_seeded)) << name;
  }
}

TEST(Operators, ThatNoCaptureHoldsHaveARemedy) {
  const std::string text = with_remedy("aten::equal");
  EXPECT_EQ(text.find("aten::equal (compare on the device"), 0) << text;
  EXPECT_EQ(with_remedy("aten::add.Tensor"), "aten::add.Tensor");
  EXPECT_EQ(with_remedy("mine::equal"), "mine::equal");
}

}  // namespace operators_test
