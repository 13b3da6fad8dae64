// SPDX-License-Identifier: Apache-2.0
// The report page: Chinese first, for the clerk who is sent it; one file that opens anywhere.
#include <algorithm>
#include <array>
#include <cstdio>

#include "eval/charts.h"
#include "eval/report.h"

namespace seqgpt {
namespace {

constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--ink:#1d2433;--soft:#5b6577;--page:#fff;--card:#f5f7fa;--rule:#dde3ea;--bar:#2f6fb3;--good:#1f7a4d;--bad:#b3382f}
@media(prefers-color-scheme:dark){:root{--ink:#e6eaf0;--soft:#9aa5b5;--page:#14181f;--card:#1c222b;--rule:#333c49;--bar:#6aa5e3;--good:#5fc08d;--bad:#ef8178}}
body{margin:0 auto;max-width:64rem;padding:1.5rem;background:var(--page);color:var(--ink);font:16px/1.6 system-ui,"Noto Sans CJK SC","Microsoft YaHei",sans-serif}
h1{font-size:1.5rem;margin:0}h2{font-size:1.15rem;margin:2.2rem 0 .6rem}small,.soft{color:var(--soft)}
.cards{display:flex;flex-wrap:wrap;gap:.8rem}.card{background:var(--card);border:1px solid var(--rule);border-radius:.5rem;padding:.7rem 1rem;min-width:8rem}
.card b{display:block;font-size:1.5rem;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{border-bottom:1px solid var(--rule);padding:.3rem .6rem;text-align:right;vertical-align:top}
th:first-child,td:first-child,.left td,.left th{text-align:left}td{overflow-wrap:anywhere}
svg{max-width:100%;height:auto}svg text{fill:var(--ink);font-size:13px}.track{fill:var(--rule)}.bar,.heat{fill:var(--bar)}
.axis,.line{fill:none;stroke:var(--soft)}.line{stroke-dasharray:4 4}svg text.on{fill:var(--page)}
mark{background:none;color:var(--bar);font-weight:600}.gold{color:var(--good)}.said{color:var(--bad)}
)";

std::string share(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %%", 100 * value);
  return text.data();
}

std::string card(const std::string& name, const std::string& value) {
  return "<div class=\"card\"><small>" + name + "</small><b>" + value + "</b></div>";
}

std::string cell(const std::string& text) {
  return "<td>" + text + "</td>";
}

std::string heading(const char* text) {
  return std::string("<h2>") + text + "</h2>\n";
}

std::string counts_row(const std::string& name, const Counts& counts) {
  return "<tr>" + cell(escaped(name)) + cell(share(counts.precision())) +
         cell(share(counts.recall())) + cell(share(counts.f1())) +
         cell(std::to_string(counts.right)) + cell(std::to_string(counts.predicted)) +
         cell(std::to_string(counts.gold)) + "</tr>\n";
}

std::string counts_table(const std::string& rows) {
  return "<div class=\"wide\"><table><tr><th>字段 label</th><th>精确率 precision</th>"
         "<th>召回率 recall</th><th>F1</th><th>正确 right</th><th>预测 predicted</th>"
         "<th>标准答案 gold</th></tr>\n" +
         rows + "</table></div>\n";
}

Bar bar_of(const std::string& label, const Counts& counts) {
  return {label, counts.f1(), share(counts.f1()) + " · " + std::to_string(counts.gold)};
}

void sort_bars(std::vector<Bar>& bars) {
  std::ranges::stable_sort(bars, std::greater{}, &Bar::value);
}

std::string calibration_part(const Reliability& calibration) {
  if (calibration.count() == 0) return "";
  return heading("置信度是否可信 Reliability") + "<p>期望校准误差 expected calibration error: <b>" +
         share(calibration.error()) +
         "</b><br><small>柱高为该置信度区间内的实际正确率，越贴近虚线越可信。Bars: share right at "
         "each confidence; the nearer to the dashed line, the better.</small></p>\n" +
         reliability_diagram(calibration, "可靠性图 reliability diagram") + "\n";
}

std::string extraction_part(const ExtractionScores& scores, bool ignore_space) {
  const LabelCounts total = scores.total();
  std::string html = heading("信息抽取 Extraction") + "<div class=\"cards\">" +
                     card("文本 texts", std::to_string(scores.texts)) +
                     card("F1（微平均 micro）", share(total.strict.f1())) +
                     card("F1（忽略空白 ignoring space）", share(total.ignoring_space.f1())) +
                     card("F1（宏平均 macro）", share(scores.macro_f1(&LabelCounts::strict)));
  if (scores.texts_with_spans > 0) html += card("F1（按位置 by span）", share(total.span.f1()));
  html += card("全对的文本 texts without a mistake",
               share(Counts::ratio(scores.whole_right, scores.texts))) +
          "</div>\n";
  std::vector<Bar> bars;
  std::string rows;
  for (const auto& [label, counts] : scores.labels) {
    const Counts& chosen = ignore_space ? counts.ignoring_space : counts.strict;
    bars.push_back(bar_of(label, chosen));
    rows += counts_row(label, chosen);
  }
  sort_bars(bars);
  return html + heading("各字段 F1 F1 by label") + bar_chart(bars, "各字段 F1") +
         counts_table(rows) + calibration_part(scores.calibration);
}

std::string classification_part(const ClassificationScores& scores) {
  std::string html = heading("文本分类 Classification") + "<div class=\"cards\">" +
                     card("文本 texts", std::to_string(scores.texts)) +
                     card("准确率 accuracy", share(scores.accuracy())) +
                     card("宏平均 F1 macro-F1", share(scores.macro_f1()));
  if (scores.several > 0)
    html += card("首选在答案中 first among gold",
                 share(Counts::ratio(scores.first_right, scores.texts)));
  html += "</div>\n";
  std::vector<Bar> bars;
  std::string rows;
  for (const auto& [label, counts] : scores.labels) {
    bars.push_back(bar_of(label, counts));
    rows += counts_row(label, counts);
  }
  sort_bars(bars);
  html += heading("各类别 F1 F1 by class") + bar_chart(bars, "各类别 F1") + counts_table(rows);
  if (!scores.confusion.empty())
    html += heading("混淆矩阵 Confusion") +
            "<p class=\"soft\">行为标准答案，列为预测。Rows: gold; columns: predicted.</p>"
            "<div class=\"wide\">" +
            confusion_map(scores, "混淆矩阵 confusion") + "</div>\n";
  return html + calibration_part(scores.calibration);
}

std::string files_part(const EvalReport& report) {
  std::string html = heading("各文件 By file") +
                     "<div class=\"wide\"><table><tr><th>文件 file</th><th>文本 texts</th>"
                     "<th>F1 micro</th><th>准确率 accuracy</th><th>宏平均 macro-F1</th></tr>\n";
  for (const FileReport& file : report.files) {
    const bool extract = file.extraction.texts > 0;
    const bool classify = file.classification.texts > 0;
    const double macro =
        extract ? file.extraction.macro_f1(&LabelCounts::strict) : file.classification.macro_f1();
    html += "<tr>" + cell(escaped(file.name)) +
            cell(std::to_string(file.extraction.texts + file.classification.texts)) +
            cell(extract ? share(file.extraction.total().strict.f1()) : "") +
            cell(classify ? share(file.classification.accuracy()) : "") + cell(share(macro)) +
            "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string kind_name(const std::string& kind) {
  if (kind == "missing") return "漏掉 missing";
  if (kind == "spurious") return "多出 spurious";
  if (kind == "boundary") return "边界 boundary";
  if (kind == "class") return "错类 class";
  return "失败 failed";
}

std::string misses_part(const EvalReport& report) {
  if (report.examples.empty()) return "";
  std::string html = heading("错误示例 Misses") + "<p class=\"soft\">共 " +
                     std::to_string(report.misses) + " 处，列出前 " +
                     std::to_string(report.examples.size()) +
                     " 处。The first of them; --errors lists all.</p>"
                     "<div class=\"wide\"><table class=\"left\"><tr><th>位置 line</th>"
                     "<th>类型 kind</th><th>字段 label</th><th>标准答案 gold</th>"
                     "<th>预测 predicted</th><th>上下文 context</th></tr>\n";
  for (const MissExample& example : report.examples) {
    const Miss& miss = example.miss;
    html += "<tr>" + cell(escaped(example.file) + ":" + std::to_string(example.line)) +
            cell(kind_name(miss.kind)) + cell(escaped(miss.label)) + "<td class=\"gold\">" +
            escaped(miss.gold) + "</td><td class=\"said\">" + escaped(miss.predicted) + "</td>" +
            cell(escaped(miss.before) + "<mark>" + escaped(miss.place) + "</mark>" +
                 escaped(miss.after)) +
            "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string troubles_part(const FileReport& total) {
  std::string html;
  const auto tell = [&](uint64_t times, const std::string& what) {
    if (times > 0) html += "<br>" + std::to_string(times) + " " + what;
  };
  tell(total.bad_lines, "行标准答案无法读取，未计分 gold lines not read");
  tell(total.failed, "段文本处理失败，按空答案计分 texts failed, scored as empty");
  tell(total.without, "段文本没有预测，按空答案计分 texts without a prediction, scored as empty");
  tell(total.unasked, "条预测没有对应的标准答案 predictions without gold");
  return html.empty() ? "" : "<p class=\"soft\">" + html.substr(4) + "</p>\n";
}

}  // namespace

std::string html_report(const EvalReport& report) {
  const FileReport total = report.total();
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"zh-CN\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\"><title>SeqGPT 评测报告</title><style>" +
      std::string(kStyle) +
      "</style></head><body>\n<h1>评测报告 Evaluation</h1>\n<p class=\"soft\">" +
      escaped(report.predictor) + "</p>\n" + troubles_part(total);
  if (report.files.size() > 1) html += files_part(report);
  if (total.extraction.texts > 0) html += extraction_part(total.extraction, report.ignore_space);
  if (total.classification.texts > 0) html += classification_part(total.classification);
  return html + misses_part(report) + "</body></html>\n";
}

}  // namespace seqgpt
