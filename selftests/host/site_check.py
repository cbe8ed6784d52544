#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Checks the web site of `make doc`: each link leads to a file of the site, or to an element of a page,
and the index links to every page. Prints what is wrong.

usage: site_check.py DIRECTORY
"""
import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The targets of a page's links, and its elements that links can lead to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src"):
                self.links.append(value)
            elif name == "id":
                self.ids.add(value)


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in site.rglob("*.html")}
    index = site / "index.html"
    wrong = [] if index in pages else ["no index.html"]
    listed = {index}
    for path, page in sorted(pages.items()):
        for link in page.links:
            to = urllib.parse.urlsplit(link)
            if to.scheme:
                continue
            target = (path.parent / urllib.parse.unquote(to.path)).resolve() if to.path else path
            if site not in target.parents or not target.is_file():
                wrong.append(f"{path.relative_to(site)}: no file {link}")
            elif to.fragment and to.fragment not in pages[target].ids:
                wrong.append(f"{path.relative_to(site)}: no element {link}")
            elif path == index:
                listed.add(target)
    wrong += [f"index.html: no link to {path.relative_to(site)}" for path in set(pages) - listed]
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
