// SPDX-License-Identifier: GPL-2.0-only

// A Go program. No test runs it.
package main

//go:noinline
func hot(n int) (sum int) {
	for i := 0; i < n; i++ {
		sum += i ^ (sum >> 3)
	}
	return sum
}

func main() {
	println(hot(1000))
}
