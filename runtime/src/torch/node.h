// SPDX-License-Identifier: Apache-2.0
//
// Who owns a node of an autograd graph: std::shared_ptr up to LibTorch 2.12, c10::intrusive_ptr from 2.13 on.
#pragma once

#include "torch/libtorch_version.h"

#include <torch/csrc/autograd/function.h>

#include <memory>
#include <utility>

#if GRAPHED_LIBTORCH_AT_LEAST(2, 13)
#include <c10/util/intrusive_ptr.h>
#endif

namespace graphed::impl {

#if GRAPHED_LIBTORCH_AT_LEAST(2, 13)

template <class Node>
using owned_node = c10::intrusive_ptr<Node>;
using weak_node = c10::weak_intrusive_ptr<torch::autograd::Node>;

template <class Node, class... Arguments>
owned_node<Node> make_node(Arguments&&... arguments) {
  return c10::make_intrusive<Node>(std::forward<Arguments>(arguments)...);
}

inline owned_node<torch::autograd::Node> owner_of(torch::autograd::Node& node) {
  return owned_node<torch::autograd::Node>::reclaim_copy(&node);
}

inline bool refers_to(const weak_node& weak, const owned_node<torch::autograd::Node>& node) {
  return weak._unsafe_get_target() == node.get();
}

#else

template <class Node>
using owned_node = std::shared_ptr<Node>;
using weak_node = std::weak_ptr<torch::autograd::Node>;

template <class Node, class... Arguments>
owned_node<Node> make_node(Arguments&&... arguments) {
  return owned_node<Node>(new Node(std::forward<Arguments>(arguments)...), torch::autograd::deleteNode);
}

inline owned_node<torch::autograd::Node> owner_of(torch::autograd::Node& node) { return node.getptr(); }

inline bool refers_to(const weak_node& weak, const owned_node<torch::autograd::Node>& node) {
  return !weak.owner_before(node) && !node.owner_before(weak);
}

#endif

}  // namespace graphed::impl
