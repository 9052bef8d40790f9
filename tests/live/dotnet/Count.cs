// SPDX-License-Identifier: Apache-2.0
// What a program counts of itself, printed one "what name count" a line: what a recording of it must
// tell. Not in the namespace Truth, so that it is not counted itself.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;

static class Count
{
    static readonly SortedDictionary<string, long> Counts = new();

    public static void One(string what, string name)
    {
        lock (Counts)
        {
            Counts.TryGetValue(what + " " + name, out long before);
            Counts[what + " " + name] = before + 1;
        }
    }
    public static void Call(string name) => One("call", "Truth." + name);
    public static void Object(string name) => One("object", name);
    public static void Set(string what, string name, long count)
    {
        lock (Counts) Counts[what + " " + name] = count;
    }
    // A call of the calling method, by what reflection calls that; not for generic code.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Here()
    {
        MethodBase caller = new StackFrame(1, false).GetMethod();
        One("call", caller.DeclaringType.FullName.Replace('+', '.') + "::" + caller.Name);
    }
    // What instantiations are called: those over classes share their code.
    public static string Shared(Type type)
    {
        if (!type.IsValueType) return "System.__Canon";
        if (!type.IsGenericType) return type.FullName;
        var arguments = type.GetGenericArguments().Select((argument, i) => "TUVWXYZ"[i] + "=" + Shared(argument));
        return type.FullName.Split('`')[0] + "<" + string.Join(", ", arguments) + ">";
    }
    public static void Print()
    {
        foreach (var (name, count) in Counts) Console.WriteLine(name + " " + count);
    }
}
