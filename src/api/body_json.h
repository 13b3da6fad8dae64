// SPDX-License-Identifier: Apache-2.0
// The bodies as JSON values, for the .cc files of this folder that put them into larger objects.
#pragma once

#include <nlohmann/json.hpp>

#include "api/body.h"

namespace seqgpt {

using Json = nlohmann::ordered_json;

Json answer_json(const Answer& answer, std::string_view text, const AnswerOptions& options,
                 const BodyContext& context);
Json error_json(const Error& error);
/// Text of any value; bytes that are no UTF-8 become U+FFFD instead of throwing.
std::string dump_json(const Json& value, int indent);

/// A value as one cell of a table: strings bare, lists joined by ；, ranges as low~high, null
/// empty.
std::string json_cell(const Json& value);

}  // namespace seqgpt
