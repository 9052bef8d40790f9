// SPDX-License-Identifier: Apache-2.0
// A program that ends in the way it is told, with threads in the middle of their work. What they have
// done stands in memory that outlives it: the file "marks", a number per thread.
using System;
using System.IO;
using System.IO.MemoryMappedFiles;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace Truth
{
    static unsafe class Ends
    {
        [DllImport("libc", EntryPoint = "abort")] static extern void Abort();
        [DllImport("libc", EntryPoint = "strlen")] static extern nint Length(nint text);
        const int Workers = 3;

        static volatile long* marks;
        static long* Marks(int count)
        {
            var file = MemoryMappedFile.CreateFromFile("marks", FileMode.Create, null, 8 * count);
            byte* start = null;
            file.CreateViewAccessor().SafeMemoryMappedViewHandle.AcquirePointer(ref start);
            return (long*)start;
        }

        // Entered once more than it has counted, or as often.
        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Mark(long* mark) => Volatile.Write(ref *mark, *mark + 1);

        static void Work(object number)
        {
            long* mark = marks + (int)number;
            for (;;)
            {
                Mark(mark);
                Thread.SpinWait(200);
            }
        }
        static void Wait(long least)
        {
            for (int i = 0; i < Workers; i++)
                while (Volatile.Read(ref marks[i]) < least) Thread.Sleep(1);  // wait: for a count
        }
        static void Last() => Count.Here();

        static void End(string how)
        {
            switch (how)
            {
                case "exit": Environment.Exit(3); break;
                case "exit-elsewhere": new Thread(() => Environment.Exit(3)).Start(); Thread.Sleep(-1); break;  // wait: ended by others
                case "return": return;
                case "throw": throw new InvalidOperationException("not caught");
                case "throw-elsewhere":
                    new Thread(() => throw new InvalidOperationException("not caught")).Start();
                    Thread.Sleep(-1);  // wait: ended by others
                    break;
                case "fail": Environment.FailFast("at once"); break;
                case "abort": Abort(); break;
                case "fault": Length(8); break;
                case "overflow": Overflow(0); break;
                default: Console.WriteLine("ready"); Thread.Sleep(-1); break;  // wait: ended by others
            }
        }
        static int Overflow(int i) => i == -1 ? 0 : 1 + Overflow(i + 1) * 2;

        public static void Run(string how, int least)
        {
            marks = Marks(Workers);
            AppDomain.CurrentDomain.ProcessExit += (_, _) => Last();
            for (int i = 0; i < Workers; i++)
                new Thread(Work) { Name = "worker-" + i, IsBackground = true }.Start(i);
            Wait(least);
            End(how);
        }
    }
}
