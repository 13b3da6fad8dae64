// SPDX-License-Identifier: Apache-2.0
// Many texts from one file as a job: choosing the column, progress, a table with pages, review by lowest confidence, downloads.
import { ReviewedText } from "./corrections.js";
import { $, el, fill, toast } from "./dom.js";
import { saveCsv, saveLines, saveXlsx } from "./exports.js";
import { onLanguage, t, translate } from "./i18n.js";
import { runJobs } from "./job_client.js";
import { LabelChips, labelText } from "./label_chips.js";
import { openFile } from "./open_file.js";
import { itemProblemWords, problemWords } from "./problem.js";
import { confidenceBar } from "./result_table.js";
import { TaskRun } from "./task_run.js";

const kPageRows = 50;
const kTextNames = ["text", "正文", "内容", "文本", "content", "body"];
const kIdNames = ["id", "编号", "序号"];

function layout() {
  const words = (tag, key, attributes = {}) => el(tag, { "data-i18n": key, ...attributes });
  return el("div", { class: "batch" },
    el("section", { class: "card fields", "aria-labelledby": "batch-title" },
      el("div", { class: "card-head" }, words("h2", "batch.title", { id: "batch-title" }), el("span", { class: "grow" }), words("button", "text.open", { class: "small", id: "batch-open" })),
      el("div", { class: "drop", id: "batch-drop" }, words("span", "batch.drop")),
      el("input", { type: "file", hidden: true, id: "batch-file", "data-i18n-attr": "aria-label:text.open", accept: ".txt,.csv,.tsv,.jsonl,.docx,.xlsx,.pdf" }),
      el("div", { id: "batch-columns", class: "actions", hidden: true },
        el("label", { class: "inline" }, words("span", "batch.column"), el("select", { id: "batch-column" })),
        el("label", { class: "inline" }, words("span", "batch.id"), el("select", { id: "batch-id" })),
        el("label", { class: "inline" }, el("input", { type: "checkbox", id: "batch-header", checked: true }), words("span", "batch.header"))),
      el("div", { id: "batch-fields" }),
      el("div", { class: "actions" },
        words("button", "batch.run", { class: "primary", id: "batch-run" }), words("button", "cancel", { id: "batch-cancel", hidden: true }),
        el("label", { class: "inline" }, words("span", "batch.task"), el("select", { id: "batch-task" }, words("option", "tab.extract", { value: "extract" }), words("option", "tab.classify", { value: "classify" }))),
        el("div", { id: "batch-options" }),
        el("progress", { id: "batch-progress", max: 1, value: 0, hidden: true, "data-i18n-attr": "aria-label:batch.progress" }), el("span", { id: "batch-count" })),
      el("div", { class: "live", id: "batch-status", role: "status", "aria-live": "polite" }),
      el("div", { id: "batch-error", role: "alert" })),
    el("section", { class: "card batch-table", id: "batch-result", "aria-labelledby": "batch-result-title", hidden: true },
      el("div", { class: "card-head" }, words("h2", "result", { id: "batch-result-title" }),
        el("label", { class: "inline" }, words("span", "batch.sort"), el("select", { id: "batch-sort" },
          words("option", "batch.sort.order", { value: "order" }), words("option", "batch.sort.confidence", { value: "confidence" }), words("option", "batch.sort.errors", { value: "errors" }))),
        el("span", { class: "grow" }),
        el("div", { class: "exports" }, el("button", { class: "small", id: "batch-csv" }, "CSV"), el("button", { class: "small", id: "batch-xlsx" }, "Excel"), words("button", "gold", { class: "small", id: "batch-gold" }))),
      el("div", { class: "scroll", id: "batch-rows", tabindex: 0, role: "region", "aria-labelledby": "batch-result-title" }),
      el("nav", { class: "pager", "data-i18n-attr": "aria-label:batch.pages" },
        words("button", "page.first", { class: "small", id: "page-first" }), words("button", "page.previous", { class: "small", id: "page-previous" }),
        el("span", { id: "page-at", role: "status" }), words("button", "page.next", { class: "small", id: "page-next" }), words("button", "page.last", { class: "small", id: "page-last" }))));
}

