// SPDX-License-Identifier: GPL-2.0-only
/*
 * The head of the page, its controls, and what keys and clicks do.
 */
function describeSide(side, name) {
	const spent = seconds(side.samples / side.rate, side);
	const kernel = seconds(side.system / side.rate, side);
	const user = seconds((side.samples - side.system) / side.rate, side);
	const command = make("p", {}, ...(name ? [make("strong", {}, name), " "] : []),
		make("code", {}, shown(side.command)));
	const figures = make("p", {}, count(side.samples) + " samples at " + side.rate + " Hz = " +
		spent + " s of CPU time: " + user + " s user, " + kernel + " s kernel. " +
		shown(side.host) + ", Linux " + shown(side.kernel) + ", " + side.start + ".");

	if (side.lost)
		figures.append(" " + count(side.lost) + " samples were lost.");
	return make("div", {}, command, figures);
}

function describeChange() {
	const all = makeChange(data.changes[0], 0);

	return make("p", {}, make("strong", {}, "All together: "),
		signed(all.change, newest) + " s (" + signed(all.low, newest) + " … " +
		signed(all.high, newest) + ")" +
		(all.isCertain ? ", more than" : ", which") + " sampling error explains. Two runs of " +
		"one program may differ by more: compare several (profil diff OLD... -- NEW...).",
		...data.renamed.map((name, i) => i % 2 ? "" :
			" " + shown(name) + " is now " + shown(data.renamed[i + 1]) + "."));
}

function makeSummary() {
	const title = shown(newest.name) + (isComparison ? ": old and new" : "");

	document.title = title + " – profil";
	byId("title").textContent = title;
	byId("summary").append(...sides.map((side) => describeSide(side, !isComparison ? "" :
		side === newest ? "New" : "Old")));
	if (isComparison)
		byId("summary").append(describeChange());
	byId("caption").textContent = isComparison ? "Changes by function" : "Profile";
	byId("legend").append(...(isComparison ? [
		make("i", { className: "key worse" }), " slower, ",
		make("i", { className: "key better" }), " faster, ",
		make("i", { className: "key uncertain" }), " sampling error explains it. ",
		"The line is the 95 % interval of the change.",
	] : [
		make("i", { className: "key user" }), " user mode, ", make("i", { className: "key kernel" }),
		" kernel. The line is the 95 % interval of the share.",
	]));
}

/* --- filters --------------------------------------------------------------------- */

/* Fills a list with all, and what has samples, most first. Keeps what is chosen, if it is there. */
function fillFilter(id, names, samples) {
	const select = byId(id), chosen = select.value;
	const order = [...names.keys()].filter((i) => samples[i])
		.sort((a, b) => samples[b] - samples[a]);
	const option = (value, text) => make("option", { value }, text);

	select.replaceChildren(option(ALL, "all"), ...order.map((i) =>
		option(i, shown(names[i]) + " (" + count(samples[i]) + ")")));
	select.value = order.includes(Number(chosen)) ? chosen : ALL;
	byId(id + "-label").hidden = isComparison || names.length < 2;
}

function applyFilters() {
	const program = Number(byId("program").value);

	fillFilter("thread", newest.threads, countGroups(newest.threads.length, threadOf,
		(group) => program === ALL || programOf(group) === program));
	const { rows } = makeRows(byId("by").value, program, Number(byId("thread").value));

	byId("head").querySelector('[data-id="name"] button').textContent =
		byId("by").value[0].toUpperCase() + byId("by").value.slice(1);
	setRows(rows);
}

/* A row of another kind selects its functions. */
function selectRow(row) {
	const kind = byId("by").value;

	byId("by").value = "function";
	if (kind === "object")
		byId("search").value = row.name;
	else
		byId(kind).value = newest[kind + "s"].indexOf(row.name);
	applyFilters();
	focusRow(0);
}

function makeControls() {
	byId("certain-label").hidden = !isComparison;
	byId("by-label").hidden = isComparison;
	if (isComparison) {
		byId("program-label").hidden = byId("thread-label").hidden = true;
		byId("certain").addEventListener("change", refresh);
		setRows(data.changes.map(makeChange).slice(1));
		return;
	}
	byId("by").append(...Object.keys(kinds).map((kind) =>
		make("option", { value: kind }, kind + "s")));
	fillFilter("program", newest.programs,
		countGroups(newest.programs.length, programOf, () => true));
	for (const id of ["by", "program", "thread"])
		byId(id).addEventListener("change", applyFilters);
	applyFilters();
}

/* --- theme ----------------------------------------------------------------------- */

function isDark() {
	const chosen = document.documentElement.dataset.theme;

	return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function showTheme() {
	byId("theme").setAttribute("aria-pressed", isDark());
}

function makeTheme() {
	byId("theme").addEventListener("click", () => {
		document.documentElement.dataset.theme = isDark() ? "light" : "dark";
		showTheme();
	});
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showTheme);
	showTheme();
}

/* --- events ---------------------------------------------------------------------- */

function activate(row) {
	const index = indexOf(row);

	setStop(index);
	if (isComparison || byId("by").value === "function")
		toggleCode(row);
	else
		selectRow(view.visible[index]);
}

/* Esc in the code of a row, or at the row, closes it; elsewhere it ends the search. */
function escape(target) {
	const code = target.closest(".code");
	const row = code ? code.previousSibling : target.closest(".row");

	if (row && row.nextSibling && row.nextSibling.className === "code") {
		closeCode(row);
		focusRow(indexOf(row));
		return;
	}
	byId("search").value = "";
	refresh();
	refreshFlames();
	focusRow(0);
}

function onKey(event) {
	const target = event.target, row = target.closest(".row");
	const isTyping = target.closest("input, select");
	const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 };

	if (event.ctrlKey || event.altKey || event.metaKey)
		return;
	if (event.key === "Escape")
		escape(target);
	else if (event.key === "/" && !isTyping)
		byId("search").focus();
	else if (target.id === "search" && (event.key === "ArrowDown" || event.key === "Enter"))
		focusRow(0);
	else if (target.id !== "search" && !isTyping && !target.closest(".code") && moves[event.key])
		focusRow(row ? indexOf(row) + moves[event.key] : 0);
	else if (row && (event.key === "Home" || event.key === "End"))
		focusRow(event.key === "Home" ? 0 : view.made - 1);
	else
		return;
	event.preventDefault();
}

function start() {
	makeSummary();
	makeHead();
	makeTheme();
	makeControls();
	byId("search").addEventListener("input", refresh);
	byId("rows").addEventListener("click", (event) => {
		const row = event.target.closest(".row");

		/* who selects text in a row does not want to open it */
		if (row && (event.target.closest("button") || !String(getSelection())))
			activate(row);
	});
	byId("more").addEventListener("click", () => addRows(STEP));
	new IntersectionObserver((entries) => {
		if (entries.some((entry) => entry.isIntersecting))
			addRows(STEP);
	}, { rootMargin: "600px" }).observe(byId("more"));
	document.addEventListener("keydown", onKey);
	addEventListener("resize", spanCode);
	startFlames();
}
