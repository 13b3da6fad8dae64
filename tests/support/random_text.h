// SPDX-License-Identifier: Apache-2.0
// Random texts of the nasty kind: emoji, joiners, combining marks, breaks, repeats, the prompt's
// own words.
#pragma once

#include <random>
#include <string>

namespace seqgpt {

/// Up to `pieces` pieces drawn from `random`; valid UTF-8 without NUL, maybe blank.
inline std::string random_text(std::mt19937& random, int pieces) {
  static const char* const kPieces[] = {"王伟",
                                        "上海",
                                        "有限公司",
                                        "13800138000",
                                        "2022年3月",
                                        "，",
                                        "。",
                                        "、",
                                        "：",
                                        "（",
                                        "）",
                                        "(",
                                        ")",
                                        " ",
                                        "　",
                                        "\n",
                                        "\r\n",
                                        "\t",
                                        "None",
                                        "None ",
                                        "[GEN]",
                                        "</s>",
                                        "输入: ",
                                        "\n输出: ",
                                        "抽取: 姓名",
                                        "姓名: ",
                                        "😀",
                                        "👨‍👩‍👧",
                                        "🇨🇳",
                                        "👍🏽",
                                        "é",
                                        "e\xCC\x81",
                                        "\xCC\x81",
                                        "\xEF\xB8\x8F",
                                        "\xE2\x80\x8D",
                                        "Ａ１",
                                        "abc",
                                        "ABC",
                                        ".",
                                        "。\n",
                                        ")\n",
                                        " (",
                                        "《",
                                        "》",
                                        "万",
                                        "𠮷",
                                        "\xEF\xBB\xBF"};
  std::uniform_int_distribution<size_t> pick(0, std::size(kPieces) - 1);
  std::uniform_int_distribution<int> count(1, pieces);
  std::string text;
  for (int i = count(random); i > 0; --i) text += kPieces[pick(random)];
  return text;
}

}  // namespace seqgpt
