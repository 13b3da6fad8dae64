// SPDX-License-Identifier: Apache-2.0
// The byte-level alphabet: one printable character for each of the 256 bytes, as GPT-2 chose them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace seqgpt {

/// The character that stands for `byte` in a tokenizer.json: itself when printable Latin-1, else
/// U+0100 and up.
char32_t byte_character(uint8_t byte);

/// Appends the bytes that a token's content stands for. A content with a character outside the
/// alphabet stands for its own UTF-8 bytes, as the ByteLevel decoder of HF has it.
void append_token_bytes(std::string_view content, std::string& out);

/// The content that stands for `bytes`.
std::string token_content(std::string_view bytes);

}  // namespace seqgpt
