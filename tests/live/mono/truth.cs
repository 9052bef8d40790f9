// SPDX-License-Identifier: Apache-2.0
// A program that counts what it does and prints it, one "what count" a line: what a recording of it
// must tell. Everything it does is done the same number of times in every run.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

class Small { public int a, b; }
class Derived : Small { public long c; }
class Finalized { ~Finalized () { Interlocked.Increment (ref Program.finalized); } }
class Held { public Held next; }
class Failure : Exception { public Failure (string text) : base (text) { } }
interface IShape { int Area (); }
struct Square : IShape { public int side; public int Area () { Program.areas++; return side * side; } }
class Generic<T> { public static int calls; [MethodImpl (MethodImplOptions.NoInlining)] public T Keep (T value) { calls++; return value; } }

static class Program {
	public static int finalized, areas;
	static int fibs, leaves, throwers, workers, caught, filtered, finallies;
	static readonly object gate = new object ();
	static object kept;
	static Held held;

	[MethodImpl (MethodImplOptions.NoInlining)] static int Fib (int n) { Interlocked.Increment (ref fibs); return n < 2 ? n : Fib (n - 1) + Fib (n - 2); }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Leaf () { leaves++; }

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Thrower (int depth) {
		throwers++;
		if (depth > 0) { try { Thrower (depth - 1); } finally { finallies++; } } else throw new Failure ("thrown");
	}
	static bool Wanted (int i) { filtered++; return i % 2 == 0; }

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Exceptions (int count) {
		for (int i = 0; i < count; i++) {
			try { Thrower (3); }
			catch (Failure) when (Wanted (i)) { caught++; }
			catch (Exception) { caught++; }
		}
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Allocations (int count) {
		for (int i = 0; i < count; i++) {
			kept = new Small ();
			if (i % 2 == 0) kept = new Derived ();
			if (i % 4 == 0) kept = new long [i % 16];
			if (i % 8 == 0) kept = new Small [3, 2];
			if (i % 10 == 0) kept = new string ('x', i % 50);
			if (i % 16 == 0) kept = (IShape) new Square { side = i };
		}
	}
	[MethodImpl (MethodImplOptions.NoInlining)] static void Finalizables (int depth) { if (depth > 0) Finalizables (depth - 1); else for (int i = 0; i < 10; i++) new Finalized (); }

	static void Worker (object argument) { Interlocked.Increment (ref workers); Fib ((int) argument); }

	static void Threads (int count) {
		for (int i = 0; i < count; i += 2) {
			var pair = new Thread [2];
			for (int j = 0; j < 2; j++) { pair [j] = new Thread (Worker) { Name = "worker " + (i + j) }; pair [j].Start (i + j); }
			foreach (var thread in pair) thread.Join ();
		}
	}

	// One thread that waits for the lock, one that asks for it and goes away.
	static void Locks () {
		var waiting = new Thread (() => { lock (gate) Leaf (); }) { Name = "waiting" };
		var asking = new Thread (() => { if (!Monitor.TryEnter (gate, 5)) Leaf (); }) { Name = "asking" };
		lock (gate) {
			asking.Start ();
			asking.Join ();
			waiting.Start ();
			while ((waiting.ThreadState & ThreadState.WaitSleepJoin) == 0) Thread.Sleep (1);  // wait: for a state
			Thread.Sleep (20);  // wait: it blocks after it says so
		}
		waiting.Join ();
	}

	static void Handles (int count) {
		for (int i = 0; i < count; i++) GCHandle.Alloc (gate, i % 2 == 0 ? GCHandleType.Pinned - 1 : GCHandleType.Weak).Free ();
	}

	static int Main () {
		Fib (14);
		for (int i = 0; i < 1000; i++) Leaf ();
		var generic = new Generic<string> ();
		for (int i = 0; i < 7; i++) generic.Keep ("kept");
		IShape shape = new Square { side = 2 };
		for (int i = 0; i < 5; i++) shape.Area ();
		Exceptions (10);
		Threads (8);
		Locks ();
		Handles (20);
		Allocations (800);
		Finalizables (20);
		for (int i = 0; i < 123; i++) held = new Held { next = held };
		for (int i = 0; i < 3; i++) GC.Collect (0);
		GC.Collect ();
		GC.WaitForPendingFinalizers ();
		GC.Collect ();

		Console.WriteLine ("call Program:Fib {0}", fibs);
		Console.WriteLine ("call Program:Leaf {0}", leaves);
		Console.WriteLine ("call Program:Thrower {0}", throwers);
		Console.WriteLine ("call Program:Worker {0}", workers);
		Console.WriteLine ("call Program:Wanted {0}", filtered);
		Console.WriteLine ("call Square:Area {0}", areas);
		Console.WriteLine ("call Keep {0}", Generic<string>.calls);
		Console.WriteLine ("call Finalized:Finalize {0}", finalized);
		Console.WriteLine ("unwind Program:Thrower {0}", throwers);
		Console.WriteLine ("alloc Small 800");
		Console.WriteLine ("alloc Derived 400");
		Console.WriteLine ("alloc System.Int64[] 200");
		Console.WriteLine ("alloc Small[,] 100");
		Console.WriteLine ("alloc Square 51");
		Console.WriteLine ("alloc Finalized 10");
		Console.WriteLine ("alloc Failure 10");
		Console.WriteLine ("alloc Held 123");
		Console.WriteLine ("heap Held 123");
		Console.WriteLine ("throw Failure 10");
		Console.WriteLine ("caught {0}", caught);
		Console.WriteLine ("finally {0}", finallies);
		Console.WriteLine ("threads worker {0}", 8);
		return caught == 10 && held != null && kept != null ? 0 : 1;
	}
}
