// SPDX-License-Identifier: Apache-2.0
// Dialogs: the key, a name to be given, and the settings with the opt-in history.
import { setKeyDialog } from "./api.js";
import { $, el, fill, toast } from "./dom.js";
import { forgetAll, historyEntries, historyOn, setHistory } from "./history.js";
import { t } from "./i18n.js";
import { apiKey, setApiKey } from "./key.js";

/// Shows the dialog with `content`; resolves when it is closed, to its returnValue.
function open(title, ...content) {
  const dialog = $("dialog");
  fill(dialog, el("h2", { id: "dialog-title" }, title), ...content);
  dialog.returnValue = "";
  if (dialog.open) dialog.close();
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true }));
}

/// Asks for one line of words; null when the user goes away. `secret`: the letters are not shown.
export async function ask(title, question, { secret = false, note = "" } = {}) {
  const input = el("input", { type: secret ? "password" : "text", id: "dialog-input", autocomplete: "off", spellcheck: "false", maxlength: secret ? 512 : 60 });
  const form = el("form", { method: "dialog", onsubmit: (event) => {
    event.preventDefault();
    $("dialog").close("ok");
  } },
    note ? el("p", { class: "muted" }, note) : null,
    el("label", { for: "dialog-input" }, question), input,
    el("div", { class: "buttons" }, el("button", { type: "button", onclick: () => $("dialog").close("") }, t("cancel")), el("button", { class: "primary", type: "submit" }, t("ok"))));
  const closed = open(title, form);
  input.focus();
  return (await closed) === "ok" ? input.value.trim() || null : null;
}

/// Takes the key as the server sees it in a header: letters of Latin-1 only.
async function askForKey(again) {
  const key = await ask(t("key.title"), t("key.label"), { secret: true, note: t(again ? "key.again" : "key.note") });
  return key ? key.replace(/[^\x21-\x7e]/g, "") : null;
}

function historyList(use) {
  const entries = historyEntries();
  if (entries.length === 0) return el("p", { class: "muted" }, t("history.none"));
  return el("ul", { class: "history" }, ...entries.map((entry) =>
    el("li", {}, el("button", { class: "quiet small", onclick: () => {
      $("dialog").close("");
      use(entry);
    } }, new Date(entry.at).toLocaleString() + "  " + entry.text.slice(0, 40)))));
}

export function setUpSettings({ useHistory }) {
  setKeyDialog(askForKey);
  const draw = () => {
    const history = el("input", { type: "checkbox", id: "keep-history", checked: historyOn(), onchange: (event) => {
      setHistory(event.target.checked);
      draw();
    } });
    open(t("settings"),
      el("h3", {}, t("key.title")),
      el("p", { class: "muted" }, t(apiKey() ? "key.kept" : "key.none")),
      el("div", { class: "line" },
        el("button", { class: "small", onclick: async () => {
          const key = await askForKey(false);
          if (key) setApiKey(key);
          draw();
        } }, t("key.enter")),
        apiKey() ? el("button", { class: "small", onclick: () => {
          setApiKey("");
          draw();
        } }, t("key.forget")) : null),
      el("h3", {}, t("history")),
      el("label", { for: "keep-history" }, history, " ", t("history.keep")),
      el("p", { class: "muted" }, t("history.note")),
      historyOn() ? historyList(useHistory) : null,
      el("div", { class: "buttons" },
        el("button", { onclick: () => {
          forgetAll();
          toast(t("history.wiped"));
          draw();
        } }, t("history.wipe")),
        el("button", { class: "primary", onclick: () => $("dialog").close("") }, t("close"))));
  };
  $("open-settings").addEventListener("click", draw);
}
