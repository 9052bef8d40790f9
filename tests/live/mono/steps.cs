// SPDX-License-Identifier: Apache-2.0
// Does what it reads, a line each: a number, so many calls; a word, the program of that name. Says
// what it has done, and ends with 3.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;

static class Steps {
	[MethodImpl (MethodImplOptions.NoInlining)]
	static long Deed (long n) { return n * 31; }

	static int Main () {
		long sum = 0;
		for (string line; (line = Console.ReadLine ()) != null; ) {
			if (char.IsDigit (line [0]))
				for (long n = long.Parse (line); n > 0; n--) sum += Deed (n);
			else
				using (var child = Process.Start (new ProcessStartInfo (line) { UseShellExecute = false })) {
					child.WaitForExit ();
					if (child.ExitCode != 0) Console.WriteLine ("failed");
				}
			Console.WriteLine ("done " + line);
		}
		return sum == 1 ? 1 : 3;
	}
}
