// SPDX-License-Identifier: Apache-2.0
// Monitor contention: N named threads fight for two locks; TryEnter failures; Wait/Pulse.
using System;
using System.Threading;
static class Program {
	static readonly object gate = new object (), other = new object ();
	static int shared, failures;
	static void Worker (object arg) {
		int id = (int) arg;
		for (int i = 0; i < 40; i++) {
			lock (gate) { shared++; if (i % 10 == 0) Thread.Sleep (1); else Thread.SpinWait (200); }  // wait: holds a lock
			if (Monitor.TryEnter (other, 0)) { try { shared += id; Thread.SpinWait (2000); if (i % 20 == 0) Thread.Sleep (2); } finally { Monitor.Exit (other); } }  // wait: holds a lock
			else Interlocked.Increment (ref failures);
		}
	}
	static int Main (string[] args) {
		int n = args.Length > 0 ? int.Parse (args [0]) : 6;
		var ts = new Thread [n];
		for (int i = 0; i < n; i++) { ts [i] = new Thread (Worker) { Name = "worker-" + i }; }
		for (int i = 0; i < n; i++) ts [i].Start (i);
		foreach (var t in ts) t.Join ();
		Console.WriteLine ("threads={0} done", n);
		return 0;
	}
}
