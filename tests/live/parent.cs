// SPDX-License-Identifier: Apache-2.0
// Starts so many programs like itself, which start none, and waits for them. A child lives until its
// input ends. For Mono and for .NET.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading;

static class Parent
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Mark() { }

    static Process Start()
    {
        string file = Assembly.GetExecutingAssembly().Location;
        string runtime = file.EndsWith(".dll") ? "dotnet" : "mono";
        return Process.Start(new ProcessStartInfo(runtime, "\"" + file + "\" 0") {
            UseShellExecute = false, RedirectStandardInput = true, RedirectStandardOutput = true });
    }

    static int Main(string[] arguments)
    {
        int count = int.Parse(arguments[0]);
        var children = new List<Process>();
        for (int i = 0; i < count; i++) children.Add(Start());
        if (count == 0) Console.In.ReadToEnd();
        else Thread.Sleep(1000);  // wait: lasts
        foreach (Process child in children)
        {
            child.StandardInput.Close();
            child.WaitForExit();
        }
        Mark();
        Console.WriteLine("done " + count);
        return 0;
    }
}
