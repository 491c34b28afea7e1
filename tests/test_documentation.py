"""The pages of the documentation: nothing missing, nothing that leads nowhere."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PUBLIC = [
    "skirt",
    "skirt.adaptive",
    "skirt.audit",
    "skirt.datasets",
    "skirt.io",
    "skirt.metrics",
    "skirt.model_selection",
    "skirt.plotting",
    "skirt.selection",
]
# [text](target "title"), but no pictures of code such as `f(x)[0](y)`.
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)")


def public_names():
    for module in PUBLIC:
        for name in importlib.import_module(module).__all__:
            if not name.startswith("_"):
                yield pytest.param(module, name, id=f"{module}.{name}")


@pytest.fixture(scope="module")
def documented():
    """The objects that the API reference lists."""
    found, module = [], None
    for line in (ROOT / "docs" / "api.rst").read_text().splitlines():
        if line.startswith(".. currentmodule:: "):
            module = line.removeprefix(".. currentmodule:: ")
        elif re.fullmatch(r"   [\w.]+", line):
            path, _, name = f"{module}.{line.strip()}".rpartition(".")
            found.append(getattr(importlib.import_module(path), name))
    return found


@pytest.mark.parametrize(("module", "name"), public_names())
def test_api_reference_lists_every_public_name(documented, module, name):
    member = getattr(importlib.import_module(module), name)
    assert any(member is other for other in documented), "add it to docs/api.rst"


def test_gallery_shows_every_example():
    listed = re.findall(r'"(plot_\w+\.py)"', (ROOT / "docs" / "conf.py").read_text())
    there = {path.name for path in (ROOT / "examples").glob("plot_*.py")}
    assert len(listed) == len(set(listed))
    assert set(listed) == there


def test_every_page_is_in_a_list_of_pages():
    docs, listed = ROOT / "docs", {"index"}
    for page in docs.rglob("*.md"):
        for block in re.findall(r"```{toctree}\n(.*?)```", page.read_text(), re.DOTALL):
            for line in block.splitlines():
                name = re.sub(r".*<(.*)>", r"\1", line).strip()
                if name and not name.startswith(":"):
                    listed.add(str((page.parent / name).relative_to(docs)))
    there = {str(page.relative_to(docs).with_suffix("")) for page in docs.rglob("*.md")}
    assert there <= listed


@pytest.mark.parametrize(
    "page",
    [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_links_to_files_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    text = re.sub(r"`[^`\n]*`", "", text)
    targets = [link for link in LINK.findall(text) if "://" not in link]
    lost = [link for link in targets if not (page.parent / link).exists()]
    assert not lost
