# SPDX-License-Identifier: Apache-2.0
"""Times seqgpt and its peers on the same weights and the same prompt, in turns, and prints one table.

Every program is a process that answers lines; a request for one token is its prefill, one for `--new` more is the rest. Programs
take turns `--repeats` times, so that a slow spell of the machine falls on all; medians are shown, ratios are to the first line.
Answers are checked first: of each program's first tokens those equal to ours are counted.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.metadata
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

from gguf import shape_of, write_gguf

_HERE = pathlib.Path(__file__).parent


@dataclasses.dataclass
class Program:
    """A process that speaks the protocol, and its times in seconds."""

    name: str
    command: list[str]
    first: list[float] = dataclasses.field(default_factory=list)
    whole: list[float] = dataclasses.field(default_factory=list)
    process: subprocess.Popen | None = None

    def start(self) -> None:
        """Loading is not timed: the first request waits for it."""
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def ask(self, ids: list[int], count: int) -> tuple[list[int], float]:
        """The tokens and the seconds they took."""
        assert self.process and self.process.stdin and self.process.stdout
        begin = time.perf_counter()
        self.process.stdin.write(json.dumps({"ids": ids, "max_new_tokens": count}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        seconds = time.perf_counter() - begin
        if not line:
            raise SystemExit(f"{self.name}: ended without an answer: {' '.join(self.command)}")
        answer = json.loads(line)
        if "error" in answer:
            raise SystemExit(f"{self.name}: {answer['error']}")
        return answer["sequences"][0]["tokens"], seconds

    def stop(self) -> None:
        """Frees its memory for the next."""
        if self.process and self.process.stdin:
            self.process.stdin.close()
            self.process.wait()


def ours(seqgpt: pathlib.Path, model: pathlib.Path, weights: str, threads: int) -> Program:
    """The program itself with these weights."""
    arguments = ["generate", "--jsonl", "--model", str(model), "--compute", "bf16", "--weights", weights, "--threads", str(threads)]
    return Program(f"seqgpt {weights}", [str(seqgpt), *arguments])


def peer(name: str, variant: str, model: pathlib.Path, threads: int) -> Program:
    """A peer in a process of its own."""
    arguments = ["--peer", name, "--model", str(model), "--threads", str(threads)]
    return Program(f"{name} {variant}", [sys.executable, str(_HERE / "worker.py"), *arguments])


def convert_for_ctranslate2(model: pathlib.Path, out: pathlib.Path) -> None:
    """The converter's own program; it needs the tokenizer."""
    command = ["ct2-transformers-converter", "--model", str(model), "--output_dir", str(out), "--quantization", "int8", "--force"]
    subprocess.run([str(pathlib.Path(sys.executable).parent / command[0]), *command[1:]], check=True)


def programs(args: argparse.Namespace) -> list[Program]:
    """Ours first; a file is converted once and kept in --work."""
    args.work.mkdir(parents=True, exist_ok=True)
    all_programs = [ours(args.seqgpt, args.model, weights, args.threads) for weights in ("bf16", "int8", "int4")]
    for kind in ("bf16", "q8_0", "q4_0"):
        path = args.work / f"{args.model.resolve().name}-{kind}.gguf"
        if not path.exists():
            write_gguf(args.model, kind, path)
        all_programs.append(peer("llama.cpp", kind, path, args.threads))
    all_programs.append(peer("transformers", "bf16", args.model, args.threads))
    if (args.model / "tokenizer.json").exists():
        converted = args.work / f"{args.model.resolve().name}-ct2"
        if not converted.exists():
            convert_for_ctranslate2(args.model, converted)
        all_programs.append(peer("ctranslate2", "int8", converted, args.threads))
    return all_programs


def turned(ids: list[int], by: int) -> list[int]:
    """The same ids, begun further on."""
    by %= len(ids)
    return ids[by:] + ids[:by]


def equal_beginning(a: list[int], b: list[int]) -> int:
    """How many tokens agree before the first that does not."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def versions() -> str:
    """What the figures are of."""
    names = ("llama-cpp-python", "ctranslate2", "transformers", "torch")
    return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)


def main() -> None:
    """compare.py --seqgpt build/release/seqgpt --model DIR --work DIR."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seqgpt", type=pathlib.Path, required=True)
    parser.add_argument("--model", type=pathlib.Path, required=True, help="a checkpoint, such as random_model.py's")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for converted files")
    parser.add_argument("--ids", type=pathlib.Path, help="a prompt as JSON list (default: --prompt random ids)")
    parser.add_argument("--prompt", type=int, default=200)
    parser.add_argument("--new", type=int, default=40)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--only", default="", help="names that contain this alone, beside ours")
    args = parser.parse_args()
    low, high = 300, shape_of(args.model).vocabulary - 300  # plain words
    draw = random.Random(1)
    ids = json.loads(args.ids.read_text()) if args.ids else [draw.randrange(low, high) for _ in range(args.prompt)]

    running = [p for p in programs(args) if p.name.startswith("seqgpt") or args.only in p.name]
    answers = {}
    for program in running:
        program.start()
        answers[program.name], _ = program.ask(ids, 1 + args.new)
    # Every request begins otherwise: none profits from keys and values that an earlier one left.
    for turn in range(args.repeats):
        for program in running:
            program.first.append(program.ask(turned(ids, 2 * turn + 1), 1)[1])
            program.whole.append(program.ask(turned(ids, 2 * turn + 2), 1 + args.new)[1])
    for program in running:
        program.stop()

    print(f"{len(ids)} + {args.new} tokens, {args.threads} threads, medians of {args.repeats} turns; {versions()}")
    print(f"{'program':20} {'prefill tok/s':>14} {'decode tok/s':>13} {'request s':>10} {'ratio':>6}  {'as ours':>8}")
    base = statistics.median(running[0].whole)
    for program in running:
        first, whole = statistics.median(program.first), statistics.median(program.whole)
        made = len(answers[program.name]) - 1
        rest = statistics.median(w - f for w, f in zip(program.whole, program.first, strict=True))
        same = equal_beginning(answers[program.name], answers[running[0].name])
        decode = f"{made / rest:13.1f}" if made > 0 and rest > 0 else f"{'-':>13}"
        print(f"{program.name:20} {len(ids) / first:14.0f} {decode} {whole:10.3f} {whole / base:6.2f}  {same:>3} of {made + 1}")


if __name__ == "__main__":
    main()
