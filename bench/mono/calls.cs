// SPDX-License-Identifier: Apache-2.0
// Calls and nothing else: COUNT of them; prints the nanoseconds of CPU time each takes, of
// this thread and of the process.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

static class Program {
	struct Moment { public long seconds, nanoseconds; }
	const int ProcessClock = 2, ThreadClock = 3;
	[DllImport ("libc")] static extern int clock_gettime (int clock, out Moment moment);

	static double Now (int clock) {
		Moment moment;
		clock_gettime (clock, out moment);
		return moment.seconds * 1e9 + moment.nanoseconds;
	}

	[MethodImpl (MethodImplOptions.NoInlining)] static int Leaf (int x) { return x + 1; }

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Run (long count) {
		int sum = 0;
		for (long i = 0; i < count; i++) sum = Leaf (sum);
		return sum;
	}

	static int Main (string[] args) {
		long count = long.Parse (args [0]);
		Run (10000);
		double thread = Now (ThreadClock), process = Now (ProcessClock);
		int sum = Run (count);
		thread = Now (ThreadClock) - thread;
		process = Now (ProcessClock) - process;
		Console.WriteLine ("{0:F2} {1:F2}", thread / count, process / count);
		return sum == (int) count ? 0 : 1;
	}
}
