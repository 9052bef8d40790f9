// SPDX-License-Identifier: Apache-2.0
// Many short-lived named threads, each doing calls and allocations.
using System;
using System.Threading;
using System.Runtime.CompilerServices;
static class Program {
	[MethodImpl (MethodImplOptions.NoInlining)] static int Work (int k) { return k <= 0 ? 0 : 1 + Work (k - 1); }
	static int total;
	static int Main (string[] args) {
		int n = int.Parse (args [0]), batch = int.Parse (args [1]), depth = int.Parse (args [2]);
		for (int b = 0; b < n; b += batch) {
			var ts = new Thread [Math.Min (batch, n - b)];
			for (int i = 0; i < ts.Length; i++) { int id = b + i; ts [i] = new Thread (() => { int s = 0; for (int r = 0; r < 20; r++) s += Work (depth); object o = null; for (int j = 0; j < 50; j++) o = new int [j]; Interlocked.Add (ref total, s + (o == null ? 1 : 0)); }) { Name = "t" + id }; ts [i].Start (); }
			foreach (var t in ts) t.Join ();
		}
		Console.WriteLine (total); return 0;
	}
}
