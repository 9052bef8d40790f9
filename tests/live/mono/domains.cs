// SPDX-License-Identifier: Apache-2.0
// Makes domains, runs code in each and unloads it: addresses of code and classes come again.
using System;
using System.Runtime.CompilerServices;

class Guest : MarshalByRefObject {
	[MethodImpl (MethodImplOptions.NoInlining)]
	public int Visit (int x) { return new Guest [x].Length; }
}

static class Program {
	static int Main (string[] args) {
		int count = int.Parse (args [0]), sum = 0;
		for (int i = 0; i < count; i++) {
			AppDomain domain = AppDomain.CreateDomain ("guest " + i);
			var guest = (Guest) domain.CreateInstanceAndUnwrap (typeof (Guest).Assembly.FullName, "Guest");
			sum += guest.Visit (i);
			AppDomain.Unload (domain);
		}
		return sum == count * (count - 1) / 2 ? 0 : 1;
	}
}
