# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The wheel, the pre-commit hook and the GitHub Action, each as its user has it. run.py runs this."""

from __future__ import annotations

import base64
import email
import hashlib
import os
import re
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from typing import Dict, List, Tuple

import yaml

ROOT = Path(__file__).resolve().parents[2]
GO = os.environ.get("GO", "go")
VERSION = str(yaml.safe_load((ROOT / "sdkgen.yaml").read_text())["version"])

# The machine of each platform's program: in ELF, in Mach-O, in PE.
MACHINES = {
    "linux/amd64": ("ELF", 62),
    "linux/arm64": ("ELF", 183),
    "darwin/amd64": ("Mach-O", 0x01000007),
    "darwin/arm64": ("Mach-O", 0x0100000C),
    "windows/amd64": ("PE", 0x8664),
    "windows/arm64": ("PE", 0xAA64),
}


def run(*command: object, code: int = 0, **options: object) -> str:
    """Runs a command, wants an exit code and gives what is printed."""
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
    )
    if done.returncode != code:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def build(dest: Path, *args: object) -> List[Path]:
    command = [sys.executable, ROOT / "hack" / "wheels.py", "--go", GO, "--dir", dest, *args]
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, check=True)
    return [Path(line) for line in done.stdout.splitlines()]


PLACE: Path
WHEEL: Path


def setUpModule() -> None:
    """Builds the wheel of this machine's platform."""
    global PLACE, WHEEL
    PLACE = Path(tempfile.mkdtemp(prefix="sdkgen-install-"))
    unittest.addModuleCleanup(shutil.rmtree, PLACE)
    (WHEEL,) = build(PLACE / "dist", "--platform", host())


def host() -> str:
    return "/".join(run(GO, "env", "GOOS", "GOARCH", cwd=ROOT).split())


def offline() -> Dict[str, str]:
    """What makes pip take sdkgen from the built wheels, and nothing from anywhere else."""
    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(PLACE / "dist"), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def program(wheel: Path) -> bytes:
    with zipfile.ZipFile(wheel) as file:
        (name,) = [name for name in file.namelist() if ".data/scripts/" in name]
        return file.read(name)


def machine(data: bytes) -> Tuple[str, int]:
    """The format of a program and the machine that it is for."""
    if data[:5] == b"\x7fELF\x02":
        return "ELF", struct.unpack_from("<H", data, 18)[0]
    if data[:4] == b"\xcf\xfa\xed\xfe":
        return "Mach-O", struct.unpack_from("<I", data, 4)[0]
    if data[:2] == b"MZ":
        start = struct.unpack_from("<I", data, 0x3C)[0]
        if data[start : start + 4] == b"PE\0\0":
            return "PE", struct.unpack_from("<H", data, start + 4)[0]
    return "unknown", 0


class Wheel(unittest.TestCase):
    """What hack/wheels.py builds."""

    def test_install(self) -> None:
        """pip installs it without a network, and the command starts no Python."""
        home = PLACE / "home"
        home.mkdir()
        env = {"HOME": str(home), "PATH": os.defpath, **offline()}
        run(sys.executable, "-m", "venv", PLACE / "venv", env=env)
        inside = PLACE / "venv" / "bin"
        run(inside / "python", "-m", "pip", "install", "--isolated", "--no-index", "--find-links", WHEEL.parent, "sdkgen", env=env)
        said = run(inside / "sdkgen", "version", env={"HOME": str(home)})
        self.assertEqual(said.splitlines()[0], f"github.com/flux-framework/flux-operator/sdkgen v{VERSION}")
        self.assertEqual(machine((inside / "sdkgen").read_bytes()), MACHINES[host()])
        run(inside / "python", "-m", "pip", "uninstall", "-y", "sdkgen", env=env)
        self.assertFalse((inside / "sdkgen").exists())

    def test_same_bytes(self) -> None:
        """A second build gives the same file."""
        (again,) = build(PLACE / "again", "--platform", host())
        self.assertEqual(again.name, WHEEL.name)
        self.assertTrue(again.read_bytes() == WHEEL.read_bytes(), "the second wheel differs")

    def test_contents(self) -> None:
        check_contents(self, WHEEL)
        run("twine", "check", "--strict", WHEEL)

    def test_versions(self) -> None:
        """A version becomes what PEP 440 makes of it, or is refused."""
        sys.path.insert(0, str(ROOT / "hack"))
        import wheels

        got = [wheels.python_version(version) for version in ("1.2.3", "1.2.3-rc.1", "0.10.0-alpha.12")]
        self.assertEqual(got, ["1.2.3", "1.2.3rc1", "0.10.0a12"])
        command = (sys.executable, ROOT / "hack" / "wheels.py", "--dir", PLACE / "none", "--version")
        for bad in ("1.2", "v1.2.3", "1.2.3-dirty", "1.2.3+x"):
            said = run(*command, bad, code=2)
            self.assertEqual(said, f"wheels: the version is {bad}: write it like 1.2.3 or 1.2.3-rc.1\n")

    @unittest.skipUnless(os.environ.get("SDKGEN_WHEELS") == "all", "`make test-all ONLY=wheels` builds the other platforms")
    def test_all(self) -> None:
        """The program of each platform is one for that platform."""
        for name, want in MACHINES.items():
            (wheel,) = build(PLACE / "all", "--platform", name)
            check_contents(self, wheel)
            self.assertEqual(machine(program(wheel)), want, name)
            print(f"{name}: program {len(program(wheel)) >> 20} MiB, wheel {wheel.stat().st_size >> 20} MiB", file=sys.stderr)
        run("twine", "check", "--strict", *(PLACE / "all").iterdir())


