// SPDX-License-Identifier: Apache-2.0
// The first tab: text and fields in, a table that one can trust and correct out.
import { stream } from "./api.js";
import { ReviewedText } from "./corrections.js";
import { $, copyText, el, fill, showTab, tabList, toast } from "./dom.js";
import { detailRows, resultRows, saveCsv, saveLines, saveXlsx, tabText } from "./exports.js";
import { remember } from "./history.js";
import { onLanguage, t } from "./i18n.js";
import { drawJson } from "./json_view.js";
import { labelText, LabelChips } from "./label_chips.js";
import { deleteOwnPreset, ownPresets, presets, saveOwnPreset } from "./presets.js";
import { Progress } from "./progress.js";
import { drawRecords, ResultTable } from "./result_table.js";
import { ask } from "./settings.js";
import { patience, TaskRun } from "./task_run.js";
import { TextPane } from "./text_pane.js";
import { warningBlocks } from "./warnings.js";

const kSampleText = "王伟，现任上海云图数据科技有限公司CTO，2022年3月加入，年薪120万元。联系电话13800138000，邮箱wangwei@yuntu.example.com。";
const kSampleFields = ["姓名", "公司", "职位", "入职时间", "年薪", "联系电话", "邮箱", "学历"];

export class ExtractTab {
  /// openBatch(file): a table is to be read row by row; closeReview(): back from reviewing a batch.
  constructor({ openBatch, closeReview }) {
    this.closeReview = closeReview;
    this.reviews = null;
    this.review = null;
    this.picked = 0;
    this.pane = new TextPane({
      changed: () => {},
      table: openBatch,
      hover: (id, on) => this.hover(id, on),
      pick: (id) => this.pick(id, "text"),
      reviewed: () => this.review,
      corrected: (id) => this.corrected(id),
    });
    this.table = new ResultTable($("result-table"), {
      hover: (id, on) => this.hover(id, on),
      pick: (id) => this.pick(id, "table"),
      changed: () => this.redraw(),
    });
    this.run = new TaskRun({ start: $("extract"), cancel: $("cancel"), live: $("extract-status"), error: $("extract-error") });
    this.chips = new LabelChips($("fields"), { name: "fields", typed: true, changed: () => this.fieldsChanged() });
    this.listen();
    this.drawPresets();
    this.fieldsChanged();
    onLanguage(() => {
      this.drawPresets();
      this.fieldsChanged();
      this.pane.count();
      if (this.review) this.show();
    });
  }

