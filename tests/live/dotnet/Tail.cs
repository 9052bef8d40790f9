// SPDX-License-Identifier: Apache-2.0
// A method whose last statement is a call that takes long, and what the environment has for it.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

static class Tail {
	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Turn (int milliseconds) { Thread.Sleep (milliseconds); }  // wait: the call is to last

	static void Main (string[] arguments) {
		for (int i = 0; i < int.Parse (arguments[0]); ++i) Turn (int.Parse (arguments[1]));
		Console.WriteLine (Environment.GetEnvironmentVariable ("DOTNET_TailCallOpt"));
	}
}
