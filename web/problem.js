// SPDX-License-Identifier: Apache-2.0
// Problems in words that say what to do, as a block with a button to try again.
import { el } from "./dom.js";
import { hasWords, t } from "./i18n.js";

function seconds(problem) {
  return Math.max(1, Math.ceil(problem.retryAfter || 1));
}

/// What happened and what to do, in the page's language.
export function problemWords(problem) {
  if (problem.kind === "words") return problem.message;
  if (problem.kind === "offline" || problem.kind === "broken") return t("problem." + problem.kind);
  if (problem.kind !== "refused") return t("problem.page", { message: problem.message || String(problem) });
  const key = "problem." + problem.status;
  return t(hasWords(key) ? key : problem.status >= 500 ? "problem.500" : "problem.400", { seconds: seconds(problem) });
}

/// What failed of one text of a batch, in a line: our words, then the server's, which name the place.
export function itemProblemWords(error) {
  return problemWords({ kind: "refused", status: error.code }) + (error.message ? " " + error.message : "");
}

/// The block; `retry` (optional) is called by its button.
export function problemBlock(problem, retry) {
  const detail = problem.kind === "refused" && problem.message ? problem.message : "";
  return el(
    "div",
    { class: "problem" },
    problemWords(problem),
    detail ? el("div", { class: "muted" }, detail + (problem.param && !detail.includes(problem.param) ? " (" + problem.param + ")" : "")) : null,
    problem.trace ? el("div", { class: "muted" }, t("problem.trace", { trace: problem.trace })) : null,
    retry ? el("button", { class: "small", onclick: retry }, t("retry")) : null,
  );
}
