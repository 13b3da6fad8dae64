// SPDX-License-Identifier: Apache-2.0
// What is downloaded and copied: tables of reviewed texts as CSV, .xlsx and tab-separated text, gold as JSON lines.
import { shownValue } from "./canonical.js";
import { writeCsv } from "./csv.js";
import { download } from "./dom.js";
import { t } from "./i18n.js";
import { writeXlsx } from "./xlsx.js";

const kXlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// A name with the local date and time, without characters that file systems refuse.
export function fileName(stem, ending) {
  const now = new Date();
  const two = (n) => String(n).padStart(2, "0");
  const stamp = now.getFullYear() + two(now.getMonth() + 1) + two(now.getDate()) + "-" + two(now.getHours()) + two(now.getMinutes());
  return stem.replace(/[\\/:*?"<>|\u0000-\u001f]/g, "_") + "-" + stamp + "." + ending;
}

export function saveCsv(stem, rows) {
  download(fileName(stem, "csv"), writeCsv(rows), "text/csv;charset=utf-8");
}
export function saveXlsx(stem, sheets) {
  download(fileName(stem, "xlsx"), writeXlsx(sheets), kXlsx);
}
export function saveLines(stem, lines) {
  download(fileName(stem, "jsonl"), lines.join(""), "application/x-ndjson;charset=utf-8");
}

/// A header of the fields' keys, then one row a record.
export function resultRows(review) {
  return [review.labels.map((label) => label.key), ...review.rows()];
}

/// Every value on a row of its own: field, verbatim, canonical, places in code points, confidence, what a person said of it.
export function detailRows(review) {
  const head = ["column.field", "column.verbatim", "column.canonical", "column.start", "column.end", "column.confidence", "column.state"].map((key) => t(key));
  const places = review.places();
  const rows = review.entities.map((entity) => [
    entity.label, entity.text, shownValue(entity), places.get(entity.start), places.get(entity.end), entity.confidence === null ? "" : entity.confidence, t("state." + entity.state)]);
  return [head, ...rows];
}

/// For the clipboard: a spreadsheet takes tabs and lines as cells.
export function tabText(rows) {
  return rows.map((row) => row.map((cell) => String(cell).replace(/[\t\r\n]+/g, " ")).join("\t")).join("\n");
}
