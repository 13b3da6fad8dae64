# SPDX-License-Identifier: Apache-2.0
"""A peer behind the protocol of `seqgpt generate --jsonl`: {"ids", "max_new_tokens"} in, {"sequences": [{"tokens"}]} out, greedy."""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
from collections.abc import Callable

Generate = Callable[[list[int], int], list[int]]


def llama_cpp(path: pathlib.Path, threads: int) -> Generate:
    """A GGUF file."""
    import llama_cpp

    model = llama_cpp.Llama(str(path), n_ctx=2048, n_batch=512, n_threads=threads, n_threads_batch=threads, verbose=False)

    def generate(ids: list[int], count: int) -> list[int]:
        model.reset()
        model.eval(ids)
        tokens: list[int] = []
        while True:
            tokens.append(model.sample(temp=0.0))
            if len(tokens) == count or tokens[-1] == model.token_eos():
                return tokens
            model.eval(tokens[-1:])

    return generate


def transformers(path: pathlib.Path, threads: int) -> Generate:
    """A Hugging Face folder, in bfloat16."""
    import torch
    from transformers import AutoModelForCausalLM

    torch.set_num_threads(threads)
    model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.bfloat16).eval()

    def generate(ids: list[int], count: int) -> list[int]:
        with torch.inference_mode():
            prompt = torch.tensor([ids])
            out = model.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=count, do_sample=False)
        return out[0, len(ids) :].tolist()

    return generate


def ctranslate2(path: pathlib.Path, threads: int) -> Generate:
    """A folder made by compare.py, int8."""
    import ctranslate2

    model = ctranslate2.Generator(str(path), device="cpu", intra_threads=threads, inter_threads=1)
    words = json.loads((path / "vocabulary.json").read_text())
    number = {word: i for i, word in enumerate(words)}

    def generate(ids: list[int], count: int) -> list[int]:
        results = model.generate_batch([[words[i] for i in ids]], max_length=count, sampling_topk=1, include_prompt_in_result=False)
        return [number[word] for word in results[0].sequences[0]]

    return generate


_PEERS = {"llama.cpp": llama_cpp, "transformers": transformers, "ctranslate2": ctranslate2}


def main() -> None:
    """Loads once, answers a line with a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", choices=_PEERS, required=True)
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--threads", type=int, required=True)
    args = parser.parse_args()
    generate = _PEERS[args.peer](args.model, args.threads)
    for line in sys.stdin:
        request = json.loads(line)
        tokens = generate(request["ids"], request["max_new_tokens"])
        print(json.dumps({"sequences": [{"tokens": tokens}]}), flush=True)


if __name__ == "__main__":
    main()
