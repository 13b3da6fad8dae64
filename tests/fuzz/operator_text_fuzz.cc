// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a file of bearer keys, a queue's address, an audit record.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "store/audit_record.h"
#include "store/keys.h"
#include "store/redis_client.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto ring = seqgpt::KeyRing::parse(text, "fuzz");
  if (ring.ok()) {
    for (const seqgpt::KeyEntry& entry : ring->entries()) {
      if (entry.hash.size() != 32 || entry.id.empty()) std::abort();
    }
  }
  const auto address = seqgpt::parse_redis_address(text);
  if (address.ok() && address->host.empty() == address->socket.empty()) std::abort();
  const auto record = seqgpt::decode_audit_record(text);
  if (record.ok() && !seqgpt::decode_audit_record(seqgpt::encode_audit_record(*record)).ok())
    std::abort();
  return 0;
}
