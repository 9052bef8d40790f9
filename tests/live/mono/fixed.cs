// SPDX-License-Identifier: Apache-2.0
// One thread that waits for nothing: every run does the same in the same order.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

class Node { public Node left, right; public int key; }
class Refusal : Exception { }
struct Pair { public int a, b; }
interface IStep { int Take (int x); }
class Plus : IStep { public int Take (int x) { return x + 1; } }
class Twice : IStep { public int Take (int x) { return x * 2; } }

static class Program {
	static object kept;
	[MethodImpl (MethodImplOptions.NoInlining)]
	static Node Grow (int depth) { return depth == 0 ? null : new Node { key = depth, left = Grow (depth - 1), right = Grow (depth - 1) }; }
	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Sum (Node node) { return node == null ? 0 : node.key + Sum (node.left) + Sum (node.right); }
	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Refuse (int depth) { if (depth == 0) throw new Refusal (); Refuse (depth - 1); }
	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Try (int depth) { try { Refuse (depth); return 0; } catch (Refusal) { return 1; } }

	static int Main () {
		Node tree = Grow (9);
		int sum = Sum (tree);
		IStep[] steps = { new Plus (), new Twice () };
		for (int i = 0; i < 1000; i++) sum = steps [i % 2].Take (sum) & 0xffff;
		for (int i = 0; i < 20; i++) sum += Try (i);
		var list = new List<Pair> ();
		for (int i = 0; i < 300; i++) { list.Add (new Pair { a = i }); kept = new byte [i]; kept = (object) list [i]; }
		for (int i = 0; i < 10; i++) GCHandle.Alloc (list, GCHandleType.Normal).Free ();
		for (int i = 0; i < 3; i++) GC.Collect (0);
		for (int i = 0; i < 2; i++) GC.Collect ();
		Console.WriteLine (sum);
		return tree == null || kept == null ? 1 : 0;
	}
}
