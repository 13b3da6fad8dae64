# SPDX-License-Identifier: Apache-2.0
"""Writes the seed corpora of the fuzz targets: a few small files, right and nearly right."""

import gzip
import io
import json
import lzma
import pathlib
import struct
import zipfile

HERE = pathlib.Path(__file__).resolve().parent / "corpus"


def write(target, name, data):
    path = HERE / target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())


def safetensors(header, data):
    text = header if isinstance(header, str) else json.dumps(header, separators=(",", ":"))
    return struct.pack("<Q", len(text)) + text.encode() + data


def entry(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def text(value):
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def integer(value):
    return b"J" + struct.pack("<i", value)


def numbers(values):
    return b"(" + b"".join(map(integer, values)) + b"t"


def tensor(kind, key, elements, shape, stride):
    return (b"ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + b"ctorch\n" + kind.encode()
            + b"\n" + text(key) + text("cpu") + integer(elements) + b"tQK\0" + numbers(shape)
            + numbers(stride) + b"\x89ccollections\nOrderedDict\n)RtR")


def short(value):
    return b"\x8c" + bytes([len(value)]) + value.encode() + b"\x94"


MATRIX = tensor("FloatStorage", "0", 6, [2, 3], [3, 1])
PLAIN = b"\x80\x02}q\0(" + text("a") + MATRIX + b"q\x01" + text("lm_head.weight") + b"h\x01u."
ORDERED = (b"\x80\x02ccollections\nOrderedDict\nq\0)Rq\x01(" + text("b")
           + tensor("HalfStorage", "0", 4, [4], [1]) + text("n") + b"Nu}" + text("_metadata") + b"}sb.")
PROTOCOL_4 = (b"\x80\x04\x95" + struct.pack("<Q", 80) + b"}\x94(" + short("a")
              + short("collections") + short("OrderedDict") + b"\x93\x94)R\x94u.")
EVIL = b"\x80\x02}" + text("a") + b"cos\nsystem\n(" + text("echo") + b"tRs."
PARAMETER = (b"\x80\x02}" + text("p") + b"ctorch._utils\n_rebuild_parameter\n("
             + tensor("BFloat16Storage", "0", 2, [2, 1], [1, 1])
             + b"\x88ccollections\nOrderedDict\n)RtRs.")
STORAGE = struct.pack("<6f", 1, 2, 3, 4, 5, 6)


def torch_file(pickle, byteorder=None, compression=zipfile.ZIP_STORED):
    out = io.BytesIO()
    members = [("m/data.pkl", pickle), ("m/data/0", STORAGE), ("m/version", b"3\n")]
    members += [("m/byteorder", byteorder)] if byteorder else []
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data, compression)
    return out.getvalue()


def zip64(pickle):
    """One member whose sizes and offset stand in the 64-bit fields."""
    import zlib
    name, size = b"m/data.pkl", len(pickle)
    common = struct.pack("<HHHIIIIH", 45, 0, 0, 0, zlib.crc32(pickle), 0xFFFFFFFF, 0xFFFFFFFF, len(name))
    extra = struct.pack("<HHQQQ", 1, 24, size, size, 0)
    local = b"PK\x03\x04" + common + struct.pack("<H", 0) + name + pickle
    central = (b"PK\x01\x02" + struct.pack("<H", 45) + common
               + struct.pack("<HHHHII", len(extra), 0, 0, 0, 0, 0xFFFFFFFF) + name + extra)
    end64 = b"PK\x06\x06" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 1, 1, len(central), len(local))
    locator = b"PK\x06\x07" + struct.pack("<IQI", 0, len(local) + len(central), 1)
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return local + central + end64 + locator + end


