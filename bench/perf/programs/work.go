// SPDX-License-Identifier: GPL-2.0-only

// Uses CPU time in four functions of its own and in Go's runtime, in two goroutines:
// work ROUNDS.
package main

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"sync"
)

const numbers = 20000

//go:noinline
func fill(all []uint32, seed uint32) {
	for i := range all {
		seed = seed*1664525 + 1013904223
		all[i] = seed >> 8
	}
}

//go:noinline
func checksum(all []uint32) uint32 {
	sum := uint32(1)
	for turn := 0; turn < 20; turn++ {
		for _, number := range all {
			sum = (sum<<5 | sum>>27) ^ number
		}
	}
	return sum
}

//go:noinline
func count(all []uint32) int {
	seen := make(map[uint32]int)
	for _, number := range all {
		seen[number%5000]++
	}
	return len(seen)
}

//go:noinline
func texts(all []uint32) (length int) {
	var kept []string
	for i := 0; i < len(all); i += 10 {
		kept = append(kept, strconv.Itoa(int(all[i])))
	}
	sort.Strings(kept)
	return len(kept[0])
}

func work(rounds int, seed uint32) (sum uint32) {
	all := make([]uint32, numbers)
	for i := 0; i < rounds; i++ {
		fill(all, seed+uint32(i))
		sum ^= checksum(all) + uint32(count(all)) + uint32(texts(all))
	}
	return sum
}

func main() {
	var sums [2]uint32
	var wait sync.WaitGroup

	rounds, _ := strconv.Atoi(os.Args[1])
	for i := range sums {
		wait.Add(1)
		go func(i int) {
			defer wait.Done()
			sums[i] = work(rounds/2, uint32(i))
		}(i)
	}
	wait.Wait()
	fmt.Println(sums)
}
