// SPDX-License-Identifier: Apache-2.0
// The label trie of a classification: the labels' token paths, and each token's competitors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "tokenizer/tokenizer.h"

namespace seqgpt {

/// Continuations to score, one a label: encode(label) followed by `end_id` (</s>), each token with
/// the ids that other labels (and the end) put at the same place of the trie; a place with one id
/// costs nothing. So a label that begins another is comparable, and the probabilities of all labels
/// sum to one:
///   P(label) = product over its tokens of softmax(logits of the ids that may stand there)[token].
Result<std::vector<ScoreRequest::Continuation>> label_continuations(
    const Tokenizer& tokenizer, const std::vector<std::string>& labels, int32_t end_id);

}  // namespace seqgpt
