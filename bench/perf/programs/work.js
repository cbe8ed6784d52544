// SPDX-License-Identifier: GPL-2.0-only
// V8 compiles the loops; maps and strings are in node's program: work.js ROUNDS
let sum = 0;
for (let round = 0; round < Number(process.argv[2]); round++) {
	const all = new Uint32Array(20000);
	const seen = new Map();
	const kept = [];
	for (let i = 0; i < all.length; i++)
		all[i] = (i * 1664525 + round) & 0xffffff;
	for (let turn = 0; turn < 20; turn++) {
		for (let i = 0; i < all.length; i++)
			sum = (sum << 5 | sum >>> 27) ^ all[i];
	}
	for (const number of all)
		seen.set(number % 5000, number);
	for (let i = 0; i < all.length; i += 20)
		kept.push("number " + all[i]);
	kept.sort();
	sum += seen.size + JSON.stringify(kept).length;
}
console.log(sum);
