// SPDX-License-Identifier: Apache-2.0
// A canonical value of an answer in words, and flat as it stands in `result`.

const kNumbers = ["amount", "number", "percent", "ordinal"];
const kMoments = ["date", "datetime", "range"];

function moment(text) {
  if (typeof text !== "string") return null;
  if (/^\d{4}$/.test(text)) return text + "-01-01";
  return /^\d{4}-\d{2}$/.test(text) ? text + "-01" : text;
}

/// What `result` holds for an entity: a string, a number, a range, or null.
export function flatValue(entity) {
  const value = entity.normalized;
  if (!value) return entity.reason ? null : entity.text;
  const one = (part) => {
    if (part === null || part === undefined) return null;
    if (kNumbers.includes(value.kind)) return Number(part);
    return kMoments.includes(value.kind) ? moment(part) : part;
  };
  if ("low" in value || "high" in value) return { low: one(value.low), high: one(value.high) };
  if ("start" in value || "end" in value) return { start: one(value.start), end: one(value.end) };
  return one(value.value);
}

function grouped(digits) {
  const [whole, fraction] = digits.split(".");
  const kept = fraction && !/^0*$/.test(fraction) ? "." + fraction : "";
  return whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",") + kept;
}

/// For the eye: 1,200,000 CNY, 2022-03, 3~5 岁; "" when there is no canonical value or it is the verbatim text.
export function shownValue(entity) {
  const value = entity.normalized;
  if (!value) return "";
  const one = (part) => {
    if (part === null || part === undefined) return "…";
    return value.kind === "amount" ? grouped(String(part)) : String(part) + (value.kind === "percent" ? "%" : "");
  };
  let text = "";
  if ("low" in value || "high" in value) text = one(value.low) + " ~ " + one(value.high);
  else if ("start" in value || "end" in value) text = one(value.start) + " ~ " + one(value.end);
  else text = one(value.value);
  const unit = value.currency || value.unit || "";
  return text + (unit ? " " + unit : "") + (value.approx ? " ≈" : "");
}

/// A value of `result` as a cell: numbers stay numbers, ranges become low~high, several values are joined by ；.
export function cellOf(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return value;
  if (Array.isArray(value)) return value.length === 1 ? cellOf(value[0]) : value.map((one) => String(cellOf(one))).join("；");
  if (typeof value === "object") return Object.values(value).map((part) => String(cellOf(part))).join("~");
  return String(value);
}
