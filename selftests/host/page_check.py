#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check pages of `profil export --html` in a browser, by clicking and typing.

usage: page_check.py DIRECTORY [CHECK...]       with the pages that page_test.sh writes

Prints "check NAME", what is wrong, and "passed" if nothing is. The browser is that of Debian, and so
is this interpreter, which has its driver.
"""
import json
import os
import sys
import traceback

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

DIRECTORY = os.path.abspath(sys.argv[1])

# page_test.sh prints what it measures. A real profile of clang with 5,119 functions has 573 kB; with
# 7,489 functions 807 kB, and two of these 1,499 kB.
PAGE_BYTES = 2000000
FIRST_SCREEN_MS = 1000


class Page:
    """A page in the browser."""

    def __init__(self, browser):
        self.browser = browser

    def open(self, name, width=1280, dark=False):
        browser = self.browser
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        browser.get(f"file://{DIRECTORY}/{name}.html")

    def run(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def find(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])]"
                        ".map(element => element.textContent)", selector)

    def names(self):
        return self.texts(".opens")

    def type(self, *keys):
        self.browser.switch_to.active_element.send_keys(*keys)

    def focus(self):
        return self.browser.switch_to.active_element.text

    def choose(self, label, text):
        Select(self.find(f"#{label}")).select_by_visible_text(text)


def equal(got, wanted):
    assert got == wanted, f"{got!r} instead of {wanted!r}"


def content(name):
    with open(os.path.join(DIRECTORY, name), encoding="utf-8") as file:
        return json.load(file)


def check_figures(page):
    """The figures are those of the report."""
    page.open("one")
    report = content("one.json")["rows"]
    equal(page.names(), [row["name"] for row in report])
    equal(page.texts("td.samples"), [f'{row["samples"]:,}' for row in report])
    equal(page.texts(".figure"), [f'{row["percent"]:.2f}' for row in report])
    equal(page.texts("td.interval"),
          [f'{row["low"]:.2f}–{row["high"]:.2f}' for row in report])
    equal(page.texts("td.kernel"),
          [f'{100 * row["system"] / row["samples"]:.1f}' for row in report])
    # the line is drawn where the interval is, on the scale of the longest one
    scale = max(row["high"] for row in report)
    lines = page.run("return [...document.querySelectorAll('.chance')].map(line => "
                     "[parseFloat(line.style.left), parseFloat(line.style.width)])")
    for (left, width), row in zip(lines, report):
        assert abs(left - 100 * row["low"] / scale) < 0.1, (left, row)
        assert abs(width - 100 * (row["high"] - row["low"]) / scale) < 0.1, (width, row)


def check_sort(page):
    """A click on the title of a column sorts by it, a second one the other way round."""
    page.open("one")
    equal(page.names(), ["spin_much", "spin_less"])
    equal(page.find("th.share").get_attribute("aria-sort"), "descending")
    for selector, order, names in (
            ("th.name", "ascending", ["spin_less", "spin_much"]),
            ("th.name", "descending", ["spin_much", "spin_less"]),
            ("th.samples", "descending", ["spin_much", "spin_less"]),
            ("th.samples", "ascending", ["spin_less", "spin_much"])):
        page.find(f"#head {selector} button").click()
        equal(page.find(f"#head {selector}").get_attribute("aria-sort"), order)
        equal(page.find("#head th.share").get_attribute("aria-sort"), "none")
        equal(page.names(), names)


def check_search(page):
    """Typing selects rows by function and object; Esc shows all again."""
    page.open("one")
    page.find("body").send_keys("/")
    page.type("LESS spin")
    equal(page.names(), ["spin_less"])
    assert "1 of 2 functions, 2,000 samples" in page.find("#status").text, page.find("#status").text
    page.type("x")
    equal(page.names(), [])
    page.type(Keys.ESCAPE)
    equal(page.names(), ["spin_much", "spin_less"])
    equal(page.focus(), "spin_much")
    equal(page.find("#search").get_attribute("value"), "")


def check_flames(page):
    """Functions are below their callers; a click makes one as wide as the page."""
    def flames():
        return page.run("return [...document.querySelectorAll('.flame')].map(flame => ["
                        "flame.textContent, ...['left', 'width', 'top'].map(name =>"
                        "parseFloat(flame.style[name]))])")

    page.open("stacks")
    assert page.find("#stacks").is_displayed()
    names = [name for name, _, _, _ in flames()]
    # 2,000, 5,500 and 500 of 8,000 samples: each function has those of what it calls, too
    equal(sorted(names), ["spin_less", "spin_much", "spin_much"])
    widths = [100, 75, 6.25] if names[0] == "spin_less" else [100, 31.25, 25]
    for depth, (_, left, width, top) in enumerate(flames()):
        assert left == 0 and abs(width - widths[depth]) < 0.01, (width, widths)
        assert abs(top - 1.3 * depth) < 0.01, top
    page.browser.find_elements(By.CSS_SELECTOR, ".flame")[2].click()
    equal([width for _, _, width, _ in flames()], [100, 100, 100])
    page.browser.find_elements(By.CSS_SELECTOR, ".flame")[2].click()
    assert [width for _, _, width, _ in flames()] != [100, 100, 100]
    page.find("body").send_keys("/")
    page.type("LESS spin")
    equal(page.texts(".flame.found"), ["spin_less"])
    page.type(Keys.ESCAPE)
    equal(page.texts(".flame.found"), [])
    page.open("one")
    assert not page.find("#stacks").is_displayed()


def widths_of(page):
    """The functions of the graph, row by row, with their widths in percent."""
    return page.run("return [...document.querySelectorAll('.flame')].map(flame => [parseFloat("
                    "flame.style.top), parseFloat(flame.style.left), flame.textContent, "
                    "Math.round(100 * parseFloat(flame.style.width)) / 100]).sort("
                    "(a, b) => a[0] - b[0] || a[1] - b[1]).map(([top, left, ...rest]) => rest)")


def check_callers(page):
    """The graph from the other end, of a thread, upwards, and of one function; with the keyboard."""
    much, less = "spin_much", "spin_less"
    page.open("stacks")
    rows = widths_of(page)
    is_first = rows[0][0] == less
    page.find("#upwards").click()
    equal(widths_of(page), rows[::-1])
    page.find("#upwards").click()
    # of 8,000 samples, 2,000 are in spin_less
    page.choose("graph", "Functions with samples above their callers")
    equal(widths_of(page)[:2], [[much, 75], [less, 25]])
    page.choose("graph", "Functions below their callers")
    # 1,000 samples are of one thread
    page.choose("thread", "reader (7,000)")
    equal(widths_of(page)[1][1], 71.43 if is_first else 28.57)
    page.choose("thread", "all")
    equal(widths_of(page), rows)
    page.find("body").send_keys("/")
    page.type("LESS spin")
    equal(page.find("#matches").text, "100.00 % of the samples are in stacks with a match: 8,000"
          if is_first else "25.00 % of the samples are in stacks with a match: 2,000")
    page.type(Keys.ESCAPE)
    equal(page.find("#matches").text, "")
    # Tab stops at one function
    equal(page.run("return document.querySelectorAll('.flame[tabindex=\"0\"]').length"), 1)
    page.run("document.querySelector('.flame').focus()")
    page.type(Keys.ARROW_DOWN)
    page.type("c")
    if is_first:
        equal(widths_of(page), [[less, 100], [much, 100], [much, 8.33]])
    equal(page.find("#sandwich").text, "All functions")
    page.type(Keys.ESCAPE)
    equal(widths_of(page), rows)
    page.type(Keys.ARROW_DOWN)
    page.type(Keys.ARROW_DOWN)
    page.type(Keys.ENTER)
    equal([width for _, width in widths_of(page)], [100, 100, 100])
    page.find("#sandwich").click()
    equal(widths_of(page)[-1], [rows[-1][0], 100] if not is_first else [much, 8.33])
    page.find("#sandwich").click()
    equal(widths_of(page), rows)


def check_changed_stacks(page):
    """Colours tell which functions take less time, and of which chance explains the change."""
    page.open("twostacks")
    classes = page.run("return [...document.querySelectorAll('.flame')].map(one => one.className)")
    equal([classes[0], classes[-1]], ["flame better", "flame chance"])
    page.run("document.querySelector('.flame').focus()")
    # 8,000 and 6,010 samples at 1000 Hz
    text = page.find("#flame").text
    assert text.endswith("6,010 samples; −1.990 s, faster"), text


def check_keys(page):
    """The arrow keys move, Enter opens, Esc closes; Tab stops at one row."""
    page.open("clang")
    names = page.names()
    page.find("body").send_keys(Keys.ARROW_DOWN)
    equal(page.focus(), names[0])
    page.type(Keys.ARROW_DOWN)
    page.type(Keys.ARROW_DOWN)
    equal(page.focus(), names[2])
    page.type(Keys.ARROW_UP)
    equal(page.focus(), names[1])
    equal(page.run("return document.querySelectorAll('.opens[tabindex=\"0\"]').length"), 1)
    page.type(Keys.ENTER)
    equal(page.run("return document.activeElement.getAttribute('aria-expanded')"), "true")
    page.type(Keys.ESCAPE)
    equal(page.run("return document.activeElement.getAttribute('aria-expanded')"), "false")
    equal(page.texts(".code"), [])
    # beyond the rows that were made first, before the browser scrolls and makes more
    equal(page.run("""
        const rows = document.querySelectorAll(".opens");
        rows[rows.length - 1].focus();
        rows[rows.length - 1].dispatchEvent(
            new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
        return document.activeElement.closest(".row").dataset.index - rows.length;
        """), 0)


def check_code(page):
    """The lines and instructions of a function have its samples."""
    page.open("one")
    page.find(".opens").click()
    lines = page.texts(".listing tr:not(.gap) > :nth-child(2)")[1:]
    equal(sum(int(line.replace(",", "")) for line in lines if line), 6000)
    texts = page.texts(".listing .text")
    assert any("SPIN(spin_much)" in text for text in texts), texts
    page.run("[...document.querySelectorAll('.choice button')][1].focus()")
    page.type(Keys.SPACE)
    samples = page.texts(".listing tr:not(.gap, .source) > :nth-child(2)")[1:]
    equal(sum(int(one.replace(",", "")) for one in samples if one), 6000)
    texts = page.texts(".listing .text")
    assert any("mov" in text or "add" in text for text in texts), texts
    # Esc inside the code closes it, and goes back to its row
    page.type(Keys.ESCAPE)
    equal(page.focus(), "spin_much")
    equal(page.texts(".code"), [])


def check_filters(page):
    """The program and the thread select samples, and the intervals are of these."""
    page.open("one")
    page.choose("program", "second (1,000)")
    equal(page.names(), ["spin_much"])
    equal(page.texts("td.samples"), ["1,000"])
    equal(page.texts("td.kernel"), ["60.0"])
    equal(page.texts(".figure"), ["100.00"])
    # threads of other programs are not offered
    equal(page.texts("#thread option"), ["all", "writer (1,000)"])
    page.choose("program", "all")
    page.choose("thread", "reader (7,000)")
    equal(page.names(), ["spin_much", "spin_less"])
    equal(page.texts("td.samples"), ["5,000", "2,000"])


def check_rows(page):
    """The rows can be objects, programs and threads; a click on one selects its functions."""
    page.open("one")
    for kind, names in (("objects", ["spin"]), ("programs", ["first", "second"]),
                        ("threads", ["reader", "writer"])):
        page.choose("by", kind)
        equal(page.names(), names)
    page.browser.find_elements(By.CSS_SELECTOR, ".opens")[1].click()
    equal(page.names(), ["spin_much"])
    equal(page.texts("td.samples"), ["1,000"])
    equal(page.find("#by").get_attribute("value"), "function")


def check_changes(page):
    """The changes are those of the comparison, and the code of both sides is side by side."""
    page.open("two")
    diff = content("two.json")["functions"]

    def signed(value):
        return ("+" if value > 0 else "−" if value < 0 else "") + f"{abs(value):.3f}"

    equal(page.names(), [row["function"] for row in diff])
    equal(page.texts(".figure"),
          [signed(row["change"]) + ("*" if row["is_significant"] else "") for row in diff])
    equal(page.texts("td.interval"),
          [f'{signed(row["low"])} … {signed(row["high"])}' for row in diff])
    equal([row["is_significant"] for row in diff], [True, False])
    page.find("#certain").click()
    equal(page.names(), ["spin_much"])
    page.find(".opens").click()
    equal(page.texts(".side h2"), ["Old", "New"])
    left, right = [side.rect for side in page.browser.find_elements(By.CSS_SELECTOR, ".side")]
    equal(left["y"], right["y"])
    assert left["x"] + left["width"] <= right["x"], (left, right)
    for side, samples in (1, 6000), (2, 4000):
        lines = page.texts(f".side:nth-child({side}) .listing tr:not(.gap) > :nth-child(2)")
        equal(sum(int(line.replace(",", "")) for line in lines if line[:1].isdigit()), samples)


def check_moved(page):
    """A row has the code of all of its functions, whatever they and their file are called."""
    page.open("moved")
    assert page.find("#summary").text.endswith("spin-main is now spin-pr."), \
        page.find("#summary").text
    equal(sorted(page.names()), ["spin_less", "spin_much"])
    page.browser.find_elements(By.CSS_SELECTOR, ".opens")[page.names().index("spin_much")].click()
    for side, samples, tables in (1, 8000, 2), (2, 4000, 1):
        lines = page.texts(f".side:nth-child({side}) .listing tr:not(.gap) > :nth-child(2)")
        equal(sum(int(line.replace(",", "")) for line in lines if line[:1].isdigit()), samples)
        names = page.texts(f".side:nth-child({side}) > p")
        equal(names, ["spin_much.llvm.1", "spin_much.part.0"] if tables == 2 else [])


def check_inlined(page):
    """The line of a call has its own samples, and those of what is inlined there."""
    page.open("inlined")
    page.find(".opens").click()
    equal(page.texts(".listing th")[:5], ["%", "self", "with inlined", "line",
                                          DIRECTORY + "/inlined.c"])
    figures = {}
    for row in page.browser.find_elements(By.CSS_SELECTOR, ".listing tr"):
        cells = [cell.text for cell in row.find_elements(By.TAG_NAME, "td")]
        if len(cells) == 5:
            figures[cells[4].strip()] = [int(cell.replace(",", "") or 0) for cell in cells[1:3]]
    own, both = next(figures[text] for text in figures if "CALL" in text)
    inner = sum(figures[text][0] for text in figures if text[:8] in ("n ^= n >", "return n"))
    equal(both, own + inner)
    assert inner > own > 0, figures


def luminance(color):
    """By WCAG 2, of rgb(...)"""
    parts = [int(part) / 255 for part in color[color.index("(") + 1:-1].split(",")[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
                        for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def check_theme(page):
    """The theme is that of the system, until the button is pressed. Texts have a contrast of 4.5."""
    colors = "const s = getComputedStyle(document.querySelector(arguments[0])); " \
        "return getComputedStyle(document.body)[arguments[1]] && s[arguments[1]]"
    for dark in False, True:
        page.open("one", dark=dark)
        page.find(".opens").click()
        for toggled in False, True:
            if toggled:
                page.find("#theme").click()
            is_dark = dark != toggled
            paper = luminance(page.run(colors, "body", "backgroundColor"))
            assert (paper < 0.1) == is_dark, (dark, toggled, paper)
            equal(page.find("#theme").get_attribute("aria-pressed"), str(is_dark).lower())
            hottest = luminance(page.run(colors, ".h5", "backgroundColor"))
            for selector, below in (("#summary p", paper), ("#status", paper), (".opens", paper),
                                    (".h5 .text", hottest), (".h5 .place", hottest)):
                text = luminance(page.run(colors, selector, "color"))
                low, high = sorted((text, below))
                contrast = (high + 0.05) / (low + 0.05)
                assert contrast >= 4.5, (selector, is_dark, contrast)


def check_narrow(page):
    """At 400 pixels, nothing is outside, also with the longest names, and with code."""
    for name in "one", "two", "clang", "hostile":
        page.open(name, width=400)
        page.find(".opens").click()
        equal(page.run("return document.documentElement.scrollWidth"), 400)
        for selector in "#search", ".opens", ".figure", ".code":
            box = page.find(selector).rect
            assert box["x"] >= 0 and box["x"] + box["width"] <= 400, (name, selector, box)
        # the name has half of the width
        assert page.find(".opens").rect["width"] >= 180, page.find(".opens").rect


def check_names(page):
    """What is used by keyboard has a name, and so has what is read aloud."""
    for name in "one", "two":
        page.open(name)
        page.find(".opens").click()
        for element in page.browser.find_elements(
                By.CSS_SELECTOR, "button, input, select, [role=region], [role=group], table"):
            if element.is_displayed():
                assert element.accessible_name or element.tag_name == "table", \
                    element.get_attribute("outerHTML")[:200]
        equal(page.find("#table").accessible_name,
              {"one": "Profile", "two": "Changes by function"}[name])
        equal(page.find("html").get_attribute("lang"), "en")
        for head in page.browser.find_elements(By.CSS_SELECTOR, "#head th"):
            assert head.get_attribute("aria-sort") in ("none", "ascending", "descending")


def check_hostile(page):
    """Names run nothing, and are shown."""
    page.browser.get_log("browser")
    page.open("hostile")
    page.run("window.ran = []; window.run = (n) => window.ran.push(n)")
    for _ in range(2):
        names = page.names()
        page.browser.find_elements(By.CSS_SELECTOR, ".opens")[0].click()
        for button in page.browser.find_elements(By.CSS_SELECTOR, ".choice button"):
            button.click()
        page.browser.find_elements(By.CSS_SELECTOR, ".opens")[1].click()
    assert "</script><script>run(2)</script>" in names, names
    # ESC and U+202E are shown as their numbers, an invalid byte as U+FFFD
    assert "<!--<script>'`${run(3)}\\u001b\\u202e\ufffd" in names, names
    equal(page.texts("td.object"), ["<img src=x onerror=run(1)>&amp;.so"] * 2)
    page.browser.find_elements(By.CSS_SELECTOR, ".opens")[0].click()
    page.browser.find_elements(By.CSS_SELECTOR, ".opens")[1].click()
    texts = page.texts(".listing .text")
    assert any("<script>run(4)</script>" in text for text in texts), texts
    equal(page.run("return window.ran"), [])
    equal(page.run("return document.querySelectorAll('img, #rows script').length"), 0)
    equal(page.run("return document.scripts.length"), 2)
    # neither errors, nor refusals of the policy
    equal(page.browser.get_log("browser"), [])


def check_alone(page):
    """The page loads nothing, and may not."""
    page.open("one")
    equal(page.run("return performance.getEntriesByType('resource').length"), 0)
    equal(page.browser.execute_async_script(
        "const done = arguments[0]; "
        "fetch('data:,x').then(() => done('fetched'), () => done('refused'))"),
        "refused")
    page.run("const s = document.createElement('script'); s.textContent = 'window.ran = 1'; "
             "document.body.append(s)")
    equal(page.run("return window.ran"), None)


def check_size(page):
    for name in "clang", "clangs", "objects":
        size = os.path.getsize(os.path.join(DIRECTORY, f"{name}.html"))
        print(f"measured {name}: {size} bytes")
        assert size <= PAGE_BYTES, size


def check_first_screen(page):
    """CPU time of the page's thread, so that other programs do not matter"""
    browser = page.browser
    for name, functions in ("clang", "5,009 functions"), ("objects", "4,000 functions"):
        page.open("one")
        browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})

        def spent():
            metrics = browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
            return 1000 * next(one["value"] for one in metrics if one["name"] == "TaskDuration")

        before = spent()
        page.open(name)
        shown = page.find("#status").text
        assert shown.startswith(functions), shown
        took = spent() - before
        browser.execute_cdp_cmd("Performance.disable", {})
        print(f"measured {name}: {took:.0f} ms")
        assert 1 < took <= FIRST_SCREEN_MS, took


def start_browser():
    options = webdriver.ChromeOptions()
    # root has no sandbox
    for option in "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage":
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def main():
    browser = start_browser()
    try:
        for name, check in list(globals().items()):
            if not name.startswith("check_") or (
                    sys.argv[2:] and name[len("check_"):] not in sys.argv[2:]):
                continue
            print("check", name[len("check_"):])
            try:
                check(Page(browser))
                print("passed")
            except Exception:  # the others are checked, too
                traceback.print_exc(limit=-2, file=sys.stdout)
    finally:
        browser.quit()


main()