/// Which column holds the texts: by its name, else the one with most words.
function textColumn(rows) {
  const named = rows[0].findIndex((name) => kTextNames.includes(name.trim().toLowerCase()));
  if (named >= 0) return named;
  const sizes = rows[0].map((_, column) => rows.slice(0, 50).reduce((sum, row) => sum + (row[column] || "").length, 0));
  return sizes.indexOf(Math.max(...sizes));
}

export class Batch {
  /// options(): those of the single view; review(items, at): opens answered texts one after another there.
  constructor({ options, review }) {
    Object.assign(this, { options, review, file: null, rows: [], labels: [], task: "extract", page: 0, shown: [] });
    fill($("batch"), layout());
    translate($("batch"));
    this.chips = new LabelChips($("batch-fields"), { name: "fields", typed: true, changed: () => {} });
    this.run = new TaskRun({ start: $("batch-run"), cancel: $("batch-cancel"), live: $("batch-status"), error: $("batch-error") });
    this.listen();
    onLanguage(() => {
      this.drawFile();
      this.drawTable();
    });
  }

  listen() {
    $("batch-open").addEventListener("click", () => $("batch-file").click());
    $("batch-file").addEventListener("change", () => {
      if ($("batch-file").files.length > 0) this.open($("batch-file").files[0]);
      $("batch-file").value = "";
    });
    const drop = $("batch-drop");
    drop.addEventListener("dragover", (event) => {
      event.preventDefault();
      drop.classList.add("dropping");
    });
    drop.addEventListener("dragleave", () => drop.classList.remove("dropping"));
    drop.addEventListener("drop", (event) => {
      event.preventDefault();
      drop.classList.remove("dropping");
      if (event.dataTransfer.files.length > 0) this.open(event.dataTransfer.files[0]);
    });
    $("batch-header").addEventListener("change", () => this.drawFile());
    $("batch-run").addEventListener("click", () => this.start());
    $("batch-task").addEventListener("change", () => this.showOptions());
    $("batch-sort").addEventListener("change", () => {
      this.page = 0;
      this.drawTable();
      $("batch-rows").scrollTop = 0;
    });
    const turn = (to) => () => {
      this.page = to();
      this.drawTable();
      $("batch-rows").scrollTop = 0;
    };
    $("page-first").addEventListener("click", turn(() => 0));
    $("page-previous").addEventListener("click", turn(() => this.page - 1));
    $("page-next").addEventListener("click", turn(() => this.page + 1));
    $("page-last").addEventListener("click", turn(() => this.pages() - 1));
    $("batch-csv").addEventListener("click", () => saveCsv(t("file.batch"), this.exportRows()));
    $("batch-xlsx").addEventListener("click", () => saveXlsx(t("file.batch"), [{ name: t("result"), rows: this.exportRows() }]));
    $("batch-gold").addEventListener("click", () => this.saveGold());
  }

  async open(file) {
    fill($("batch-drop"), t("file.reading", { name: file.name }));
    try {
      this.take(await openFile(file));
    } catch (error) {
      this.file = null;
      fill($("batch-drop"), t("file.failed", { name: file.name }) + problemWords(error));
      $("batch-columns").hidden = true;
    }
  }

  /// A file that was opened here or in the single view.
  take(opened) {
    this.file = opened;
    this.failed = "";
    if (opened.kind === "table" && opened.rows.length > 0) {
      this.column = textColumn(opened.rows);
      this.idColumn = opened.rows[0].findIndex((name) => kIdNames.includes(name.trim().toLowerCase()));
    }
    this.drawFile();
  }

