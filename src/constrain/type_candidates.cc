// SPDX-License-Identifier: Apache-2.0
// One pass marks what a language says of each character, one takes the stretches from each
// beginning.
#include "constrain/type_candidates.h"

#include <algorithm>

namespace seqgpt {
namespace {

/// For each character, what the candidates' conditions look up.
struct Marks {
  std::vector<uint8_t> inside;
  std::vector<uint8_t> ends;        // a value may end with it
  std::vector<size_t> first_begin;  // of the first evidence at or after it
  std::vector<size_t> first_end;    // the least end of an evidence that begins at or after it
  std::vector<size_t> last_end;     // of the last evidence that ends at or before it
};

Marks mark(const Characters& all, const TypeLanguage& language) {
  const size_t count = all.size();
  Marks marks{std::vector<uint8_t>(count, 0), std::vector<uint8_t>(count, 0),
              std::vector<size_t>(count + 1, kNoLimit), std::vector<size_t>(count + 1, kNoLimit),
              std::vector<size_t>(count + 1, 0)};
  for (size_t at = 0; at < count; ++at) {
    const bool separates = all[at].code == U'\n' || all[at].code == 0;
    marks.inside[at] = !separates && language.inside(all, at) ? 1 : 0;
    const bool cut = at + 1 < count && (all[at + 1].joints & language.uncut) != 0;
    marks.ends[at] = marks.inside[at] != 0 && !cut && language.ends(all, at) ? 1 : 0;
  }
  for (size_t at = count; at-- > 0;) {
    const size_t end = marks.inside[at] != 0 ? language.evidence(all, at) : 0;
    marks.first_begin[at] = end > 0 ? at : marks.first_begin[at + 1];
    marks.first_end[at] =
        end > 0 ? std::min(end, marks.first_end[at + 1]) : marks.first_end[at + 1];
    if (end > 0) marks.last_end[end] = end;
  }
  for (size_t at = 1; at <= count; ++at)
    marks.last_end[at] = std::max(marks.last_end[at], marks.last_end[at - 1]);
  return marks;
}

// All values that begin at `begin`: the end moves on while the type allows it.
void add_from(const Characters& all, const TypeLanguage& language, const Marks& marks, size_t begin,
              std::vector<Candidate>& out) {
  if (marks.first_end[begin] == kNoLimit) return;
  if (language.lead != kNoLimit && marks.first_begin[begin] - begin > language.lead) return;
  int depth = 0;
  for (size_t end = begin + 1; end <= begin + language.most && marks.inside[end - 1] != 0; ++end) {
    const char32_t last = all[end - 1].code;
    depth += opens_bracket(last) ? 1 : closes_bracket(last) ? -1 : 0;
    if (depth < 0) return;
    if (end < marks.first_end[begin] || depth > 0 || marks.ends[end - 1] == 0) continue;
    if (language.tail != kNoLimit && end - marks.last_end[end] > language.tail) continue;
    if (language.whole != nullptr && !language.whole(all, begin, end)) continue;
    out.push_back({all[begin].begin, all[end].begin});
  }
}

}  // namespace

std::vector<Candidate> type_candidates(const Characters& characters, const TypeLanguage& language) {
  std::vector<Candidate> out;
  const Marks marks = mark(characters, language);
  for (size_t at = 0; at + 1 < characters.size(); ++at) {
    const bool cut = (characters[at].joints & language.uncut) != 0;
    if (marks.inside[at] != 0 && !cut && language.begins(characters, at))
      add_from(characters, language, marks, at, out);
  }
  return out;
}

}  // namespace seqgpt
