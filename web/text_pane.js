// SPDX-License-Identifier: Apache-2.0
// The left side: the text being written, then the same text marked; files dropped and opened; marking by selecting.
import { $, el, fill } from "./dom.js";
import { t } from "./i18n.js";
import { classOf, drawMarked, idsAt, selectedSpan } from "./highlight.js";
import { openFile, tableText } from "./open_file.js";
import { problemWords } from "./problem.js";

const kMaxCharacters = 1000000;  // the server's limit for one text

export class TextPane {
  /// changed(): the text is another; table(file): the user wants a table's rows one by one; hover(id, on), pick(id);
  /// reviewed(): the ReviewedText under correction or null; corrected(id): a value was added or re-bounded here.
  constructor(hooks) {
    Object.assign(this, hooks);
    this.area = $("source");
    this.view = $("marked");
    this.notice = $("source-notice");
    this.area.addEventListener("input", () => this.textChanged());
    $("edit-text").addEventListener("click", () => this.edit());
    $("clear-text").addEventListener("click", () => this.setText(""));
    $("open-file").addEventListener("click", () => $("file").click());
    $("file").addEventListener("change", () => {
      if ($("file").files.length > 0) this.open($("file").files[0]);
      $("file").value = "";
    });
    this.listenDrop(document.querySelector(".source"));
    this.listenMarks();
  }

  listenDrop(card) {
    const files = (event) => event.dataTransfer && [...event.dataTransfer.types].includes("Files");
    card.addEventListener("dragover", (event) => {
      if (!files(event)) return;
      event.preventDefault();
      card.classList.add("dropping");
    });
    card.addEventListener("dragleave", () => card.classList.remove("dropping"));
    card.addEventListener("drop", (event) => {
      card.classList.remove("dropping");
      if (!files(event)) return;
      event.preventDefault();
      if (event.dataTransfer.files.length > 0) this.open(event.dataTransfer.files[0]);
    });
    // A file dropped beside the pane must not replace the page, and the text in it.
    for (const name of ["dragover", "drop"]) {
      document.addEventListener(name, (event) => {
        if (files(event)) event.preventDefault();
      });
    }
  }

  listenMarks() {
    const over = (event, on) => idsAt(event.target).forEach((id) => this.hover(id, on));
    this.view.addEventListener("mouseover", (event) => over(event, true));
    this.view.addEventListener("mouseout", (event) => over(event, false));
    this.view.addEventListener("click", (event) => {
      if (selectedSpan(this.view)) return;
      const ids = idsAt(event.target);
      // Where values overlap, each further click takes the next one.
      if (ids.length > 0) this.pick(ids[(ids.indexOf(this.picked) + 1) % ids.length]);
    });
    const offer = () => setTimeout(() => this.offerMarking(), 0);
    this.view.addEventListener("mouseup", offer);
    this.view.addEventListener("touchend", offer);
    this.view.addEventListener("keyup", (event) => {
      if (event.shiftKey) offer();
    });
    document.addEventListener("mousedown", (event) => {
      if (!$("popover").contains(event.target)) this.closePopover();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.closePopover();
    });
  }

  text() {
    return this.area.value;
  }

  setText(text) {
    this.area.value = text;
    this.say();
    this.edit();
    this.textChanged();
  }

  textChanged() {
    this.count();
    this.changed();
  }

  count() {
    let characters = 0;
    const text = this.area.value;
    for (let i = 0; i < text.length; ++i) if ((text.charCodeAt(i) & 0xfc00) !== 0xdc00) ++characters;
    $("source-count").textContent = characters === 0 ? "" : t("text.count", { count: characters.toLocaleString() });
    return characters;
  }

  tooLong() {
    return this.count() > kMaxCharacters;
  }

  /// A line under the head; no arguments: none.
  say(...content) {
    this.notice.hidden = content.length === 0;
    fill(this.notice, ...content);
  }

  async open(file) {
    this.say(t("file.reading", { name: file.name }));
    let opened;
    try {
      opened = await openFile(file);
    } catch (error) {
      this.say(t("file.failed", { name: file.name }) + problemWords(error));
      return;
    }
    this.setText(opened.kind === "table" ? tableText(opened.rows) : opened.text);
    const about = t("file.opened", { name: opened.name, encoding: opened.encoding.toUpperCase() });
    if (opened.kind !== "table") return this.say(about);
    const rows = t("file.table", { count: Math.max(0, opened.rows.length - 1) }) + (opened.more ? t("file.more") : "");
    return this.say(about + rows, el("button", { class: "small", onclick: () => this.table(opened) }, t("file.byrow")));
  }

  edit() {
    this.view.hidden = true;
    this.area.hidden = false;
    $("edit-text").hidden = true;
    this.closePopover();
  }

  /// Shows the text marked with `review`'s values.
  mark(review) {
    const at = this.view.hidden ? this.area.scrollTop : this.view.scrollTop;
    const index = new Map(review.labels.map((label, i) => [label.key, i]));
    drawMarked(this.view, review.text, review.live(), { colour: (span) => index.get(span.key) || 0, tag: (span) => span.label });
    this.area.hidden = true;
    this.view.hidden = false;
    $("edit-text").hidden = false;
    this.view.scrollTop = at;
  }

  hot(id, on) {
    classOf(this.view, id, "hot", on);
  }

  setPicked(id, scroll) {
    if (this.picked) classOf(this.view, this.picked, "picked", false);
    this.picked = id;
    const first = classOf(this.view, id, "picked", true);
    if (first && scroll) first.scrollIntoView({ block: "nearest" });
  }

  closePopover() {
    $("popover").hidden = true;
  }

  /// Words were selected: which field are they? Beside the fields stands the picked value, to be given these ends.
  offerMarking() {
    const review = this.reviewed();
    const span = selectedSpan(this.view);
    if (!review || !span || review.text.slice(span.start, span.end).trim() === "") return;
    const picked = review.live().find((entity) => entity.id === this.picked);
    const act = (change) => () => {
      const id = change();
      window.getSelection().removeAllRanges();
      this.closePopover();
      this.corrected(id);
    };
    const popover = fill($("popover"), el("span", { class: "title" }, t("correct.markas")),
      picked ? el("button", { class: "small primary", onclick: act(() => review.rebound(picked, span.start, span.end) && picked.id) }, t("correct.newends", { field: picked.label, value: picked.text.slice(0, 12) })) : null,
      ...review.labels.map((label, i) => el("button", { class: "small f" + (i % 10), onclick: act(() => {
        const added = review.add(label, span.start, span.end);
        return added && added.id;
      }) }, el("span", { class: "dot" }), label.name)));
    popover.hidden = false;
    const left = Math.min(Math.max(8, span.box.left), window.innerWidth - popover.offsetWidth - 8);
    const below = span.box.bottom + 8;
    const top = below + popover.offsetHeight > window.innerHeight ? Math.max(8, span.box.top - popover.offsetHeight - 8) : below;
    popover.style.left = left + "px";
    popover.style.top = top + "px";
  }
}
