// SPDX-License-Identifier: Apache-2.0
// A program that counts what it does (Count.cs), the same number of times in every run.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Truth
{
    class Failure : Exception
    {
        public Failure() { Count.Call("Failure::.ctor"); Count.Object("Truth.Failure"); }
    }

    abstract class Shape
    {
        protected Shape() => Count.Call("Shape::.ctor");
        public abstract double Area();
    }
    sealed class Square : Shape
    {
        readonly double side;
        public Square(double side)
        {
            Count.Call("Square::.ctor");
            Count.Object("Truth.Square");
            this.side = side;
        }
        public override double Area() { Count.Call("Square::Area"); return side * side; }
    }
    struct Vector
    {
        public double X, Y, Z;
        public Vector Plus(Vector other)
        {
            Count.Call("Vector::Plus");
            return new Vector { X = X + other.X, Y = Y + other.Y, Z = Z + other.Z };
        }
    }
    class Box<T>
    {
        readonly T value;
        public Box(T value)
        {
            Count.Call("Box<T=" + Count.Shared(typeof(T)) + ">::.ctor");
            Count.Object("Truth.Box<T=" + typeof(T) + ">");
            this.value = value;
        }
        public T Value { get { Count.Call("Box<T=" + Count.Shared(typeof(T)) + ">::get_Value"); return value; } }

        public class Inner<U>
        {
            public Inner()
            {
                Count.Call("Box<T=" + Count.Shared(typeof(T)) + ">.Inner<U=" + Count.Shared(typeof(U)) + ">::.ctor");
                Count.Object("Truth.Box<T=" + typeof(T) + ">.Inner<U=" + typeof(U) + ">");
            }
        }
    }

    static class Program
    {
        static object kept;

        static int Fib(int n) { Count.Call("Program::Fib"); return n < 2 ? n : Fib(n - 1) + Fib(n - 2); }
        static int Deep(int n) { Count.Call("Program::Deep"); return n == 0 ? 0 : 1 + Deep(n - 1); }

        // Arguments in all registers there are, and some on the stack.
        static double Many(int a, double b, long c, float d, string e, double f, int g, double h,
                           double i, double j, double k, double l, double m, long n, long o)
        {
            Count.Call("Program::Many");
            return a + b + c + d + e.Length + f + g + h + i + j + k + l + m + n + o;
        }
        static decimal Wide(decimal value) { Count.Call("Program::Wide"); return value * 2; }
        static M Same<M>(M value) { Count.Call("Program::Same<M=" + Count.Shared(typeof(M)) + ">"); return value; }

        static void Thrower(int depth)
        {
            Count.Call("Program::Thrower");
            if (depth == 0) throw new Failure();
            try { Thrower(depth - 1); }
            finally { Count.One("finally", "all"); }
        }
        // The exception of the finally clause takes the place of the other.
        static void Replacer()
        {
            Count.Call("Program::Replacer");
            try { throw new Failure(); }
            finally { Rethrower(); }
        }
        static void Rethrower()
        {
            Count.Call("Program::Rethrower");
            try { throw new Failure(); }
            catch (Failure) { throw; }
        }
        static bool Wanted(int i) { Count.Call("Program::Wanted"); return i % 2 == 0; }

        static void Exceptions()
        {
            Count.Call("Program::Exceptions");
            for (int i = 0; i < 10; i++)
            {
                try { Thrower(3); }
                catch (Failure) when (Wanted(i)) { }
                catch (Exception) { }
                try { Replacer(); }
                catch (Failure) { }
            }
        }

        static IEnumerable<int> Numbers(int count) { for (int i = 0; i < count; i++) yield return i; }

        static async Task<int> Slowly(int n)
        {
            await Task.Yield();
            return n;
        }

        static void Allocations()
        {
            Count.Call("Program::Allocations");
            for (int i = 0; i < 100; i++)
            {
                kept = new Square(i);
                if (i % 2 == 0) { kept = new Box<int>(i); kept = new Box<string>("x"); }
                if (i % 4 == 0) { kept = new Box<string>.Inner<int>(); kept = new Vector[i]; Count.Object("Truth.Vector[]"); }
                if (i % 8 == 0) { kept = new Square[2, 3]; Count.Object("Truth.Square[,]"); }
                if (i % 16 == 0) { kept = new Square[2][,]; Count.Object("Truth.Square[,][]"); }
                if (i % 32 == 0) { kept = (object)new Vector(); Count.Object("Truth.Vector"); }
            }
        }

        // Long enough to be compiled anew and to replace itself while it runs.
        static long Hot(int rounds)
        {
            Count.Call("Program::Hot");
            long sum = 0;
            for (int i = 0; i < rounds; i++) sum += Small(i);
            return sum;
        }
        static long smalls;
        static int Small(int i) { smalls++; return i & 1; }

        static void Worker(object argument)
        {
            Count.Call("Program::Worker");
            Fib((int)argument);
        }
        static void Threads(int count)
        {
            Count.Call("Program::Threads");
            var threads = new Thread[count];
            for (int i = 0; i < count; i++)
            {
                threads[i] = new Thread(Worker) { Name = "worker-" + i };
                threads[i].Start(i % 10);
                Count.One("thread", "worker-" + i);
            }
            foreach (Thread thread in threads) thread.Join();
        }

        static void Check(bool good, string what)
        {
            Count.Call("Program::Check");
            if (!good) Console.WriteLine("wrong " + what + " 1");
        }

        static void Collections()
        {
            Count.Call("Program::Collections");
            GC.Collect(0);
            GC.Collect(1);
            GC.Collect();
        }

        static int Main(string[] arguments)
        {
            Count.Call("Program::Main");
            int threads = arguments.Length > 0 ? int.Parse(arguments[0]) : 10;
            Check(Fib(15) == 610, "Fib");
            Check(Deep(5000) == 5000, "Deep");
            Check(Many(1, 2, 3, 4, "five5", 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) == 120, "Many");
            Check(Wide(21.5m) == 43m, "Wide");
            Check(Same(1.5) == 1.5 && Same("a") == "a" && Same(new Vector { Y = 2 }).Y == 2, "Same");
            Vector sum = default;
            for (int i = 0; i < 10; i++) sum = sum.Plus(new Vector { X = 1, Y = i, Z = 0.5 });
            Check(sum.X == 10 && sum.Y == 45 && sum.Z == 5, "Vector");
            Shape shape = new Square(3);
            Check(shape.Area() == 9 && new Box<int>(4).Value == 4 && new Box<string>("b").Value == "b", "Box");
            Func<int, int> twice = x => { Count.One("call", "Truth.Program.<>c::<Main>"); return 2 * x; };
            Check(twice(4) == 8, "lambda");
            Check(Numbers(10).Sum() == 45, "iterator");
            Check(Slowly(5).Result == 5, "async");
            Exceptions();
            Allocations();
            Threads(threads);
            Check(Hot(300000) == 150000, "Hot");
            Collections();
            Count.Set("call", "Truth.Program::Small", smalls);
            Count.Call("Program::Numbers");
            Count.Call("Program::Slowly");
            for (int i = 0; i <= GC.MaxGeneration; i++)
                Count.Set("collection", "gen" + i, GC.CollectionCount(i));
            Count.Print();
            return 0;
        }
    }
}
