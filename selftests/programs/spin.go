// SPDX-License-Identifier: GPL-2.0-only

// The same as spin.c, in Go: three quarters of its CPU time are in spinMuch(), one quarter in
// spinLess(). The compiler makes a static program.
//
// usage: spin-go SECONDS
package main

import (
	"os"
	"strconv"
	"syscall"
	"time"
)

var sink uint64

func cpuTime() time.Duration {
	var usage syscall.Rusage

	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

//go:noinline
func spinMuch(until time.Duration) {
	for cpuTime() < until {
		for i := uint64(0); i < 400000; i++ {
			sink += i
		}
	}
}

//go:noinline
func spinLess(until time.Duration) {
	for cpuTime() < until {
		for i := uint64(0); i < 400000; i++ {
			sink += i ^ 1
		}
	}
}

func main() {
	seconds, err := strconv.ParseFloat(os.Args[1], 64)
	if err != nil {
		os.Exit(2)
	}
	begin := cpuTime()
	all := time.Duration(seconds * float64(time.Second))
	spinMuch(begin + all*3/4)
	spinLess(begin + all)
}
