// SPDX-License-Identifier: Apache-2.0
// Two threads that use the processor, three parts of four in Much(), one in Little(); a third waits.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

static class Busy
{
    static volatile int sink;

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    static int Work(int rounds)
    {
        int sum = 0;
        for (int i = 0; i < rounds; i++) sum = sum * 31 + i;
        return sum;
    }
    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Much() => sink += Work(30000);
    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Little() => sink += Work(10000);

    static void Run(object rounds)
    {
        for (int i = 0; i < (int)rounds; i++) { Much(); Little(); }
    }
    static void Wait(object gate) => ((ManualResetEventSlim)gate).Wait();

    static void Main(string[] arguments)
    {
        var gate = new ManualResetEventSlim();
        var waiter = new Thread(Wait) { Name = "waiter" };
        waiter.Start(gate);
        var threads = new[] { new Thread(Run) { Name = "one" }, new Thread(Run) { Name = "two" } };
        foreach (Thread thread in threads) thread.Start(int.Parse(arguments[0]));
        foreach (Thread thread in threads) thread.Join();
        gate.Set();
        waiter.Join();
        Console.WriteLine(Process.GetCurrentProcess().TotalProcessorTime.TotalMilliseconds);
    }
}
