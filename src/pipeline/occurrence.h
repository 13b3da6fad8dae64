// SPDX-License-Identifier: Apache-2.0
// Which of several equal strings a label means, and where all of them stand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "constrain/span_index.h"

namespace seqgpt {

/// Where the words of `span` stand in `text`, ascending, without overlap: those occurrences that do
/// not go on a run of digits or Latin letters, and `span` itself always.
std::vector<ByteSpan> occurrences(std::string_view text, ByteSpan span);

/// Which of `places` (of equal words, `otherwise` among them) `label` stands beside: before it
/// (合同金额：100万元) or after it (100万元的保证金), whole or in part, in the same statement. A
/// name that the field table has may stand there under its synonyms. `otherwise` when no other
/// place has more of it nearer by. The rule is in docs/constraint.md.
ByteSpan occurrence_of_label(std::string_view text, ByteSpan otherwise,
                             const std::vector<ByteSpan>& places, std::string_view label);

}  // namespace seqgpt
