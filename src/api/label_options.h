// SPDX-License-Identifier: Apache-2.0
// The file of a firm's own fields.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "task/task.h"

namespace seqgpt {

inline constexpr size_t kMaxFieldsFileBytes = size_t{1} << 20;
inline constexpr size_t kMaxOwnFields = 1000;
inline constexpr size_t kMaxSynonyms = 50;  // of one field

/// The standard fields and those of a file in the shape of standard-fields.json,
///   {type: [name or {"name", "synonyms"?, "kind"?, "description"?, "pattern"?, "one_of"?,
///   "mentions"?}]}
/// Errors (kInvalidArgument, kTooLarge; param "fields") name `file`, the field and the limit.
Result<std::shared_ptr<const FieldTable>> fields_from_json(std::string_view text,
                                                           const std::string& file);

}  // namespace seqgpt
