// SPDX-License-Identifier: Apache-2.0
// The text that the commands are tried on, and their output read back.
#pragma once

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace seqgpt {

inline const std::string kText =
    "王伟，现任上海云图数据科技有限公司CTO，2022年3月加入，年薪120万元。";

inline std::vector<nlohmann::json> json_lines(const std::string& text) {
  std::vector<nlohmann::json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

}  // namespace seqgpt
