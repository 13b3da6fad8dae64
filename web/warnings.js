// SPDX-License-Identifier: Apache-2.0
// What an answer warns of, in words.
import { el } from "./dom.js";
import { hasWords, t } from "./i18n.js";

/// A warning of the server in the page's words where it has them.
function warningWords(warning) {
  const key = "warning." + warning.code;
  return hasWords(key) ? t(key, { message: (warning.param ? warning.param + "：" : "") + (warning.message || "") }) : String(warning.message || warning.code);
}

/// Warnings of an answer as blocks; truncated and degraded are always said.
export function warningBlocks(body) {
  const all = body.warnings || [];
  const given = all.filter((warning) => warning.code !== "not_normalized").map((warning) => warningWords(warning));
  const count = all.length - all.filter((warning) => warning.code !== "not_normalized").length;
  if (count > 0) given.push(t("warning.unnormalised", { count }));
  if (body.truncated) given.unshift(t("warning.cut", { percent: Math.round((body.coverage || 0) * 100) }));
  if (body.degraded) given.unshift(t("warning.degraded"));
  return [...new Set(given)].map((words) => el("div", { class: "warning" }, words));
}
