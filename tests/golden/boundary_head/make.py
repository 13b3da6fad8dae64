# SPDX-License-Identifier: Apache-2.0
"""Writes a random boundary head for the golden model bloom-tiny, and what training/boundary_head.py makes of a few spans with it.

Run in training/: python ../tests/golden/boundary_head/make.py
"""

from __future__ import annotations

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2] / "training"))

import torch  # noqa: E402

import boundary_head  # noqa: E402
from decode import load_model  # noqa: E402
from samples import Encoder  # noqa: E402

CASES = [
    ("王伟现任上海云图数据科技有限公司技术总监一职", "公司", "云图数据科技"),
    ("王伟现任上海云图数据科技有限公司技术总监一职", "职位", "总监一职"),
    ("  张三于浙江大学计算机系毕业\n现居杭州", "学校", "浙江大学计算"),
    ("联系人Alice Wang住在北京朝阳", "联系人", "Alice Wang"),
    ("患者马丽诊断为偏头痛需静养", "诊断", "头痛"),
]


def main() -> None:
    """Scores of the spans near each value, and of the head alone on random states."""
    torch.manual_seed(7)
    torch.set_num_threads(1)
    model = load_model(HERE.parent / "models" / "bloom-tiny").eval()
    reader = boundary_head.Reader(model, Encoder(HERE.parent / "models" / "bloom-tiny" / "tokenizer.json"))
    head = boundary_head.BoundaryHead(model.config.hidden)
    boundary_head.write(head, 0.0, HERE)
    states, scalars = torch.randn(3, len(boundary_head.SLOTS), model.config.hidden), torch.rand(3, boundary_head.SCALARS)
    with torch.no_grad():
        scores = head(states.flatten(0, 1), torch.arange(15).view(3, 5), scalars)
    cases = []
    for text, label, value in CASES:
        stripped = text.strip()
        own = (stripped.index(value), stripped.index(value) + len(value))
        example = reader.examples(stripped, [label], [(label, own, None)])[0]
        with torch.no_grad():
            spans = sorted(zip(boundary_head.scores(head, [example])[0].tolist(), boundary_head.spans_near(stripped, *own), strict=True), reverse=True)
        best, second = spans[0], spans[1]
        print(value, "->", stripped[slice(*best[1])], f"ahead by {best[0] - second[0]:.4f} of {len(spans)}")
        cases.append({"text": text, "label": label, "value": value, "spans": len(spans), "best": stripped[slice(*best[1])]})
    content = {"states": states.tolist(), "scalars": scalars.tolist(), "scores": scores.tolist(), "cases": cases}
    (HERE / "expected.json").write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
