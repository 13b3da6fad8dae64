// SPDX-License-Identifier: Apache-2.0
// Writing and reading "….weight.int8p64".
#include "weights/packed_name.h"

#include <charconv>

namespace seqgpt {
namespace {

constexpr DType kPackedTypes[] = {DType::kBf16, DType::kI8, DType::kI4};
constexpr int kMaxColumns = 1024;
constexpr char kLayout = 'p';

}  // namespace

std::string packed_name(const PackedName& name) {
  return std::string(name.weight) + "." + std::string(dtype_name(name.type)) + kLayout +
         std::to_string(name.columns);
}

std::optional<PackedName> parse_packed_name(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || !name.substr(0, dot).ends_with(".weight")) return {};
  const std::string_view layout = name.substr(dot + 1);
  const size_t letter = layout.find(kLayout);
  if (letter == std::string_view::npos) return {};
  for (const DType type : kPackedTypes) {
    if (layout.substr(0, letter) != dtype_name(type)) continue;
    int columns = 0;
    const auto [end, error] =
        std::from_chars(layout.data() + letter + 1, layout.data() + layout.size(), columns);
    const bool whole = error == std::errc() && end == layout.data() + layout.size();
    if (whole && columns > 0 && columns <= kMaxColumns)
      return PackedName{name.substr(0, dot), type, columns};
  }
  return {};
}

}  // namespace seqgpt
