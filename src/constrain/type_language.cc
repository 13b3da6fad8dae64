// SPDX-License-Identifier: Apache-2.0
// Which language belongs to a type and kind.
#include "constrain/type_language.h"

#include <algorithm>

namespace seqgpt {
namespace {

const TypeLanguage* named(std::string_view name) {
  for (const std::span<const TypeLanguage> languages : {quantity_languages(), name_languages()}) {
    const auto found = std::ranges::find(languages, name, &TypeLanguage::name);
    if (found != languages.end()) return &*found;
  }
  return nullptr;
}

}  // namespace

const TypeLanguage* type_language(std::string_view type, std::string_view kind) {
  if (!kind.empty()) {
    if (const TypeLanguage* finer = named(kind)) return finer;
    if (type == "id" && kind != "plate") return named("plain id");
  }
  return named(type);
}

}  // namespace seqgpt
