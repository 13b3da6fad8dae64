// SPDX-License-Identifier: Apache-2.0
// An audit record as bytes and back.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "store/audit.h"

namespace seqgpt {

/// Longest record, encoded; append() shortens what is longer (labels first).
inline constexpr size_t kMaxAuditRecordBytes = size_t{256} << 10;

std::string encode_audit_record(const AuditRecord& record);
/// Errors: kBadFile.
Result<AuditRecord> decode_audit_record(std::string_view bytes);

}  // namespace seqgpt
