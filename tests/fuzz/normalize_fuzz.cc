// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a value; the first byte chooses the kind.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/utf8.h"
#include "normalize/normalize.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using seqgpt::ValueKind;
  if (size == 0) return 0;
  constexpr int kKinds = static_cast<int>(ValueKind::kPostal) + 1;
  const auto kind = static_cast<ValueKind>(data[0] % kKinds);
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  static const seqgpt::ReferenceTime reference =
      *seqgpt::ReferenceTime::parse("2026-11-30T09:00:00+08:00");
  const seqgpt::Normalized value = seqgpt::normalize(kind, text, reference);
  const bool flat = value.flat.shape != seqgpt::Flat::Shape::kNone;
  if (value.has_value() != flat || (value.has_value() && !value.reason.empty())) std::abort();
  for (const seqgpt::NormalizedPart& field : value.fields) {
    const auto* written = std::get_if<std::string>(&field.value);
    if (written != nullptr && seqgpt::utf8_first_invalid(*written)) std::abort();
  }
  return 0;
}
