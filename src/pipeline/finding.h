// SPDX-License-Identifier: Apache-2.0
// Finding: a value as one window gave it, and how the findings of all windows become one answer.
#pragma once

#include <string_view>
#include <vector>

#include "pipeline/confidence.h"

namespace seqgpt {

struct Finding {
  size_t label = 0;  // index into the task's labels
  ByteSpan span;     // of the whole text
  Evidence evidence;
  double confidence = 0;
  size_t window = 0;  // which window gave it
  bool cut = false;   // it touches an edge of its window, beyond which the text goes on
};

/// Sorts by label, then by place, and settles what windows disagree on:
/// - the same span under one label comes once, with the greater confidence;
/// - of two spans of different windows that overlap under one label the one that no window's edge
/// may
///   have cut stays, then the more confident, then the longer; those of one window may be nested
///   and stay;
/// - of two that begin at one place under one label that names one thing (`single`) likewise: 王 is
///   no second person beside 王伟;
/// - equal words under one label come once, where confidence is greatest, unless `every_mention` of
///   that label is wanted. A window without the value has no say.
void merge_findings(std::string_view text, const std::vector<bool>& every_mention,
                    const std::vector<bool>& single, std::vector<Finding>& findings);

}  // namespace seqgpt
