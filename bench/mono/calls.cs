// SPDX-License-Identifier: Apache-2.0
// Calls and nothing else: COUNT of them; prints the nanoseconds of CPU time each takes.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;

static class Program {
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
		var process = Process.GetCurrentProcess ();
		TimeSpan before = process.TotalProcessorTime;
		int sum = Run (count);
		process.Refresh ();
		double spent = (process.TotalProcessorTime - before).TotalMilliseconds;
		Console.WriteLine ("{0:F2}", spent * 1e6 / count);
		return sum == (int) count ? 0 : 1;
	}
}
