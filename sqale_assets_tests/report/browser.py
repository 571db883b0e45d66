"""Pages opened in a headless Chromium, where the machine has one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")


def browse(page: str, folder: Path, script: str) -> tuple[str, str]:
    """Open `page` without network, with `script` run after its own; returns the DOM and what the console said."""
    path = folder / "page.html"
    path.write_text(page.replace("</body>", f"<script>{script}</script></body>"), encoding="utf-8")
    options = ("headless", "no-sandbox", "disable-gpu", "enable-logging=stderr", "v=0", "dump-dom",
               "proxy-server=127.0.0.1:9", f"user-data-dir={folder / 'profile'}")  # fmt: skip
    command = [CHROMIUM, *(f"--{option}" for option in options), path.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)
