// SPDX-License-Identifier: GPL-2.0-only

// Recursion, the garbage collector and calls of the library in two goroutines: for unwind_test.sh
package main

import (
	"fmt"
	"sort"
)

type tree struct{ left, right *tree }

//go:noinline
func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func grow(depth int) *tree {
	if depth == 0 {
		return nil
	}
	return &tree{grow(depth - 1), grow(depth - 1)}
}

func work(done chan int) {
	total := 0
	for i := 0; i < 1e9; i++ {
		counts := map[string]int{}
		for j := 0; j < 200; j++ {
			counts[fmt.Sprint("k", i*j%97)] += j
		}
		names := []string{}
		for name := range counts {
			names = append(names, name)
		}
		sort.Strings(names)
		if grow(7) != nil {
			total += fib(14) + len(names)
		}
	}
	done <- total
}

func main() {
	done := make(chan int)
	go work(done)
	work(done)
}
