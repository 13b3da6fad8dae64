// SPDX-License-Identifier: Apache-2.0
// The program's version, part of every fingerprint.
#pragma once

#include <string_view>

namespace seqgpt {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace seqgpt
