# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""hack/publish.sh, the steps of the release workflow, with a registry on this machine."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path
from typing import List

ROOT = Path(__file__).resolve().parents[2]
GO = os.environ.get("GO", "go")
PLATFORMS = ("amd64", "arm64")


def run(*command: object, code: int = 0, **options: object) -> str:
    """Runs a command, wants an exit code and gives what it prints, with its errors if it fails."""
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )
    if done.returncode != code:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout if code == 0 else done.stderr


class Repository(unittest.TestCase):
    """What is checked before anything is built."""

    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)
        self.git("init", "-q")
        (self.place / "sdkgen.yaml").write_text("version: 7.8.9\nheader: x\n")
        self.commit()

    def git(self, *args: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        return run("git", *who, *args, cwd=self.place)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "a change")

    def publish(self, *args: object, code: int = 0) -> str:
        return run(ROOT / "hack" / "publish.sh", *args, cwd=self.place, code=code)

    def test_check(self) -> None:
        for module in "", "api/", "sdk/go/":
            self.git("tag", f"{module}v7.8.9")
        said = self.publish("check", "v7.8.9", code=1)
        self.assertIn("the tag sdkgen/v7.8.9 is not on this commit", said)
        self.git("tag", "-a", "-m", "annotated", "sdkgen/v7.8.9")
        self.publish("check", "v7.8.9")
        self.assertIn("the version in sdkgen.yaml is 7.8.9", self.publish("check", "v7.8.8", code=1))
        self.commit()
        self.assertIn("the tag v7.8.9 is not on this commit", self.publish("check", "v7.8.9", code=1))

    def test_notes(self) -> None:
        changelog = "# Changelog\n\n## Unreleased\n\n## 7.8.9 - 2026-11-23\n\n### API\n\n- a [field](docs/a.md#b), [x](https://x.org)\n\n"
        changelog += "## 7.8.9-rc.1 - 2026-11-01\n\n- x\n"
        (self.place / "CHANGELOG.md").write_text(changelog)
        page = "https://github.com/flux-framework/flux-operator/blob/v7.8.9/docs/a.md#b"
        self.assertEqual(self.publish("notes", "7.8.9").strip(), f"### API\n\n- a [field]({page}), [x](https://x.org)")
        self.assertEqual(self.publish("notes", "7.8.9-rc.1").strip(), "- x")
        for version in "7.8", "0.5.0":
            self.assertIn(f"no section of {version}", self.publish("notes", version, code=1))

    def test_sboms(self) -> None:
        for name in "a-1.whl", "a-1.whl.spdx.json", "a-1.whl.cdx.json", "SHA256SUMS":
            (self.place / name).write_text("{}")
        want = [{"file": "a-1.whl", "sbom": f"a-1.whl.{kind}.json"} for kind in ("spdx", "cdx")]
        self.assertEqual(json.loads(self.publish("sboms", self.place)), want)
        (self.place / "b.tar.spdx.json").write_text("{}")
        self.assertIn("b.tar.spdx.json is of no file of the release", self.publish("sboms", self.place, code=1))


class Registry(unittest.TestCase):
    """Images and the chart are pushed, and their printed digests are those that users get."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.place = Path(tempfile.mkdtemp(prefix="publish-"))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        cls.crane = cls.place / "crane"
        (version,) = re.findall(r"^CRANE := (\S+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
        env = dict(os.environ, GOBIN=str(cls.place), GOFLAGS="", CGO_ENABLED="0")
        run(GO, "install", f"github.com/google/go-containerregistry/cmd/crane@{version}", env=env)
        with socket.socket() as free:
            free.bind(("localhost", 0))
            cls.address = f"localhost:{free.getsockname()[1]}"
        command = [str(cls.crane), "registry", "serve", "--address", cls.address]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(server.wait)
        cls.addClassCleanup(server.terminate)
        for _ in range(100):
            try:
                urllib.request.urlopen(f"http://{cls.address}/v2/").close()
                return
            except OSError:
                time.sleep(0.1)
        raise AssertionError("the registry does not answer")

    def publish(self, *args: object) -> List[str]:
        env = dict(os.environ, CRANE=str(self.crane))
        return run(ROOT / "hack" / "publish.sh", *args, cwd=ROOT, env=env).splitlines()

    def test_images(self) -> None:
        """For each name there is one index with all architectures."""
        dist = self.place / "dist"
        dist.mkdir()
        for name in "flux-operator", "flux-operator-sample":
            for platform in PLATFORMS:
                self.image(dist / f"{name}_7.8.9-rc.1_linux_{platform}.tar", f"{name} for {platform}", platform)
        pushed = sorted(self.publish("images", dist, f"{self.address}/org"), key=lambda line: line.partition("@")[0])
        names = [line.partition("@sha256:")[0] for line in pushed]
        self.assertEqual(names, [f"{self.address}/org/{name}" for name in ("flux-operator", "flux-operator-sample")])
        for line in pushed:
            name = line.partition("@")[0]
            self.assertEqual(run(self.crane, "digest", f"{name}:7.8.9-rc.1").strip(), line.partition("@")[2])
            index = json.loads(run(self.crane, "manifest", line))
            found = sorted(
                f"{part['platform']['os']}/{part['platform']['architecture']}" for part in index["manifests"]
            )
            self.assertEqual(found, [f"linux/{platform}" for platform in PLATFORMS])
            for platform in PLATFORMS:
                text = run(self.crane, "export", "--platform", f"linux/{platform}", line, "-")
                self.assertIn(f"{name.rpartition('/')[2]} for {platform}", text)

    def image(self, archive: Path, text: str, platform: str) -> None:
        """Makes an OCI image layout of a file, as `make release` does of programs."""
        work = Path(tempfile.mkdtemp(dir=self.place))
        (work / "text").write_text(text)
        run("tar", "-cf", work / "layer.tar", "-C", work, "text")
        base = f"{self.address}/base:{platform}"
        run(self.crane, "append", "--oci-empty-base", "--new_layer", work / "layer.tar", "--new_tag", base)
        run(self.crane, "mutate", base, "--set-platform", f"linux/{platform}", "--tag", base)
        run(self.crane, "pull", "--format", "oci", base, work / "layout")
        run("tar", "-cf", archive, "-C", work / "layout", ".")

    def test_chart(self) -> None:
        dist = self.place / "charts"
        dist.mkdir()
        helm = ROOT / "bin" / "helm"
        run("make", "-s", "bin/helm", cwd=ROOT)
        run(helm, "package", ROOT / "charts" / "flux-operator", "--version", "7.8.9", "--destination", dist)
        (line,) = self.publish("chart", dist, f"{self.address}/org/charts", "--plain-http")
        name, _, digest = line.partition("@")
        self.assertEqual(name, f"{self.address}/org/charts/flux-operator")
        self.assertEqual(run(self.crane, "digest", f"{name}:7.8.9").strip(), digest)
        run(helm, "pull", f"oci://{name}", "--version", "7.8.9", "--plain-http", "--destination", self.place)
        self.assertEqual((self.place / "flux-operator-7.8.9.tgz").read_bytes(), next(dist.iterdir()).read_bytes())


if __name__ == "__main__":
    unittest.main()