  listen() {
    $("extract").addEventListener("click", () => this.extract());
    $("sample").addEventListener("click", () => {
      this.pane.setText(kSampleText);
      this.chips.set(kSampleFields);
    });
    $("preset").addEventListener("change", () => this.usePreset($("preset").value));
    $("save-preset").addEventListener("click", () => this.savePreset());
    $("delete-preset").addEventListener("click", () => {
      deleteOwnPreset($("preset").value.slice(4));
      this.drawPresets();
    });
    tabList($("views"), (tab) => showTab(tab));
    $("copy").addEventListener("click", () => this.copy());
    $("csv").addEventListener("click", () => saveCsv(t("file.result"), resultRows(this.review)));
    $("xlsx").addEventListener("click", () => saveXlsx(t("file.result"), [
      { name: t("result"), rows: resultRows(this.review) }, { name: t("sheet.details"), rows: detailRows(this.review) }]));
    $("gold").addEventListener("click", () => saveLines(t("file.gold"), [this.review.gold()]));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !$("panel-extract").hidden && !$("single").hidden) this.extract();
    });
    document.addEventListener("click", (event) => {
      const more = document.querySelector(".more");
      if (more.open && !more.contains(event.target)) more.open = false;
    });
    document.querySelector(".more").addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.currentTarget.open = false;
      event.currentTarget.querySelector("summary").focus();
    });
  }

  /// The choice of a record's field follows the fields.
  fieldsChanged() {
    const chosen = $("record").value;
    const names = this.chips.labels.map((label) => label.name);
    fill($("record"), el("option", { value: "" }, t("record.none")), ...names.map((name) => el("option", { value: name }, name)));
    $("record").value = names.includes(chosen) ? chosen : "";
  }

  drawPresets() {
    const own = ownPresets();
    fill($("preset"),
      el("option", { value: "" }, t("presets.choose")),
      ...presets.map((preset) => el("option", { value: "std:" + preset.key }, t("preset." + preset.key))),
      own.length > 0 ? el("optgroup", { label: t("presets.own") }, ...own.map((preset) => el("option", { value: "own:" + preset.name }, preset.name))) : null);
    $("delete-preset").hidden = true;
  }

  usePreset(value) {
    const own = value.startsWith("own:");
    const preset = own ? ownPresets().find((one) => one.name === value.slice(4)) : presets.find((one) => one.key === value.slice(4));
    $("delete-preset").hidden = !own;
    if (preset) this.chips.set(preset.fields);
  }

  async savePreset() {
    this.chips.json();
    if (this.chips.labels.length === 0) return this.run.refuse("extract.nofields");
    const name = await ask(t("presets.save"), t("presets.name"));
    if (!name) return undefined;
    const kept = saveOwnPreset(name, this.chips.labels.map(labelText));
    toast(t(kept ? "presets.saved" : "storage.full", { name }));
    this.drawPresets();
    return undefined;
  }

  /// The options as a request's fields, of one text or of many; what is at its default is left out.
  options() {
    const request = {};
    if ($("all-mentions").checked) request.mentions = "all";
    if (Number($("floor").value) > 0) request.min_confidence = Math.min(1, Number($("floor").value));
    if ($("long-text").value !== "window") request.long_text = $("long-text").value;
    const beams = Math.max(1, Math.min(8, Math.round(Number($("beams").value) || 1)));
    if (beams > 1) request.beams = beams;
    if ($("reference").value) request.reference_time = $("reference").value;
    return request;
  }

  extract() {
    const text = this.pane.text();
    const labels = this.chips.json();
    if (this.run.running()) return;
    if (text.trim() === "") return void (this.run.refuse("extract.notext"), $("source").focus());
    if (labels.length === 0) return void (this.run.refuse("extract.nofields"), this.chips.input.focus());
    if (this.pane.tooLong()) return void this.run.refuse("extract.toolong");
    this.clearResult();
    const named = this.chips.labels.map((label) => ({ name: label.name, key: label.alias || label.name }));
    const record = $("record").value;
    const request = { text, labels, offsets: "utf16", ...this.options(), ...(record ? { record } : {}) };
    request.timeout_ms = patience(text, request.beams);
    const progress = new Progress($("extract-progress"), named.map((label) => label.name));
    this.run.run(
      (signal) => stream("extract", request, { signal, onEvent: (name, data) => progress.event(name, data) }).finally(() => progress.end()),
      (body, seconds) => this.answered(text, named, body, seconds),
      () => this.extract(),
    );
  }

  clearResult() {
    this.review = null;
    this.reviews = null;
    $("review-bar").hidden = true;
    this.pane.edit();
    for (const id of ["views", "exports", "result-table", "result-records", "result-json", "result-empty"]) $(id).hidden = true;
    fill($("extract-warnings"));
    fill($("extract-error"));
  }

  answered(text, labels, body, seconds) {
    this.review = new ReviewedText(text, labels, body);
    this.picked = 0;
    this.seconds = seconds;
    remember({ text, labels: this.chips.labels.map(labelText), result: body.result });
    this.show();
    showTab(this.review.records ? $("view-records") : $("view-table"));
  }

  summary() {
    const labels = this.review.labels;
    const found = labels.filter((label) => this.review.of(label.key).length > 0).length;
    return t("result.summary", { found, all: labels.length, values: this.review.entities.length, seconds: this.seconds.toFixed(2) });
  }

  show() {
    $("extract-status").textContent = this.reviews ? "" : this.summary();
    $("views").hidden = false;
    $("exports").hidden = false;
    $("view-records").hidden = !this.review.records;
    fill($("extract-warnings"), ...warningBlocks(this.review.body));
    drawJson($("result-json"), this.review.body);
    this.table.show(this.review);
    this.redraw();
  }

  redraw() {
    this.pane.mark(this.review);
    this.pane.setPicked(this.picked, false);
    if (this.review.records) drawRecords($("result-records"), this.review);
  }

  hover(id, on) {
    this.pane.hot(id, on);
    this.table.mark(id, on);
  }

  /// A value is chosen on one side; the other shows it. Chosen again in the table it is let go.
  pick(id, from) {
    this.picked = from === "table" && this.picked === id ? 0 : id;
    if (from === "text" && $("result-table").hidden) showTab($("view-table"));
    if (!this.pane.view.querySelector("mark")) this.pane.mark(this.review);
    this.table.setPicked(this.picked, from === "text");
    this.pane.setPicked(this.picked, from === "table");
  }

  /// Answers of a batch one after another, with a bar to go on and back.
  openReviews(reviews, at) {
    // What stood here comes back after the review.
    if (!this.reviews) this.before = { text: this.pane.text(), fields: this.chips.labels.map(labelText) };
    this.reviews = reviews;
    this.review = reviews[at];
    this.picked = 0;
    this.chips.set(this.review.labels.map((label) => labelText({ name: label.name, alias: label.key === label.name ? "" : label.key })));
    this.pane.setText(this.review.text);
    fill($("extract-error"));
    $("result-empty").hidden = true;
    this.show();
    showTab($("view-table"));
    this.drawReviewBar(at);
  }

  drawReviewBar(at) {
    const go = (to, sure) => () => {
      if (sure) this.review.confirmAll();
      if (to < 0 || to >= this.reviews.length) this.leaveReviews();
      else this.openReviews(this.reviews, to);
    };
    const button = (key, act, attributes = {}) => el("button", { class: "small", onclick: act, ...attributes }, t(key));
    fill($("review-bar"), t("review.at", { at: at + 1, all: this.reviews.length }), el("span", { class: "grow" }),
      button("review.back", () => this.leaveReviews()), button("review.previous", go(at - 1, false), { disabled: at === 0 }),
      button("review.next", go(at + 1, false), { disabled: at + 1 === this.reviews.length }), button("review.sure", go(at + 1, true), { class: "small primary" }));
    $("review-bar").hidden = false;
  }

  leaveReviews() {
    this.clearResult();
    $("result-empty").hidden = false;
    this.pane.setText(this.before.text);
    this.chips.set(this.before.fields);
    this.closeReview();
  }

  /// An entry of the history.
  use(entry) {
    this.clearResult();
    $("result-empty").hidden = false;
    this.pane.setText(entry.text);
    this.chips.set(entry.labels);
  }

  /// After marking in the text.
  corrected(id) {
    if (!id) return void toast(t("correct.refused"));
    this.picked = id;
    this.redraw();
    this.table.setPicked(id, true);
  }

  async copy() {
    const json = !$("result-json").hidden;
    const text = json ? JSON.stringify(this.review.body, null, 2) : tabText($("result-records").hidden ? detailRows(this.review).map((row) => row.slice(0, 3)) : resultRows(this.review));
    toast(t((await copyText(text)) ? "copied" : "copy.failed"));
  }
}
