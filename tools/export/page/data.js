// SPDX-License-Identifier: GPL-2.0-only
/*
 * The data of the page (export_html.c), and the figures that are computed from it. A side is a
 * result; if there are two, they are old and new.
 */
const data = JSON.parse(document.getElementById("data").textContent);
const sides = data.sides;
const newest = sides[sides.length - 1];
const isComparison = sides.length > 1;

/* Names are in one list. */
for (const side of sides)
	for (const fields of side.functions)
		fields[0] = data.names[fields[0]];

const ALL = -1;		/* of a filter */
const Z = 1.959963984540054;	/* 95 % of a normal distribution are within so many deviations */

/* Wilson's interval of a share, as in tools/profile/confidence.c */
function interval(samples, all) {
	if (!all)
		return { low: 0, high: 1 };
	const p = samples / all;
	const middle = (p + Z * Z / (2 * all)) / (1 + Z * Z / all);
	const half = Z / (1 + Z * Z / all) *
		Math.sqrt(p * (1 - p) / all + Z * Z / (4 * all * all));

	return {
		low: samples ? Math.max(middle - half, 0) : 0,
		high: samples < all ? Math.min(middle + half, 1) : 1,
	};
}

function objectName(side, index) {
	return index < 0 ? "" : side.objects[index];
}

/* Calls @visit with the group, the samples and those in the kernel of each group of a function. */
function eachGroup(fields, visit) {
	if (fields.length === 5) {
		visit(fields[4], fields[2], fields[3]);
		return;
	}
	for (let i = 4; i < fields.length; i += 3)
		visit(fields[i], fields[i + 1], fields[i + 2]);
}

function programOf(group) {
	return Math.floor(group / newest.threads.length);
}

function threadOf(group) {
	return group % newest.threads.length;
}

/* What the rows are, and the name of such a row */
const kinds = {
	function: null,
	object: (fields) => objectName(newest, fields[1]) || fields[0],
	program: (fields, group) => newest.programs[programOf(group)],
	thread: (fields, group) => newest.threads[threadOf(group)],
};

/* Makes the rows of the selected samples. A function is a row, or belongs to one. */
function makeRows(kind, program, thread) {
	const rows = [], byName = new Map();
	let all = 0;

	newest.functions.forEach((fields, index) => {
		let own = null;

		eachGroup(fields, (group, samples, system) => {
			if ((program !== ALL && programOf(group) !== program) ||
			    (thread !== ALL && threadOf(group) !== thread))
				return;
			const name = kinds[kind] ? kinds[kind](fields, group) : fields[0];
			let row = kinds[kind] ? byName.get(name) : own;

			if (!row) {
				row = { name, object: "", index: -1, samples: 0, system: 0 };
				if (!kinds[kind]) {
					row.object = objectName(newest, fields[1]);
					row.index = index;
					own = row;
				}
				byName.set(name, row);
				rows.push(row);
			}
			row.samples += samples;
			row.system += system;
			all += samples;
		});
	});
	for (const row of rows) {
		row.share = all ? row.samples / all : 0;
		row.kernel = row.system / row.samples;
		row.interval = interval(row.samples, all);
		row.seconds = row.samples / newest.rate;
	}
	return { rows, all };
}

/* The change of all functions together is the first one. */
function makeChange(fields, index) {
	return {
		index, name: data.names[fields[0]], object: data.names[fields[1]],
		old: fields[4], new: fields[5], change: fields[5] - fields[4],
		low: fields[6], high: fields[7], isCertain: Boolean(fields[8]),
	};
}

/* Counts the samples of each program or thread, of those that @isCounted tells. */
function countGroups(nr, indexOf, isCounted) {
	const samples = new Array(nr).fill(0);

	for (const fields of newest.functions)
		eachGroup(fields, (group, some) => {
			if (isCounted(group))
				samples[indexOf(group)] += some;
		});
	return samples;
}

/* Finds the code of a row in a side: of a comparison, perhaps of several functions. */
function findCodes(side, row) {
	return side.code.filter((code) => code.row === row.index);
}
