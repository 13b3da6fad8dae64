// SPDX-License-Identifier: Apache-2.0
// The table of values: a row a value, absent fields as absent, and the buttons that correct.
import { shownValue } from "./canonical.js";
import { el, fill } from "./dom.js";
import { hasWords, t } from "./i18n.js";

const kLow = 0.5;  // below it the bar has the colour of a warning

export function confidenceBar(confidence) {
  if (typeof confidence !== "number") return el("span", { class: "muted" }, "—");
  const filled = el("span", { class: "fill" + (confidence < kLow ? " low" : "") });
  filled.style.width = Math.round(confidence * 100) + "%";
  return el("span", { class: "bar" }, el("span", { class: "track", "aria-hidden": "true" }, filled), Math.round(confidence * 100) + "%");
}

function reasonWords(reason) {
  const key = "reason." + reason;
  return hasWords(key) ? t(key) : t("reason.other", { reason });
}

export class ResultTable {
  /// hover(id, on), pick(id), changed(): told to the owner.
  constructor(root, { hover, pick, changed }) {
    Object.assign(this, { root, hover, pick, changed, review: null, picked: 0, adding: "", message: "" });
    const rowId = (event) => {
      const row = event.target.closest && event.target.closest("tr[data-id]");
      return row && root.contains(row) ? Number(row.dataset.id) : 0;
    };
    const over = (event, on) => {
      const id = rowId(event);
      if (id) this.hover(id, on);
    };
    root.addEventListener("mouseover", (event) => over(event, true));
    root.addEventListener("mouseout", (event) => over(event, false));
    root.addEventListener("focusin", (event) => over(event, true));
    root.addEventListener("focusout", (event) => over(event, false));
    root.addEventListener("click", (event) => {
      if (event.target.closest("button, input")) return;
      const id = rowId(event);
      if (id) this.pick(id);
    });
  }

  show(review) {
    Object.assign(this, { review, picked: 0, adding: "", message: "" });
    this.draw();
  }

  setPicked(id, scroll) {
    this.picked = id;
    this.message = "";
    this.draw();
    const row = this.row(id);
    if (row && scroll) row.scrollIntoView({ block: "nearest" });
  }

  row(id) {
    return this.root.querySelector('tr[data-id="' + Number(id) + '"]');
  }

  mark(id, on) {
    const row = this.row(id);
    if (row) row.classList.toggle("hot", on);
  }

  /// Draws anew and gives the focus back to the button that had it.
  draw() {
    if (!this.review) return fill(this.root);
    const focused = document.activeElement && this.root.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
    const scrolled = this.root.scrollTop;
    const head = ["column.field", "column.verbatim", "column.canonical", "column.confidence"].map((key) => el("th", { scope: "col" }, t(key)));
    const body = el("tbody");
    this.review.labels.forEach((label, index) => this.addRows(body, label, index));
    fill(this.root, el("table", { class: "result-rows" },
      el("caption", { class: "sr" }, t("result")),
      el("thead", {}, el("tr", {}, ...head, el("th", { scope: "col" }, el("span", { class: "sr" }, t("column.actions"))))), body));
    this.root.scrollTop = scrolled;
    const again = focused && [...this.root.querySelectorAll("[data-focus]")].find((node) => node.dataset.focus === focused);
    if (again) again.focus();
    return undefined;
  }

  addRows(body, label, index) {
    const entities = this.review.of(label.key);
    if (entities.every((entity) => entity.state === "removed")) body.append(this.absentRow(label, index));
    entities.forEach((entity, i) => body.append(this.valueRow(label, entity, index, i === 0)));
    if (this.adding === label.key) body.append(this.addRow(label, index));
  }

  fieldCell(label, index) {
    return el("th", { scope: "row", class: "field f" + (index % 10) + (index >= 10 ? " dashed" : ""), title: label.key === label.name ? label.name : label.name + " = " + label.key }, label.name);
  }

  action(key, text, words, act, pressed) {
    return el("button", { "data-focus": key, title: words, "aria-label": words, "aria-pressed": pressed === undefined ? null : String(pressed), onclick: act }, text);
  }

  addButton(label) {
    return this.action("add-" + label.key, "＋", t("correct.add", { field: label.name }), () => this.openAdd(label));
  }

