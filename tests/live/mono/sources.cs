// SPDX-License-Identifier: Apache-2.0
// Something for each source of events that a recording of it must tell in full; counts are told as
// "what count", one a line.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

class Marked { public int number; }
class Mover { public Mover next; }
class Finalized { ~Finalized () { Program.finalized++; } }
class Gate { }

static class Program {
	public static int finalized;
	static object kept;
	static Mover chain;
	static readonly Gate gate = new Gate ();

	[MethodImpl (MethodImplOptions.NoInlining)] static void Innermost () { kept = new Marked (); }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Middle (int times) { for (int i = 0; i < times; i++) Innermost (); }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Outermost () { Middle (10); }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Finalizables (int depth) { if (depth > 0) Finalizables (depth - 1); else for (int i = 0; i < 10; i++) new Finalized (); }

	[MethodImpl (MethodImplOptions.NoInlining)]
	static IEnumerable<int> Numbers () { try { yield return 1; yield return 2; } finally { kept = null; } }
	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Faulty () { foreach (int number in Numbers ()) if (number == 2) return number; return 0; }

	static void Locks () {
		var waiting = new Thread (() => { lock (gate) kept = gate; }) { Name = "waiting" };
		var asking = new Thread (() => Monitor.TryEnter (gate, 5)) { Name = "asking" };
		lock (gate) {
			asking.Start ();
			asking.Join ();
			waiting.Start ();
			while ((waiting.ThreadState & ThreadState.WaitSleepJoin) == 0) Thread.Sleep (1);  // wait: for a state
			Thread.Sleep (20);  // wait: it blocks after it says so
		}
		waiting.Join ();
	}

	static int Main () {
		Outermost ();
		for (int i = 0; i < 50; i++) chain = new Mover { next = chain };
		for (int i = 0; i < 6; i++) GCHandle.Alloc (gate, i % 2 == 0 ? GCHandleType.Normal : GCHandleType.Weak).Free ();
		Locks ();
		Finalizables (20);
		GC.Collect ();
		GC.WaitForPendingFinalizers ();
		Console.WriteLine ("faulty {0}", Faulty ());
		Console.WriteLine ("finalized {0}", finalized);
		GC.Collect (0);
		return chain == null || kept == chain ? 1 : 0;
	}
}
