// SPDX-License-Identifier: Apache-2.0
// The second tab: a text, labels as chips, and their probabilities as bars.
import { stream } from "./api.js";
import { $, copyText, el, fill, toast } from "./dom.js";
import { onLanguage, t, translate } from "./i18n.js";
import { LabelChips } from "./label_chips.js";
import { Progress } from "./progress.js";
import { patience, TaskRun } from "./task_run.js";
import { warningBlocks } from "./warnings.js";

const kStages = ["queued", "reading", "deciding"];
const kSample = { text: "央行宣布下调存款准备金率0.5个百分点，释放长期资金约1万亿元。", labels: ["财经", "科技", "体育", "娱乐", "健康"] };

function layout() {
  const words = (tag, key, attributes = {}) => el(tag, { "data-i18n": key, ...attributes });
  return el("div", { class: "columns" },
    el("section", { class: "card", "aria-labelledby": "classify-source-title" },
      el("div", { class: "card-head" }, words("h2", "text", { id: "classify-source-title" }), el("span", { class: "grow" }), words("button", "mode.batch", { class: "small", id: "classify-batch" }), words("button", "text.sample", { class: "small quiet", id: "classify-sample" })),
      el("textarea", { id: "classify-text", class: "source-text", autocomplete: "off", spellcheck: "false", "aria-labelledby": "classify-source-title", "data-i18n-attr": "placeholder:classify.placeholder" })),
    el("div", { class: "right" },
      el("section", { class: "card fields", "aria-labelledby": "classes-title" },
        el("div", { class: "card-head" }, words("h2", "classes", { id: "classes-title" })),
        el("div", { id: "classes" }),
        el("div", { class: "actions" },
          words("button", "classify.run", { class: "primary", id: "classify" }), words("button", "cancel", { id: "classify-cancel", hidden: true }),
          el("label", { class: "inline" }, el("input", { type: "radio", name: "multi", id: "single-class", checked: true }), words("span", "classify.single")),
          el("label", { class: "inline" }, el("input", { type: "radio", name: "multi", id: "multi-class" }), words("span", "classify.multi")),
          el("label", { class: "inline" }, words("span", "classify.threshold"), el("input", { type: "number", id: "threshold", min: 0, max: 1, step: 0.05, value: "0.5", disabled: true })))),
      el("section", { class: "card result", "aria-labelledby": "classify-result-title" },
        el("div", { class: "card-head" }, words("h2", "result", { id: "classify-result-title" }), el("span", { class: "grow" }), words("button", "copy", { class: "small", id: "classify-copy", hidden: true })),
        el("div", { class: "live", id: "classify-status", role: "status", "aria-live": "polite" }),
        el("div", { id: "classify-progress", hidden: true }),
        el("div", { id: "classify-error", role: "alert" }),
        el("div", { id: "classify-warnings" }),
        el("div", { class: "scroll", id: "classify-result", tabindex: 0, role: "region", "aria-labelledby": "classify-result-title" }))));
}

function bars(body) {
  const chosen = Array.isArray(body.result) ? body.result : [body.result];
  return el("div", { class: "bars", role: "list" }, ...(body.labels || []).map(({ label, probability }, i) => {
    const filled = el("span", { class: "fill" });
    filled.style.width = (probability * 100).toFixed(1) + "%";
    const name = el("span", { class: "name" + (chosen.includes(label) ? " chosen" : "") }, label, chosen.includes(label) ? el("span", { class: "sr" }, t("classify.chosen")) : null);
    return el("div", { role: "listitem", class: "bar-row f" + (i % 10) }, name, el("span", { class: "track", "aria-hidden": "true" }, filled), el("span", {}, (probability * 100).toFixed(1) + "%"));
  }));
}

/// openBatch(labels): many texts of a file are to be classified.
export function setUpClassify({ openBatch }) {
  fill($("panel-classify"), layout());
  translate($("panel-classify"));
  let body = null;
  const chips = new LabelChips($("classes"), { name: "classes", typed: false, changed: () => {} });
  const run = new TaskRun({ start: $("classify"), cancel: $("classify-cancel"), live: $("classify-status"), error: $("classify-error") });
  const draw = (seconds) => {
    fill($("classify-warnings"), ...warningBlocks(body));
    fill($("classify-result"), bars(body));
    $("classify-copy").hidden = false;
    const chosen = [].concat(body.result).join("；") || t("classify.nothing");
    if (seconds !== undefined) $("classify-status").textContent = t("classify.summary", { result: chosen, seconds: seconds.toFixed(2) });
  };
  const classify = () => {
    const text = $("classify-text").value;
    const labels = chips.json();
    if (run.running()) return;
    if (text.trim() === "") return void (run.refuse("extract.notext"), $("classify-text").focus());
    if (labels.length < 1) return void (run.refuse("classify.nolabels"), chips.input.focus());
    fill($("classify-result"));
    const multi = $("multi-class").checked;
    const request = { text, labels, timeout_ms: patience(text), ...(multi ? { multi: true, threshold: Number($("threshold").value) } : {}) };
    const progress = new Progress($("classify-progress"), [], kStages);
    const ask = (signal) => stream("classify", request, { signal, onEvent: (name, data) => progress.event(name, data) }).finally(() => progress.end());
    run.run(ask, (answer, seconds) => {
      body = answer;
      draw(seconds);
    }, classify);
  };
  $("classify").addEventListener("click", classify);
  $("classify-batch").addEventListener("click", () => {
    chips.json();  // what is still being typed counts
    openBatch(chips.labels);
  });
  $("classify-sample").addEventListener("click", () => {
    $("classify-text").value = kSample.text;
    chips.set(kSample.labels);
  });
  for (const id of ["single-class", "multi-class"]) $(id).addEventListener("change", () => ($("threshold").disabled = !$("multi-class").checked));
  $("classify-copy").addEventListener("click", async () => {
    const rows = (body.labels || []).map((one) => one.label + "\t" + one.probability).join("\n");
    toast(t((await copyText(rows)) ? "copied" : "copy.failed"));
  });
  onLanguage(() => body && draw());
}
