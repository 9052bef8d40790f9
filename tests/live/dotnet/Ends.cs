// SPDX-License-Identifier: Apache-2.0
// A program that ends in the way it is told; Mark() is called 1000 times before.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

static class Ends
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Mark() { }

    static void Main(string[] arguments)
    {
        for (int i = 0; i < 1000; i++) Mark();
        switch (arguments[0])
        {
            case "exit": Environment.Exit(3); break;
            case "throw": throw new InvalidOperationException("not caught");
            case "fail": Environment.FailFast("at once"); break;
            case "child":
                var child = Process.Start(new ProcessStartInfo("dotnet", new[] { arguments[1], "plain" }));
                child.WaitForExit();
                break;
            case "endless":
                Console.WriteLine("ready");
                for (;;) { Mark(); Thread.Sleep(1); }  // wait: pace of its work
        }
    }
}
