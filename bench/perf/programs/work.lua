-- SPDX-License-Identifier: GPL-2.0-only
-- LuaJIT compiles the loops; tables and strings are in its library: work.lua ROUNDS
local bit = require("bit")
local sum = 0
for round = 1, tonumber(arg[1]) do
	local all, kept = {}, {}
	for i = 1, 20000 do
		all[i] = bit.band(i * 1664525 + round, 0xffffff)
	end
	for turn = 1, 20 do
		for i = 1, #all do
			sum = bit.bxor(bit.rol(sum, 5), all[i])
		end
	end
	for i = 1, #all, 20 do
		kept[#kept + 1] = "number " .. all[i]
	end
	table.sort(kept)
	sum = sum + #table.concat(kept)
end
print(sum)
