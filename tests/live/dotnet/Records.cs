// SPDX-License-Identifier: Apache-2.0
// What a log of CoreProfiler tells, done a known number of times and printed, one "what name count"
// a line: objects that are kept, finalized and held by handles, collections, CPU time.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace Records
{
    class Kept { readonly long a = 1, b = 2; public long Sum() => a + b; }
    class Dropped { readonly long a = 3; public long Sum() => a; }
    class Finalized
    {
        public static int Count;
        ~Finalized() => Interlocked.Increment(ref Count);
    }

    static class Program
    {
        const int KeptObjects = 1234;
        const int Handles = 77;
        const int Finalizable = 55;
        static readonly Kept[] kept = new Kept[KeptObjects];

        [MethodImpl(MethodImplOptions.NoInlining)]
        static long Allocate()
        {
            long sum = 0;
            for (int i = 0; i < kept.Length; i++) sum += (kept[i] = new Kept()).Sum();
            for (int i = 0; i < 4321; i++) sum += new Dropped().Sum();
            for (int i = 0; i < Finalizable; i++) new Finalized();
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Hold()
        {
            var handles = new GCHandle[Handles];
            for (int i = 0; i < Handles; i++)
                handles[i] = GCHandle.Alloc(kept[i], i % 2 == 0 ? GCHandleType.Weak : GCHandleType.Normal);
            foreach (GCHandle handle in handles) handle.Free();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static double Spin(int milliseconds)
        {
            var watch = Stopwatch.StartNew();
            double sum = 0;
            while (watch.ElapsedMilliseconds < milliseconds)
                for (int i = 1; i < 1000; i++) sum += Math.Sqrt(i);
            return sum;
        }

        static void Main(string[] arguments)
        {
            if (arguments.Length > 0 && arguments[0] == "wait")
            {
                Allocate();
                Console.WriteLine("ready");
                while (Console.ReadLine() is string line)
                {
                    Spin(int.Parse(line));
                    Console.WriteLine("spun");
                }
                return;
            }
            var worker = new Thread(() => Spin(300)) { Name = "spinner" };
            worker.Start();
            worker.Join();
            Allocate();
            GC.Collect();
            GC.WaitForPendingFinalizers();
            Hold();
            Console.WriteLine($"kept Records.Kept {KeptObjects}");
            Console.WriteLine($"made Records.Kept {KeptObjects}");
            Console.WriteLine("made Records.Dropped 4321");
            Console.WriteLine($"made Records.Finalized {Finalizable}");
            Console.WriteLine($"finalized Records.Finalized {Finalized.Count}");
            Console.WriteLine($"handles all {Handles}");
            for (int i = 0; i < 3; i++) Console.WriteLine($"collections gen{i} {GC.CollectionCount(i)}");
            long used = (long)Process.GetCurrentProcess().TotalProcessorTime.TotalMicroseconds;
            Console.WriteLine($"cpu process {used}");
            GC.KeepAlive(kept);
        }
    }
}
