// SPDX-License-Identifier: Apache-2.0
// A box of labels as chips: typed, pasted as a list, completed from the standard fields, edited and removed by mouse or keys.
import { el, fill, toast } from "./dom.js";
import { completions, fieldTypes, typeOf } from "./fields.js";
import { currentLanguage, onLanguage, t } from "./i18n.js";

const kMaxLabels = 256;
const kSeparator = /[,，、;；\n\r\t|]+/;

/// `name[:type][=alias]` as the command line takes it; `:type` counts only if it is a known type.
export function parseLabel(typed) {
  let name = typed.trim();
  let alias = "";
  let type = "";
  const equals = name.lastIndexOf("=");
  if (equals > 0 && equals < name.length - 1) {
    alias = name.slice(equals + 1).trim();
    name = name.slice(0, equals).trim();
  }
  const colon = Math.max(name.lastIndexOf(":"), name.lastIndexOf("："));
  if (colon > 0 && fieldTypes.includes(name.slice(colon + 1).trim().toLowerCase())) {
    type = name.slice(colon + 1).trim().toLowerCase();
    name = name.slice(0, colon).trim();
  }
  return { name, type, alias };
}

export function labelText(label) {
  return label.name + (label.type ? ":" + label.type : "") + (label.alias ? "=" + label.alias : "");
}

/// What a request says of a label: a string, or an object when there is more than a name.
export function labelJson(label) {
  if (!label.type && !label.alias) return label.name;
  return { name: label.name, ...(label.type ? { type: label.type } : {}), ...(label.alias ? { alias: label.alias } : {}) };
}

const sameName = (a, b) => a.toLowerCase() === b.toLowerCase();

export class LabelChips {
  /// `typed`: labels are fields (types, completion); else plain words. `changed` is called after each change.
  constructor(root, { name, typed, changed }) {
    this.labels = [];
    this.typed = typed;
    this.changed = changed;
    this.nameKey = name;
    this.active = -1;
    this.shown = [];
    this.list = el("ul", { class: "options-list", role: "listbox", id: root.id + "-list", hidden: true });
    this.input = el("input", { type: "text", autocomplete: "off", spellcheck: "false", enterkeyhint: "enter", id: root.id + "-input" });
    if (typed) {
      for (const [key, value] of [["role", "combobox"], ["aria-expanded", "false"], ["aria-autocomplete", "list"], ["aria-controls", this.list.id]]) this.input.setAttribute(key, value);
    }
    this.chips = el("span", { role: "list", class: "chip-list" });
    this.box = el("div", { class: "chips" }, this.chips, this.input);
    fill(root, el("div", { class: "combo" }, this.box, typed ? this.list : null));
    this.listen();
    onLanguage(() => this.draw());
    this.draw();
  }

  listen() {
    this.box.addEventListener("mousedown", (event) => {
      if (event.target !== this.box && event.target !== this.chips) return;
      event.preventDefault();
      this.input.focus();
    });
    this.input.addEventListener("input", (event) => {
      // While an input method is composing, a comma may still become something else.
      if (!event.isComposing && kSeparator.test(this.input.value)) this.takeTyped();
      this.complete();
    });
    this.input.addEventListener("compositionend", () => {
      if (kSeparator.test(this.input.value)) this.takeTyped();
      this.complete();
    });
    this.input.addEventListener("paste", (event) => {
      const text = event.clipboardData ? event.clipboardData.getData("text") : "";
      if (!kSeparator.test(text.trim())) return;
      event.preventDefault();
      this.addList(this.input.value + text);
      this.input.value = "";
      this.complete();
    });
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("focus", () => this.complete());
    this.input.addEventListener("blur", () => {
      this.takeTyped();
      this.hide();
    });
    this.list.addEventListener("mousedown", (event) => {
      event.preventDefault();
      const item = event.target.closest("li");
      if (item) this.choose(Number(item.dataset.at));
    });
  }

