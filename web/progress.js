// SPDX-License-Identifier: Apache-2.0
// The stages of a request as they come, with times, the windows of a long text, and the fields decided so far.
import { el, fill } from "./dom.js";
import { hasWords, t } from "./i18n.js";

const kOrder = ["queued", "reading", "deciding", "normalising"];
const kSpelled = { queue: "queued", read: "reading", prefill: "reading", compute: "deciding", decide: "deciding", decoding: "deciding", normalizing: "normalising", normalise: "normalising", normalize: "normalising" };

function stageName(name) {
  const known = kSpelled[name] || name;
  return hasWords("stage." + known) ? t("stage." + known) : String(name);
}

export class Progress {
  /// labels: those that are decided one by one (none: classes are scored together); order: the stages there are.
  constructor(root, labels, order = kOrder) {
    Object.assign(this, { root, labels, order, stages: new Map(), fields: new Map(), now: "queued", began: performance.now() });
    root.hidden = false;
    this.draw();
    this.timer = setInterval(() => this.draw(), 250);
  }

  /// One event of the stream.
  event(name, data) {
    if (name === "stage") {
      this.stage(kSpelled[data.name] || String(data.name), data);
    } else if (name === "field") {
      const values = Array.isArray(data.values) ? data.values : [];
      this.fields.set(String(data.label), values.map((value) => (value && typeof value === "object" ? String(value.text) : String(value))));
      this.now = "deciding";
    }
    this.draw();
  }

  /// The windows of a long text come as "compute" while they are decided; at the end it is the sum of the stages.
  stage(stage, data) {
    const before = this.stages.get(stage) || {};
    const windows = data.total === undefined ? { done: before.done, total: before.total } : { done: data.done, total: data.total };
    this.stages.set(stage, { ms: data.name === "compute" && before.ended ? before.ms : data.ms, ended: data.name !== "compute", ...windows });
    // With a time and nothing left to do a stage has ended; then the next one is under way.
    const ended = typeof data.ms === "number" && !(windows.done < windows.total);
    const next = kOrder[kOrder.indexOf(stage) + 1];
    const now = ended && next ? next : stage;
    if (data.name !== "compute" || !before.ended) this.now = now;
  }

  stageItem(name) {
    const known = this.stages.get(name);
    const at = kOrder.indexOf(name);
    const passed = kOrder.indexOf(this.now) > at && at >= 0;
    let words = name === "deciding" && this.labels.length === 0 ? t("stage.scoring") : stageName(name);
    if (name === "deciding" && this.labels.length > 0) words += " " + Math.min(this.fields.size, this.labels.length) + "/" + this.labels.length;
    if (known && known.total > 1) words += " " + t("stage.windows", { done: known.done || 0, total: known.total });
    if (known && typeof known.ms === "number") words += " · " + Math.round(known.ms) + " ms";
    return el("li", { class: this.now === name ? "now" : passed ? "done" : "" }, words);
  }

  draw() {
    const names = [...this.order, ...[...this.stages.keys()].filter((name) => !kOrder.includes(name))];
    const elapsed = ((performance.now() - this.began) / 1000).toFixed(1);
    fill(this.root,
      el("ol", { class: "stages" }, ...names.map((name) => this.stageItem(name)), el("li", {}, t("stage.elapsed", { seconds: elapsed }))),
      this.fields.size === 0 ? null : el("table", {}, el("tbody", {}, ...[...this.fields].map(([label, values]) =>
        el("tr", {}, el("th", { scope: "row", class: "field f" + Math.max(0, this.labels.indexOf(label)) % 10 }, label), el("td", { class: "value" }, values.length > 0 ? values.join("；") : t("result.absent")))))));
  }

  end() {
    clearInterval(this.timer);
    this.root.hidden = true;
    fill(this.root);
  }
}
