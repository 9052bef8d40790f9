// SPDX-License-Identifier: Apache-2.0
// Allocations DEPTH frames deep: COUNT objects of 32 bytes; prints the nanoseconds of CPU time each
// takes.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;

class Node { public int number; public object other; }

static class Program {
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
		var process = Process.GetCurrentProcess ();
		TimeSpan before = process.TotalProcessorTime;
		Make (depth, count);
		process.Refresh ();
		double spent = (process.TotalProcessorTime - before).TotalMilliseconds;
		Console.WriteLine ("{0:F2}", spent * 1e6 / count);
		return kept == null ? 1 : 0;
	}
}
