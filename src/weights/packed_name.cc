// SPDX-License-Identifier: Apache-2.0
// Writing and reading "….weight.int8p64".
#include "weights/packed_name.h"

#include <charconv>

namespace seqgpt {
namespace {

constexpr DType kPackedTypes[] = {DType::kBf16, DType::kI8, DType::kI4};
constexpr int kMaxColumns = 1024;

/// Of today's layout; int4 had another one, whose letter was p.
constexpr char letter_of(DType type) {
  return type == DType::kI4 ? 'q' : 'p';
}

}  // namespace

std::string packed_name(const PackedName& name) {
  return std::string(name.weight) + "." + std::string(dtype_name(name.type)) +
         letter_of(name.type) + std::to_string(name.columns);
}

std::optional<PackedName> parse_packed_name(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || !name.substr(0, dot).ends_with(".weight")) return {};
  const std::string_view layout = name.substr(dot + 1);
  for (const DType type : kPackedTypes) {
    const std::string start = std::string(dtype_name(type)) + letter_of(type);
    if (!layout.starts_with(start)) continue;
    int columns = 0;
    const auto [end, error] =
        std::from_chars(layout.data() + start.size(), layout.data() + layout.size(), columns);
    const bool whole = error == std::errc() && end == layout.data() + layout.size();
    if (whole && columns > 0 && columns <= kMaxColumns)
      return PackedName{name.substr(0, dot), type, columns};
  }
  return {};
}

}  // namespace seqgpt
