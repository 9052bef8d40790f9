// SPDX-License-Identifier: Apache-2.0
// Spends time and memory in functions that are known by name, and lets Go's own profiler tell it:
// arguments are the files for the processor's profile and the heap's.
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"syscall"
	"time"
)

var kept [][]byte
var sum uint64

//go:noinline
func burn(enough time.Duration) {
	for used() < enough {
		for i := uint64(0); i < 100000; i++ {
			sum += i * i
		}
	}
}

// Of the processor, by this process: a busy machine gives little of it in a second.
func used() time.Duration {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano())
}

//go:noinline
func hoard() {
	for i := 0; i < 2000; i++ {
		kept = append(kept, make([]byte, 4096))
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	runtime.MemProfileRate = 1
	cpu, err := os.Create(os.Args[1])
	check(err)
	check(pprof.StartCPUProfile(cpu))
	burn(used() + 300*time.Millisecond)
	hoard()
	pprof.StopCPUProfile()
	check(cpu.Close())
	heap, err := os.Create(os.Args[2])
	check(err)
	runtime.GC()
	check(pprof.Lookup("allocs").WriteTo(heap, 0))
	check(heap.Close())
}
