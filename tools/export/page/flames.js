// SPDX-License-Identifier: GPL-2.0-only
/*
 * The flame graph of call stacks: each function is below its caller, and as wide as its share of
 * the samples. A click makes one as wide as the page, and those above it, too.
 */
const flames = newest.flames;
const LEAST_WIDTH = 0.0005;	/* of the page */
let zoomed = -1;		/* index of a node; -1: all */
let refreshFlames = () => {};

/* Lists the callees of each node, most samples first; those of -1 are the first functions. */
function listCallees() {
	const callees = new Map([[-1, []]]);

	flames.nodes.forEach(([caller], index) => {
		callees.set(index, []);
		callees.get(caller).push(index);
	});
	for (const list of callees.values())
		list.sort((a, b) => flames.nodes[b][2] - flames.nodes[a][2]);
	return callees;
}

function nameOf(node) {
	return flames.names[flames.nodes[node][1]];
}

function describeFlame(node) {
	const samples = flames.nodes[node][2], range = interval(samples, newest.samples);
	const percent = (share) => (100 * share).toFixed(2);

	return shown(nameOf(node)) + ": " + percent(samples / newest.samples) + " % (" +
		percent(range.low) + " … " + percent(range.high) + "), " + count(samples) +
		" samples";
}

/* The same function has the same colour everywhere. */
function colourOf(name) {
	let hash = 0;

	for (let i = 0; i < name.length; i++)
		hash = (hash * 31 + name.charCodeAt(i)) % 3600;
	return "hsl(" + (hash % 60) + " 85% " + (62 + hash % 16) + "%)";
}

function makeFlame(node, left, width, depth, wanted) {
	const name = nameOf(node);
	const isFound = wanted.length && wanted.every((word) => name.toLowerCase().includes(word));
	const flame = make("button", {
		className: isFound ? "flame found" : "flame", type: "button",
		"aria-label": describeFlame(node), "data-node": String(node),
	}, width > 0.02 ? brief(name) : "");

	flame.style.left = 100 * left + "%";
	flame.style.width = 100 * width + "%";
	flame.style.top = 1.3 * depth + "rem";
	if (!isFound)
		flame.style.background = colourOf(name);
	return flame;
}

function drawFlames(callees) {
	const box = byId("flames"), made = [], wanted = byId("search").value.toLowerCase()
		.split(/\s+/).filter((word) => word);
	const callers = [], waiting = [];
	let deepest = 0;

	for (let at = zoomed; at >= 0; at = flames.nodes[at][0])
		callers.unshift(at);
	callers.forEach((node, depth) => made.push(makeFlame(node, 0, 1, depth, wanted)));
	waiting.push([zoomed, 0, 1, callers.length]);
	while (waiting.length) {
		const [node, start, width, depth] = waiting.pop();
		const all = node < 0 ? newest.samples : flames.nodes[node][2];
		let left = start;

		for (const callee of callees.get(node)) {
			const share = width * flames.nodes[callee][2] / all;

			if (share < LEAST_WIDTH)
				break;
			made.push(makeFlame(callee, left, share, depth, wanted));
			waiting.push([callee, left, share, depth + 1]);
			deepest = Math.max(deepest, depth);
			left += share;
		}
	}
	box.replaceChildren(...made);
	box.style.height = 1.3 * (Math.max(deepest, callers.length) + 1) + "rem";
}

function startFlames() {
	if (!flames)
		return;
	const callees = listCallees(), box = byId("flames");
	const describe = (event) => {
		const flame = event.target.closest(".flame");

		byId("flame").textContent = flame ? describeFlame(Number(flame.dataset.node)) :
			"A click on a function shows what is below it, another one shows all.";
	};

	byId("stacks").hidden = false;
	box.addEventListener("click", (event) => {
		const flame = event.target.closest(".flame");

		if (!flame)
			return;
		zoomed = Number(flame.dataset.node) === zoomed ? -1 : Number(flame.dataset.node);
		refreshFlames();
	});
	box.addEventListener("mouseover", describe);
	box.addEventListener("focusin", describe);
	refreshFlames = () => drawFlames(callees);
	byId("search").addEventListener("input", refreshFlames);
	describe({ target: box });
	refreshFlames();
}
