# SPDX-License-Identifier: Apache-2.0
"""A stand-in for a model hub, with the faults of real ones. Serves DIR in Hugging Face's and ModelScope's shapes.

    hub_server.py DIR PORT_FILE LOG_FILE [FAULT...]

Faults: break (each answer to a file ends after 200,000 bytes), wrong (a byte of the weights is changed), escape (a name with ..),
absurd (a size of a petabyte), noconfig, norange (ranges are ignored), busy (every second request is answered 503), silent (the
first connection for a file is closed without an answer), loop (redirects to itself), moved (files are reached by a redirect),
tofile (a redirect to file://), long (more bytes than promised), garbage (the list is no JSON), html (the list is a page).
"""
import hashlib
import json
import os
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

DIRECTORY, PORT_FILE, LOG_FILE, FAULTS = sys.argv[1], sys.argv[2], sys.argv[3], set(sys.argv[4:])
counts = {}


def entry(name):
    content = open(os.path.join(DIRECTORY, name), "rb").read()
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    size = 10**15 if "absurd" in FAULTS and name.endswith(".safetensors") else len(content)
    face = {"type": "file", "oid": blob, "size": size, "path": name}
    if name.endswith((".safetensors", ".bin")):
        face["lfs"] = {"oid": hashlib.sha256(content).hexdigest(), "size": size, "pointerSize": 134}
    scope = {"Name": name, "Path": name, "Type": "blob", "Size": size, "Sha256": hashlib.sha256(content).hexdigest()}
    return face, scope


def listing():
    names = [n for n in sorted(os.listdir(DIRECTORY)) if not ("noconfig" in FAULTS and n == "config.json")]
    face, scope = (list(side) for side in zip(*(entry(name) for name in names)))
    face.append({"type": "directory", "oid": "0" * 40, "size": 0, "path": "onnx"})
    scope.append({"Path": "onnx", "Type": "tree", "Size": 0})
    if "escape" in FAULTS:
        face.append({"type": "file", "oid": "0" * 40, "size": 5, "path": "../outside.json"})
        scope.append({"Path": "../outside.json", "Type": "blob", "Size": 5})
    return face, {"Code": 200, "Data": {"Files": scope}}


class Hub(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, status, body, headers=(), cut=None, length=None):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body if cut is None else body[:cut])
        if cut is not None and cut < len(body):
            self.close_connection = True

    def do_GET(self):
        with open(LOG_FILE, "a") as log:
            log.write(self.path + " " + self.headers.get("Range", "-") + "\n")
        counts["all"] = counts.get("all", 0) + 1
        if "busy" in FAULTS and counts["all"] % 2 == 1:
            return self.answer(503, b"busy")
        url = urlsplit(self.path)
        if "garbage" in FAULTS:
            return self.answer(200, b"[" * 100000)
        if "html" in FAULTS:
            return self.answer(200, b"<html>log in, please</html>")
        if re.fullmatch(r"/api/models/[^/]+/[^/]+/tree/main", url.path):
            return self.answer(200, json.dumps(listing()[0]).encode())
        if re.fullmatch(r"/api/v1/models/[^/]+/[^/]+/repo/files", url.path):
            return self.answer(200, json.dumps(listing()[1]).encode())
        face = re.fullmatch(r"(?:/cdn)?/[^/]+/[^/]+/resolve/main/(.+)", url.path)
        scope = re.fullmatch(r"/api/v1/models/[^/]+/[^/]+/repo", url.path)
        if not face and not scope:
            return self.answer(404, b"nothing here")
        return self.file(unquote(face[1]) if face else parse_qs(url.query)["FilePath"][0])

    def file(self, name):
        counts[name] = counts.get(name, 0) + 1
        if "silent" in FAULTS and counts[name] == 1:
            self.close_connection = True
            return None
        if "loop" in FAULTS:
            return self.answer(302, b"", [("Location", self.path)])
        if "tofile" in FAULTS:
            return self.answer(302, b"", [("Location", "file:///etc/passwd")])
        if "moved" in FAULTS and not self.path.startswith("/cdn"):
            return self.answer(302, b"", [("Location", "/cdn" + self.path)])
        path = os.path.join(DIRECTORY, name)
        if not os.path.isfile(path):
            return self.answer(404, b"no such file")
        body = open(path, "rb").read()
        if "wrong" in FAULTS and name.endswith(".safetensors"):
            body = body[:-1] + bytes([body[-1] ^ 1])
        if "long" in FAULTS:
            body += b"x" * 1000
        status, headers = 200, []
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if asked and "norange" not in FAULTS:
            begin = int(asked[1])
            if begin >= len(body):
                return self.answer(416, b"")
            status, headers = 206, [("Content-Range", f"bytes {begin}-{len(body) - 1}/{len(body)}")]
            body = body[begin:]
        if "norange" in FAULTS and counts[name] == 1:
            return self.answer(status, body, headers, cut=len(body) // 2)
        return self.answer(status, body, headers, cut=200000 if "break" in FAULTS else None)


server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
with open(PORT_FILE + ".new", "w") as port:
    port.write(str(server.server_address[1]))
os.rename(PORT_FILE + ".new", PORT_FILE)
server.serve_forever()
