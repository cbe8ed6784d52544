// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source and the instructions of a function, below its row. Of a comparison, those of both
 * sides are beside each other.
 */
const HEATS = 5;	/* classes h1 to h5 in page.css */

/* A class for the part of the most samples that a line has */
function heat(samples, most) {
	return samples ? "h" + Math.max(1, Math.ceil(HEATS * samples / most)) : "";
}

/* @all: with the samples of what is inlined there; undefined: without such a column */
function codeRow(side, samples, most, place, text, all) {
	const figures = [samples ? percent(samples / side.samples) : "",
		...[samples].concat(all === undefined ? [] : [all])
			.map((number) => number ? count(number) : "")];

	return make("tr", { className: heat(all || samples, most) },
		...figures.map((figure) => make("td", { className: "number" }, figure)),
		make("td", { className: "number place" }, place),
		make("td", { className: "text" }, text));
}

function gapRow(columns) {
	return make("tr", { className: "gap" }, make("td", { colSpan: columns }, "⋯"));
}

/* @whose: of which side and function, as regions must have different names */
function codeTable(whose, label, titles, rows) {
	const head = make("tr", {}, ...titles.map((title) =>
		make("th", { scope: "col", className: "number" }, title)),
		make("th", { scope: "col" }, label));
	const table = make("table", { className: "listing" }, make("thead", {}, head),
		make("tbody", {}, ...rows));

	return make("div", {
		className: "scrolls", role: "region", tabIndex: 0, "aria-label": whose + label,
	}, table);
}

/* A line has its number, its samples, its text, and those with what is inlined there, if others. */
function makeSource(side, code, whose) {
	const lines = code.files.flatMap((file) => file.lines);
	const allOf = (line) => line.length > 3 ? line[3] : line[1];
	const most = Math.max(...lines.map(allOf));
	const hasInlined = lines.some((line) => line.length > 3);
	const titles = hasInlined ? ["%", "self", "with inlined", "line"] :
		["%", "samples", "line"];
	const parts = code.files.map((file) => {
		const rows = [];
		let next = 0;

		for (const line of file.lines) {
			const [number, samples, text] = line;

			if (next && number !== next)
				rows.push(gapRow(titles.length + 1));
			rows.push(codeRow(side, samples, most, number || "?", text === null ?
				(number ? "(no source text)" : "(no line)") : shown(text),
				hasInlined ? allOf(line) : undefined));
			next = number + 1;
		}
		return codeTable(whose, shown(file.path), titles, rows);
	});

	if (code.lineless)
		parts.push(make("p", {}, count(code.lineless) + " samples have no known line."));
	return parts;
}

function makeInstructions(side, code, whose) {
	const listed = code.instructions.filter(Boolean);
	const most = Math.max(...listed.map((one) => one[1]));
	const rows = [];

	for (const one of code.instructions) {
		if (!one) {
			rows.push(gapRow(4));
			continue;
		}
		const [address, samples, text, place] = one;

		if (place)
			rows.push(make("tr", { className: "source" }, make("td", { colSpan: 3 }),
				make("td", {}, shown(place))));
		rows.push(codeRow(side, samples, most, address, shown(text)));
	}
	const parts = [codeTable(whose, "instruction", ["%", "samples", "address"], rows)];

	if (code.problem)
		parts.unshift(make("p", {}, "No instructions: " + shown(code.problem) + "."));
	return parts;
}

const missing = "The page has the code of functions with at least 0.5 % of the samples. " +
	"Of others, `profil report --annotate NAME` prints it.";

/* Fills @panel with the source or the instructions of a side. */
function fillSide(panel, side, codes, wantsSource) {
	const which = !isComparison ? "" : side === newest ? "New" : "Old";

	panel.replaceChildren();
	if (isComparison)
		panel.append(make("h2", {}, which));
	if (!codes.length)
		panel.append(make("p", {}, missing));
	for (const code of codes) {
		const name = side.functions[code.function][0];

		/* such as copies and parts */
		if (codes.length > 1)
			panel.append(make("p", {}, brief(name)));
		panel.append(...(wantsSource ? makeSource : makeInstructions)(
			side, code, which + " " + brief(name) + ": "));
	}
}

function hasSource(code) {
	return code.files.length > 0;
}

function hasText(code) {
	return hasSource(code) &&
		code.files.some((file) => file.lines.some((line) => line[2] !== null));
}

/* Makes the code of a row, with buttons for its two forms. */
function makeCode(row) {
	const codes = sides.map((side) => findCodes(side, row));
	const panels = sides.map(() => make("div", { className: "side" }));
	const names = ["Source", "Instructions"];
	const buttons = names.map((name) => make("button", { type: "button" }, name));
	const choose = (chosen) => {
		buttons.forEach((button, i) => button.setAttribute("aria-pressed", i === chosen));
		sides.forEach((side, i) => fillSide(panels[i], side, codes[i], chosen === 0));
	};

	buttons.forEach((button, i) => button.addEventListener("click", () => choose(i)));
	choose(codes.flat().some(hasText) ? 0 : 1);
	const choice = make("div", { className: "choice", role: "group", "aria-label": "Form" },
		...buttons);

	buttons[0].disabled = !codes.flat().some(hasSource);
	return [
		make("p", { className: "full" }, shown(row.name)),
		...(codes.flat().length ? [choice] : []),
		make("div", { className: "sides" }, ...panels),
	];
}

function closeCode(row) {
	if (row.nextSibling && row.nextSibling.className === "code")
		row.nextSibling.remove();
	row.querySelector(".opens").setAttribute("aria-expanded", "false");
}

/* A cell over more columns than are shown would make further ones. */
function spanCode() {
	const nr = [...byId("head").children].filter((head) => head.offsetParent).length;

	for (const cell of byId("rows").querySelectorAll(".code > td"))
		cell.colSpan = nr;
}

/* Opens or closes the code of a function. Rows of another kind become a filter (start.js). */
function toggleCode(row) {
	const name = row.querySelector(".opens");

	if (name.getAttribute("aria-expanded") === "true") {
		closeCode(row);
		return;
	}
	const cell = make("td", {}, ...makeCode(view.visible[indexOf(row)]));

	name.setAttribute("aria-expanded", "true");
	row.after(make("tr", { className: "code" }, cell));
	spanCode();
}
