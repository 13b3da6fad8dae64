# SPDX-License-Identifier: Apache-2.0
"""Writes a BLOOM checkpoint as GGUF, the file format of llama.cpp, so that a peer runs identical weights."""

from __future__ import annotations

import argparse
import dataclasses
import json
import pathlib
import struct
from collections.abc import Iterator

import numpy as np
from safetensors import safe_open

# Type numbers of the GGUF specification, version 3: of metadata values, then of tensors.
_U32, _I32, _F32, _STRING, _ARRAY = 4, 5, 6, 8, 9
_TENSOR_TYPES = {"f32": 0, "f16": 1, "q4_0": 2, "q8_0": 8, "bf16": 30}
_ALIGNMENT = 32
_BLOCK = 32  # values that share a scale in Q4_0 and Q8_0
_NORMAL, _CONTROL, _USER = 1, 3, 4


@dataclasses.dataclass
class Shape:
    """What llama.cpp must know of a BLOOM."""

    vocabulary: int
    hidden: int
    layers: int
    heads: int
    context: int = 2048
    epsilon: float = 1e-5


def _string(text: str | bytes) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    return struct.pack("<Q", len(data)) + data


def _value(key: str, kind: int, value: object) -> bytes:
    head = _string(key) + struct.pack("<I", kind)
    if kind == _STRING:
        return head + _string(str(value))
    return head + struct.pack({_U32: "<I", _I32: "<i", _F32: "<f"}[kind], value)


def _array(key: str, kind: int, values: list) -> bytes:
    head = _string(key) + struct.pack("<IIQ", _ARRAY, kind, len(values))
    if kind == _STRING:
        return head + b"".join(_string(v) for v in values)
    return head + np.asarray(values, np.int32 if kind == _I32 else np.float32).tobytes()


