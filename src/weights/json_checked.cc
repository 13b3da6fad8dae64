// SPDX-License-Identifier: Apache-2.0
// The JSON events of nlohmann's parser, built into a document under limits.
#include "weights/json_checked.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "weights/printable.h"

namespace seqgpt {
namespace {

using nlohmann::json;

/// Receives the events; each returns false to stop, with the reason in `why`.
class Builder {
 public:
  explicit Builder(const JsonLimits& limits) : limits_(limits) {}

  bool null() { return add(json()); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(int64_t value) { return add(value); }
  bool number_unsigned(uint64_t value) { return add(value); }
  bool number_float(double value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(json::binary_t&) { return fail("is not JSON"); }
  bool start_object(size_t) { return open(json::object()); }
  bool start_array(size_t) { return open(json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    key_ = std::move(name);
    return true;
  }
  bool parse_error(size_t position, const std::string&, const json::exception&) {
    return fail("is not valid JSON at byte " + std::to_string(position));
  }

  json take() { return std::move(root_); }
  const std::string& why() const { return why_; }

 private:
  bool fail(std::string why) {
    why_ = std::move(why);
    return false;
  }

  bool open(json value) {
    if (open_.size() >= limits_.depth) {
      return fail("is JSON nested deeper than the limit of " + std::to_string(limits_.depth));
    }
    if (!add(std::move(value))) return false;
    open_.push_back(last_);
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  bool add(json value) {
    if (++count_ > limits_.values) {
      return fail("holds more than the limit of " + std::to_string(limits_.values) +
                  " JSON values");
    }
    if (open_.empty()) {
      root_ = std::move(value);
      last_ = &root_;
    } else if (open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      last_ = &open_.back()->back();
    } else {
      auto& object = open_.back()->get_ref<json::object_t&>();
      const auto [place, is_new] = object.emplace(std::move(key_), std::move(value));
      if (!is_new) return fail("has the duplicate key " + printable(place->first));
      last_ = &place->second;
    }
    return true;
  }

  JsonLimits limits_;
  size_t count_ = 0;
  json root_;
  json* last_ = nullptr;     // the value added last
  std::vector<json*> open_;  // a parent stays where it is while its child is open
  std::string key_;
  std::string why_;
};

}  // namespace

Result<json> parse_json_checked(std::string_view text, std::string_view name,
                                const JsonLimits& limits) {
  const auto bad = [&](const std::string& why) {
    return Error{ErrorCode::kBadFile, std::string(name) + " " + why};
  };
  if (const auto at = utf8_first_invalid(text)) {
    return bad("is not valid UTF-8 (and so not JSON) at byte " + std::to_string(*at));
  }
  // The parser takes a NUL for the end and would not see what follows.
  if (const size_t at = text.find('\0'); at != std::string_view::npos) {
    return bad("is not valid JSON: NUL at byte " + std::to_string(at));
  }
  Builder builder(limits);
  if (!json::sax_parse(text.begin(), text.end(), &builder)) return bad(builder.why());
  json document = builder.take();
  if (!document.is_object()) return bad("is not a JSON object");
  return document;
}

}  // namespace seqgpt
