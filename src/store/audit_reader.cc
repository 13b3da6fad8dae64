// SPDX-License-Identifier: Apache-2.0
// Reading of the audit log: every whole record, and a word on each file that ends badly.
#include <algorithm>
#include <fstream>

#include "store/audit_files.h"
#include "store/private_file.h"

namespace seqgpt {
namespace {

bool passes(const AuditRecord& record, const AuditFilter& filter) {
  return record.time >= filter.since && record.time < filter.until &&
         (filter.routes.empty() ||
          std::ranges::find(filter.routes, record.route) != filter.routes.end()) &&
         (filter.key.empty() || filter.key == record.key);
}

/// Up to `count` bytes; fewer at the end of the file.
std::string read_up_to(std::istream& in, size_t count) {
  std::string bytes(count, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<size_t>(in.gcount()));
  return bytes;
}

size_t length_of(std::string_view bytes) {
  size_t length = 0;
  for (size_t i = kAuditLengthBytes; i-- > 0;)
    length = length << 8 | static_cast<uint8_t>(bytes[i]);
  return length;
}

/// Reads one file to its end or first fault.
class FileReader {
 public:
  FileReader(const std::filesystem::path& file, const Vault& vault, const AuditFilter& filter,
             const std::function<void(const AuditRecord&)>& take, AuditReport& report)
      : name_(file.filename().string()),
        in_(file, std::ios::binary),
        vault_(vault),
        filter_(filter),
        take_(take),
        report_(report) {}

  void read() {
    if (!in_) return fault("cannot be opened: check its owner and mode");
    const std::string head = read_up_to(in_, kAuditHeadBytes);
    if (head.empty()) return report_.unclosed.push_back(name_);  // killed before its first write
    if (head.size() < kAuditHeadBytes) return fault("is cut within its head");
    if (!head.starts_with(kAuditMagic)) return fault("is not an audit file");
    auto stream = SealedStreamReader::open(vault_.audit_key(), head.substr(kAuditMagic.size()));
    if (!stream.ok()) return fault(stream.error().message);
    while (next(**stream)) {
    }
  }

 private:
  // False at the end, good or bad.
  bool next(SealedStreamReader& stream) {
    const std::string prefix = read_up_to(in_, kAuditLengthBytes);
    if (prefix.empty()) return report_.unclosed.push_back(name_), false;
    if (prefix.size() < kAuditLengthBytes) return torn();
    const size_t length = length_of(prefix);
    if (length > kMaxSealedRecordBytes) return fault("has a record of an absurd length"), false;
    const std::string sealed = read_up_to(in_, length);
    if (sealed.size() < length) return torn();
    const Result<StreamMessage> message = stream.pull(sealed);
    if (!message.ok()) return fault(message.error().message), false;
    if (message->last) return check_end();
    return give(message->text);
  }

  bool give(std::string_view text) {
    const Result<AuditRecord> record = decode_audit_record(text);
    if (!record.ok()) return fault(record.error().message), false;
    ++report_.records;
    ++read_;
    if (passes(*record, filter_)) take_(*record);
    return true;
  }

  bool check_end() {
    if (in_.peek() != std::ifstream::traits_type::eof()) fault("goes on after its end mark");
    return false;
  }
  bool torn() {
    fault("ends within a record: its writer was killed or the disk was full");
    return false;
  }
  void fault(const std::string& problem) {
    report_.faults.push_back(
        {name_, problem + "; " + std::to_string(read_) + " records before it were read"});
  }

  std::string name_;
  std::ifstream in_;
  const Vault& vault_;
  const AuditFilter& filter_;
  const std::function<void(const AuditRecord&)>& take_;
  AuditReport& report_;
  uint64_t read_ = 0;
};

}  // namespace

Result<std::vector<std::filesystem::path>> audit_files(const std::filesystem::path& directory) {
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error))
    return Error{ErrorCode::kNotFound,
                 "the audit directory " + directory.string() + " does not exist", "audit_dir"};
  std::vector<std::filesystem::path> files;
  std::filesystem::directory_iterator entry(directory, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with("audit-") && name.ends_with(".sgaudit")) files.push_back(entry->path());
  }
  if (error) return io_error("list", directory, error.value());
  std::sort(files.begin(), files.end());
  return files;
}

Result<AuditReport> read_audit(const std::filesystem::path& directory, const Vault& vault,
                               const AuditFilter& filter,
                               const std::function<void(const AuditRecord&)>& take) {
  SEQGPT_ASSIGN(const std::vector<std::filesystem::path> files, audit_files(directory));
  AuditReport report;
  for (const std::filesystem::path& file : files) {
    ++report.files;
    FileReader(file, vault, filter, take, report).read();
  }
  return report;
}

}  // namespace seqgpt