  key(event) {
    if (event.isComposing || event.keyCode === 229) return;
    const open = !this.list.hidden;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!this.typed) return;
      event.preventDefault();
      if (!open) this.complete();
      const count = this.shown.length;
      if (count > 0) this.mark((this.active + (event.key === "ArrowDown" ? 1 : count + (this.active < 0 ? 0 : -1))) % count);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (open && this.active >= 0) this.choose(this.active);
      else this.takeTyped();
    } else if (event.key === "Escape" && open) {
      event.preventDefault();
      this.hide();
    } else if (event.key === "Backspace" && this.input.value === "" && this.labels.length > 0) {
      this.remove(this.labels.length - 1);
    }
  }

  takeTyped() {
    if (this.input.value.trim() === "") return;
    const typed = this.input.value;
    this.input.value = "";
    this.addList(typed);
    if (document.activeElement === this.input) this.complete();
  }

  complete() {
    if (!this.typed) return;
    const typed = this.input.value;
    this.active = -1;
    this.shown = typed.trim() === "" ? [] : completions(typed, this.labels.map((label) => label.name));
    const english = currentLanguage() === "en";
    fill(
      this.list,
      ...this.shown.map((field, at) =>
        el("li", { role: "option", id: this.list.id + "-" + at, "data-at": at, "aria-selected": "false" },
          field.name, english ? el("span", { class: "word" }, field.english) : null, el("span", { class: "type" }, t("type." + field.type)))),
    );
    this.list.hidden = this.shown.length === 0;
    this.input.setAttribute("aria-expanded", String(!this.list.hidden));
    this.input.removeAttribute("aria-activedescendant");
  }

  mark(at) {
    this.active = at;
    [...this.list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === at)));
    this.list.children[at].scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", this.list.id + "-" + at);
  }

  hide() {
    this.list.hidden = true;
    this.active = -1;
    if (this.typed) this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  choose(at) {
    this.input.value = "";
    this.addList(this.shown[at].name);
    this.complete();
  }

  addList(text) {
    for (const piece of text.split(kSeparator)) {
      const label = this.typed ? parseLabel(piece) : { name: piece.trim(), type: "", alias: "" };
      if (label.name === "" || this.labels.some((other) => sameName(other.name, label.name))) continue;
      if (this.labels.length >= kMaxLabels) {
        toast(t("labels.many", { limit: kMaxLabels }));
        break;
      }
      this.labels.push(label);
    }
    this.draw();
    this.changed();
  }

  set(texts) {
    this.labels = [];
    this.addList(texts.join("\n"));
  }

  /// The labels as requests name them; what is still in the input counts.
  json() {
    this.takeTyped();
    return this.labels.map(labelJson);
  }

  remove(at) {
    this.labels.splice(at, 1);
    this.draw();
    this.changed();
    this.input.focus();
  }

  edit(at) {
    const text = labelText(this.labels[at]);
    this.remove(at);
    this.input.value = text;
    this.input.select();
  }

  draw() {
    this.input.placeholder = this.labels.length > 0 ? t("labels.more") : t("labels.first." + this.nameKey);
    this.input.setAttribute("aria-label", t("labels.input." + this.nameKey));
    this.list.setAttribute("aria-label", t("labels.completions"));
    this.chips.setAttribute("aria-label", t(this.nameKey));
    fill(this.chips, ...this.labels.map((label, at) => this.chip(label, at)));
  }

  chip(label, at) {
    const type = this.typed ? label.type || typeOf(label.name) : "";
    const shown = label.name + (label.alias ? " = " + label.alias : "");
    return el(
      "span", { class: "chip f" + (at % 10), role: "listitem" },
      el("button", { class: "chip-name", title: t("labels.edit"), onclick: () => this.edit(at) }, shown, type ? el("span", { class: "chip-type" }, t("type." + type)) : null),
      el("button", { class: "chip-remove", "aria-label": t("labels.remove", { name: label.name }), onclick: () => this.remove(at) }, "×"),
    );
  }
}
