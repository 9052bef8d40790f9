// SPDX-License-Identifier: Apache-2.0
// Calls and allocates for so many milliseconds, or for ever, and says how often so far.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;

class Thing { public int number; }

static class Program {
	static object kept;
	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Work (int x) { kept = new Thing { number = x }; return x + 1; }

	static int Main (string[] args) {
		long limit = args.Length > 0 ? long.Parse (args [0]) : long.MaxValue;
		var watch = Stopwatch.StartNew ();
		for (int count = 0; watch.ElapsedMilliseconds < limit;) {
			for (int i = 0; i < 10000; i++) count = Work (count);
			Console.WriteLine (count);
		}
		return kept == null ? 1 : 0;
	}
}