  drawFile() {
    const file = this.file;
    if (!file) return;
    const table = file.kind === "table" && file.rows.length > 0;
    $("batch-columns").hidden = !table;
    if (table) {
      const header = $("batch-header").checked;
      const names = file.rows[0].map((name, i) => (header && name !== "" ? name : t("batch.columnnumber", { number: i + 1 })));
      const options = () => names.map((name, i) => el("option", { value: i }, name.slice(0, 40)));
      fill($("batch-column"), ...options());
      fill($("batch-id"), el("option", { value: -1 }, t("batch.linenumber")), ...options());
      $("batch-column").value = String(this.column);
      $("batch-id").value = String(this.idColumn);
      for (const [id, key] of [["batch-column", "column"], ["batch-id", "idColumn"]]) $(id).onchange = () => {
        this[key] = Number($(id).value);
        this.drawFile();
      };
    }
    fill($("batch-drop"), t("file.opened", { name: file.name, encoding: file.encoding.toUpperCase() }) + t("batch.texts", { count: this.texts().length }) +
      (file.more ? t("file.more") : "") + (file.bad ? t("file.bad", { count: file.bad }) : ""));
  }

  /// [{id, text}] of the file as chosen.
  texts() {
    const file = this.file;
    if (!file) return [];
    if (file.kind === "text") return file.text.split(/\r?\n/).map((text, i) => ({ id: String(i), text })).filter((one) => one.text.trim() !== "");
    const rows = $("batch-header").checked ? file.rows.slice(1) : file.rows;
    return rows.map((row, i) => ({ id: this.idColumn >= 0 && row[this.idColumn] ? row[this.idColumn] : String(i), text: row[this.column] || "" }));
  }

  /// Classes have none of them.
  showOptions() {
    $("batch-options").hidden = $("batch-task").value === "classify";
  }

  start() {
    if (this.run.running()) return undefined;
    const texts = this.texts();
    const labels = this.chips.json();
    if (texts.length === 0) return this.run.refuse("batch.nofile");
    if (labels.length === 0) return void (this.run.refuse("extract.nofields"), this.chips.input.focus());
    this.task = $("batch-task").value;
    this.labels = this.chips.labels.map((label) => ({ name: label.name, key: label.alias || label.name }));
    this.rows = texts.map(({ id, text }, number) => ({ number, id, text, review: null, classes: null, error: text.trim() === "" ? t("extract.notext") : "" }));
    this.page = 0;
    // The page's own numbers travel as ids: a file may name one id twice.
    const items = this.rows.filter((row) => row.error === "").map((row) => ({ id: String(row.number), text: row.text }));
    const options = this.task === "extract" ? { ...this.options(), labels, offsets: "utf16" } : { labels };
    this.progress(true);
    const onLine = (line) => this.takeLine(line);
    const redraw = setInterval(() => this.progress(true), 500);
    return this.run.run((signal) => runJobs(this.task, items, options, { signal, onLine }).finally(() => clearInterval(redraw)).finally(() => this.progress(false)),
      (_, seconds) => ($("batch-status").textContent = t("batch.done", { count: this.rows.length, failed: this.rows.filter((row) => row.error).length, seconds: seconds.toFixed(1) })),
      () => this.start());
  }

  takeLine(line) {
    const row = this.rows[Number(line.id)];
    if (!row) return;
    if (line.error) row.error = itemProblemWords(line.error);
    else if (this.task === "extract") row.review = new ReviewedText(row.text, this.labels, line, row.id);
    else row.classes = line;
  }

  progress(running) {
    const done = this.rows.filter((row) => row.review || row.classes || row.error).length;
    $("batch-progress").hidden = !running;
    $("batch-progress").value = this.rows.length > 0 ? done / this.rows.length : 0;
    $("batch-count").textContent = done + " / " + this.rows.length;
    $("batch-result").hidden = false;
    this.drawTable();
  }

  sorted() {
    const how = $("batch-sort").value;
    if (how === "errors") return this.rows.filter((row) => row.error);
    if (how !== "confidence") return this.rows;
    const score = (row) => (row.error ? 3 : row.review ? row.review.lowestConfidence() : row.classes ? row.classes.labels[0].probability : 4);
    return this.rows.map((row) => ({ row, at: score(row) })).sort((a, b) => a.at - b.at || a.row.number - b.row.number).map((pair) => pair.row);
  }

  pages() {
    return Math.max(1, Math.ceil(this.shown.length / kPageRows));
  }

