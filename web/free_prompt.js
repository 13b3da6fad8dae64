// SPDX-License-Identifier: Apache-2.0
// The third tab: an instruction of one's own, a helper that writes SeqGPT's template, the output and its time.
import { stream } from "./api.js";
import { $, copyText, el, fill, toast } from "./dom.js";
import { t, translate } from "./i18n.js";
import { patience, TaskRun } from "./task_run.js";

/// The template that SeqGPT was trained with (src/task/prompt.cc renders the same).
export function template(word, text, labels) {
  const names = labels.split(/[,，、;；\n]+/).map((name) => name.trim()).filter((name) => name !== "");
  return "输入: " + text.trim() + "\n" + word + ": " + names.join("，") + "\n输出: ";
}

function layout() {
  const words = (tag, key, attributes = {}) => el(tag, { "data-i18n": key, ...attributes });
  return el("div", { class: "columns" },
    el("div", { class: "right" },
      el("section", { class: "card fields", "aria-labelledby": "helper-title" },
        el("div", { class: "card-head" }, words("h2", "prompt.helper", { id: "helper-title" })),
        el("div", { class: "form" },
          el("div", { class: "line" },
            el("label", { class: "inline" }, words("span", "prompt.task"), el("select", { id: "prompt-task" },
              words("option", "prompt.extract", { value: "抽取" }), words("option", "prompt.classify", { value: "分类" }))),
            el("label", { class: "inline" }, words("span", "prompt.labels"), el("input", { type: "text", id: "prompt-labels", value: "姓名，公司，职位" }))),
          words("label", "prompt.text", { for: "prompt-text" }),
          el("textarea", { id: "prompt-text", rows: 3, autocomplete: "off", spellcheck: "false" }),
          el("div", { class: "line" }, words("button", "prompt.fill", { class: "small", id: "prompt-fill" })))),
      el("section", { class: "card result", "aria-labelledby": "prompt-title" },
        el("div", { class: "card-head" }, words("h2", "prompt.own", { id: "prompt-title" })),
        el("textarea", { id: "prompt-own", class: "source-text", autocomplete: "off", spellcheck: "false", "aria-labelledby": "prompt-title", "data-i18n-attr": "placeholder:prompt.placeholder" }))),
    el("div", { class: "right" },
      el("section", { class: "card fields", "aria-labelledby": "prompt-run-title" },
        el("div", { class: "card-head" }, words("h2", "prompt.settings", { id: "prompt-run-title" })),
        el("div", { class: "actions" },
          words("button", "prompt.run", { class: "primary", id: "prompt-run" }), words("button", "cancel", { id: "prompt-cancel", hidden: true }),
          el("label", { class: "inline" }, words("span", "prompt.tokens"), el("input", { type: "number", id: "prompt-tokens", min: 1, max: 2048, value: "256" })),
          el("label", { class: "inline" }, words("span", "beams"), el("input", { type: "number", id: "prompt-beams", min: 1, max: 8, value: "1" })))),
      el("section", { class: "card result", "aria-labelledby": "prompt-output-title" },
        el("div", { class: "card-head" }, words("h2", "prompt.output", { id: "prompt-output-title" }), el("span", { class: "grow" }), words("button", "copy", { class: "small", id: "prompt-copy", hidden: true })),
        el("div", { class: "live", id: "prompt-status", role: "status", "aria-live": "polite" }),
        el("div", { id: "prompt-error", role: "alert" }),
        el("div", { class: "scroll output", id: "prompt-output", tabindex: 0, role: "region", "aria-labelledby": "prompt-output-title" }))));
}

export function setUpFreePrompt() {
  fill($("panel-prompt"), layout());
  translate($("panel-prompt"));
  const run = new TaskRun({ start: $("prompt-run"), cancel: $("prompt-cancel"), live: $("prompt-status"), error: $("prompt-error") });
  const generate = () => {
    const text = $("prompt-own").value;
    if (run.running()) return;
    if (text.trim() === "") return void (run.refuse("prompt.empty"), $("prompt-own").focus());
    fill($("prompt-output"));
    $("prompt-copy").hidden = true;
    const beams = Number($("prompt-beams").value) || 1;
    const request = { text, max_new_tokens: Number($("prompt-tokens").value) || 256, beams, timeout_ms: patience(text, beams) };
    // Pieces that come while the answer is written are shown at once; the whole answer replaces them.
    const onEvent = (name, data) => {
      if (typeof data.text === "string") $("prompt-output").append(data.text);
    };
    run.run((signal) => stream("generate", request, { signal, onEvent }), (body, seconds) => {
      fill($("prompt-output"), body.text === "" ? t("prompt.nothing") : body.text);
      $("prompt-copy").hidden = false;
      const usage = body.usage || {};
      $("prompt-status").textContent = t(body.finish_reason === "length" ? "prompt.summary.length" : "prompt.summary", { seconds: seconds.toFixed(2), tokens: usage.completion_tokens || 0 });
    }, generate);
  };
  $("prompt-run").addEventListener("click", generate);
  $("prompt-fill").addEventListener("click", () => {
    $("prompt-own").value = template($("prompt-task").value, $("prompt-text").value, $("prompt-labels").value);
    $("prompt-own").focus();
  });
  $("prompt-copy").addEventListener("click", async () => toast(t((await copyText($("prompt-output").textContent)) ? "copied" : "copy.failed")));
}
