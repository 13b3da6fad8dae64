// SPDX-License-Identifier: Apache-2.0
// A version byte, then the fields in order: numbers as 8 bytes little endian, texts with their
// length before them.
#include "store/audit_record.h"

#include <bit>
#include <cstring>

namespace seqgpt {
namespace {

constexpr char kVersionByte = 1;
constexpr size_t kMaxLabels = 4096;
constexpr size_t kMaxNameBytes = 1024;  // of one field or label

class Encoder {
 public:
  void number(uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<char>(value >> shift));
  }
  void text(std::string_view value) {
    value = value.substr(0, kMaxNameBytes);
    number(value.size());
    bytes += value;
  }
  std::string bytes;
};

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}
  uint64_t number() {
    uint64_t value = 0;
    const std::string_view part = take(8);
    for (size_t i = part.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(part[i]);
    return value;
  }
  std::string text() { return std::string(take(number())); }
  bool whole() const { return !short_ && rest_.empty(); }

 private:
  std::string_view take(uint64_t count) {
    if (count > rest_.size()) {
      short_ = true;
      rest_ = {};
      return {};
    }
    const std::string_view part = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return part;
  }
  std::string_view rest_;
  bool short_ = false;
};

size_t labels_that_fit(const AuditRecord& record, size_t used) {
  size_t count = 0;
  for (; count < record.labels.size() && count < kMaxLabels; ++count) {
    used += 8 + std::min(record.labels[count].size(), kMaxNameBytes);
    if (used > kMaxAuditRecordBytes) break;
  }
  return count;
}

}  // namespace

std::string encode_audit_record(const AuditRecord& record) {
  Encoder out;
  out.bytes.push_back(kVersionByte);
  out.number(static_cast<uint64_t>(record.time));
  for (const std::string* word : {&record.key, &record.route, &record.trace_id, &record.text_hash})
    out.text(*word);
  out.number(static_cast<uint64_t>(record.status));
  for (const uint64_t value :
       {record.request_bytes, record.answer_bytes, record.text_characters, record.items})
    out.number(value);
  out.number(std::bit_cast<uint64_t>(record.latency_ms));
  const size_t labels = labels_that_fit(record, out.bytes.size() + 8);
  out.number(labels);
  for (size_t i = 0; i < labels; ++i) out.text(record.labels[i]);
  return std::move(out.bytes);
}

Result<AuditRecord> decode_audit_record(std::string_view bytes) {
  if (bytes.empty() || bytes[0] != kVersionByte)
    return Error{ErrorCode::kBadFile, "a record of another version"};
  Decoder in(bytes.substr(1));
  AuditRecord record;
  record.time = static_cast<UnixMs>(in.number());
  for (std::string* word : {&record.key, &record.route, &record.trace_id, &record.text_hash})
    *word = in.text();
  record.status = static_cast<int>(in.number());
  for (uint64_t* value :
       {&record.request_bytes, &record.answer_bytes, &record.text_characters, &record.items})
    *value = in.number();
  record.latency_ms = std::bit_cast<double>(in.number());
  const uint64_t labels = in.number();
  for (uint64_t i = 0; i < labels && i < kMaxLabels; ++i) record.labels.push_back(in.text());
  if (!in.whole()) return Error{ErrorCode::kBadFile, "a record of a wrong length"};
  return record;
}

}  // namespace seqgpt