def main():
    two = {"__metadata__": {"format": "pt"}, "a": entry("F32", [2, 1], 0, 8), "n": entry("I64", [], 8, 16)}
    write("safetensors", "two", safetensors(two, bytes(16)))
    write("safetensors", "half", safetensors(
        {"a": entry("F16", [3], 0, 6), "b": entry("BF16", [1], 6, 8), "e": entry("F32", [0], 8, 8)}, bytes(8)))
    write("safetensors", "hole", safetensors({"a": entry("F32", [1], 4, 8)}, bytes(8)))
    write("safetensors", "deep", safetensors('{"a":' + "[" * 40 + "]" * 40 + "}", b""))
    write("pickle", "plain", PLAIN)
    write("pickle", "ordered", ORDERED)
    write("pickle", "protocol4", PROTOCOL_4)
    write("pickle", "parameter", PARAMETER)
    write("pickle", "evil", EVIL)
    write("torch_file", "plain", torch_file(PLAIN))
    write("torch_file", "ordered", torch_file(ORDERED, b"little"))
    write("torch_file", "deflated", torch_file(PLAIN, None, zipfile.ZIP_DEFLATED))
    write("torch_file", "zip64", zip64(b"\x80\x02}."))
    config = {"model_type": "bloom", "n_layer": 2, "n_head": 8, "hidden_size": 64, "vocab_size": 1216}
    write("config", "causal", json.dumps(config | {"layer_norm_epsilon": 1e-5, "eos_token_id": [2]}))
    write("config", "classes", json.dumps(config | {
        "architectures": ["BloomForTokenClassification"], "id2label": {"0": "O", "1": "B"}, "num_labels": 2}))
    write("config", "old", json.dumps({
        "model_type": "bloom", "num_hidden_layers": 1, "num_attention_heads": 6, "n_embed": 72,
        "vocab_size": 9, "architectures": ["BloomForSequenceClassification"], "label2id": {"x": 0}}))
    write("shard_index", "good", json.dumps({"metadata": {"total_size": 8}, "weight_map": {
        "a": "model-00001-of-00002.safetensors", "transformer.b": "model-00002-of-00002.safetensors"}}))
    write("csv", "quoted", "id,正文\r\n1,\"行一\r\n\"\"行二\"\", 末\"\r\n2,=1+1\r\n")
    write("csv", "open", "a,b\n1,\"never closed\n2,3\n")
    write("csv", "bare", "a\rb,c\"d\n\n\"x\"tail,007\nlast")
    lines = ("王伟任CTO\n" * 40).encode()
    write("archive", "gz", gzip.compress(lines, mtime=0) + gzip.compress(b"x\n", mtime=0))
    write("archive", "xz", lzma.compress(lines))
    # a zstd frame of one raw block, written by hand: magic, a single-segment header, the block
    write("archive", "zst", b"\x28\xb5\x2f\xfd\x20\x08" + struct.pack("<I", (8 << 3) | 1)[:3] + b"line\nend")
    write("archive", "gb18030", "王伟\n职位".encode("gb18030"))
    write("archive", "utf16", "王伟\n😀".encode("utf-16"))
    golden = HERE.parent.parent / "golden" / "corrupt" / "ok-micro" / "tokenizer.json"
    write("tokenizer", "micro", golden.read_bytes())
    write("operator_text", "keys", "# staff\nalice:" + "ab" * 32 + ":60\r\nbob:" + "0F" * 32 + "\n")
    write("operator_text", "tcp", "redis://user:secret@[::1]:6380/2")
    write("operator_text", "unix", "unix:///run/redis.sock?db=3")
    words = [b"alice", b"/extract", b"4bf92f35", b"ab" * 32]
    write("operator_text", "audit", b"\x01" + struct.pack("<q", 1790000000000) +
          b"".join(struct.pack("<Q", len(word)) + word for word in words) +
          struct.pack("<QQQQQd", 200, 321, 1234, 40, 1, 31.25) + struct.pack("<QQ", 1, 6) + "姓名".encode())
    write("hub_list", "face", json.dumps([
        {"type": "directory", "oid": "0" * 40, "size": 0, "path": "onnx"},
        {"type": "file", "oid": "a" * 40, "size": 636, "path": "config.json"},
        {"type": "file", "oid": "b" * 40, "size": 22599, "path": "tokenizer.json"},
        {"type": "file", "oid": "c" * 40, "size": 134, "path": "model.safetensors",
         "lfs": {"oid": "d" * 64, "size": 715256, "pointerSize": 134}}]))
    write("hub_list", "scope", json.dumps({"Code": 200, "Data": {"Files": [
        {"Path": "config.json", "Type": "blob", "Size": 636, "Sha256": "e" * 64},
        {"Path": "tokenizer.json", "Type": "blob", "Size": 1}, {"Path": "pytorch_model.bin", "Type": "blob", "Size": 9}]}}))
    write("hub_list", "escape", json.dumps([{"type": "file", "size": 1, "path": "a/../../x"}]))
    write("shard_index", "outside", json.dumps({"weight_map": {"a": "../x"}}))


if __name__ == "__main__":
    main()
