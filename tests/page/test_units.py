# SPDX-License-Identifier: Apache-2.0
"""The page's modules one by one, in the browser that runs them."""
import io
import json
import struct
import unittest
import zipfile
import xml.etree.ElementTree as xml

from harness import PageTest, ROOT


def zip_of(files, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def docx(body):
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    return zip_of({"word/document.xml": f"<?xml version='1.0'?><w:document {space}><w:body>{body}</w:body></w:document>"})


def xlsx(rows, shared="", styles="", workbook=""):
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    return zip_of({
        "xl/workbook.xml": f'<workbook {main} xmlns:r="{rel}">{workbook}<sheets><sheet name="一" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f"<worksheet {main}><sheetData>{rows}</sheetData></worksheet>",
        "xl/sharedStrings.xml": f"<sst {main}>{shared}</sst>",
        "xl/styles.xml": f"<styleSheet {main}>{styles}</styleSheet>",
    })


class Units(PageTest):
    def call(self, module, name, *arguments):
        return self.browser.module(f"const m = await import(url('{module}')); return m['{name}'](...given);", *arguments)

    def read(self, data, name):
        """openFile on bytes under a name: the file, or the words of the refusal."""
        return self.browser.module(
            "const m = await import(url('open_file.js')); const bytes = Uint8Array.from(given[0]);"
            "try { return await m.openFile(new File([bytes], given[1])); } catch (e) { return {refused: e.message, kind: e.kind}; }",
            list(data), name)

    def test_fields_are_the_standard_ones(self):
        ours = self.browser.module("const m = await import(url('fields.js')); const by = {}; for (const f of m.standardFields) (by[f.type] = by[f.type] || []).push(f.name); return by;")
        theirs = json.loads((ROOT / "tests/golden/standard-fields.json").read_text(encoding="utf-8"))
        self.assertEqual(ours, {kind: names for kind, names in theirs.items() if isinstance(names, list)})
        self.assertEqual(sum(map(len, ours.values())), 87)

    def test_encodings(self):
        text = "甲方：上海云图，金额120万元😀\nsecond line"
        for codec, named in (("utf-8", "utf-8"), ("utf-8-sig", "utf-8"), ("utf-16", "utf-16le"), ("utf-16-le", "utf-16le"), ("utf-16-be", "utf-16be"), ("gb18030", "gb18030"), ("gbk", "gb18030")):
            words = text.replace("😀", "") if codec == "gbk" else text
            with self.subTest(codec):
                read = self.read(words.encode(codec), "合同.txt")
                self.assertEqual((read.get("text"), read.get("encoding")), (words, named))
        self.assertIn("编码", self.read(b"\xff\x00\xff\x81\xff\xff\x9a", "a.txt")["refused"])

    def test_csv_both_ways(self):
        rows = [["a", 'b"c', "d,e", "line\nbreak", ""], ["", "x", "", "", "y"]]
        text = "\ufeff" + "\r\n".join(",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows) + "\r\n\r\n"
        self.assertEqual(self.call("csv.js", "parseCsv", text)["rows"], rows)
        self.assertEqual(self.call("csv.js", "parseCsv", "甲\t乙\n1\t2")["rows"], [["甲", "乙"], ["1", "2"]])
        written = self.call("csv.js", "writeCsv", [["姓名", "号"], ["=1+1", "007"], ["110101190001011234", "+86 138"], ["a;b", 1.5], ["'x", "＝1"], ["12E5", "3.14"]])
        self.assertTrue(written.startswith("\ufeff"))
        self.assertEqual(written[1:].split("\r\n"), ["姓名,号", "'=1+1,'007", "'110101190001011234,'+86 138", '"a;b",1.5', "''x,'＝1", "'12E5,3.14", ""])

    def test_docx(self):
        p = lambda text: f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"
        body = p("第一条") + "<w:p><w:r><w:t>甲</w:t><w:tab/><w:t>乙</w:t><w:br/><w:t>丙</w:t></w:r><w:del><w:r><w:delText>删</w:delText></w:r></w:del></w:p>" + \
            f"<w:tbl><w:tr><w:tc>{p('名')}</w:tc><w:tc>{p('值')}</w:tc></w:tr></w:tbl>"
        self.assertEqual(self.read(docx(body), "a.docx")["text"], "第一条\n甲\t乙\n丙\n名\t值")

    def test_xlsx_reading(self):
        rows = '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>丙</t></is></c></row>' \
               '<row r="2"><c r="A2"><v>7</v></c><c r="B2" s="1"><v>45260</v></c><c r="C2" t="b"><v>1</v></c></row>'
        styles = '<cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
        read = self.read(xlsx(rows, "<si><r><t>甲</t></r><r><t>方</t></r></si>", styles), "a.xlsx")
        self.assertEqual(read["rows"], [["甲方", "", "丙"], ["7", "2023-11-30", "TRUE"]])

    def test_zip_bombs_and_damage_are_refused(self):
        bomb = docx("<w:p><w:r><w:t>" + "0" * (80 << 20) + "</w:t></w:r></w:p>")
        self.assertIn("过大", self.read(bomb, "bomb.docx")["refused"])
        small = bytearray(docx("<w:p/>" * 20000))
        at = small.rfind(b"PK\x01\x02")
        struct.pack_into("<I", small, at + 24, 100)  # the directory lies about the size
        self.assertRegex(self.read(bytes(small), "lie.docx")["refused"], "过大|损坏")
        whole = docx("<w:p><w:r><w:t>好</w:t></w:r></w:p>")
        self.assertTrue(self.read(whole[:-30], "cut.docx")["refused"])
        broken = bytearray(whole)
        broken[60] ^= 0xFF
        self.assertTrue(self.read(bytes(broken), "broken.docx").get("refused"))
        entity = zip_of({"word/document.xml": '<!DOCTYPE a [<!ENTITY b "bb">]><a>&b;</a>'})
        self.assertIn("损坏", self.read(entity, "entity.docx")["refused"])
        self.assertIn("旧版", self.read(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 100, "a.doc")["refused"])
        self.assertIn("压缩包", self.read(whole, "a.zip")["refused"])

    def test_jsonl(self):
        read = self.read('{"id":"a","text":"甲"}\nnot json\n{"id":"b","text":"乙","more":[1]}\n'.encode(), "a.jsonl")
        self.assertEqual((read["rows"], read["bad"]), ([["id", "text", "more"], ["a", "甲", ""], ["b", "乙", "[1]"]], 1))

    def test_xlsx_writing(self):
        values = ["110101190001011234", "007", "=1+1", "a<b>&\"c\"", "\u0001控", "两行\n字"]
        data = bytes(self.browser.module("const m = await import(url('xlsx.js')); const blob = m.writeXlsx([{name: '结果/1', rows: [['甲', '乙', '丙', '丁', '戊', '己', '数'], [...given[0], 12.5]]}]); return [...new Uint8Array(await blob.arrayBuffer())];", values))
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            self.assertIsNone(archive.testzip())
            for name in archive.namelist():
                xml.fromstring(archive.read(name))
            sheet = xml.fromstring(archive.read("xl/worksheets/sheet1.xml"))
        space = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
        cells = sheet.findall(".//m:row[@r='2']/m:c", space)
        self.assertEqual([cell.get("t") for cell in cells], ["inlineStr"] * 6 + [None])
        self.assertEqual([cell.find("m:is/m:t", space).text for cell in cells[:6]], values[:4] + ["\ufffd控", "两行\n字"])
        self.assertEqual(cells[6].find("m:v", space).text, "12.5")
        self.assertEqual(sheet.findall(".//m:f", space), [])

    def test_events_in_any_pieces(self):
        text = 'event: stage\ndata: {"a":1}\n\n: hum\n\nevent: result\r\ndata: {"b":\r\ndata: 2}\r\n\r\n'
        for size in (1, 2, 3, 7, 200):
            got = self.browser.module("const m = await import(url('api.js')); const out = []; const feed = m.eventParser((n, d) => out.push([n, d])); for (let i = 0; i < given[0].length; i += given[1]) feed(given[0].slice(i, i + given[1])); return out;", text, size)
            self.assertEqual(got, [["stage", '{"a":1}'], ["result", '{"b":\n2}']], size)

    def test_every_stage_has_its_time(self):
        def shown(*events):
            return self.browser.module(
                "const m = await import(url('progress.js')); const root = document.createElement('div'); const p = new m.Progress(root, ['甲']);"
                "for (const [name, data] of given[0]) p.event(name, data); const items = [...root.querySelectorAll('li')].map((li) => [li.className, li.textContent]); p.end(); return items.slice(0, 4);",
                list(events))
        stage = lambda name, ms, **more: ["stage", {"name": name, "ms": ms, **more}]
        self.assertEqual([state for state, _ in shown()], ["now", "", "", ""])
        under_way = shown(stage("queue", 5), stage("read", 70))
        self.assertEqual([state for state, _ in under_way], ["done", "done", "now", ""])
        ended = shown(stage("queue", 5), stage("read", 70), stage("compute", 90, done=1, total=3), ["field", {"label": "甲", "values": []}],
                      stage("decide", 200), stage("normalize", 3), stage("compute", 273))
        for (_, words), time in zip(ended, ("5 ms", "70 ms", "200 ms", "3 ms")):
            self.assertIn(time, words)
        self.assertIn("1/3", ended[2][1])
        self.assertEqual(ended[3][0], "now")

    def test_overlapping_spans_have_their_own_lanes(self):
        spans = [{"start": 0, "end": 10}, {"start": 2, "end": 5}, {"start": 4, "end": 12}, {"start": 11, "end": 13}]
        lanes = self.browser.module("const m = await import(url('highlight.js')); const lanes = m.assignLanes(given[0]); return given[0].map((s) => lanes.get(s));", spans)
        for i, a in enumerate(spans):
            for j, b in enumerate(spans[:i]):
                if a["start"] < b["end"] and b["start"] < a["end"]:
                    self.assertNotEqual(lanes[i], lanes[j], (a, b))
        pieces = self.call("highlight.js", "pieces", 15, spans)
        self.assertEqual("".join("0123456789abcde"[p["start"]:p["end"]] for p in pieces), "0123456789abcde")
        self.assertEqual([len(p["spans"]) for p in pieces], [1, 2, 3, 2, 1, 2, 1, 0])

    def test_corrections_and_gold(self):
        text = "😀王伟任CTO，月薪2万。"
        body = {"entities": [{"label": "姓名", "key": "姓名", "text": "王伟", "start": 2, "end": 4, "confidence": 0.9, "normalized": None},
                             {"label": "职位", "key": "post", "text": "CT", "start": 5, "end": 7, "confidence": 0.3, "normalized": None}]}
        out = self.browser.module("""
            const m = await import(url('corrections.js'));
            const labels = [{name: '姓名', key: '姓名'}, {name: '职位', key: 'post'}, {name: '薪资', key: '薪资'}];
            const r = new m.ReviewedText(given[0], labels, given[1], '7');
            const lowest = r.lowestConfidence();
            const post = r.entities[1];
            const wider = r.rebound(post, post.start, post.end + 1);
            const place = r.find(labels[2], '2万');
            r.add(labels[2], place.start, place.end);
            const twice = r.add(labels[2], place.start, place.end);
            const blank = r.span(0, 0);
            const emoji = r.span(1, 3);  // begins in the middle of a pair
            r.remove(r.entities[0]);
            const removed = JSON.parse(r.gold());
            r.remove(r.entities[0]);
            r.confirm(r.entities[0]);
            const details = (await import(url('exports.js'))).detailRows(r).slice(1).map((row) => [row[1], row[3], row[4]]);
            return {lowest, wider, twice, blank, emoji, removed, gold: JSON.parse(r.gold()), rows: r.rows(), details};""", text, body)
        self.assertEqual(out["lowest"], 0.3)
        self.assertTrue(out["wider"])
        self.assertIsNone(out["twice"])
        self.assertIsNone(out["blank"])
        self.assertEqual(out["emoji"]["text"], "😀王")
        self.assertNotIn("姓名", out["removed"]["entities"])
        self.assertEqual(out["gold"], {"id": "7", "text": text, "labels": ["姓名", "职位", "薪资"],
                                       "entities": {"姓名": [["王伟", 1, 3]], "职位": [["CTO", 4, 7]], "薪资": [["2万", 10, 12]]}})
        for value, start, end in [span for spans in out["gold"]["entities"].values() for span in spans]:
            self.assertEqual(text[start:end], value)  # Python counts code points, as gold does
        self.assertEqual(out["rows"], [["王伟", "CTO", "2万"]])
        self.assertEqual(out["details"], [["王伟", 1, 3], ["CTO", 4, 7], ["2万", 10, 12]])

    def test_records_follow_corrections(self):
        text = "王伟任经理，李娜任主管"
        entity = lambda label, words: {"label": label, "key": label, "text": words, "start": text.index(words), "end": text.index(words) + len(words), "confidence": 0.8, "normalized": None}
        body = {"entities": [entity("姓名", "王伟"), entity("姓名", "李娜"), entity("职位", "经理")], "records": [{"姓名": "王伟", "职位": "经理"}, {"姓名": "李娜", "职位": None}]}
        rows = self.browser.module("""
            const m = await import(url('corrections.js'));
            const labels = [{name: '姓名', key: '姓名'}, {name: '职位', key: '职位'}];
            const r = new m.ReviewedText(given[0], labels, given[1]);
            const before = r.rows();
            const place = r.find(labels[1], '主管');
            r.add(labels[1], place.start, place.end);
            r.remove(r.entities.find((e) => e.text === '经理'));
            return [before, r.rows()];""", text, body)
        self.assertEqual(rows, [[["王伟", "经理"], ["李娜", ""]], [["王伟", ""], ["李娜", "主管"]]])

    def test_labels_as_typed(self):
        parsed = [self.call("label_chips.js", "parseLabel", text) for text in (" 薪资=annual_salary ", "甲方:org", "时间: 上午", "报价：amount=price", "=x")]
        self.assertEqual([(p["name"], p["type"], p["alias"]) for p in parsed], [("薪资", "", "annual_salary"), ("甲方", "org", ""), ("时间: 上午", "", ""), ("报价", "amount", "price"), ("=x", "", "")])

    def test_pieces_of_a_job(self):
        sizes = self.browser.module("const m = await import(url('job_client.js')); const items = Array.from({length: 12000}, (_, i) => ({id: String(i), text: '字'.repeat(i % 700)})); return m.jobPieces(items).map((p) => [p.length, new Blob([JSON.stringify(p)]).size]);")
        self.assertEqual(sum(count for count, _ in sizes), 12000)
        self.assertLess(max(size for _, size in sizes), 5 << 20)

    def test_what_failed_of_a_batch_is_said_in_words(self):
        words = lambda **error: self.call("problem.js", "itemProblemWords", error)
        self.assertEqual(words(code=504, type="timeout", message="the deadline passed"), "等得太久，已超时。文本较长时请拆开，或稍后重试。 the deadline passed")
        self.assertIn("已取消", words(code=499, message=""))
        self.assertIn("不接受", words(code=400, message="text[3] is blank"))
        self.assertIn("text[3]", words(code=400, message="text[3] is blank"))

    def test_long_texts_and_beams_get_more_time(self):
        times = [self.call("task_run.js", "patience", *given) for given in (("字",), ("字" * 1000,), ("字" * 1000, 4), ("字" * 900000,))]
        self.assertEqual(times, [30020, 50000, 200000, 600000])

    def test_canonical_values(self):
        cases = [({"kind": "date", "value": "2022-03", "precision": "month"}, "2022-03", "2022-03-01"), ({"kind": "amount", "value": "1200000.00", "currency": "CNY"}, "1,200,000 CNY", 1200000),
                 ({"kind": "amount", "low": "1000000.00", "high": None, "currency": "CNY"}, "1,000,000 ~ … CNY", {"low": 1000000, "high": None}), ({"kind": "percent", "value": "13.5"}, "13.5%", 13.5),
                 ({"kind": "range", "start": "2022-03", "end": "2023"}, "2022-03 ~ 2023", {"start": "2022-03-01", "end": "2023-01-01"}), ({"kind": "duration", "value": "P3Y"}, "P3Y", "P3Y")]
        for normalized, shown, flat in cases:
            entity = {"text": "x", "normalized": normalized}
            self.assertEqual(self.call("canonical.js", "shownValue", entity), shown)
            self.assertEqual(self.call("canonical.js", "flatValue", entity), flat)


if __name__ == "__main__":
    unittest.main()
