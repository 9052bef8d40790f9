// SPDX-License-Identifier: Apache-2.0
// What a program of .NET may do to a profiler: situations, joined by +, and a number for all of
// them. What must be recorded, it counts itself.
using System;

namespace Truth
{
    static class Situations
    {
        static int Main(string[] arguments)
        {
            int number = arguments.Length > 1 ? int.Parse(arguments[1]) : 0;
            foreach (string name in arguments[0].Split('+')) Situation(name)(number);
            Count.Print();
            return 0;
        }

        static Action<int> Situation(string name) =>
            name switch
            {
                "tiers" => Tiers.Run,
                "generics" => Generics.Run,
                "closures" => Closures.Run,
                "async" => Async.Run,
                "made" => Made.Run,
                "unload" => Unload.Run,
                "native" => Native.Run,
                "deep" => Deep.Run,
                "threads" => Threads.Run,
                "shares" => Shares.Run,
                "sizes" => Sizes.Run,
                "blocks" => Sizes.Blocks,
                _ => number => Ends.Run(name, number)
            };
    }
}
