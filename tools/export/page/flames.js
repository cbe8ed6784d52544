// SPDX-License-Identifier: GPL-2.0-only
/*
 * The graph of call stacks: each function is as wide as its share of the samples, next to its
 * caller and to what it calls. A click makes one as wide as the page. Of a comparison, the widths
 * are those of the new side, and the colours show which changes chance does not explain.
 */
const LEAST_WIDTH = 0.5;	/* pixels */
const ROW = 1.3;		/* rem */

/*
 * up and down: the trees that are drawn, of callers and of callees; zoomed: a node of one of them;
 * chosen: the number of the function whose callers and callees are shown; null: none, all
 */
const graph = { up: null, down: null, zoomed: null, chosen: null, boxes: [] };
let refreshFlames = () => {};

/* Functions with the same name have the same number on both sides. */
function numberOldNames() {
	const names = newest.flames.names, { nodes, names: old } = sides[0].flames;
	const numbers = new Map(names.map((name, number) => [name, number]));

	for (const fields of nodes) {
		const name = old[fields[1]];

		if (!numbers.has(name))
			numbers.set(name, names.push(name) - 1);
		fields[1] = numbers.get(name);
	}
}

/* Calls @visit with the functions of each selected stack, the first one first, and its samples. */
function eachStack(side, visit) {
	const program = Number(byId("program").value), thread = Number(byId("thread").value);
	const isSelected = (group) => isComparison ||
		((program === ALL || programOf(group) === program) &&
		 (thread === ALL || threadOf(group) === thread));
	const nodes = side.flames.nodes;

	for (const fields of nodes) {
		const path = [];
		let own = 0;

		if (fields[2])
			eachGroup(fields, (group, samples) => own += isSelected(group) ? samples : 0);
		for (let at = fields; own && at; at = nodes[at[0]])
			path.push(at[1]);
		if (own)
			visit(path.reverse(), own);
	}
}

function makeNode(name, above) {
	return { name, above, samples: 0, old: 0, below: new Map() };
}

/* Adds samples to all nodes of a path. @key: samples or old */
function addPath(root, path, samples, key) {
	let node = root;

	node[key] += samples;
	for (const name of path) {
		if (!node.below.has(name))
			node.below.set(name, makeNode(name, node));
		node = node.below.get(name);
		node[key] += samples;
	}
}

/* The outermost call of the chosen function counts, so each stack counts once. */
function addStack(path, samples, key) {
	const at = path.indexOf(graph.chosen);

	if (graph.chosen === null) {
		addPath(graph.down, byId("graph").value === "callers" ? [...path].reverse() : path,
			samples, key);
	} else if (at >= 0) {
		addPath(graph.down, path.slice(at), samples, key);
		addPath(graph.up, path.slice(0, at).reverse(), samples, key);
	}
}

function makeTrees() {
	graph.up = makeNode();
	graph.down = makeNode();
	graph.zoomed = null;
	graph.all = 0;
	eachStack(newest, (path, samples) => {
		graph.all += samples;
		addStack(path, samples, "samples");
	});
	if (isComparison)
		eachStack(sides[0], (path, samples) => addStack(path, samples, "old"));
}

/* --- one function ---------------------------------------------------------------- */

function nameOf(node) {
	return newest.flames.names[node.name];
}

/* The change in seconds, and whether it is more than sampling explains. */
function changeOf(node) {
	const old = sides[0];
	const seconds = node.samples / newest.rate - node.old / old.rate;
	const error = Z * Math.hypot(Math.sqrt(node.samples) / newest.rate,
				     Math.sqrt(node.old) / old.rate);

	return {
		seconds,
		kind: Math.abs(seconds) <= error ? "chance" : seconds > 0 ? "worse" : "better",
	};
}

function describeFlame(node) {
	const range = interval(node.samples, graph.all), change = changeOf(node);
	const ofChange = { chance: "no change beyond chance", worse: "slower", better: "faster" };

	return shown(nameOf(node)) + ": " + percent(node.samples / graph.all) + " % (" +
		percent(range.low) + " … " + percent(range.high) + "), " + count(node.samples) +
		" samples" + (isComparison ? "; " + signed(change.seconds, newest) + " s, " +
			      ofChange[change.kind] : "");
}

/* The same function has the same colour everywhere. */
function colourOf(name) {
	let hash = 0;

	for (let i = 0; i < name.length; i++)
		hash = (hash * 31 + name.charCodeAt(i)) % 3600;
	return "hsl(" + (hash % 60) + " 85% " + (62 + hash % 16) + "%)";
}

/* --- all of them ----------------------------------------------------------------- */

/* Lists the boxes of a tree: its nodes that are wide enough, below each other from level 0 on. */
function layOut(root) {
	const boxes = [], above = [], least = LEAST_WIDTH / byId("flames").clientWidth;
	let at = graph.zoomed;

	for (; at && at !== root; at = at.above)
		above.unshift(at);
	if (!at)
		above.length = 0;
	above.forEach((node, level) => boxes.push({ node, left: 0, width: 1, level }));
	const waiting = [[above.length ? graph.zoomed : root, 0, 1, above.length]];

	while (waiting.length) {
		const [node, start, width, level] = waiting.pop();
		let left = start;

		for (const below of [...node.below.values()].sort((a, b) => b.samples - a.samples)) {
			const share = width * below.samples / node.samples;

			if (!(share >= least))
				break;
			boxes.push({ node: below, left, width: share, level });
			waiting.push([below, left, share, level + 1]);
			left += share;
		}
	}
	return boxes;
}

