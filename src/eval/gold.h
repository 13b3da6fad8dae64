// SPDX-License-Identifier: Apache-2.0
// Gold: lines of truth, in the contract's forms and that of labelled corpora.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "records/input_file.h"
#include "records/lines.h"

namespace seqgpt {

using CharacterSpan = std::pair<size_t, size_t>;  // code points, end exclusive

struct GoldValue {
  std::string text;
  std::optional<CharacterSpan> span;
};

struct GoldItem {
  uint64_t line = 0;  // of the file, from 0: also its id when it names none
  std::string id;     // as text, whatever its type
  std::string text;
  bool classification = false;
  bool spans = false;  // every value has one
  std::vector<std::string> labels;
  std::map<std::string, std::vector<GoldValue>> values;  // extraction: by label
  std::vector<std::string> classes;                      // classification: one, or several
  std::string request;                                   // {"id", "text", "labels"} for a batch
};

/// One of {"text", "labels", "gold": {label: [values]}}, {"text", "labels", "entities": {label:
/// [[value, start, end]...]}} and {"text", "labels", "label"} (several joined by a TAB or ，; or a
/// list); "id" may be there. `fallback` are the labels of a line without any. Errors:
/// kInvalidArgument, also for a span whose text is another.
Result<GoldItem> parse_gold(std::string_view line, uint64_t number,
                            const std::vector<std::string>& fallback);

/// The labels for a file of `path`'s name out of a label set: {"name": [labels]...} or a list.
Result<std::vector<std::string>> labels_for(const std::string& label_set_json,
                                            const std::string& path);

/// Some lines of a file, or all: `limit` of them, the first or (with a seed) chosen evenly.
struct GoldChoice {
  std::optional<uint64_t> limit;
  std::optional<uint64_t> seed;
};

/// Reads a file of gold, plain or packed. A bad line is an error that names it; the rest goes on.
class GoldReader {
 public:
  /// `labels` serve lines without labels; when it is empty, those that occur in the file do.
  static Result<std::unique_ptr<GoldReader>> open(const std::string& path,
                                                  std::vector<std::string> labels,
                                                  const GoldChoice& choice);
  struct Read {
    GoldItem item;
    std::optional<Error> error = {};  // in place of the item
    uint64_t line = 0;
  };
  /// nullopt at the end.
  Result<std::optional<Read>> next();

  /// Whether some text of the file has more than one class: all its texts are then asked so.
  bool several_classes() const { return several_classes_; }

 private:
  GoldReader(InputFile input, std::vector<std::string> labels);

  InputFile input_;
  std::optional<LineReader> lines_;
  std::vector<std::string> labels_;
  bool several_classes_ = false;
  uint64_t number_ = 0;
  std::optional<std::mt19937_64> random_;
  uint64_t left_ = 0;    // lines of the file not looked at, blank ones aside
  uint64_t wanted_ = 0;  // to be taken of them
};

}  // namespace seqgpt
