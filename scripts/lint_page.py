#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lints web/: syntax (node --check), names imported and exported, nothing that makes markup of text, nothing newer than
Chromium 86, nothing fetched from elsewhere, words in both languages, and the weight of the page."""
import gzip
import pathlib
import re
import shutil
import subprocess
import sys

WEB = pathlib.Path(__file__).resolve().parent.parent / "web"
MAX_LINES = 400
MAX_WEIGHT = 150_000  # bytes gzipped, over the wire

FORBIDDEN_JS = {
    r"\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|createContextualFragment)\b": "makes markup of text",
    r"\beval\s*\(|new Function\s*\(|set(Timeout|Interval)\s*\(\s*[\"'`]": "runs text",
    # Chromium: at 92, Object.hasOwn 93, structuredClone 98, findLast 97, toSorted 110, groupBy 117, randomUUID 92, AbortSignal.timeout 103, inert 102,
    # Intl.Segmenter 87, Promise.any 85 (but its AggregateError is rarely meant), popover 114, withResolvers 119, URL.canParse 120, regular expressions' d 90 and v 112.
    r"\.at\(|\bstructuredClone\b|\.hasOwn\(|\.findLast|\.to(Sorted|Reversed|Spliced)\(|\.groupBy\(|\brandomUUID\b|AbortSignal\.(timeout|any)\b|\.inert\b|Intl\.Segmenter\b|"
    r"Promise\.(any|withResolvers|try)\b|userAgentData\b|\.showPopover\(|\.popover\b|\.checkVisibility\(|startViewTransition\b|URL\.canParse\b|Array\.fromAsync\b|"
    r"\.(is|to)WellFormed\(|\.difference\(|\.isSubsetOf\(|new Error\([^()]*, \{ cause\b|[(=,] ?/[^/\s].*[^\\]/[gimsuy]*[dv][gimsuy]*\b":
        "is newer than Chromium 86",
    # Static blocks 94, brand checks 91, import attributes 123, using 134.
    r"^\s*static \{|\(#\w+ in \w|^import .* (with|assert) \{|^\s*(await )?using \w": "is syntax newer than Chromium 86",
    r"^(await\b|(const|let) .*= await\b)": "is newer than Chromium 86 (await at top level)",
    r"https?://(?!www\.w3\.org/|schemas\.openxmlformats\.org/)": "names another host",
    r"\bconsole\.|\bdebugger\b|\balert\(": "is left from debugging",
    r"\b(call|callText|stream|fetch)\(\s*[\"'`]/": "is an address from the root; addresses must be relative (--root-path)",
}
FORBIDDEN_CSS = {
    # Chromium: :is 88, :not with a list 88, :has 105, @layer 99, @container 105, @property 85 (but rarely meant), inset and logical shorthands 87, aspect-ratio 88,
    # accent-color 93, overflow: clip 90, dvh 108, translate alone 104, nesting 112, subgrid 117, light-dark() 123.
    r":has\(|:is\(|:where\(|:not\([^)]*,|:user-(in)?valid|:popover-open|:modal\b|@layer|@container|@import|@scope|@starting-style|"
    r"\binset(-(block|inline)(-start|-end)?)?:|aspect-ratio|accent-color|\b(margin|padding)-(inline|block):|\d(d|s|l)v[hwib]\b|\dcq[wihb]\b|\d(lh|rlh|cap)\b|color-mix|"
    r"\b(lab|lch|oklab|oklch|light-dark)\(|scrollbar-(gutter|color|width)|text-wrap|overflow(-[xy])?: *clip|(^|[{; ])(translate|rotate|scale): |subgrid|(^|\{)\s*&":
        "is newer than Chromium 86, or imports",
    r"url\(": "fetches",
}
FORBIDDEN_HTML = {
    r"\son[a-z]+\s*=|\sstyle\s*=|<style|javascript:": "is inline script or style",
    r"<script(?![^>]*\ssrc=)": "is inline script",
    r"(src|href)=\"(https?:)?//|(src|href)=\"/": "is not a relative address",
}

problems = []


def say(path, line, text):
    problems.append(f"web/{path.name}:{line}: {text}")


def grep(path, rules):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        code = re.sub(r"(^|\s)//.*$", "", line) if path.suffix == ".js" else line
        for pattern, reason in rules.items():
            found = re.search(pattern, code)
            if found:
                say(path, number, f"`{found.group(0).strip()}` {reason}")


def check_modules(files):
    exports = {}
    for path in files:
        text = path.read_text(encoding="utf-8")
        exports[path.name] = set(re.findall(r"^export (?:async )?(?:function|class|const|let) ([\w$]+)", text, re.M))
    used = {name: set() for name in exports}
    for path in files:
        text = path.read_text(encoding="utf-8")
        body = re.sub(r"^import .*$", "", text, flags=re.M)
        for names, source in re.findall(r'^import \{ ([^}]+) \} from "\./([^"]+)";', text, re.M):
            for name in names.split(", "):
                if name not in exports.get(source, ()):
                    say(path, 1, f"imports {name}, which {source} does not export")
                if not re.search(rf"(?:(?<![\w.])|(?<=\.\.\.)){re.escape(name)}(?!\w)", body):
                    say(path, 1, f"imports {name} and does not use it")
                used[source].add(name)
        for name in exports[path.name]:
            outside = name in used[path.name] or any(name in re.findall(r"[\w$]+", other.read_text(encoding="utf-8")) for other in files if other != path)
            if not outside and len(re.findall(rf"\b{name}\b", body)) < 2:
                say(path, 1, f"exports {name}, which nobody uses")


def check_words(files):
    text = (WEB / "words.js").read_text(encoding="utf-8")
    words = dict(re.findall(r'^  "([^"]+)": \["((?:[^"\\]|\\.)*)", "', text, re.M))
    for key, chinese, english in re.findall(r'^  "([^"]+)": \["((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)*)"\],$', text, re.M):
        if set(re.findall(r"\{\w+\}", chinese)) != set(re.findall(r"\{\w+\}", english)) and key != "warning.truncated":
            say(WEB / "words.js", 1, f"{key} has other blanks in Chinese than in English")
    code = "\n".join(path.read_text(encoding="utf-8") for path in files if path.name != "words.js")
    page = (WEB / "index.html").read_text(encoding="utf-8")
    literal = set(re.findall(r'"([a-z][\w.-]*)"', code)) | set(re.findall(r"[:\"]([a-z][\w.-]*)(?=[\";])", page))
    literal |= set(re.findall(r":([a-z][\w.-]*)", ";".join(re.findall(r'"data-i18n-attr": "([^"]+)"', code))))
    prefixes = set(re.findall(r't\(\s*"([a-z.-]+\.)" \+', code)) | set(re.findall(r'"([a-z]+\.)" \+', code))
    for key in re.findall(r'(?<![\w.])t\("([a-z][\w.-]*)"[,)]', code) + re.findall(r'data-i18n="([^"]+)"', page):
        if key not in words:
            say(WEB / "words.js", 1, f"{key} is used and missing")
    for key in words:
        if key not in literal and not any(key.startswith(prefix) for prefix in prefixes):
            say(WEB / "words.js", 1, f"{key} is idle")
    for key, shown in re.findall(r'data-i18n="([^"]+)"[^>]*>([^<]*)<', page):
        if words.get(key) != shown:
            say(WEB / "index.html", 1, f"the words of {key} differ from words.js")


def check_syntax(path, node):
    module = ["--input-type=module"] if path.name != "theme.js" else []
    run = subprocess.run([node, *module, "--check", "-"], input=path.read_text(encoding="utf-8"), text=True, capture_output=True)
    if run.returncode != 0:
        say(path, 1, run.stderr.strip().splitlines()[0] if run.stderr else "does not parse")


def main():
    scripts = sorted(WEB.glob("*.js"))
    modules = [path for path in scripts if path.name != "theme.js"]
    everything = sorted(path for path in WEB.iterdir() if path.suffix in {".js", ".css", ".html", ".svg"})
    for path in everything:
        text = path.read_text(encoding="utf-8")
        if path.suffix != ".svg" and "SPDX-License-Identifier: Apache-2.0" not in "\n".join(text.splitlines()[:2]):
            say(path, 1, "lacks its SPDX line")
        if text.count("\n") > MAX_LINES:
            say(path, 1, f"has more than {MAX_LINES} lines")
    for path in scripts:
        grep(path, FORBIDDEN_JS)
    for path in WEB.glob("*.css"):
        grep(path, FORBIDDEN_CSS)
    for path in WEB.glob("*.html"):
        grep(path, FORBIDDEN_HTML)
    check_modules(modules)
    check_words(modules)
    node = shutil.which("node") or shutil.which("nodejs")
    for path in scripts if node else []:
        check_syntax(path, node)
    weight = sum(len(gzip.compress(path.read_bytes(), 9)) for path in everything)
    if weight > MAX_WEIGHT:
        problems.append(f"web: {weight} bytes gzipped, more than {MAX_WEIGHT}")
    for problem in problems:
        print(problem, file=sys.stderr)
    if not node:
        print("lint_page: no node, so syntax is not checked here (the page tests load every module)", file=sys.stderr)
    print(f"lint_page: {len(everything)} files, {weight} bytes gzipped, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