def check_contents(test: unittest.TestCase, wheel: Path) -> None:
    """RECORD, WHEEL and METADATA are true of the file."""
    with zipfile.ZipFile(wheel) as file:
        files = {name: file.read(name) for name in file.namelist()}
        modes = {info.filename: info.external_attr >> 16 for info in file.infolist()}
    info = f"sdkgen-{VERSION}.dist-info/"
    record = {}
    for line in files[info + "RECORD"].decode().splitlines():
        name, checksum, size = line.rsplit(",", 2)
        record[name] = (checksum, size)
    test.assertEqual(record.pop(info + "RECORD"), ("", ""))
    test.assertEqual(sorted(record), sorted(set(files) - {info + "RECORD"}))
    for name, (checksum, size) in record.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        test.assertEqual((checksum, size), (f"sha256={digest}", str(len(files[name]))), name)
        test.assertEqual(bool(modes[name] & stat.S_IXUSR), ".data/scripts/" in name, name)
    tags = [value for key, value in email.message_from_bytes(files[info + "WHEEL"]).items() if key == "Tag"]
    test.assertEqual("py3-none-" + ".".join(tag.split("-", 2)[2] for tag in tags), wheel.stem.split("-", 2)[2])
    metadata = email.message_from_bytes(files[info + "METADATA"])
    test.assertEqual((metadata["Name"], metadata["Version"]), ("sdkgen", VERSION))
    listed = {info + "licenses/" + name for name in metadata.get_all("License-File")}
    test.assertEqual(listed, {name for name in files if name.startswith(info + "licenses/")})
    test.assertIn(info + "licenses/third-party/go/LICENSE", listed)
    test.assertGreater(len(listed), 50)
    test.assertNotRegex(metadata.get_payload(), r"\]\((?!https?:|#)")


