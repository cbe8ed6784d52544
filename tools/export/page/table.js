// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table: its columns, their order, the rows that match the search, and the keys that move in
 * it. Rows are made a screen or two at a time: a browser takes seconds for thousands.
 */
const STEP = 150;

/* value: what the column is sorted by. cell: its contents. hides: on narrow screens */
const shareColumns = [
	{
		id: "share", title: "Share %", value: (row) => row.share, cell: shareCell,
	}, {
		id: "interval", title: "95 % interval", value: (row) => row.interval.low, hides: true,
		cell: (row) => percent(row.interval.low) + "–" + percent(row.interval.high),
	}, {
		id: "seconds", title: "Seconds", value: (row) => row.seconds, hides: true,
		cell: (row) => seconds(row.seconds, newest),
	}, {
		id: "samples", title: "Samples", value: (row) => row.samples, hides: true,
		cell: (row) => count(row.samples),
	}, {
		id: "kernel", title: "Kernel %", value: (row) => row.kernel,
		cell: (row) => (100 * row.kernel).toFixed(1),
	},
];

const changeColumns = [
	{
		id: "change", title: "Change s", value: (row) => Math.abs(row.change), cell: changeCell,
	}, {
		id: "interval", title: "95 % interval", value: (row) => row.low, hides: true,
		cell: (row) => signed(row.low, newest) + " … " + signed(row.high, newest),
	}, {
		id: "old", title: "Old s", value: (row) => row.old, hides: true,
		cell: (row) => seconds(row.old, sides[0]),
	}, {
		id: "new", title: "New s", value: (row) => row.new, hides: true,
		cell: (row) => seconds(row.new, newest),
	},
];

const nameColumns = [
	{ id: "name", title: "Function", value: (row) => row.name, isText: true, cell: nameCell },
	{
		id: "object", title: "Object", value: (row) => row.object, isText: true, hides: true,
		cell: (row) => shown(row.object),
	},
];

const columns = (isComparison ? changeColumns : shareColumns).concat(nameColumns);

const view = {
	rows: [],	/* all of them */
	visible: [],	/* those that match the search, sorted */
	made: 0,	/* number of these in the table */
	sort: columns[0],
	isDescending: true,
	scale: 1,	/* largest value that a bar has room for */
};

/* --- cells ----------------------------------------------------------------------- */

function shareCell(row) {
	const user = row.share * (1 - row.kernel) / view.scale;
	const bar = make("span", { className: "bar", "aria-hidden": "true" },
		barPart("user", 0, user),
		barPart("kernel", user, row.share / view.scale),
		barPart("chance", row.interval.low / view.scale, row.interval.high / view.scale));

	return make("span", { className: "measure" }, bar,
		make("span", { className: "figure" }, percent(row.share)));
}

/* The middle of the bar is no change. */
function changeCell(row) {
	const at = (value) => 0.5 + Math.max(Math.min(value / view.scale, 1), -1) / 2;
	const kind = row.isCertain ? (row.change > 0 ? "worse" : "better") : "uncertain";
	const bar = make("span", { className: "bar both", "aria-hidden": "true" },
		barPart(kind, at(Math.min(row.change, 0)), at(Math.max(row.change, 0))),
		barPart("chance", at(row.low), at(row.high)));
	const mark = row.isCertain ?
		[make("abbr", { className: "mark", title: "more than sampling error explains" }, "*")] : [];

	return make("span", { className: "measure" }, bar,
		make("span", { className: "figure" }, signed(row.change, newest), ...mark));
}

function nameCell(row) {
	const name = make("button", {
		className: "opens", type: "button", title: shown(row.name), "aria-expanded": "false",
	}, brief(row.name));

	name.tabIndex = -1;
	return row.object ? [name, make("span", { className: "where" }, shown(row.object))] : [name];
}

function makeRow(row, index) {
	const element = make("tr", { className: "row" });

	element.dataset.index = index;
	for (const column of columns) {
		const cell = make(column.id === "name" ? "th" : "td", {
			className: column.id + (column.hides ? " hides" : "") +
				(column.isText ? "" : " number"),
		});

		if (column.id === "name")
			cell.scope = "row";
		cell.append(...[column.cell(row)].flat());
		element.append(cell);
	}
	return element;
}

