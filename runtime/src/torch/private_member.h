// SPDX-License-Identifier: Apache-2.0
//
// Members of LibTorch's classes that only slow accessors show. An explicit instantiation may name private members
// ([temp.spec.general]/6).
#pragma once

namespace graphed::impl {

/// A tag of this namespace derives from it, and declares `friend pointer pointer_to(tag)`.
template <class Class, class Member>
struct member_of {
  using pointer = Member Class::*;
};

/// Its explicit instantiation defines pointer_to(Tag).
template <class Tag, typename Tag::pointer value>
struct opened {
  friend typename Tag::pointer pointer_to(Tag) { return value; }
};

}  // namespace graphed::impl