function makeFlame(box, isFound) {
	const name = nameOf(box.node);

	box.flame = make("button", {
		className: "flame " + (isFound ? "found" :
				       isComparison ? changeOf(box.node).kind : ""),
		type: "button", tabIndex: -1, "aria-label": shown(name),
	}, box.width > 0.02 ? brief(name) : "");
	box.flame.style.left = 100 * box.left + "%";
	box.flame.style.width = 100 * box.width + "%";
	box.flame.style.top = ROW * box.row + "rem";
	if (!isFound && !isComparison)
		box.flame.style.background = colourOf(name);
	return box.flame;
}

/* Lists the functions that the search finds, and says how many samples are in stacks with one. */
function findFlames() {
	const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
	const found = new Set();
	let samples = 0;

	if (words.length)
		newest.flames.names.forEach((name, number) => {
			if (words.every((word) => name.toLowerCase().includes(word)))
				found.add(number);
		});
	eachStack(newest, (path, own) => samples += path.some((name) => found.has(name)) ? own : 0);
	byId("matches").textContent = words.length ? percent(samples / (graph.all || 1)) +
		" % of the samples are in stacks with a match: " + count(samples) : "";
	return found;
}

function drawFlames() {
	const up = graph.chosen === null ? [] : layOut(graph.up), down = layOut(graph.down);
	const height = (boxes) => boxes.reduce((most, box) => Math.max(most, box.level + 1), 0);
	const above = height(up), rows = above + height(down), found = findFlames();
	const focused = graph.boxes.find((box) => box.flame === document.activeElement);

	for (const box of up)
		box.row = above - 1 - box.level;
	for (const box of down)
		box.row = above + box.level;
	graph.boxes = [...up, ...down];
	if (byId("upwards").checked)
		for (const box of graph.boxes)
			box.row = rows - 1 - box.row;
	byId("flames").replaceChildren(
		...graph.boxes.map((box) => makeFlame(box, found.has(box.node.name))));
	byId("flames").style.height = ROW * rows + "rem";
	if (graph.boxes.length)
		graph.boxes[0].flame.tabIndex = 0;
	if (focused)
		(graph.boxes.find((box) => box.node === focused.node) || graph.boxes[0]).flame.focus();
}

/* Shows the callers and callees of a function, or all again. */
function choose(name) {
	graph.chosen = name;
	byId("graph").disabled = name !== null;
	makeTrees();
	drawFlames();
	showChoice();
}

function showChoice() {
	const button = byId("sandwich"), name = graph.chosen !== null ? graph.chosen :
		graph.zoomed ? graph.zoomed.name : null;

	button.hidden = name === null;
	button.textContent = graph.chosen !== null ? "All functions" :
		name === null ? "" : "Callers and callees of " + brief(newest.flames.names[name]);
}

function zoom(node) {
	graph.zoomed = graph.zoomed === node ? null : node;
	drawFlames();
	showChoice();
}

/* Moves the focus to a neighbour: the widest of those in the next row, or the next one of the row. */
function moveFocus(at, key) {
	const step = { ArrowUp: -1, ArrowDown: 1 }[key] || 0;
	const before = key === "ArrowLeft";
	const isNext = (box) => step ?
		box.left < at.left + at.width && at.left < box.left + box.width :
		box !== at && (box.left < at.left) === before;
	const row = graph.boxes.filter((box) => box.row === at.row + step && isNext(box));
	const to = row.sort((a, b) => step ? b.width - a.width :
			    before ? b.left - a.left : a.left - b.left)[0];

	if (to)
		to.flame.focus();
}

function onFlameKey(event) {
	const at = graph.boxes.find((box) => box.flame === event.target);

	if (!at || event.ctrlKey || event.altKey || event.metaKey)
		return;
	if (event.key.startsWith("Arrow"))
		moveFocus(at, event.key);
	else if (event.key === "c")
		choose(graph.chosen === null ? at.node.name : null);
	else if (event.key === "Escape" && graph.zoomed)
		zoom(graph.zoomed);
	else if (event.key === "Escape" && graph.chosen !== null)
		choose(null);
	else
		return;
	event.preventDefault();
	event.stopPropagation();
}

function startFlames() {
	const area = byId("flames");
	const boxOf = (event) => graph.boxes.find((box) => box.flame === event.target);
	const describe = (event) => {
		const box = boxOf(event);

		byId("flame").textContent = box ? describeFlame(box.node) :
			"A click on a function makes it as wide as the page, another one shows all.";
	};

	if (!sides.every((side) => side.flames))
		return;
	if (isComparison)
		numberOldNames();
	byId("stacks").hidden = false;
	area.addEventListener("click", (event) => boxOf(event) && zoom(boxOf(event).node));
	area.addEventListener("mouseover", describe);
	area.addEventListener("focusin", describe);
	area.addEventListener("keydown", onFlameKey);
	byId("sandwich").addEventListener("click", () =>
		choose(graph.chosen === null ? graph.zoomed.name : null));
	for (const id of ["graph", "program", "thread"])
		byId(id).addEventListener("change", () => choose(graph.chosen));
	byId("upwards").addEventListener("change", drawFlames);
	refreshFlames = drawFlames;
	byId("search").addEventListener("input", refreshFlames);
	describe({});
	choose(null);
}
