# SPDX-License-Identifier: Apache-2.0
"""scripts/lint_page.py sees what Chromium 86 does not know, and leaves alone what it does."""
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import lint_page  # noqa: E402

NEWER_JS = [
    "const last = list.at(-1);", "const last = list.at(i);", "const copy = structuredClone(one);", "if (Object.hasOwn(a, b)) {", "list.findLast((x) => x)", "list.findLastIndex(f)",
    "const id = crypto.randomUUID();", "signal: AbortSignal.timeout(500)", "AbortSignal.any([a, b])", "await fetchOnce();", "const page = await load();", "  static {", "if (#key in other) {",
    "list.toSorted()", "Object.groupBy(list, f)", "new Intl.Segmenter('zh')", "dialog.showPopover()", "node.inert = true;", "Promise.withResolvers()", "throw new Error(words, { cause: error });",
    "const found = /a(b)/d.exec(text);", 'import words from "./words.json" with { type: "json" };', "URL.canParse(text)",
]
KNOWN_JS = [
    "const at = list[list.length - 1];", "a ??= b;", 'text.replaceAll("a", "b")', "const value = object?.inner ?? 0;", "#hidden() {", "  static count = 0;", "node.replaceChildren(...all);",
    "const { at } = row;", "element.dialog.showModal();", "const words = text.replace(/a\\/d/g, '');", "  const page = await load();", "format(a / b, c / d);",
]
NEWER_CSS = [
    "a:has(b) {}", ":is(a, b) c {}", ":where(a) {}", "a:not(.b, .c) {}", "@layer base;", "@container (width > 3em) {}", "  inset: 0;", "a { inset-inline: 0; }", "  aspect-ratio: 1;",
    "accent-color: red;", "height: 100dvh;", "width: 50cqw;", "  & b {}", "a { & b {} }", "overflow: clip;", "translate: 3px;", "color: light-dark(a, b);", "padding-inline: 1em;", "background: color-mix(in srgb, a, b);",
]
KNOWN_CSS = [
    "gap: 8px;", "a:not(.b) {}", "a:focus-visible {}", "margin-left: 0;", "width: min(1px, 2px);", "-webkit-text-size-adjust: 100%;", "transform: translate(1px, 2px);", "padding-inline-start: 1em;",
    "line-height: 1.5;", "height: 100vh;", "overflow-x: auto;",
]


def refused(line, rules):
    return any(re.search(pattern, line) for pattern in rules)


class Lint(unittest.TestCase):
    def test_newer_scripts_are_refused(self):
        for line in NEWER_JS:
            self.assertTrue(refused(line, lint_page.FORBIDDEN_JS), line)
        for line in KNOWN_JS:
            self.assertFalse(refused(line, lint_page.FORBIDDEN_JS), line)

    def test_newer_styles_are_refused(self):
        for line in NEWER_CSS:
            self.assertTrue(refused(line, lint_page.FORBIDDEN_CSS), line)
        for line in KNOWN_CSS:
            self.assertFalse(refused(line, lint_page.FORBIDDEN_CSS), line)


if __name__ == "__main__":
    unittest.main()
