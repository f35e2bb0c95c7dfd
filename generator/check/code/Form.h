// SPDX-License-Identifier: Apache-2.0
//
// What is known of a tensor before the program runs.
#pragma once

#include <optional>
#include <tuple>

namespace graphgen::check {

/// Where nothing is said nobody knows.
struct Form {
  bool IsMask = false;                 // of bool or of bytes: an index by it asks where it is not zero
  bool IsOfIntegers = false;           // of an integral dtype that is no mask's: an index by it says where
  std::optional<unsigned> Dimensions;  // their number, if it is small
  bool IsOnDevice = false;             // with the tensors that the annotated callable is given

  bool operator<(const Form& Other) const {
    return std::tie(IsMask, IsOfIntegers, Dimensions, IsOnDevice) <
           std::tie(Other.IsMask, Other.IsOfIntegers, Other.Dimensions, Other.IsOnDevice);
  }
};

}  // namespace graphgen::check
