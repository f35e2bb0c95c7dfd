// SPDX-License-Identifier: Apache-2.0
//
// Strings of JSON documents: LibTorch's headers have no JSON library.
#pragma once

#include <string>
#include <string_view>

namespace graphed::impl {

/// `text` as a JSON string, with its quotes. Bytes that are not UTF-8 become the replacement character U+FFFD, so that any text makes a
/// valid document (RFC 8259, sections 7 and 8.1).
std::string json_string(std::string_view text);

}  // namespace graphed::impl
