// SPDX-License-Identifier: Apache-2.0
//
// How a callable is named, declared and called: on the caller's arguments, and on the static inputs of a capture.
#pragma once

#include "plan/Plan.h"

#include <string>
#include <vector>

namespace graphgen::emit {

struct CallSpelling {
  std::string Pointer;     // "&::app::Net::forward", "graphed::policy_glue::function()", "graphed::access::method<...>()"
  std::string Address;     // "&::app::policy", "graphed::overload<...>(&::app::policy)": what the latter two return
  std::string ObjectType;  // "const ::app::Scale"; empty where there is no object
  // "engine_", "object_", "signature": unlike the parameters' names, beside which they stand.
  std::string Engine;
  std::string Apart;
  std::string Object;
  std::string Signature;
  std::string DeclaredParameters;    // "signature::argument<0> obs, signature::argument<1> causal = true"
  std::string DefinedParameters;     // the same without default arguments
  std::string Names;                 // "obs, causal"
  std::vector<std::string> Members;  // "signature::argument<0>& obs"
  std::string TensorArguments;       // "(arguments.obs, arguments.hs)", or "{}" where there are none or some are aggregates
  std::string ScalarsBlock;          // "{ return graphed::impl::Scalars().key("causal", arguments.causal); }", or nothing
  std::string ResultType;            // "signature::result", "graphed::impl::Copied<signature::result>"
  std::string StaticInputs;          // "graphed::tensor_list& in", without the name where it is not used
  std::string CapturedBlock;         // "{ return ::app::policy(in[0], arguments.causal); }"
  std::string OriginalBlock;         // "{ return ::app::policy(arguments.obs, arguments.causal); }"

  // Where the callable may assign arguments, or members of them: both blocks return an Outcome.
  std::vector<std::string> OutcomeMembers;  // "signature::result result", "std::remove_reference_t<signature::argument<0>> state"

  // Where some arguments are aggregates, or lists of several lengths.
  std::string Visitor;          // "visit"
  std::string VisitParameters;  // ", auto& batch, auto& w"
  std::string VisitStatements;  // "  visit(batch.obs);\n  visit(w);\n"
  std::string Visited;          // ", arguments.batch, arguments.w"
  // "auto captured_batch = arguments.batch", "captured_batch.lr = graphed::Scalar::over(in[3])", "std::size_t captured_w = 0",
  // "at::Tensor captured_out"
  std::vector<std::string> StaticCopies;
  std::string VisitedCopies;  // ", captured_batch, in[2]"
  // Where some of them hold tensors in the memory of the host, before the call of the original function: "auto moved_batch =
  // arguments.batch", "graphed::impl::OnDevice move(call)", "visit_arguments(move, moved_batch, arguments.w)"
  std::vector<std::string> Moves;
};

CallSpelling spellCalls(const plan::Callable& Callable);

/// Whether the code cannot call it by its name.
bool isCalledByPointer(const plan::Callable& Callable);

/// Below graphed: "policy_glue_of_app_in_nets".
std::string glueNamespace(const plan::Callable& Callable);

}  // namespace graphgen::emit