def _bf16(values: np.ndarray) -> bytes:
    """Round to nearest even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16).tobytes()


def _q8_0(values: np.ndarray) -> bytes:
    blocks = values.reshape(-1, _BLOCK).astype(np.float32)
    scale = np.abs(blocks).max(axis=1, keepdims=True) / 127
    inverse = np.divide(1, scale, out=np.zeros_like(scale), where=scale > 0)
    out = np.empty((len(blocks), 2 + _BLOCK), np.uint8)
    out[:, :2] = scale.astype(np.float16).view(np.uint8)
    out[:, 2:] = np.rint(blocks * inverse).astype(np.int8).view(np.uint8)
    return out.tobytes()


def _q4_0(values: np.ndarray) -> bytes:
    blocks = values.reshape(-1, _BLOCK).astype(np.float32)
    largest = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=1)[:, None], 1)
    scale = largest / -8
    inverse = np.divide(1, scale, out=np.zeros_like(scale), where=scale != 0)
    q = np.clip(np.floor(blocks * inverse + 8.5), 0, 15).astype(np.uint8)
    out = np.empty((len(blocks), 2 + _BLOCK // 2), np.uint8)
    out[:, :2] = scale.astype(np.float16).view(np.uint8)
    out[:, 2:] = q[:, : _BLOCK // 2] | (q[:, _BLOCK // 2 :] << 4)
    return out.tobytes()


_ENCODERS = {
    "f32": lambda v: np.ascontiguousarray(v, np.float32).tobytes(),
    "f16": lambda v: v.astype(np.float16).tobytes(),
    "bf16": _bf16,
    "q8_0": _q8_0,
    "q4_0": _q4_0,
}


def _apart(fused: np.ndarray, heads: int) -> np.ndarray:
    """Rows of query_key_value: from head by head (q, k, v each) to all q, all k, all v."""
    rows = fused.reshape(heads, 3, -1, *fused.shape[1:])
    return np.ascontiguousarray(rows.swapaxes(0, 1)).reshape(fused.shape)


_LAYER_NAMES = {
    "input_layernorm": "attn_norm",
    "self_attention.query_key_value": "attn_qkv",
    "self_attention.dense": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.dense_h_to_4h": "ffn_up",
    "mlp.dense_4h_to_h": "ffn_down",
}


def _peer_name(name: str) -> str:
    name = name.removeprefix("transformer.")
    stem, part = name.rsplit(".", 1)
    top = {"word_embeddings": "token_embd", "word_embeddings_layernorm": "token_embd_norm", "ln_f": "output_norm"}
    if stem in top:
        return f"{top[stem]}.{part}"
    _, layer, rest = stem.split(".", 2)
    return f"blk.{layer}.{_LAYER_NAMES[rest]}.{part}"


def checkpoint_tensors(folder: pathlib.Path, heads: int) -> Iterator[tuple[str, np.ndarray]]:
    """Names as llama.cpp wants them, values in float32."""
    with safe_open(folder / "model.safetensors", "pt") as file:
        for name in file.keys():  # noqa: SIM118 (no mapping)
            if name == "lm_head.weight":
                continue  # tied
            values = file.get_tensor(name).float().numpy()
            yield _peer_name(name), _apart(values, heads) if "query_key_value" in name else values


def _vocabulary(folder: pathlib.Path, size: int) -> list[bytes]:
    if not (folder / "tokenizer.json").exists():  # random weights: nobody reads the words
        tokens, kinds, merges = [f"t{i}" for i in range(size)], [_NORMAL] * size, ["t 0"]
    else:
        document = json.loads((folder / "tokenizer.json").read_text())
        vocabulary = document["model"]["vocab"]
        tokens, kinds = [f"[UNUSED{i}]" for i in range(size)], [_USER] * size
        for token, i in vocabulary.items():
            tokens[i], kinds[i] = token, _NORMAL
        for added in document["added_tokens"]:
            tokens[added["id"]] = added["content"]
            kinds[added["id"]] = _CONTROL if added["special"] else _USER
        merges = [m if isinstance(m, str) else " ".join(m) for m in document["model"]["merges"]]
    return [
        _value("tokenizer.ggml.model", _STRING, "gpt2"),
        _value("tokenizer.ggml.pre", _STRING, "bloom"),
        _array("tokenizer.ggml.tokens", _STRING, tokens),
        _array("tokenizer.ggml.token_type", _I32, kinds),
        _array("tokenizer.ggml.merges", _STRING, merges),
        _value("tokenizer.ggml.bos_token_id", _U32, 1),
        _value("tokenizer.ggml.eos_token_id", _U32, 2),
        _value("tokenizer.ggml.padding_token_id", _U32, 3),
    ]


def _stored_as(values: np.ndarray, kind: str) -> str:
    """Vectors stay in float32; so does what does not divide into blocks."""
    whole = values.shape[-1] % _BLOCK == 0 or kind in ("f32", "f16", "bf16")
    return kind if values.ndim > 1 and whole else "f32"


def write_gguf(folder: pathlib.Path, kind: str, path: pathlib.Path) -> None:
    """The checkpoint in `folder` as one file whose matrices are stored as `kind`."""
    shape = shape_of(folder)
    metadata = [
        _value("general.architecture", _STRING, "bloom"),
        _value("general.name", _STRING, "bloom"),
        _value("bloom.context_length", _U32, shape.context),
        _value("bloom.embedding_length", _U32, shape.hidden),
        _value("bloom.feed_forward_length", _U32, 4 * shape.hidden),
        _value("bloom.block_count", _U32, shape.layers),
        _value("bloom.attention.head_count", _U32, shape.heads),
        _value("bloom.attention.head_count_kv", _U32, shape.heads),
        _value("bloom.attention.layer_norm_epsilon", _F32, shape.epsilon),
        *_vocabulary(folder, shape.vocabulary),
    ]
    infos, blobs, offset = [], [], 0
    for name, values in checkpoint_tensors(folder, shape.heads):
        stored = _stored_as(values, kind)
        data = _ENCODERS[stored](values)
        sizes = values.shape[::-1]
        infos.append(_string(name) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, _TENSOR_TYPES[stored], offset))
        blobs.append(data + b"\0" * (-len(data) % _ALIGNMENT))
        offset += len(blobs[-1])
    head = b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(metadata)) + b"".join(metadata) + b"".join(infos)
    with path.open("wb") as file:
        file.write(head + b"\0" * (-len(head) % _ALIGNMENT))
        file.writelines(blobs)


def shape_of(folder: pathlib.Path) -> Shape:
    """The shape that a config.json states."""
    config = json.loads((folder / "config.json").read_text())
    return Shape(
        config["vocab_size"],
        config["hidden_size"],
        config["n_layer"],
        config["n_head"],
        config.get("seq_length", 2048),
        config["layer_norm_epsilon"],
    )


def main() -> None:
    """gguf.py --model DIR --out FILE."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=pathlib.Path, required=True, help="a BLOOM checkpoint with model.safetensors")
    parser.add_argument("--kind", choices=sorted(_TENSOR_TYPES), default="bf16", help="how matrices are stored")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    write_gguf(args.model, args.kind, args.out)


if __name__ == "__main__":
    main()
