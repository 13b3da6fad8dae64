// SPDX-License-Identifier: Apache-2.0
// One text with its answer and what a person made of it: values confirmed, removed, re-bounded, added; gold lines come from here.
import { cellOf, flatValue } from "./canonical.js";

let lastId = 0;

/// UTF-16 place to code points, for gold lines. Places must come in no particular order, so the text is walked once.
export function codePointPlaces(text, places) {
  const sorted = [...new Set(places)].sort((a, b) => a - b);
  const found = new Map();
  let points = 0;
  let next = 0;
  for (let at = 0; at <= text.length && next < sorted.length; ++at) {
    const code = text.charCodeAt(at);
    const second = code >= 0xdc00 && code <= 0xdfff && at > 0 && text.charCodeAt(at - 1) >= 0xd800 && text.charCodeAt(at - 1) <= 0xdbff;
    while (next < sorted.length && sorted[next] === at) found.set(sorted[next++], points - (second ? 1 : 0));
    if (!second) ++points;
  }
  return found;
}

/// Moves a place off the middle of a surrogate pair.
function wholeCharacter(text, at, forward) {
  const code = text.charCodeAt(at);
  const middle = at > 0 && code >= 0xdc00 && code <= 0xdfff;
  return middle ? at + (forward ? 1 : -1) : at;
}

export class ReviewedText {
  /// `body`: the answer, with offsets in UTF-16. `labels`: [{name, key}] in order, as asked.
  constructor(text, labels, body, id) {
    this.text = text;
    this.labels = labels;
    this.body = body;
    this.id = id;
    this.reviewed = false;
    this.entities = (body.entities || []).map((entity) => ({ ...entity, id: ++lastId, state: "found" }));
    this.records = this.matchRecords(body.records);
  }

  /// Records hold flat values; here they get the entities that these came from.
  matchRecords(records) {
    if (!Array.isArray(records)) return null;
    const used = new Set();
    const flat = new Map(this.entities.map((entity) => [entity, JSON.stringify(flatValue(entity))]));
    const entityOf = (key, value) => {
      const wanted = JSON.stringify(value);
      const fits = this.entities.filter((entity) => entity.key === key && flat.get(entity) === wanted);
      const entity = fits.find((one) => !used.has(one)) || fits[0];
      if (entity) used.add(entity);
      return entity;
    };
    return records.map((record) => {
      const cells = {};
      for (const [key, value] of Object.entries(record)) {
        const values = value === null ? [] : Array.isArray(value) ? value : [value];
        cells[key] = values.map((one) => ({ value: one, entity: entityOf(key, one) }));
      }
      return cells;
    });
  }

  live() {
    return this.entities.filter((entity) => entity.state !== "removed");
  }
  of(key) {
    return this.entities.filter((entity) => entity.key === key);
  }
  changed() {
    return this.reviewed || this.entities.some((entity) => entity.state !== "found");
  }
  /// The least certain value that nobody has looked at; 2 when there is none.
  lowestConfidence() {
    return this.entities.reduce((least, entity) => (entity.state === "found" ? Math.min(least, entity.confidence) : least), 2);
  }

  confirm(entity) {
    entity.state = entity.state === "confirmed" ? "found" : "confirmed";
  }
  confirmAll() {
    for (const entity of this.entities) if (entity.state === "found") entity.state = "confirmed";
    this.reviewed = true;
  }
  remove(entity) {
    if (entity.state === "removed") {
      entity.state = entity.before;
    } else {
      entity.before = entity.state;
      entity.state = "removed";
    }
  }

  /// Gives a value other ends; false when they hold nothing but blanks or another value of the field stands just there.
  rebound(entity, start, end) {
    const span = this.span(start, end);
    if (!span || this.taken(entity.key, span, entity)) return false;
    Object.assign(entity, span, { normalized: null, reason: "", state: entity.state === "added" ? "added" : "edited" });
    return true;
  }

  /// Adds a value of a label at a place in the text; null when that cannot be.
  add(label, start, end) {
    const span = this.span(start, end);
    if (!span || this.taken(label.key, span, null)) return null;
    const entity = { id: ++lastId, label: label.name, key: label.key, confidence: null, normalized: null, state: "added", ...span };
    const order = (one) => this.labels.findIndex((other) => other.key === one.key) * 1e7 + one.start;
    this.entities.push(entity);
    this.entities.sort((a, b) => order(a) - order(b));
    this.putIntoRecord(entity);
    return entity;
  }

  /// Where `words` stand in the text, or null: the first place that is not yet a value of the label.
  find(label, words) {
    for (let at = this.text.indexOf(words); at >= 0 && words; at = this.text.indexOf(words, at + 1)) {
      if (!this.taken(label.key, { start: at, end: at + words.length }, null)) return { start: at, end: at + words.length };
    }
    return null;
  }

  span(start, end) {
    let from = wholeCharacter(this.text, Math.max(0, start), false);
    let to = wholeCharacter(this.text, Math.min(this.text.length, end), true);
    while (from < to && /\s/.test(this.text[from])) ++from;
    while (to > from && /\s/.test(this.text[to - 1])) --to;
    return from < to ? { start: from, end: to, text: this.text.slice(from, to) } : null;
  }
  taken(key, span, but) {
    return this.live().some((one) => one !== but && one.key === key && one.start === span.start && one.end === span.end);
  }

  /// An added value belongs to the record whose last value before it is nearest.
  putIntoRecord(entity) {
    if (!this.records || this.records.length === 0) return;
    const distance = (record) => {
      const starts = Object.values(record).flat().filter((cell) => cell.entity).map((cell) => entity.start - cell.entity.start);
      return Math.min(...starts.map((gap) => (gap < 0 ? 1e8 - gap : gap)), 2e8);
    };
    const nearest = this.records.reduce((best, record) => (distance(record) < distance(best) ? record : best));
    (nearest[entity.key] = nearest[entity.key] || []).push({ value: entity.text, entity });
  }

  /// Rows for tables and files: for each record (or the whole text) a cell a label; words where there is no canonical value.
  rows() {
    const value = (entity) => {
      const flat = entity.state === "added" || entity.state === "edited" ? entity.text : flatValue(entity);
      return flat === null ? entity.text : flat;
    };
    const said = (values) => values.filter((one, i) => values.findIndex((other) => JSON.stringify(other) === JSON.stringify(one)) === i);
    if (!this.records) return [this.labels.map((label) => cellOf(said(this.of(label.key).filter((one) => one.state !== "removed").map(value))))];
    return this.records.map((record) =>
      this.labels.map((label) => {
        const cells = (record[label.key] || []).filter((cell) => !cell.entity || cell.entity.state !== "removed");
        return cellOf(said(cells.map((cell) => (cell.entity ? value(cell.entity) : cell.value)).filter((one) => one !== null)));
      }));
  }

  /// By place in UTF-16 units, as here, the place in code points, as files and the contract count: of all values' ends.
  places() {
    return codePointPlaces(this.text, this.entities.flatMap((entity) => [entity.start, entity.end]));
  }

  /// A gold line of the contract: spans in code points.
  gold() {
    const live = this.live();
    const places = this.places();
    const entities = {};
    for (const label of this.labels) {
      const values = live.filter((entity) => entity.key === label.key);
      if (values.length > 0) entities[label.name] = values.map((entity) => [entity.text, places.get(entity.start), places.get(entity.end)]);
    }
    return JSON.stringify({ ...(this.id === undefined ? {} : { id: this.id }), text: this.text, labels: this.labels.map((label) => label.name), entities }) + "\n";
  }
}
