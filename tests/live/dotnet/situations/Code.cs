// SPDX-License-Identifier: Apache-2.0
// Code that is compiled several times, code that was compiled ahead, code that many types share,
// and code that the compiler made of something else.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Truth
{
    static class Tiers
    {
        static long steps, hots;

        static long Step(long i) { steps++; return i & 3; }
        // Entered once, so that it must be replaced while it runs.
        static long Loop(int rounds)
        {
            Count.Here();
            long sum = 0;
            for (int i = 0; i < rounds; i++) sum += Step(i);
            return sum;
        }
        [MethodImpl(MethodImplOptions.NoInlining)]
        static int Hot(int i) { hots++; return i % 7 == 0 ? 1 : 0; }

        // Of an assembly that nobody else uses, and that was compiled ahead.
        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Ahead()
        {
            var stack = new Stack();
            for (int i = 0; i < 1000; i++) stack.Push(stack);
            for (int i = 0; i < 700; i++) stack.Pop();
        }

        public static void Run(int rounds)
        {
            Loop(rounds);
            int sum = 0;
            for (int batch = 0; batch < 10; batch++)
            {
                for (int i = 0; i < rounds / 10; i++) sum += Hot(i);
                Thread.Sleep(20);  // wait: time to compile anew
            }
            Ahead();
            Count.Set("call", "Truth.Tiers::Step", steps);
            Count.Set("call", "Truth.Tiers::Hot", hots);
            Count.Set("call", "System.Collections.Stack::Push", 1000);
            Count.Set("call", "System.Collections.Stack::Pop", 700);
        }
    }

    interface ISum<T> where T : ISum<T>
    {
        static abstract T Plus(T one, T other);
        int Default(int i) { Count.One("call", "Truth.ISum<T=" + Count.Shared(typeof(T)) + ">::Default"); return i; }
    }
    struct Whole : ISum<Whole>
    {
        public int Value;
        public static Whole Plus(Whole one, Whole other)
        {
            Count.Here();
            return new Whole { Value = one.Value + other.Value };
        }
    }
    sealed class Text : ISum<Text>
    {
        public static Text Plus(Text one, Text other) { Count.Here(); return one; }
    }
    abstract class Walker<K>
    {
        static string Name => "Truth.Walker<K=".Replace("K=", "T=") + Count.Shared(typeof(K)) + ">::";
        public abstract int Visit<V>(K key, V value);
        public static int Static<V>(V value)
        {
            Count.One("call", Name + "Static<M=" + Count.Shared(typeof(V)) + ">");
            return 1;
        }
    }
    sealed class Printer<K> : Walker<K>
    {
        public Printer() => Count.Object("Truth.Printer<T=" + typeof(K).FullName + ">");
        public override int Visit<V>(K key, V value)
        {
            Count.One("call", "Truth.Printer<T=" + Count.Shared(typeof(K)) + ">::Visit<M=" + Count.Shared(typeof(V)) + ">");
            return 2;
        }
    }

    static class Generics
    {
        static T Total<T>(T first, int times) where T : ISum<T>
        {
            Count.One("call", "Truth.Generics::Total<M=" + Count.Shared(typeof(T)) + ">");
            T sum = first;
            for (int i = 0; i < times; i++) sum = T.Plus(sum, first);
            first.Default(times);
            return sum;
        }
        static void Visit<K>(K key, int rounds)
        {
            Walker<K> walker = new Printer<K>();
            for (int i = 0; i < rounds; i++)
            {
                walker.Visit(key, i);
                walker.Visit(key, "text");
                walker.Visit(key, new KeyValuePair<K, Whole>());
                Walker<K>.Static(key);
            }
        }

        public static void Run(int rounds)
        {
            Total(new Whole { Value = 1 }, rounds);
            Total(new Text(), rounds / 2);
            Visit(1, 3);
            Visit("key", 5);
            Visit(new object(), 7);
            Visit(new Whole(), 11);
            Func<Whole, Whole, Whole> plus = Whole.Plus;
            for (int i = 0; i < 13; i++) plus(default, default);
        }
    }

    static class Closures
    {
        static int sum;
        static void Times(int rounds, Action<int> action) { for (int i = 0; i < rounds; i++) action(i); }
        static IEnumerable<int> Numbers(int most)
        {
            for (int i = 0; i < most; i++) { Count.Here(); yield return i; }
            Count.Here();
        }

        public static void Run(int rounds)
        {
            Times(rounds, i => { Count.Here(); sum += i; });
            Times(2 * rounds, i => { Count.Here(); sum += i * rounds; });
            int outer = 1;
            void Local(int i) { Count.Here(); sum += outer; }
            static void Fixed(int i) { Count.Here(); sum += i; }
            for (int i = 0; i < 3 * rounds; i++) Local(i);
            Times(4 * rounds, Local);
            Times(5 * rounds, Fixed);
            Times(rounds, i => Times(1, j => { Count.Here(); sum += i * j * rounds; }));
            foreach (int i in Numbers(rounds)) sum += i;
            sum += Enumerable.Range(0, rounds).Where(i => { Count.Here(); return i % 2 == 0; }).Count();
        }
    }

    static class Async
    {
        sealed class Wrong : Exception { }

        static async Task<int> Twice(int i)
        {
            await Task.Yield();
            return 2 * i;
        }
        static async ValueTask Fail(int i)
        {
            await Task.Yield();
            Count.One("throw", "Truth.Async.Wrong");
            throw new Wrong();
        }
        static async Task<int> Sum(int rounds)
        {
            int sum = 0;
            for (int i = 0; i < rounds; i++)
            {
                sum += await Twice(i);
                try { await Fail(i); }
                catch (Wrong) { Count.One("caught", "all"); }
            }
            return sum;
        }
        static async IAsyncEnumerable<int> Stream(int most)
        {
            for (int i = 0; i < most; i++) { await Task.Yield(); yield return i; }
        }
        static async Task Both(int rounds)
        {
            Func<Task> quick = async () => { Count.One("quick", "all"); await Task.CompletedTask; };
            for (int i = 0; i < rounds; i++) await quick();
            await foreach (int _ in Stream(rounds)) Count.One("streamed", "all");
            await Task.WhenAll(Enumerable.Range(0, rounds).Select(Twice));
        }

        public static void Run(int rounds)
        {
            Sum(rounds).Wait();
            Both(rounds).Wait();
        }
    }
}
