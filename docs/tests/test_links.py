"""Every link of the built site leads somewhere, and no page fetches from elsewhere."""

from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
FETCHING_LINKS = {"stylesheet", "preload", "icon", "modulepreload"}


class Html(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "link" and not FETCHING_LINKS & set(given.get("rel", "").split()):
            return
        if tag in FETCHED and FETCHED[tag] in given:
            self.fetched.append(given[FETCHED[tag]])


def pages(site: Path) -> list[Path]:
    """All but the templates the theme keeps beside its files."""
    return [page for page in sorted(site.rglob("*.html")) if "_static" not in page.parts]


@cache
def parsed(path: Path) -> Html:
    return Html(path.read_text("utf-8"))


def dead(path: Path, link: str) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return False
    target = path.parent / unquote(parts.path) if parts.path else path
    if not target.is_file():
        return True
    anchor = unquote(parts.fragment)
    return bool(anchor) and target.suffix == ".html" and anchor not in parsed(target).anchors


def test_dead_links_are_recognised(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text('<h1 id="top">a</h1>', "utf-8")
    for link in ("a.html", "#top", "a.html#top", "https://example.org/x"):
        assert not dead(page, link)
    for link in ("b.html", "#bottom", "a.html#bottom"):
        assert dead(page, link)


def test_no_link_of_the_site_is_dead(site: Path) -> None:
    """In build/docs/text, which is built without panels, those to their files are."""
    panels = "_static/browser/" if site.name == "text" else "nowhere"
    found = {
        f"{page.relative_to(site)}: {link}"
        for page in pages(site)
        for link in (*parsed(page).links, *parsed(page).fetched)
        if link != "#" and panels not in link and dead(page, link)
    }
    assert not found, "\n".join(sorted(found)[:50])


def test_no_page_names_another_host_to_fetch_from(site: Path) -> None:
    found = {
        f"{page.relative_to(site)}: {name}"
        for page in pages(site)
        for name in parsed(page).fetched
        if urlsplit(name).netloc
    }
    assert not found, "\n".join(sorted(found))
