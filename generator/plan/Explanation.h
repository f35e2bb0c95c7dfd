// SPDX-License-Identifier: Apache-2.0
//
// What --explain shows of a callable, as values: the text, the JSON and the page are made of them.
#pragma once

#include "plan/InputBytes.h"
#include "plan/Plan.h"

#include <optional>
#include <string>
#include <vector>

namespace graphgen::plan {

struct Explanation {
  /// A parameter; or a scalar inside of one, by its path.
  struct Parameter {
    std::string Name, Type;
    std::string Scalar;   // "key", or empty
    std::string Default;  // as C++, or empty
  };
  struct Input {
    std::string Name, Type;  // "f32[64, 8] grad"
    InputBytes Bytes;
    std::string Fate;  // what a call does with it
  };
  /// Of one annotation and one length of its lists, at its largest size.
  struct Inputs {
    std::string Annotation, At;  // "B = 8", or empty
    std::vector<Input> Tensors;
    InputBytes Static;  // what a capture holds of them
  };
  struct Watched {
    std::string Name, What, Effect;
  };
  struct WatchedGroup {
    std::vector<Watched> Members;
    bool IsGuessed = false;  // a body in another file may name some
  };
  struct Option {
    std::string Name, Value;
    bool IsGiven = false;
  };

  std::string Place;  // "policy.h:8"
  std::string Kind;   // "function", "method of the module app::Net"
  std::vector<Parameter> Parameters;
  std::string Result;
  std::vector<Inputs> Samples;
  std::optional<WatchedGroup> Object;                    // of a method; of a module beside what it has registered
  std::optional<WatchedGroup> Variables;                 // where bodies read such
  std::optional<WatchedGroup> Arguments;                 // where there are objects among them
  std::optional<std::vector<annotation::Write>> Writes;  // nothing where the file has no body
  std::vector<std::string> Captures;                     // sentences
  std::vector<Option> Options;
  std::vector<std::string> Misses;  // "x is not f32[4]"
  std::vector<std::string> Consts;  // scalars, of which another value throws
};

Explanation explanationOf(const FilePlan& Plan, const Callable& Callable);

}  // namespace graphgen::plan
