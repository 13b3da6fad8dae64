// SPDX-License-Identifier: Apache-2.0
// What makes two names the same: for looking a field up, and for telling labels apart.
#pragma once

#include <string>
#include <string_view>

namespace seqgpt {

/// For looking up: width, case, white space, `_`, `-`, invisible characters and the traditional
/// forms of characters that field names have do not count. "Ｆull_Name" is "fullname", 金額 is
/// 金额. `name` is valid UTF-8.
std::string fold_name(std::string_view name);

/// For telling apart: only case, invisible characters and the order of marks do not count.
std::string fold_case(std::string_view name);

}  // namespace seqgpt
