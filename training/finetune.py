# SPDX-License-Identifier: Apache-2.0
"""Fine-tunes a BLOOM model folder on the user's own labelled lines, in full or with LoRA, and writes a new folder."""

from __future__ import annotations

import argparse
import math
import pathlib
import random
import shutil
from collections.abc import Iterator

import torch
from safetensors.torch import save_file
from torch import Tensor

from batches import Batch, collate
from bloom import Bloom
from decode import load_model
from export import hub_weights
from lora import add_adapters, merge_adapters
from records import Record, read_records
from samples import Encoder, Sample, SampleMaker
from train import token_losses

_EVERY_HELD_OUT = 10
_SMALLEST_HELD_OUT = 20
_REPORTS = 10


def split(records: list[Record]) -> tuple[list[Record], list[Record]]:
    """Every tenth record is kept to measure the loss on, if there are enough of them."""
    if len(records) < _SMALLEST_HELD_OUT:
        return records, []
    return [r for i, r in enumerate(records) if i % _EVERY_HELD_OUT], records[::_EVERY_HELD_OUT]


def batches(records: list[Record], maker: SampleMaker, tokens: int, rng: random.Random) -> Iterator[Batch]:
    """One epoch: fresh labels for every record, batches of nearly equal length in random order."""
    samples = sorted((maker.make(r, "own", rng) for r in records), key=lambda s: len(s.ids))
    groups: list[list[Sample]] = [[]]
    for sample in samples:
        if groups[-1] and len(sample.ids) * (len(groups[-1]) + 1) > tokens:
            groups.append([])
        groups[-1].append(sample)
    rng.shuffle(groups)
    return (collate(group, rng) for group in groups)


@torch.no_grad()
def answer_loss(model: Bloom, records: list[Record], maker: SampleMaker, tokens: int, bf16: bool) -> float:
    """Nats a token of the answers, with the same labels at every call."""
    losses = [token_losses(model, b, bf16)[b.is_answer] for b in batches(records, maker, tokens, random.Random(0))]
    return float(torch.cat(losses).mean()) if losses else math.nan


def tune(model: Bloom, records: list[Record], maker: SampleMaker, args: argparse.Namespace) -> None:
    """Trains in place; the rate falls linearly to zero."""
    trained = add_adapters(model, args.rank, 2.0 * args.rank) if args.lora else list(model.parameters())
    rate = args.rate or (3e-4 if args.lora else 1e-4)
    optimiser = torch.optim.AdamW(trained, lr=rate, betas=(0.9, 0.98), weight_decay=0.01)
    kept, held = split(records)
    rng = random.Random(args.seed)
    steps = args.epochs * sum(1 for _ in batches(kept, maker, args.batch_tokens, random.Random(args.seed)))
    print(f"{len(kept)} lines to train on, {len(held)} held out, about {steps} steps", flush=True)
    print(f"held-out answer loss before: {answer_loss(model, held, maker, args.batch_tokens, args.bf16):.4f}", flush=True)
    step, loss = 0, torch.tensor(0.0)
    for _ in range(args.epochs):
        for batch in batches(kept, maker, args.batch_tokens, rng):
            for group in optimiser.param_groups:
                group["lr"] = rate * min(1.0, (step + 1) / (0.05 * steps + 1)) * max(0.02, 1 - step / max(steps, 1))
            losses = token_losses(model, batch, args.bf16)
            loss = (losses * batch.weights).sum() / batch.weights.sum()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimiser.step()
            optimiser.zero_grad()
            step += 1
            if step % max(1, steps // _REPORTS) == 0:
                print(f"step {step}: loss {loss.item():.4f}", flush=True)
    print(f"held-out answer loss after: {answer_loss(model, held, maker, args.batch_tokens, args.bf16):.4f}", flush=True)
    if args.lora:
        merge_adapters(model)


def write(model: Bloom, source: pathlib.Path, out: pathlib.Path) -> None:
    """The new model folder: the source's configuration and tokenizer, new weights in bfloat16."""
    out.mkdir(parents=True, exist_ok=True)
    for path in source.iterdir():
        if path.suffix in (".json", ".txt", ".model") and "index" not in path.name:
            shutil.copyfile(path, out / path.name)
    weights: dict[str, Tensor] = hub_weights(model.state_dict())
    save_file(weights, out / "model.safetensors", metadata={"format": "pt"})


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True, nargs="+", help="labelled lines (see README.md)")
    parser.add_argument("--model", type=pathlib.Path, required=True, help="the model folder to start from")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the folder to write")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--rate", type=float, help="learning rate (1e-4, with --lora 3e-4)")
    parser.add_argument("--lora", action="store_true", help="train low-rank adapters only: for large models")
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--batch-tokens", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=0, help="0: as many as PyTorch chooses")
    parser.add_argument("--bf16", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    if args.out.resolve() == args.model.resolve():
        parser.error("--out must not be the folder of --model")
    return args


def main(argv: list[str] | None = None) -> None:
    """Fine-tunes as the command line says."""
    args = arguments(argv)
    if args.threads:
        torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    records = [r for path in args.data for r in read_records(path) if r.label or r.labels]
    if not records:
        raise SystemExit("no labelled line in " + ", ".join(map(str, args.data)))
    maker = SampleMaker(Encoder(args.model / "tokenizer.json"), renamed=0.0)
    model = load_model(args.model)
    tune(model.train(), records, maker, args)
    write(model, args.model, args.out)
    print(f"written: {args.out} (use it with: seqgpt extract --model {args.out} …)", flush=True)


if __name__ == "__main__":
    main()
