// SPDX-License-Identifier: Apache-2.0
// Loops to be measured: WHAT COUNT. Prints nanoseconds per round: CPU of the thread, CPU of the
// process, and real time. The first rounds, while code is being compiled, are not counted. "stops"
// prints how long the program stood still each time, in microseconds.
using System;
using System.Diagnostics;
using System.Diagnostics.Tracing;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

[EventSource(Name = "Bench")]
sealed class Bench : EventSource
{
    public static readonly Bench Log = new();
    [Event(1)] public void Enter(int method) => WriteEvent(1, method);
    [Event(2)] public void Leave(int method) => WriteEvent(2, method);
}

static class Loops
{
    const int OfThread = 3, OfProcess = 2, Real = 1;
    [StructLayout(LayoutKind.Sequential)] struct Time { public long Seconds, Nanoseconds; }
    [DllImport("libc")] static extern int clock_gettime(int clock, out Time time);
    static double Cpu(int clock)
    {
        clock_gettime(clock, out Time time);
        return time.Seconds * 1e9 + time.Nanoseconds;
    }

    sealed class Thing { public long A, B; }
    static object kept;
    static int sum;

    [MethodImpl(MethodImplOptions.NoInlining)] static void Leaf(int i) => sum += i;
    static void Calls(int count) { for (int i = 0; i < count; i++) Leaf(i); }
    static void Objects(int count) { for (int i = 0; i < count; i++) kept = new Thing(); }
    static void Events(int count)
    {
        for (int i = 0; i < count; i++) { Bench.Log.Enter(7); sum += i; Bench.Log.Leave(7); }
    }
    static void Threads(int count)
    {
        var threads = new Thread[4];
        for (int i = 0; i < 4; i++) (threads[i] = new Thread(() => Calls(count / 4))).Start();
        foreach (Thread thread in threads) thread.Join();
    }

    // What takes longer than a look at the clock ever does.
    static void Stops(int milliseconds)
    {
        long tick = Stopwatch.Frequency / 1_000_000, last = Stopwatch.GetTimestamp();
        for (long end = last + milliseconds * 1000 * tick; last < end;)
        {
            long now = Stopwatch.GetTimestamp();
            if (now - last > 5 * tick && found < stops.Length) stops[found++] = now - last;
            last = now;
        }
    }
    static readonly long[] stops = new long[100_000];
    static int found;

    static void Main(string[] arguments)
    {
        if (arguments.Length == 0) return;
        if (arguments[0] == "stops")
        {
            Stops(300);
            found = 0;
            Stops(int.Parse(arguments[1]));
            for (int i = 0; i < found; i++) Console.WriteLine(stops[i] * 1e6 / Stopwatch.Frequency);
            return;
        }
        Action<int> loop = arguments[0] switch
        {
            "calls" => Calls, "objects" => Objects, "events" => Events, _ => Threads
        };
        int count = int.Parse(arguments[1]);
        for (int i = 0; i < 60; i++) { loop(2000); Thread.Sleep(5); }
        double thread = Cpu(OfThread), process = Cpu(OfProcess), real = Cpu(Real);
        loop(count);
        Console.WriteLine($"{(Cpu(OfThread) - thread) / count} {(Cpu(OfProcess) - process) / count} {(Cpu(Real) - real) / count}");
    }
}
