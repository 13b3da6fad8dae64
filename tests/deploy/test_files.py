# SPDX-License-Identifier: Apache-2.0
"""The deploy files by the programs they are for where those are installed, and for what they promise."""

import json
import re
import subprocess
import tempfile
import pathlib
import unittest

import harness

try:
    import yaml
except ImportError:  # scripts/setup.sh full installs it
    yaml = None

MOST_EXPOSURE = 2.0  # of systemd-analyze security, 0 (none) to 10
FLAG = re.compile(r"--[a-z][a-z-]+")


def read(name):
    return (harness.DEPLOY / name).read_text(encoding="utf-8")


def serve_help():
    return subprocess.run([harness.PROGRAM, "serve", "--help"], capture_output=True, text=True, check=True).stdout


class UnitTest(unittest.TestCase):
    def unit(self, directory):
        """The unit with the program where it was built."""
        path = pathlib.Path(directory, "seqgpt.service")
        path.write_text(read("seqgpt.service").replace("/usr/bin/seqgpt", str(harness.PROGRAM)), encoding="utf-8")
        return path

    @harness.needs("systemd-analyze")
    def test_systemd_accepts_it(self):
        with tempfile.TemporaryDirectory() as directory:
            told = subprocess.run(["systemd-analyze", "verify", self.unit(directory)], capture_output=True, text=True)
        complaints = [line for line in told.stderr.splitlines() if "seqgpt.service" in line and "Documentation" not in line]
        self.assertEqual((told.returncode, complaints), (0, []))

    @harness.needs("systemd-analyze")
    def test_little_is_exposed(self):
        with tempfile.TemporaryDirectory() as directory:
            told = subprocess.run(["systemd-analyze", "security", "--offline=true", self.unit(directory)],
                                  capture_output=True, text=True)
        level = re.search(r"Overall exposure level.*?: ([0-9.]+)", told.stdout)
        self.assertLessEqual(float(level.group(1)), MOST_EXPOSURE, told.stdout)

    def test_comes_back(self):
        unit = read("seqgpt.service")
        for line in ("Type=notify", "Restart=always", "StartLimitIntervalSec=0", "ProtectSystem=strict",
                     "NoNewPrivileges=yes", "MemoryDenyWriteExecute=yes"):
            self.assertIn("\n" + line + "\n", unit)
        self.assertRegex(unit, r"\nWatchdogSec=\d+\n")


class FlagsTest(unittest.TestCase):
    def test_every_flag_is_one_of_serve(self):
        known = serve_help()
        for name in ("seqgpt.service", "supervisord.conf", "Containerfile", "compose.yaml", "kubernetes/seqgpt.yaml"):
            text = "\n".join(line for line in read(name).splitlines() if not line.lstrip().startswith(("#", ";")))
            if name == "Containerfile":
                text = "\n".join(line for line in text.splitlines() if line.startswith(("CMD", "ENTRYPOINT")))
            for flag in set(FLAG.findall(text)):
                self.assertIn(flag, known, name)


class ContainerTest(unittest.TestCase):
    def test_image_is_small_and_without_rights(self):
        steps = [line for line in read("Containerfile").splitlines() if line and not line.startswith("#")]
        self.assertEqual(sum(line.startswith("FROM ") for line in steps), 2)
        last = steps[max(i for i, line in enumerate(steps) if line.startswith("FROM ")):]
        user = next(line for line in last if line.startswith("USER "))
        self.assertNotIn(user.split()[1].split(":")[0], ("0", "root"))
        self.assertFalse(any("g++" in line for line in last))

    @unittest.skipUnless(yaml, "python3-yaml is not installed")
    def test_compose(self):
        service = yaml.safe_load(read("compose.yaml"))["services"]["seqgpt"]
        self.assertTrue(service["read_only"])
        self.assertEqual(service["cap_drop"], ["ALL"])
        self.assertEqual(service["restart"], "always")


