// SPDX-License-Identifier: Apache-2.0
// Time and memory spent by chance, of a seed, and counted: what samples must tell, but for their
// statistical error.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Truth
{
    // Does `part` things at random, the first most often.
    struct Chance
    {
        uint state;
        public Chance(int seed) { state = (uint)seed * 2654435761 + 1; Next(); }
        public uint Next()
        {
            state ^= state << 13;
            state ^= state >> 17;
            return state ^= state << 5;
        }
        public int Part(int parts) => (int)Math.Min(Next() % (uint)parts, Next() % (uint)parts);
    }

    static class Shares
    {
        static volatile int sink;
        [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
        static int Work(uint rounds)
        {
            int sum = 0;
            for (int i = 0; i < rounds; i++) sum = sum * 31 + i;
            return sum;
        }
        [MethodImpl(MethodImplOptions.NoInlining)] static void First(uint rounds) => sink += Work(rounds);
        [MethodImpl(MethodImplOptions.NoInlining)] static void Second(uint rounds) => sink += Work(rounds);
        [MethodImpl(MethodImplOptions.NoInlining)] static void Third(uint rounds) => sink += Work(rounds);
        [MethodImpl(MethodImplOptions.NoInlining)] static void Fourth(uint rounds) => sink += Work(rounds);

        static readonly string[] names = { "First", "Second", "Third", "Fourth" };
        static readonly long[] spent = new long[names.Length];

        // In rounds, which take the same time everywhere; a clock would be a system call.
        static void Spend(object seed)
        {
            var chance = new Chance((int)seed);
            for (long left = 400_000_000; left > 0;)
            {
                int part = chance.Part(names.Length);
                uint rounds = chance.Next() % 200_000;
                switch (part)
                {
                    case 0: First(rounds); break;
                    case 1: Second(rounds); break;
                    case 2: Third(rounds); break;
                    default: Fourth(rounds); break;
                }
                Interlocked.Add(ref spent[part], rounds);
                left -= rounds;
            }
        }

        public static void Run(int seed)
        {
            var threads = new Thread[2];
            for (int i = 0; i < threads.Length; i++)
                (threads[i] = new Thread(Spend) { Name = "spends-" + i }).Start(2 * seed + i);
            foreach (Thread thread in threads) thread.Join();
            for (int i = 0; i < names.Length; i++) Count.Set("rounds", "Truth.Shares::" + names[i], spent[i]);
        }
    }

    static class Sizes
    {
        [InlineArray(6)] struct Six { long first; }
        [InlineArray(60)] struct Sixty { long first; }
        sealed class Small { public long Value; }
        sealed class Middle { public Six Values; }
        sealed class Large { public Sixty Values; }

        static object kept;

        public static void Run(int seed)
        {
            const int Objects = 600_000;
            var chance = new Chance(seed);
            var made = new long[4];
            for (int i = 0; i < Objects; i++)
            {
                int part = chance.Part(made.Length);
                made[part]++;
                kept = part switch
                {
                    0 => new Small(), 1 => new Middle(), 2 => new Large(), _ => new byte[i % 1000]
                };
            }
            Count.Set("object", "Truth.Sizes.Small", made[0]);
            Count.Set("object", "Truth.Sizes.Middle", made[1]);
            Count.Set("object", "Truth.Sizes.Large", made[2]);
        }

        // Each large object takes a thread's room to allocate in, and the next small one a new room.
        public static void Blocks(int seed)
        {
            const int Objects = 40_000;
            for (int i = 0; i < Objects; i++)
            {
                kept = new Large();
                kept = new byte[20_000];
            }
            Count.Set("object", "Truth.Sizes.Large", Objects);
        }
    }
}
