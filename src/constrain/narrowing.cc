// SPDX-License-Identifier: Apache-2.0
// Candidates of patterns and lists, and the sharing of indices.
#include "constrain/narrowing.h"

#include <algorithm>
#include <map>

#include "base/utf8.h"
#include "constrain/type_candidates.h"
#include "constrain/value_characters.h"
#include "task/pattern.h"

namespace seqgpt {
namespace {

using Shared = std::shared_ptr<const SpanIndex>;

// Bytes looked at, times instructions of the pattern's program: what RE2 may need at worst. A usual
// pattern on a usual window needs a thousandth of it.
constexpr size_t kMaxPatternWork = size_t{1} << 31;

static_assert(kMaxPatternCharacters <= kMaxValueCharacters);
static_assert(kMaxOneOfCharacters <= kMaxValueCharacters);

bool may_begin(const SpanText& text, size_t at) {
  return (text.flags[at] & SpanText::kMayBegin) != 0;
}
bool may_end(const SpanText& text, size_t end) {
  return (text.flags[end - 1] & SpanText::kMayEnd) != 0;
}

/// The stretches that a pattern matches as a whole, found from each beginning: the longest match,
/// then the longest that is shorter, and so on.
class PatternSearch {
 public:
  PatternSearch(const SpanText& text, const Pattern& pattern) : text_(text), pattern_(pattern) {}

  bool run() {
    size_t string_end = 0;
    for (size_t at = 1; at < text_.bytes.size() && affordable(); ++at) {
      if (string_end <= at) string_end = text_.bytes.find('\n', at);
      if (may_begin(text_, at)) add_from(at, string_end);
    }
    std::ranges::sort(found_);
    return affordable();
  }

  std::vector<Candidate> take() { return std::move(found_); }

 private:
  bool affordable() const { return work_ <= kMaxPatternWork; }

  void add_from(size_t begin, size_t string_end) {
    size_t limit = begin;
    for (size_t i = 0; i < pattern_.max_characters() && limit < string_end; ++i) {
      do {
        ++limit;
      } while (!utf8_boundary(text_.bytes, limit));
    }
    const std::string_view all = text_.bytes;
    while (limit > begin && affordable()) {
      work_ += (limit - begin) * pattern_.program_size();
      const size_t length = pattern_.longest(all.substr(begin, limit - begin));
      if (length == 0) return;
      limit = begin + length;
      if (may_end(text_, limit))
        found_.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(limit)});
      do {
        --limit;
      } while (!utf8_boundary(text_.bytes, limit));
    }
  }

  const SpanText& text_;
  const Pattern& pattern_;
  std::vector<Candidate> found_;
  size_t work_ = 0;
};

std::vector<Candidate> listed(const SpanText& text, const std::vector<std::string>& entries) {
  std::vector<Candidate> found;
  for (const std::string& entry : entries) {
    for (size_t at = text.bytes.find(entry); at != std::string::npos;
         at = text.bytes.find(entry, at + 1)) {
      const size_t end = at + entry.size();
      if (may_begin(text, at) && may_end(text, end))
        found.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(end)});
    }
  }
  std::ranges::sort(found);
  return found;
}

// Where some candidates stand alone, those that would be cut out of a number or a word are none.
void keep_whole_words(const Characters& characters, std::vector<Candidate>& candidates) {
  const auto cut = [&](uint32_t byte) {
    const auto at = std::ranges::lower_bound(characters, byte, {}, &ValueCharacter::begin);
    const auto before = at - 1;
    return (is_digit(before->code) && is_digit(at->code)) ||
           (at->joints & ValueCharacter::kWord) != 0;
  };
  const auto whole = [&](const Candidate& c) { return !cut(c.begin) && !cut(c.end); };
  if (std::ranges::any_of(candidates, whole))
    std::erase_if(candidates, [&](const Candidate& c) { return !whole(c); });
}