class Project(unittest.TestCase):
    """A project in a directory of a git repository, with a CRD that is up to date."""

    def setUp(self) -> None:
        self.repository = Path(tempfile.mkdtemp(dir=PLACE)) / "repository"
        self.root = self.repository / "operator"
        shutil.copytree(ROOT / "sdkgen" / "internal" / "cli" / "testdata" / "project", self.root)
        module = (ROOT / "go.mod").read_text().splitlines(keepends=True)
        others = [line for line in module if "flux-framework/flux-operator" not in line]
        (self.root / "go.mod").write_text("module example.org/widget\n" + "".join(others))
        shutil.copy(ROOT / "go.sum", self.root)
        self.bin = PLACE / "bin"
        if not self.bin.exists():
            self.bin.mkdir()
            (self.bin / "sdkgen").write_bytes(program(WHEEL))
            (self.bin / "sdkgen").chmod(0o755)
        self.env = dict(os.environ, PATH=f"{self.bin}{os.pathsep}{os.environ['PATH']}", GOFLAGS="-mod=mod", GOWORK="off")
        self.env.update(PRE_COMMIT_HOME=str(PLACE / "pre-commit"))
        self.env.update({f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")})
        self.env.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_SYSTEM=os.devnull)
        self.sdkgen("generate", "-q")
        self.crd = self.root / "config" / "crd" / "example.org_widgets.yaml"

    def sdkgen(self, *args: str) -> str:
        return run("sdkgen", *args, cwd=self.root, env=self.env)

    def edit(self) -> None:
        self.crd.write_text(self.crd.read_text().replace("Widget", "Gadget", 1))

    def git(self, *args: object, cwd: Path) -> str:
        return run("git", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *args, cwd=cwd, env=self.env)


class PreCommit(Project):
    """.pre-commit-hooks.yaml, run by pre-commit itself."""

    def hook(self, config: object) -> None:
        self.git("init", "-q", cwd=self.root)
        (self.root / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
        self.git("add", ".", cwd=self.root)
        run("pre-commit", "install", cwd=self.root, env=self.env)

    def commit(self, code: int = 0) -> str:
        self.git("add", ".", cwd=self.root)
        return run("git", "commit", "-m", "x", cwd=self.root, env=self.env, code=code)

    def test_hook(self) -> None:
        """It sees an edited file, and one whose line in the lock was edited with it."""
        hooks = self.repository / "hooks"
        hooks.mkdir()
        shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
        self.git("init", "-q", cwd=hooks)
        self.git("add", ".", cwd=hooks)
        self.git("commit", "-q", "-m", "x", cwd=hooks)
        head = self.git("rev-parse", "HEAD", cwd=hooks).strip()
        repository = {"repo": str(hooks), "rev": head, "hooks": [{"id": "sdkgen-verify"}]}
        self.hook({"repos": [repository]})
        self.assertIn("Passed", self.commit())
        before = hashlib.sha256(self.crd.read_bytes()).hexdigest()
        self.edit()
        said = self.commit(code=1)
        self.assertIn("Failed", said)
        self.assertIn("config/crd/example.org_widgets.yaml: edited by hand", said)
        lock = self.root / "sdkgen.lock"
        after = hashlib.sha256(self.crd.read_bytes()).hexdigest()
        self.assertIn(before, lock.read_text())
        lock.write_text(lock.read_text().replace(before, after))
        self.assertIn("sdkgen.lock: the inputs of crd changed, or its lines here", self.commit(code=1))
        self.sdkgen("generate", "-q")
        self.git("add", ".", cwd=self.root)
        run("pre-commit", "run", cwd=self.root, env=self.env)

    def test_wheel(self) -> None:
        """What docs/use/install.md shows: pre-commit installs the wheel itself."""
        text = (ROOT / "docs" / "use" / "install.md").read_text()
        (shown,) = [block for block in re.findall("```yaml\n(.*?)```", text, re.DOTALL) if "repo: local" in block]
        self.env["PIP_FIND_LINKS"] = str(PLACE / "dist")
        self.env["PATH"] = os.environ["PATH"]
        self.hook(yaml.safe_load(shown))
        self.assertIn("Passed", self.commit())
        self.edit()
        self.assertIn("edited by hand", self.commit(code=1))


class Action(Project):
    """The steps of sdkgen/action.yml, run as GitHub does."""

    def action(self, code: int = 0, **given: str) -> str:
        """Runs the steps up to the first that fails, and gives what they print."""
        action = yaml.safe_load((ROOT / "sdkgen" / "action.yml").read_text())
        inputs = {name: str(declared["default"]) for name, declared in action["inputs"].items()}
        inputs.update({name.replace("_", "-"): value for name, value in given.items()})
        temp = self.repository / "temp"
        temp.mkdir(exist_ok=True)
        said = ""
        steps = action["runs"]["steps"]
        for step in steps:
            env = {**self.env, **offline(), "RUNNER_TEMP": str(temp)}
            for name, value in step["env"].items():
                env[name] = re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: inputs[found.group(1)], value)
            self.assertNotIn("${{", step["run"])
            command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            done = subprocess.run(command, cwd=self.repository, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            said += done.stdout
            if done.returncode != 0 or step is steps[-1]:
                self.assertEqual(done.returncode, code, said)
                return said
        raise AssertionError("there are no steps")

    def test_verify(self) -> None:
        self.assertEqual(self.action(working_directory="operator", args="--lock"), "")
        self.edit()
        said = self.action(code=1, working_directory="operator/", args="--lock -q")
        self.assertIn("::error file=operator/config/crd/example.org_widgets.yaml,title=crd::edited by hand", said)
        self.repository = self.root
        said = self.action(code=1)
        self.assertIn("::error file=config/crd/example.org_widgets.yaml,title=crd::differs from what its stage generates", said)

    def test_go(self) -> None:
        """With install: go, the go command is asked for the module of that version."""
        fake = self.repository / "fake"
        fake.mkdir()
        (fake / "go").write_text('#!/bin/sh\necho "$GOBIN" "$@"\nexit 7\n')
        (fake / "go").chmod(0o755)
        self.env["PATH"] = f"{fake}{os.pathsep}{self.env['PATH']}"
        said = self.action(code=7, install="go", version="1.2.3")
        want = "temp/sdkgen-1.2.3/bin install github.com/flux-framework/flux-operator/sdkgen@v1.2.3\n"
        self.assertTrue(said.endswith(want), said)
        self.assertIn("::error title=sdkgen::the input install is npm", self.action(code=2, install="npm"))

    def test_version(self) -> None:
        """The default is the version that is released with the Action, and the one that the document shows."""
        action = yaml.safe_load((ROOT / "sdkgen" / "action.yml").read_text())
        self.assertEqual(action["inputs"]["version"]["default"], VERSION)
        text = (ROOT / "docs" / "use" / "install.md").read_text()
        shown = re.findall(r"(?:rev: v|sdkgen==|/sdkgen@v)([\w.-]+)", text)
        self.assertEqual(shown, [VERSION] * 3)


if __name__ == "__main__":
    unittest.main()
