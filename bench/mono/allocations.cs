// SPDX-License-Identifier: Apache-2.0
// Allocations DEPTH frames deep: COUNT objects of 32 bytes; prints the nanoseconds of CPU time each
// takes, of this thread and of the process.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

class Node { public int number; public object other; }

static class Program {
	struct Moment { public long seconds, nanoseconds; }
	const int ProcessClock = 2, ThreadClock = 3;
	[DllImport ("libc")] static extern int clock_gettime (int clock, out Moment moment);

	static double Now (int clock) {
		Moment moment;
		clock_gettime (clock, out moment);
		return moment.seconds * 1e9 + moment.nanoseconds;
	}

	static object kept;

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Make (int depth, long count) {
		if (depth > 0) Make (depth - 1, count);
		else for (long i = 0; i < count; i++) kept = new Node ();
	}

	static int Main (string[] args) {
		long count = long.Parse (args [0]);
		int depth = int.Parse (args [1]);
		Make (depth, 1000);
		double thread = Now (ThreadClock), process = Now (ProcessClock);
		Make (depth, count);
		thread = Now (ThreadClock) - thread;
		process = Now (ProcessClock) - process;
		Console.WriteLine ("{0:F2} {1:F2}", thread / count, process / count);
		return kept == null ? 1 : 0;
	}
}
