// SPDX-License-Identifier: Apache-2.0
// What writer and reader of the audit log agree on: names, the head of a file, the frame of a
// record.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/audit_record.h"
#include "store/crypto.h"

namespace seqgpt {

// A file is kAuditMagic, the head of a secretstream, then records: the length of the sealed record
// as 4 bytes little endian, the sealed record. The last is empty and marked as last.
inline constexpr std::string_view kAuditMagic = "SGPTAUD1";
inline constexpr size_t kAuditHeadBytes = kAuditMagic.size() + kStreamHeaderBytes;
inline constexpr size_t kAuditLengthBytes = 4;
inline constexpr size_t kMaxSealedRecordBytes = kMaxAuditRecordBytes + 2048 + kStreamOverhead;

/// audit-*.sgaudit of a directory, oldest first. Errors: kNotFound, kIo.
Result<std::vector<std::filesystem::path>> audit_files(const std::filesystem::path& directory);

}  // namespace seqgpt
