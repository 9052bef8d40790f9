// SPDX-License-Identifier: Apache-2.0
// Frames below native ones, many frames, many threads.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace Truth
{
    static unsafe class Native
    {
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)] delegate int Comparer(int* one, int* other);
        [DllImport("libc", EntryPoint = "qsort")] static extern void Sort(int* first, nint count, nint size, Comparer comparer);
        [DllImport("libc", EntryPoint = "qsort")] static extern void Sort(int* first, nint count, nint size, delegate* unmanaged[Cdecl]<int*, int*, int> comparer);

        static long compared, directly, thrown;

        static int Compare(int* one, int* other)
        {
            compared++;
            if (compared % 100 == 0)
            {
                try { thrown++; throw new InvalidOperationException(); }
                catch (InvalidOperationException) { }
            }
            Work(2000);
            return *one - *other;
        }
        [UnmanagedCallersOnly(CallConvs = new[] { typeof(CallConvCdecl) })]
        static int Directly(int* one, int* other) { directly++; return *one - *other; }

        static volatile int sink;
        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Work(int rounds) { for (int i = 0; i < rounds; i++) sink += i; }

        static void Fill(Span<int> numbers)
        {
            uint state = 1;
            foreach (ref int number in numbers) number = (int)((state = state * 1664525 + 1013904223) >> 8);
        }

        public static void Run(int count)
        {
            int* numbers = stackalloc int[count];
            Fill(new Span<int>(numbers, count));
            Sort(numbers, count, sizeof(int), Compare);
            Fill(new Span<int>(numbers, count));
            Sort(numbers, count, sizeof(int), &Directly);
            for (int i = 1; i < count; i++)
                if (numbers[i - 1] > numbers[i]) Count.One("wrong", "order");
            Count.Set("call", "Truth.Native::Compare", compared);
            Count.Set("call", "Truth.Native::Directly", directly);
            Count.Set("throw", "System.InvalidOperationException", thrown);
        }
    }

    static class Deep
    {
        sealed class Bottom : Exception { }
        static long downs, falls;

        static int Down(int levels) { downs++; return levels == 0 ? 0 : 1 + Down(levels - 1); }
        static int Fall(int levels)
        {
            falls++;
            if (levels == 0) throw new Bottom();
            return 1 + Fall(levels - 1);
        }
        static int Catch(int levels)
        {
            Count.Here();
            try { return Fall(levels); }
            catch (Bottom) { return -1; }
        }
        static void Both(object levels)
        {
            Count.Here();
            if (Down((int)levels) != (int)levels || Catch((int)levels / 10) != -1) Count.One("wrong", "depth");
        }

        public static void Run(int levels)
        {
            var thread = new Thread(Both, 1 << 28) { Name = "deep" };
            thread.Start(levels);
            thread.Join();
            Count.Set("call", "Truth.Deep::Down", downs);
            Count.Set("call", "Truth.Deep::Fall", falls);
        }
    }

    static class Threads
    {
        static void Work(int i) { }
        static void Brief() { }
        static void Worker(Barrier barrier, int number)
        {
            barrier.SignalAndWait();
            for (int i = 0; i < 100 + number; i++) Work(i);
            barrier.SignalAndWait();
        }

        static void Together(int count)
        {
            var barrier = new Barrier(count);
            var threads = new Thread[count];
            for (int i = 0; i < count; i++)
            {
                int number = i;
                threads[i] = new Thread(() => Worker(barrier, number), 1 << 17) { Name = "worker-" + i };
                threads[i].Start();
                Count.Set("worker", "worker-" + i, 100 + i);
            }
            foreach (Thread thread in threads) thread.Join();
        }
        // One after the other, so that numbers and memory of the first serve the last.
        static void InTurn(int count)
        {
            for (int i = 0; i < count; i++)
            {
                var thread = new Thread(Brief, 1 << 17) { Name = "brief-" + i };
                thread.Start();
                thread.Join();
                Count.Set("brief", "brief-" + i, 1);
            }
        }

        public static void Run(int count)
        {
            Together(count);
            InTurn(5 * count);
        }
    }
}