  drawTable() {
    if ($("batch-result").hidden) return;
    this.shown = this.sorted();
    this.page = Math.min(Math.max(0, this.page), this.pages() - 1);
    const from = this.page * kPageRows;
    const columns = this.task === "extract" ? this.labels.map((label) => label.key) : [t("classify.result")];
    const head = [t("batch.number"), t("text"), ...columns, t(this.task === "extract" ? "batch.lowest" : "column.confidence"), t("column.state")];
    fill($("batch-rows"), el("table", {},
      el("caption", { class: "sr" }, t("result")),
      el("thead", {}, el("tr", {}, ...head.map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, ...this.shown.slice(from, from + kPageRows).map((row) => this.tableRow(row, columns.length)))));
    $("batch-gold").hidden = this.task === "classify";
    $("page-at").textContent = t("page.at", { page: this.page + 1, pages: this.pages(), count: this.shown.length });
    for (const id of ["page-first", "page-previous"]) $(id).disabled = this.page === 0;
    for (const id of ["page-next", "page-last"]) $(id).disabled = this.page >= this.pages() - 1;
  }

  tableRow(row, columns) {
    const cell = (text) => el("td", {}, el("span", { class: "clip" }, text === "" ? "—" : text));
    const opening = [el("td", {}, row.id), el("td", { class: "text" }, el("span", { class: "clip" }, row.text.slice(0, 200)))];
    if (row.error) return el("tr", { class: "failed" }, ...opening, el("td", { colspan: columns + 1 }, row.error), el("td", {}, t("batch.failed")));
    if (row.classes) return el("tr", {}, ...opening, cell([].concat(row.classes.result).join("；")), el("td", {}, confidenceBar(row.classes.labels[0].probability)), el("td"));
    if (!row.review) return el("tr", { class: "absent" }, ...opening, el("td", { colspan: columns + 1 }, t("batch.waiting")), el("td"));
    const joined = this.labels.map((_, i) => row.review.rows().map((record) => String(record[i])).filter((text) => text !== "").join("；"));
    const lowest = row.review.lowestConfidence();
    return el("tr", {}, ...opening, ...joined.map(cell), el("td", {}, lowest > 1 ? el("span", { class: "muted" }, "—") : confidenceBar(lowest)),
      el("td", {}, row.review.changed() ? el("span", { class: "badge" }, t("batch.reviewed")) : null,
        el("button", { class: "small", "aria-label": t("batch.reviewrow", { id: row.id }), onclick: () => this.openReview(row) }, t("batch.review"))));
  }

  openReview(row) {
    const reviews = this.shown.filter((one) => one.review).map((one) => one.review);
    this.review(reviews, reviews.indexOf(row.review));
  }

  /// One row a record, in the order of the file; what failed has its error.
  exportRows() {
    if (this.task === "classify") {
      const line = (row) => (row.classes ? [row.id, [].concat(row.classes.result).join("；"), row.classes.labels[0].probability, ""] : [row.id, "", "", row.error]);
      return [["id", "result", "probability", "error"], ...this.rows.map(line)];
    }
    const keys = this.labels.map((label) => label.key);
    const lines = (row) => (row.review ? row.review.rows().map((record) => [row.id, ...record, ""]) : [[row.id, ...keys.map(() => ""), row.error]]);
    return [["id", ...keys, "error"], ...this.rows.flatMap(lines)];
  }

  /// Only what a person has looked at is gold.
  saveGold() {
    const reviewed = this.rows.filter((row) => row.review && row.review.changed());
    if (reviewed.length === 0) return toast(t("batch.nogold"));
    return saveLines(t("file.gold"), reviewed.map((row) => row.review.gold()));
  }

  /// A batch of classes, with those of the tab of classes.
  takeClasses(labels) {
    $("batch-task").value = "classify";
    this.showOptions();
    if (labels.length > 0) this.chips.set(labels.map(labelText));
    $("batch-open").focus();
  }

  /// The fields of the single view, for a batch that has none yet.
  offerFields(labels) {
    if (this.chips.labels.length === 0) this.chips.set(labels.map(labelText));
  }
}
