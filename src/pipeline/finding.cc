// SPDX-License-Identifier: Apache-2.0
// Settling what overlapping windows found.
#include "pipeline/finding.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace seqgpt {
namespace {

bool beats(const Finding& a, const Finding& b) {
  const auto strength = [](const Finding& f) {
    return std::tuple(!f.cut, f.confidence, f.span.end - f.span.begin);
  };
  return strength(a) >= strength(b);
}

/// Drops those whose flag is set.
void drop(std::vector<Finding>& findings, const std::vector<bool>& lost) {
  size_t kept = 0;
  for (size_t i = 0; i < findings.size(); ++i) {
    if (!lost[i]) findings[kept++] = findings[i];
  }
  findings.resize(kept);
}

void settle_overlaps(const std::vector<bool>& single, std::vector<Finding>& findings) {
  std::vector<bool> lost(findings.size());
  for (size_t i = 0; i < findings.size(); ++i) {
    for (size_t j = i + 1; j < findings.size() && !lost[i]; ++j) {
      const Finding& a = findings[i];
      const Finding& b = findings[j];
      if (b.label != a.label || b.span.begin >= a.span.end) break;
      const bool one_thing = single[a.label] && a.span.begin == b.span.begin;
      const bool conflict = a.window != b.window || a.span == b.span || one_thing;
      if (lost[j] || !conflict) continue;
      lost[beats(a, b) ? j : i] = true;
    }
  }
  drop(findings, lost);
}

void keep_best_mentions(std::string_view text, const std::vector<bool>& every_mention,
                        std::vector<Finding>& findings) {
  std::map<std::pair<size_t, std::string_view>, size_t> best;
  std::vector<bool> lost(findings.size());
  for (size_t i = 0; i < findings.size(); ++i) {
    if (every_mention[findings[i].label]) continue;
    const ByteSpan span = findings[i].span;
    const auto [place, fresh] =
        best.try_emplace({findings[i].label, text.substr(span.begin, span.end - span.begin)}, i);
    if (fresh) continue;
    const bool better = findings[i].confidence > findings[place->second].confidence;
    lost[better ? place->second : i] = true;
    if (better) place->second = i;
  }
  drop(findings, lost);
}

}  // namespace

void merge_findings(std::string_view text, const std::vector<bool>& every_mention,
                    const std::vector<bool>& single, std::vector<Finding>& findings) {
  std::ranges::stable_sort(findings, {}, [](const Finding& f) {
    return std::tuple(f.label, f.span.begin, f.span.end, f.window);
  });
  settle_overlaps(single, findings);
  keep_best_mentions(text, every_mention, findings);
}

}  // namespace seqgpt
