# SPDX-License-Identifier: Apache-2.0
"""Trains the small BLOOM on labelled, raw and generated text; can be stopped and resumed at any step."""

from __future__ import annotations

import argparse
import copy
import json
import os
import pathlib
import signal
import statistics
import time
import types
from concurrent.futures import ThreadPoolExecutor

import torch
import torch.nn.functional as F

from batches import Batch, Corpus, Sampler, collate
from bloom import Bloom, BloomConfig
from optim import make_optimisers, scale_rates
from samples import HERE, Encoder, SampleMaker

# The share of the training time at which the warm-up ends.
_WARM = 0.01
_EMA = 0.99
# A step longer than this many times the median counts as that long: the process was paused.
_PAUSE_FACTOR = 3.0
_LOG_STEPS = 20


def rate(share: float, decay_from: float) -> float:
    """The learning-rate factor after a share of the training time: warm-up, constant, linear decay."""
    if share < _WARM:
        return max(share, 0.001) / _WARM
    return max(0.0, min(1.0, (1 - share) / (1 - decay_from)))


def token_losses(model: Bloom, batch: Batch, bf16: bool) -> torch.Tensor:
    """The loss of every predicted token, unweighted."""
    with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
        hidden = model(batch.ids, batch.distances).flatten(0, 1)[batch.positions]
        logits = model.logits(hidden)
    return F.cross_entropy(logits.float(), batch.targets, reduction="none")


