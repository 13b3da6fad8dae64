// SPDX-License-Identifier: Apache-2.0
// Every stretch of a text that is a value of a type's language.
#pragma once

#include <vector>

#include "constrain/span_index.h"
#include "constrain/type_language.h"

namespace seqgpt {

/// Sorted and distinct, for SpanIndex::narrowed. Time and memory are linear in the text: a value
/// has at most language.most characters.
std::vector<Candidate> type_candidates(const Characters& characters, const TypeLanguage& language);

}  // namespace seqgpt
