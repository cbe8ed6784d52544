// SPDX-License-Identifier: GPL-2.0-only
/*
 * Elements and texts. Names become text nodes only, never markup.
 */
function byId(id) {
	return document.getElementById(id);
}

/* Makes an element. Names of attributes have a "-", or are "role"; others are properties. */
function make(tag, properties, ...children) {
	const element = document.createElement(tag);

	for (const [name, value] of Object.entries(properties || {})) {
		if (name.includes("-") || name === "role")
			element.setAttribute(name, value);
		else
			element[name] = value;
	}
	element.append(...children);
	return element;
}

/* Control characters, and those that change the direction of text, are shown as their numbers. */
function shown(text) {
	return text.replace(
		/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
		(c) => "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"));
}

const BRIEF = 48;	/* characters of a name that need not be shortened */

/* Replaces what is in brackets. */
function foldBrackets(name, open, close) {
	let result = "", depth = 0;

	for (let i = 0; i < name.length; i++) {
		const c = name[i];

		/* "operator<" and "->" are no brackets */
		if (c === open && !/operator<?$/.test(result)) {
			if (depth++ === 0)
				result += open + "…";
		} else if (c === close && depth && name[i - 1] !== "-") {
			if (--depth === 0)
				result += close;
		} else if (!depth) {
			result += c;
		}
	}
	return depth ? name : result;
}

/* Shortens a long C++ name as `profil report` does: parameters first, then template arguments */
function brief(name) {
	let text = shown(name);

	if (text.length > BRIEF)
		text = foldBrackets(text, "(", ")");
	if (text.length > BRIEF)
		text = foldBrackets(text, "<", ">");
	return text;
}

const percent = (share) => (100 * share).toFixed(2);
const count = (number) => number.toLocaleString("en");
const decimals = (side) => side.rate > 1000 ? 4 : side.rate > 100 ? 3 : 2;

function seconds(value, side) {
	return value.toFixed(decimals(side));
}

function signed(value, side) {
	return (value > 0 ? "+" : value < 0 ? "−" : "") + seconds(Math.abs(value), side);
}

/* A part of a bar, from and to in 0 to 1 */
function barPart(name, from, to) {
	const part = make("span", { className: name });

	part.style.left = 100 * from + "%";
	part.style.width = 100 * Math.max(to - from, 0) + "%";
	return part;
}
