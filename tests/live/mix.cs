// SPDX-License-Identifier: Apache-2.0
// A little of every event kind: calls, allocations, GC moves, handles, finalizers, exceptions, contention, a heap graph, some CPU.
using System; using System.Collections.Generic; using System.Runtime.CompilerServices; using System.Runtime.InteropServices; using System.Threading;
class Fin { public byte[] pad = new byte [24]; ~Fin () { Program.finalized++; } }
class Link { public Link next; public string name; }
static class Program {
	public static int finalized; static readonly object gate = new object (); static Link head;
	[MethodImpl (MethodImplOptions.NoInlining)] static int Leaf (int x) { return x * 3; }
	[MethodImpl (MethodImplOptions.NoInlining)] static int Rec (int n) { return n == 0 ? 0 : Leaf (n) + Rec (n - 1); }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Thrower (int k) { try { if (k % 2 == 0) throw new InvalidOperationException ("k" + k); throw new ArgumentException ("a" + k); } finally { finalized += 0; } }
	static void Locker (object o) { for (int i = 0; i < 4; i++) lock (gate) { Thread.Sleep (2); } Monitor.TryEnter (gate, 0); if (Monitor.IsEntered (gate)) Monitor.Exit (gate); }  // wait: holds a lock
	static int Main () {
		int s = Rec (12); int caught = 0;
		for (int i = 0; i < 4; i++) try { Thrower (i); } catch (InvalidOperationException) { caught++; } catch (ArgumentException) when (caught > 0) { caught += 10; }
		for (int i = 0; i < 20; i++) { new Fin (); head = new Link { next = i % 5 == 0 ? null : head, name = "n" + i }; }
		var h = new [] { GCHandle.Alloc (head, GCHandleType.Weak), GCHandle.Alloc (new byte [8], GCHandleType.Pinned), GCHandle.Alloc ("x", GCHandleType.Normal) };
		var a = new Thread (Locker) { Name = "lock-a" }; var b = new Thread (Locker) { Name = "lock-b" }; a.Start (); b.Start (); a.Join (); b.Join ();
		GC.Collect (0); GC.Collect (); GC.WaitForPendingFinalizers (); foreach (var x in h) x.Free ();
		var end = DateTime.UtcNow.AddMilliseconds (60); double d = 0; while (DateTime.UtcNow < end) for (int i = 1; i < 2000; i++) d += Math.Sqrt (i);
		Console.WriteLine ("s={0} caught={1} ok={2}", s, caught, d > 0); return 0;
	}
}
