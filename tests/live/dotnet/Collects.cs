// SPDX-License-Identifier: Apache-2.0
// Collections of every generation, induced and not, blocking and in the background, by several
// threads at once. What the runtime tells a listener in the program of each, it prints, one a line.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.Tracing;
using System.Threading;

sealed class Listener : EventListener
{
    public readonly ConcurrentQueue<string> Lines = new();
    public int Open, Seen;

    protected override void OnEventSourceCreated(EventSource source)
    {
        const EventKeywords collections = (EventKeywords)1;
        if (source.Name == "Microsoft-Windows-DotNETRuntime")
            EnableEvents(source, EventLevel.Informational, collections);
    }
    protected override void OnEventWritten(EventWrittenEventArgs written)
    {
        bool starts = written.EventName.StartsWith("GCStart");
        if (!starts && !written.EventName.StartsWith("GCEnd")) return;
        var fields = new List<string> { starts ? "start" : "end" };
        foreach (string name in starts ? new[] { "Count", "Depth", "Reason", "Type" } : new[] { "Count", "Depth" })
            fields.Add(written.Payload[written.PayloadNames.IndexOf(name)].ToString());
        fields.Add(written.TimeStamp.Ticks.ToString());
        Lines.Enqueue(string.Join(" ", fields));
        Interlocked.Add(ref Open, starts ? 1 : -1);
        Interlocked.Increment(ref Seen);
    }
}

static class Collects
{
    static void Allocate(int seed, int rounds)
    {
        var random = new Random(seed);
        var kept = new object[20000];
        for (int i = 0; i < rounds; i++)
        {
            kept[random.Next(kept.Length)] = new byte[random.Next(1, 2000)];
            if (i % 2000 == 0) kept[random.Next(kept.Length)] = new byte[200000];
            if (i % 20011 == 0) Induce(random.Next(5));
        }
    }

    static void Induce(int how)
    {
        if (how < 3) GC.Collect(how);
        else if (how == 3) GC.Collect(2, GCCollectionMode.Optimized, false);
        else GC.Collect(2, GCCollectionMode.Forced, blocking: false);
    }

    // What comes later comes out of no collection any more.
    static void Settle(Listener listener)
    {
        for (int seen = -1; seen != listener.Seen || listener.Open != 0; Thread.Sleep(300))  // wait: what comes late
            seen = listener.Seen;
    }

    static void Main(string[] arguments)
    {
        int rounds = int.Parse(arguments[0]);
        using var listener = new Listener();
        GC.Collect();
        var threads = new Thread[3];
        for (int i = 0; i < threads.Length; i++)
        {
            int seed = i;
            (threads[i] = new Thread(() => Allocate(seed, rounds))).Start();
        }
        foreach (Thread thread in threads) thread.Join();
        Settle(listener);
        var counts = new int[3];
        for (int i = 0; i < counts.Length; i++) counts[i] = GC.CollectionCount(i);
        foreach (string line in listener.Lines) Console.WriteLine(line);
        for (int i = 0; i < counts.Length; i++) Console.WriteLine($"count {i} {counts[i]}");
    }
}