/* --- rows ------------------------------------------------------------------------ */

function addRows(number) {
	const until = Math.min(view.made + number, view.visible.length);
	const fragment = document.createDocumentFragment();

	for (; view.made < until; view.made++)
		fragment.append(makeRow(view.visible[view.made], view.made));
	byId("rows").append(fragment);
	byId("more").hidden = view.made === view.visible.length;
}

function matches(row, words) {
	const text = (row.name + " " + row.object).toLowerCase();

	return words.every((word) => text.includes(word));
}

function compareRows(a, b) {
	const x = view.sort.value(a), y = view.sort.value(b);

	if (x === y)
		return a.order - b.order;
	return (x < y) === view.isDescending ? 1 : -1;
}

/* Shows the rows that match the search, and the controls. */
function refresh() {
	const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
	const onlyCertain = isComparison && byId("certain").checked;

	view.visible = view.rows.filter((row) =>
		matches(row, words) && (row.isCertain || !onlyCertain)).sort(compareRows);
	view.made = 0;
	byId("rows").replaceChildren();
	addRows(STEP);
	setStop(0);
	byId("status").textContent = describe();
}

function describe() {
	const all = view.rows.length, some = view.visible.length;
	const kind = byId("by").value || "function";
	const what = count(some) + (some === all ? "" : " of " + count(all)) + " " + kind +
		(all === 1 ? "" : "s");

	if (isComparison) {
		const certain = view.visible.filter((row) => row.isCertain).length;

		return what + ", " + count(certain) + " changed by more than sampling error explains";
	}
	const samples = view.visible.reduce((sum, row) => sum + row.samples, 0);

	return what + ", " + count(samples) + " samples, " +
		seconds(samples / newest.rate, newest) + " s";
}

/* Takes new rows: they are in the order of their figures already, which breaks ties. */
function setRows(rows) {
	view.rows = rows;
	rows.sort((a, b) => isComparison ? Math.abs(b.change) - Math.abs(a.change) :
		b.samples - a.samples);
	rows.forEach((row, order) => { row.order = order; });
	view.scale = rows.reduce((most, row) => Math.max(most, isComparison ?
		Math.max(Math.abs(row.low), Math.abs(row.high)) : row.interval.high), 1e-9);
	refresh();
}

/* --- head ------------------------------------------------------------------------ */

function showSort() {
	for (const head of byId("head").children) {
		const isSorted = head.dataset.id === view.sort.id;

		head.setAttribute("aria-sort", !isSorted ? "none" :
			view.isDescending ? "descending" : "ascending");
	}
}

/* Figures start with the largest one, texts with the first one. */
function sortBy(column) {
	view.isDescending = column === view.sort ? !view.isDescending : !column.isText;
	view.sort = column;
	showSort();
	refresh();
}

function makeHead() {
	for (const column of columns) {
		const button = make("button", { type: "button" }, column.title);
		const head = make("th", {
			scope: "col", className: column.id + (column.hides ? " hides" : "") +
				(column.isText ? "" : " number"),
		}, button);

		head.dataset.id = column.id;
		button.addEventListener("click", () => sortBy(column));
		byId("head").append(head);
	}
	showSort();
}

/* --- keys ------------------------------------------------------------------------ */

/* The Tab key stops at one row only; the arrow keys move this stop. Returns its button. */
function setStop(index) {
	const before = byId("rows").querySelector('.opens[tabindex="0"]');

	if (index >= view.made)
		addRows(index - view.made + STEP);
	const row = byId("rows").querySelector('.row[data-index="' + index + '"]');

	if (!row)
		return null;
	if (before)
		before.tabIndex = -1;
	const button = row.querySelector(".opens");

	button.tabIndex = 0;
	return button;
}

function focusRow(index) {
	const button = setStop(Math.max(Math.min(index, view.visible.length - 1), 0));

	if (button)
		button.focus();
}

function indexOf(element) {
	return Number(element.closest(".row").dataset.index);
}