  absentRow(label, index) {
    return el("tr", { class: "absent f" + (index % 10) }, this.fieldCell(label, index),
      el("td", { class: "value", colspan: 3 }, t("result.absent")), el("td", { class: "row-actions" }, this.addButton(label)));
  }

  valueRow(label, entity, index, first) {
    const picked = this.picked === entity.id;
    const removed = entity.state === "removed";
    const act = (change) => () => {
      change();
      this.draw();
      this.changed();
    };
    const canonical = shownValue(entity);
    const badge = entity.state === "found" ? null : el("span", { class: "badge" + (removed ? " bad" : "") }, t("state." + entity.state));
    const value = el("td", { class: "value" },
      el("button", { class: "value-button", "data-focus": "value-" + entity.id, "aria-pressed": String(picked), onclick: () => this.pick(entity.id) }, entity.text),
      badge, picked && !removed ? this.nudges(entity) : null, picked && this.message ? el("div", { class: "field-error", role: "alert" }, this.message) : null);
    return el("tr", { "data-id": entity.id, class: "f" + (index % 10) + (picked ? " picked" : "") + (removed ? " removed" : "") },
      this.fieldCell(label, index), value,
      el("td", { class: "canonical" }, canonical || (entity.reason ? reasonWords(entity.reason) : "")),
      el("td", {}, confidenceBar(entity.confidence)),
      el("td", { class: "row-actions" },
        removed ? null : this.action("confirm-" + entity.id, "✓", t("correct.confirm", { value: entity.text }), act(() => this.review.confirm(entity)), entity.state === "confirmed"),
        this.action("remove-" + entity.id, removed ? "↺" : "✕", t(removed ? "correct.restore" : "correct.remove", { value: entity.text }), act(() => this.review.remove(entity))),
        first ? this.addButton(label) : null));
  }

  /// Four small buttons that move the ends by a character: re-bounding without a mouse.
  nudges(entity) {
    const move = (from, to) => () => {
      const moved = this.review.rebound(entity, entity.start + from, entity.end + to);
      this.message = moved ? "" : t("correct.refused");
      this.draw();
      if (moved) this.changed();
    };
    const button = (key, text, from, to) => this.action(key + entity.id, text, t("correct." + key), move(from, to));
    const step = (at, forward) => {
      const code = this.review.text.charCodeAt(forward ? at : at - 1);
      return (code >= 0xd800 && code <= 0xdfff ? 2 : 1) * (forward ? 1 : -1);
    };
    return el("span", { class: "nudge" }, t("correct.ends"),
      button("start-left", "⇤", step(entity.start, false), 0), button("start-right", "⇥", step(entity.start, true), 0), "…",
      button("end-left", "⇤", 0, step(entity.end, false)), button("end-right", "⇥", 0, step(entity.end, true)), t("correct.orselect"));
  }

  openAdd(label) {
    this.adding = this.adding === label.key ? "" : label.key;
    this.message = "";
    this.draw();
    const input = this.root.querySelector(".add-form input");
    if (input) input.focus();
  }

  addRow(label, index) {
    const input = el("input", { type: "text", "aria-label": t("correct.words", { field: label.name }), placeholder: t("correct.words.hint"), spellcheck: "false" });
    const error = el("div", { class: "field-error", role: "alert" });
    const add = () => {
      const place = this.review.find(label, input.value.trim());
      const entity = place && this.review.add(label, place.start, place.end);
      if (!entity) {
        error.textContent = t("correct.notintext");
        return;
      }
      this.adding = "";
      this.changed();
      this.pick(entity.id);
    };
    const form = el("form", { class: "add-form", onsubmit: (event) => {
      event.preventDefault();
      add();
    } }, input, el("button", { class: "small", type: "submit" }, t("add")));
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.openAdd(label);
    });
    return el("tr", { class: "f" + (index % 10) }, el("td"), el("td", { class: "value", colspan: 4 }, form, error));
  }
}

/// Records as a table: a row a record, a column a field.
export function drawRecords(root, review) {
  const rows = review.rows();
  fill(root, el("table", {},
    el("caption", { class: "sr" }, t("view.records")),
    el("thead", {}, el("tr", {}, ...review.labels.map((label) => el("th", { scope: "col" }, label.key)))),
    el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map((cell) => el("td", { class: "value" }, cell === "" ? el("span", { class: "muted" }, "—") : cell)))))));
}
