// SPDX-License-Identifier: Apache-2.0
// The 87 standard fields, their types and the other words for them, as plain rows.
#pragma once

#include <span>
#include <string_view>

namespace seqgpt {

struct StandardFieldRow {
  std::string_view name;
  std::string_view type;
  std::string_view kind;      // Field::kind, where one is certain
  std::string_view synonyms;  // separated by |; other scripts and case are folded away
};

std::span<const StandardFieldRow> standard_field_rows();

}  // namespace seqgpt