class Trainer:
    """The network, its optimisers and everything a checkpoint holds."""

    def __init__(self, args: argparse.Namespace, encoder: Encoder, sampler: Sampler) -> None:
        torch.manual_seed(args.seed)
        self.args, self.sampler = args, sampler
        self.config = BloomConfig(encoder.vocab_size, args.hidden, args.layers, args.heads)
        self.model = Bloom(self.config)
        self.optimisers = make_optimisers(self.model, args.heads, args.muon_lr, args.adam_lr, args.threads)
        self.twins = [self.model, *(self._twin() for _ in range(args.threads - 1))]
        self.workers = ThreadPoolExecutor(args.threads, initializer=torch.set_num_threads, initargs=(1,))
        self.ema = copy.deepcopy(self.model.state_dict())
        self.step, self.tokens, self.elapsed = 0, 0, 0.0
        self.durations: list[float] = []
        self.run: pathlib.Path = args.run

    def _twin(self) -> Bloom:
        twin = copy.deepcopy(self.model)
        for mine, shared in zip(twin.parameters(), self.model.parameters(), strict=True):
            mine.data = shared.data
        return twin

    @property
    def share(self) -> float:
        """The part of the training time that is over."""
        return self.elapsed / (60 * self.args.minutes)

    @property
    def rate(self) -> float:
        """The learning-rate factor now."""
        return rate(self.share, self.args.decay_from)

    def save(self) -> None:
        """Writes the checkpoint whole or not at all."""
        state = {
            "config": self.config.__dict__, "model": self.model.state_dict(), "ema": self.ema,
            "optimisers": [o.state_dict() for o in self.optimisers], "sampler": self.sampler.state(),
            "step": self.step, "tokens": self.tokens, "elapsed": self.elapsed,
        }  # fmt: skip
        torch.save(state, self.run / "checkpoint.tmp")
        os.replace(self.run / "checkpoint.tmp", self.run / "checkpoint.pt")

    def load(self) -> bool:
        """Restores the checkpoint of the run folder, if there is one."""
        path = self.run / "checkpoint.pt"
        if not path.exists():
            return False
        state = torch.load(path, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.ema = state["ema"]
        for optimiser, saved in zip(self.optimisers, state["optimisers"], strict=True):
            rates = [group["base_lr"] for group in optimiser.param_groups]
            optimiser.load_state_dict(saved)
            for group, base in zip(optimiser.param_groups, rates, strict=True):
                group["base_lr"] = base
        self.sampler.restore(state["sampler"])
        self.step, self.tokens, self.elapsed = state["step"], state["tokens"], state["elapsed"]
        return True

    def _backward(self, twin: Bloom, batches: list[Batch], total: float) -> torch.Tensor:
        """Adds the gradients of some batches to a twin; returns sums for the report."""
        sums = torch.zeros(4)
        for batch in batches:
            losses = token_losses(twin, batch, self.args.bf16)
            ((losses * batch.weights).sum() / total).backward()
            kept = losses.detach()
            sums += torch.stack([kept[batch.is_answer].sum(), batch.is_answer.sum(), kept.sum(), torch.tensor(len(kept))])
        return sums

    def train_step(self) -> dict[str, float]:
        """One update from several small batches, one core each; returns the mean losses."""
        start = time.monotonic(), time.process_time()
        batches = [self.sampler.next() for _ in range(self.args.accumulate)]
        total = sum(float(b.weights.sum()) for b in batches)
        count = len(self.twins)
        jobs = [self.workers.submit(self._backward, twin, batches[i::count], total) for i, twin in enumerate(self.twins)]
        answer, answers, everything, counted = torch.stack([job.result() for job in jobs]).sum(0).tolist()
        self.tokens += sum(b.ids.numel() for b in batches)
        self._gather()
        self._update()
        # On a shared machine only the time that the process really had counts.
        busy = (time.process_time() - start[1]) / self.args.threads
        self._count_time(min(time.monotonic() - start[0], busy))
        return {"answer": answer / max(answers, 1), "prompt": (everything - answer) / max(counted - answers, 1)}

    def _gather(self) -> None:
        for twin in self.twins[1:]:
            for mine, p in zip(self.model.parameters(), twin.parameters(), strict=True):
                if p.grad is not None:
                    mine.grad = p.grad if mine.grad is None else mine.grad.add_(p.grad)
                    p.grad = None

    def _update(self) -> None:
        scale_rates(self.optimisers, self.rate)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        for optimiser in self.optimisers:
            optimiser.step()
            optimiser.zero_grad()
        decay = min(_EMA, self.step / (self.step + 10))
        state = self.model.state_dict()
        torch._foreach_lerp_(list(self.ema.values()), [state[k] for k in self.ema], 1 - decay)
        self.step += 1

    def _count_time(self, seconds: float) -> None:
        self.durations = [*self.durations[-50:], seconds]
        self.elapsed += min(seconds, _PAUSE_FACTOR * statistics.median(self.durations))

    @torch.no_grad()
    def dev_loss(self, batches: list[Batch]) -> float:
        """The mean answer loss on development samples."""
        losses = torch.cat([token_losses(self.model, b, self.args.bf16)[b.is_answer] for b in batches])
        return float(losses.mean())


def dev_batches(corpus: Corpus, maker: SampleMaker, per_set: int = 3) -> list[Batch]:
    """A few fixed development samples of every set."""
    import random

    rng = random.Random(0)
    samples = []
    for name, records in sorted(corpus.dev.items()):
        short = [r for r in records if len(r.text) <= 300]
        samples += [maker.make(r, name, rng) for r in short[:per_set]]
    samples.sort(key=lambda s: len(s.ids))
    return [collate(samples[i : i + 8], None) for i in range(0, len(samples), 8)]


class Journal:
    """Writes one JSON line per report to the run folder."""

    def __init__(self, run: pathlib.Path) -> None:
        self.path = run / "curve.jsonl"

    def write(self, trainer: Trainer, values: dict[str, float]) -> None:
        """Adds a line."""
        head = {"step": trainer.step, "minutes": round(trainer.elapsed / 60, 3), "tokens": trainer.tokens}
        line = json.dumps(head | {k: round(v, 5) for k, v in values.items()})
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(line + "\n")
        print(line, flush=True)


def run(trainer: Trainer, dev: list[Batch]) -> None:
    """Trains until the time is over, the step limit is reached or a signal asks to stop."""
    journal, stop = Journal(trainer.run), []

    def on_signal(number: int, frame: types.FrameType | None) -> None:
        stop.append(number)

    signal.signal(signal.SIGTERM, on_signal)
    signal.signal(signal.SIGINT, on_signal)
    saved = tested = time.monotonic()
    sums: dict[str, float] = {}
    counted = 0
    while not stop and trainer.share < 1 and trainer.step != trainer.args.steps:
        for key, value in trainer.train_step().items():
            sums[key] = sums.get(key, 0.0) + value
        counted += 1
        if trainer.step % _LOG_STEPS == 0:
            speed = trainer.args.accumulate * trainer.args.batch_tokens / statistics.median(trainer.durations)
            means = {key: value / counted for key, value in sums.items()}
            journal.write(trainer, means | {"rate": trainer.rate, "speed": speed})
            sums, counted = {}, 0
        if time.monotonic() - saved > 60 * trainer.args.save_minutes:
            trainer.save()
            saved = time.monotonic()
        if dev and time.monotonic() - tested > 60 * trainer.args.dev_minutes:
            journal.write(trainer, {"dev": trainer.dev_loss(dev)})
            tested = time.monotonic()
    trainer.save()
    if dev:
        journal.write(trainer, {"dev": trainer.dev_loss(dev)})


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, help="folder of labelled files and raw text")
    parser.add_argument("--generated", type=pathlib.Path, nargs="*", default=[], help="files of generated documents")
    parser.add_argument("--tokenizer", type=pathlib.Path, required=True, help="tokenizer.json")
    parser.add_argument("--run", type=pathlib.Path, required=True, help="folder of checkpoint and curve; resumed if it has one")
    parser.add_argument("--mixture", type=pathlib.Path, default=HERE / "mixture.json")
    parser.add_argument("--minutes", type=float, required=True, help="training time in all, over every resumption")
    parser.add_argument("--steps", type=int, default=-1, help="stop after this many steps in all")
    for name, value in (("hidden", 320), ("layers", 8), ("heads", 5), ("batch-tokens", 2600), ("accumulate", 2)):
        parser.add_argument(f"--{name}", type=int, default=value)
    for name, rate_value in (("muon-lr", 0.015), ("adam-lr", 0.0015), ("save-minutes", 5.0), ("dev-minutes", 15.0), ("decay-from", 0.65)):
        parser.add_argument(f"--{name}", type=float, default=rate_value)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--bf16", action=argparse.BooleanOptionalAction, default=True)
    return parser.parse_args(argv)


def build(args: argparse.Namespace) -> tuple[Trainer, list[Batch]]:
    """The trainer, resumed if the run folder has a checkpoint, and its development batches."""
    torch.set_num_threads(args.threads)
    args.run.mkdir(parents=True, exist_ok=True)
    encoder = Encoder(args.tokenizer)
    maker = SampleMaker(encoder)
    corpus = Corpus(args.data, args.generated)
    mixture = json.loads(args.mixture.read_text(encoding="utf-8"))
    sampler = Sampler(corpus, maker, mixture, args.batch_tokens, args.seed)
    trainer = Trainer(args, encoder, sampler)
    trainer.load()
    return trainer, dev_batches(corpus, SampleMaker(encoder, turns=1))


def main() -> None:
    """Trains as the command line says."""
    args = arguments()
    args.run.mkdir(parents=True, exist_ok=True)
    (args.run / "pid").write_text(f"{os.getpid()}\n", encoding="utf-8")
    run(*build(args))


if __name__ == "__main__":
    main()
