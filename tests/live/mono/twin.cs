// SPDX-License-Identifier: Apache-2.0
// The same in every run, but for what is planted: calls3, calls12, time, wait, alloc or lock.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

class Node { public Node next; }
class Extra { public long value; }

class OldLock {}
class NewLock {}

static class Twin {
	static readonly object old_lock = new OldLock ();
	static readonly object new_lock = new NewLock ();
	static object kept;

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Work (int milliseconds) { Thread.Sleep (milliseconds); }  // wait: the work is to last

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Spin (int turns) {
		int n = turns;
		for (int i = 0; i < turns; ++i) n = n * 31 + i;
		return n;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Step (int n, bool extra) {
		if (extra) kept = new Extra ();
		for (int i = 0; i < 20; ++i) n = n * 31 + i;
		return n;
	}

	static Node Chain (int length) {
		Node first = null;
		for (int i = 0; i < length; ++i) first = new Node { next = first };
		return first;
	}

	static void Hold (object monitor, int milliseconds, ManualResetEvent held) {
		lock (monitor) {
			held.Set ();
			Work (milliseconds);
		}
	}

	// One thread waits for another.
	static void Meet (object monitor, int milliseconds) {
		var held = new ManualResetEvent (false);
		var holder = new Thread (() => Hold (monitor, milliseconds, held));
		holder.Start ();
		held.WaitOne ();
		Hold (monitor, 0, held);
		holder.Join ();
	}

	static void Main (string[] arguments) {
		string planted = arguments[0];
		int steps = planted == "calls3" ? 60000 : planted == "calls12" ? 240000 : 20000;
		int sum = 0;
		for (int i = 0; i < 30; ++i) Work (planted == "wait" ? 25 : 20);
		for (int i = 0; i < 100; ++i) sum += Spin (planted == "time" ? 2500000 : 2000000);
		for (int i = 0; i < steps; ++i) sum = Step (sum, planted == "alloc");
		for (int i = 0; i < 20; ++i) kept = Chain (1000);
		Meet (old_lock, 10);
		if (planted == "lock") Meet (new_lock, 100);
		GC.Collect ();
		Console.WriteLine (sum != 0);
	}
}
