// SPDX-License-Identifier: Apache-2.0
// Building the label trie over token ids and reading each label's competitors off it.
#include "constrain/classification.h"

#include <map>

#include "constrain/label_error.h"

namespace seqgpt {
namespace {

/// Node 0 is the root; the children of a node are the ids that may stand there, ascending.
class LabelTrie {
 public:
  /// False when another label has the same tokens.
  bool add(const std::vector<int32_t>& tokens) {
    size_t node = 0;
    bool fresh = false;
    for (const int32_t id : tokens) {
      const auto [child, added] = children_[node].emplace(id, children_.size());
      node = child->second;
      if (added) children_.emplace_back();
      fresh = fresh || added;
    }
    return fresh;
  }

  ScoreRequest::Continuation continuation(std::vector<int32_t> tokens) const {
    ScoreRequest::Continuation continuation;
    size_t node = 0;
    for (const int32_t id : tokens) {
      std::vector<int32_t>& allowed = continuation.ids_allowed.emplace_back();
      for (const auto& [competitor, child] : children_[node]) allowed.push_back(competitor);
      node = children_[node].at(id);
    }
    continuation.tokens = std::move(tokens);
    return continuation;
  }

 private:
  std::vector<std::map<int32_t, size_t>> children_{1};
};

}  // namespace

Result<std::vector<ScoreRequest::Continuation>> label_continuations(
    const Tokenizer& tokenizer, const std::vector<std::string>& labels, int32_t end_id) {
  if (labels.empty()) {
    return Error{ErrorCode::kUnbuildable, "there are no labels to choose from; name at least one",
                 "labels"};
  }
  LabelTrie trie;
  std::vector<std::vector<int32_t>> tokens;
  for (size_t i = 0; i < labels.size(); ++i) {
    tokens.push_back(tokenizer.encode(labels[i]));
    if (tokens.back().empty()) return unbuildable_label(i, "is empty; give it a name");
    tokens.back().push_back(end_id);
    if (!trie.add(tokens.back())) {
      return unbuildable_label(
          i, "reads the same to the model as an earlier label; remove or rename it");
    }
  }
  std::vector<ScoreRequest::Continuation> continuations;
  continuations.reserve(tokens.size());
  for (std::vector<int32_t>& path : tokens)
    continuations.push_back(trie.continuation(std::move(path)));
  return continuations;
}

}  // namespace seqgpt