@unittest.skipUnless(yaml, "python3-yaml is not installed")
class KubernetesTest(unittest.TestCase):
    def setUp(self):
        documents = list(yaml.safe_load_all(read("kubernetes/seqgpt.yaml")))
        self.by_kind = {document["kind"]: document for document in documents}
        self.pod = self.by_kind["StatefulSet"]["spec"]["template"]["spec"]
        self.container = self.pod["containers"][0]

    def test_selectors_meet(self):
        labels = self.by_kind["StatefulSet"]["spec"]["template"]["metadata"]["labels"]
        for spec in (self.by_kind["Service"]["spec"]["selector"],
                     self.by_kind["StatefulSet"]["spec"]["selector"]["matchLabels"],
                     self.by_kind["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"]):
            self.assertEqual(spec, labels)

    def test_probes_are_open_routes(self):
        for name, path in (("startupProbe", "/ready"), ("readinessProbe", "/ready"), ("livenessProbe", "/healthz")):
            self.assertEqual(self.container[name]["httpGet"]["path"], path)

    def test_without_rights(self):
        self.assertTrue(self.pod["securityContext"]["runAsNonRoot"])
        self.assertTrue(self.container["securityContext"]["readOnlyRootFilesystem"])
        self.assertFalse(self.container["securityContext"]["allowPrivilegeEscalation"])

    def test_volumes_exist(self):
        volumes = {volume["name"] for volume in self.pod["volumes"]}
        volumes |= {claim["metadata"]["name"] for claim in self.by_kind["StatefulSet"]["spec"]["volumeClaimTemplates"]}
        self.assertEqual({mount["name"] for mount in self.container["volumeMounts"]}, volumes)

    def test_scales_on_queue_time(self):
        metric = self.by_kind["HorizontalPodAutoscaler"]["spec"]["metrics"][0]["pods"]["metric"]["name"]
        rules = yaml.safe_load(read("kubernetes/metrics-adapter.yaml"))["rules"]["custom"]
        self.assertIn(metric, [rule["name"]["as"] for rule in rules])


def named_metrics(text):
    return set(re.findall(r"\b(?:seqgpt|process)_[a-z0-9_]+", text))


class MetricsTest(unittest.TestCase):
    """Every metric that is named is there in a real server."""

    @classmethod
    def setUpClass(cls):
        with harness.server() as url:
            for body in ({"text": harness.TEXT, "labels": harness.LABELS}, {"text": harness.TEXT}):
                harness.ask(url + "/extract", body)
            text = harness.ask(url + "/metrics").body.decode()
        cls.text = text
        cls.exposed = {re.split(r"[{ ]", line)[0] for line in text.splitlines() if line and not line.startswith("#")}

    def check(self, names, recorded=()):
        self.assertTrue(names)
        self.assertEqual(names - self.exposed - set(recorded), set())

    def test_alerts(self):
        self.check(named_metrics(re.sub(r"(?m)#.*$|annotations:(\n {10,}.*)*", "", read("prometheus/alerts.yaml"))))

    def test_dashboard(self):
        dashboard = json.loads(read("prometheus/dashboard.json"))
        asked = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
        self.assertGreater(len(asked), 10)
        self.check(named_metrics("\n".join(asked)))

    def test_autoscaler(self):
        text = read("kubernetes/metrics-adapter.yaml")
        self.check(named_metrics(re.sub(r"(?m)#.*$", "", text)) - {"seqgpt_queue_seconds_p95"})

    @harness.needs("promtool")
    def test_promtool(self):
        told = subprocess.run(["promtool", "check", "rules", harness.DEPLOY / "prometheus/alerts.yaml"],
                              capture_output=True, text=True)
        self.assertEqual(told.returncode, 0, told.stdout + told.stderr)
        linted = subprocess.run(["promtool", "check", "metrics"], input=self.text, capture_output=True, text=True)
        self.assertEqual(linted.returncode, 0, linted.stdout + linted.stderr)

    def test_prefix_and_base_units(self):
        for name in self.exposed:
            self.assertRegex(name, r"^(seqgpt|process)_")
            self.assertNotRegex(name, r"_(ms|milliseconds|mb|kb|percent)(_|$)")


if __name__ == "__main__":
    unittest.main()