/// Makes each narrowing's index once.
class Narrower {
 public:
  explicit Narrower(const Shared& whole) : whole_(whole) {}

  /// `present`: the document has something of the label's type, if not this text.
  Result<Shared> index_for(const Label& label, size_t number, bool present) {
    const std::string key = key_of(label);
    if (key.empty()) return whole_;
    const auto known = made_.find(key);
    if (known != made_.end()) return known->second;
    SEQGPT_ASSIGN(Shared made, narrowed(label, number, present));
    return made_.emplace(key, std::move(made)).first->second;
  }

 private:
  static bool asks(const Label& label) { return !label.pattern.empty() || !label.one_of.empty(); }

  static std::string key_of(const Label& label) {
    if (!asks(label)) {
      const TypeLanguage* language = type_language(label.type, label.kind);
      return language == nullptr ? "" : std::string(language->name);
    }
    std::string key = "\n" + label.pattern;  // no type has a line feed in its name
    for (const std::string& entry : label.one_of) key += "\n" + entry;
    return key;
  }

  Result<Shared> narrowed(const Label& label, size_t number, bool present) {
    if (characters_.empty()) characters_ = value_characters(whole_->text());
    if (asks(label)) {
      SEQGPT_ASSIGN(std::vector<Candidate> candidates, asked(label, number));
      keep_whole_words(characters_, candidates);
      return std::make_shared<const SpanIndex>(whole_->narrowed(candidates));
    }
    const TypeLanguage& language = *type_language(label.type, label.kind);
    auto made =
        std::make_shared<const SpanIndex>(whole_->narrowed(type_candidates(characters_, language)));
    return made->empty() && !present && !language.strict ? whole_ : made;
  }

  Result<std::vector<Candidate>> asked(const Label& label, size_t number) {
    if (label.pattern.empty()) return listed(whole_->text(), label.one_of);
    const std::string where = "labels[" + std::to_string(number) + "].pattern";
    SEQGPT_ASSIGN(const Pattern pattern, Pattern::compile(label.pattern, where));
    if (!label.one_of.empty()) {
      std::vector<std::string> entries = label.one_of;
      std::erase_if(entries, [&](const std::string& e) { return !pattern.matches(e); });
      return listed(whole_->text(), entries);
    }
    PatternSearch search(whole_->text(), pattern);
    if (!search.run()) {
      return Error{
          ErrorCode::kUnbuildable,
          where + " costs too much on a text of " + std::to_string(whole_->text().bytes.size()) +
              " bytes; write smaller repetitions, or begin it with what a value begins with",
          where};
    }
    return search.take();
  }

  const Shared& whole_;
  Characters characters_;
  std::map<std::string, Shared> made_;
};

}  // namespace

Result<std::vector<Shared>> narrow_to_labels(const Shared& whole, std::span<const Label> labels,
                                             const std::vector<bool>& present) {
  Narrower narrower(whole);
  std::vector<Shared> indices;
  for (size_t i = 0; i < labels.size(); ++i) {
    const bool elsewhere = i < present.size() && present[i];
    SEQGPT_ASSIGN(Shared index, narrower.index_for(labels[i], i, elsewhere));
    indices.push_back(std::move(index));
  }
  return indices;
}

void note_types(std::string_view text, std::span<const Label> labels, std::vector<bool>& present) {
  const SpanText span_text = make_span_text(text);
  const Characters characters = value_characters(span_text);
  std::map<const TypeLanguage*, bool> known;
  for (size_t i = 0; i < labels.size(); ++i) {
    const TypeLanguage* language = type_language(labels[i].type, labels[i].kind);
    if (present[i] || language == nullptr) continue;
    const auto [found, fresh] = known.emplace(language, false);
    if (fresh) {
      found->second =
          std::ranges::any_of(type_candidates(characters, *language), [&](const Candidate& c) {
            return may_begin(span_text, c.begin) && may_end(span_text, c.end);
          });
    }
    present[i] = found->second;
  }
}

}  // namespace seqgpt
