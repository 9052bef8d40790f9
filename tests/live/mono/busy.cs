// SPDX-License-Identifier: Apache-2.0
// THREADS threads that work for ever; each counts in the file COUNTS, which outlives a kill, how
// often it has done so: a number in every 64 bytes.
using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

class Thing { public int number; }

static class Busy {
	[DllImport ("libc")] static extern IntPtr mmap (IntPtr at, IntPtr size, int access, int flags, int file, IntPtr offset);
	[DllImport ("libc")] static extern int open (string path, int flags);
	static object kept;

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Deed (int x) { kept = new Thing { number = x }; }

	static void Run (IntPtr count) { for (long done = 0; ; ) { Deed ((int) done); Marshal.WriteInt64 (count, ++done); } }

	static int Main (string[] args) {
		int threads = int.Parse (args [1]), size = 64 * threads;
		File.WriteAllBytes (args [0], new byte [size]);
		IntPtr counts = mmap (IntPtr.Zero, (IntPtr) size, 3, 1, open (args [0], 2), IntPtr.Zero);
		for (int i = 0; i < threads; i++) {
			IntPtr mine = counts + 64 * i;
			new Thread (() => Run (mine)) { Name = "busy-" + i }.Start ();
		}
		Console.WriteLine ("ready");
		Thread.Sleep (Timeout.Infinite);  // wait: ended by others
		return kept == null ? 1 : 0;
	}
}
