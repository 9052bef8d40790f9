// SPDX-License-Identifier: Apache-2.0
// Types and methods of every sort. Prints what reflection calls each of them, in the agent's way of
// writing: "class NAME", and "method NAME|RETURNS|SIGNATURE"; all methods are compiled on the way.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Names
{
    interface IAny { void Do(); }
    enum Color : short { Red, Green }
    delegate int Two(int one, ref string other);
    struct Pair<A, B> { public A First; public B Second; public override string ToString() => $"{First} {Second}"; }
    record Person(string Name, int Age);
    static class Extension { public static int Twice(this int value) => 2 * value; }
    class Outer
    {
        public class Middle { public class Inner { public Inner Self() => this; } }
        public class Generic<T>
        {
            public class Deeper<U, V> { public Dictionary<T, List<U>> Both(U[] some, V[,] other) => null; }
            public struct Plain { public T Value; public T Get() => Value; }
            public M Method<M, N>(T one, M two, N[][] three, Generic<N> four) => two;
        }
    }
    unsafe class Signatures
    {
        public void All(bool a, byte b, sbyte c, short d, ushort e, int f, uint g, long h, ulong i,
                        float j, double k, char l, string m, object n, nint o, nuint p, decimal q) { }
        public ref int Reference(ref int one, out string two, in long three) { two = null; return ref one; }
        public int* Pointer(void* one, char** two, int*[] three) => null;
        public delegate*<int, string, void> Function(delegate* unmanaged<byte> one) => null;
        public int[][,][,,] Arrays(string[][] one, Color[,] two, Pair<int, string>[] three) => null;
        public (int, string) Tuple((long, (byte, char)) one, int? two) => (1, "");
        public dynamic Dynamic(dynamic one) => one;
        public Two Delegate(Action<int, Func<string, Color>> one, params object[] two) => null;
        public static Signatures operator +(Signatures one, Signatures two) => one;
        public static explicit operator int(Signatures one) => 1;
        public int this[int one, string two] { get => one; set { } }
        public event Action Changed { add { } remove { } }
        public volatile int Field;
        public void Volatile(ref int one, IEnumerable<int[]> two) { }
        public ref readonly Pair<int, string> Readonly(in Pair<int, string> one) => ref one;
        public ref int* ReferenceToPointer(ref int* one, int** two, ref int[] three) => ref one;
        public void Arrays(int[,][] one, int[][,] two, int[,,,] three, Pair<int[], string[,]>[] four) { }
        public delegate*<delegate*<int, void>, ref int, in long, int[]> Functions(
            delegate* unmanaged[Cdecl]<int, void> one, delegate* unmanaged[Stdcall, SuppressGCTransition]<void> two,
            delegate*<void>[] three, delegate*<int*, Pair<int, string>, Outer.Generic<int>.Plain> four) => null;
        public int?[] Nullable(int? one, Color? two, Pair<int?, Color?>? three, (int, string)? four) => null;
        public (int, (string, (long, byte)), int, int, int, int, int, int, int) Long() => default;
        public (int A, string B) Named((int C, dynamic D) one) => default;
        public void Spans(Span<int> one, ReadOnlySpan<string> two, scoped ref Span<byte> three) { }
        public int Optional(int one = 1, string two = "two", params int[] three) => 1;
        public nint Native(nuint one, IntPtr two, TypedReference three) => 0;
        public static bool operator true(Signatures one) => true;
        public static bool operator false(Signatures one) => false;
        public static bool operator ==(Signatures one, Signatures two) => true;
        public static bool operator !=(Signatures one, Signatures two) => false;
        public static Signatures operator checked +(Signatures one, Signatures two) => one;
        public static Signatures operator ++(Signatures one) => one;
        public static Signatures operator <<(Signatures one, int two) => one;
        public static Signatures operator >>>(Signatures one, int two) => one;
        public static implicit operator string(Signatures one) => "";
        public static explicit operator checked int(Signatures one) => 1;
        public override bool Equals(object other) => true;
        public override int GetHashCode() => 1;
        public int Property { get; set; }
        public int Once { get; init; }
        public void Deconstruct(out int one, out string two) { one = 1; two = ""; }
        static Signatures() { }
        ~Signatures() { }
    }
    class Explicit : IAny, IEquatable<Explicit>
    {
        void IAny.Do() { }
        bool IEquatable<Explicit>.Equals(Explicit other) => true;
        public void Ünïcödé_名前() { Action inner = () => Local(1); inner(); void Local(int x) { } }
    }
    class Locals<T>
    {
        public int Both<M>(T one, M two)
        {
            int sum = 0;
            int Nested<N>(N three) { int Deepest() { Func<int> last = () => sum++; return last(); } return Deepest(); }
            static N Fixed<N>(N three) => three;
            Func<T, M, int> lambda = (a, b) => Nested(a) + Nested(b) + sum;
            foreach (var found in Yield(one, two)) sum++;
            return Fixed(lambda(one, two));
        }
        public IEnumerable<(T, M)> Yield<M>(T one, M two) { yield return (one, two); }
        public async System.Threading.Tasks.ValueTask<M[]> Async<M>(T one, M two) { await System.Threading.Tasks.Task.Yield(); return new[] { two }; }
        public class Nested<T2> { public U Hidden<T3, U>(T3 one, U two) => two; }
    }
    interface IShape<T> { T Area { get; } static abstract T operator +(IShape<T> one, T two); T Twice() => Area; int Any<M>(M one) => 1; }
    struct Circle : IShape<double>, IComparable<Circle>
    {
        double IShape<double>.Area => 1;
        static double IShape<double>.operator +(IShape<double> one, double two) => two;
        int IComparable<Circle>.CompareTo(Circle other) => 0;
        readonly int IShape<double>.Any<M>(M one) => 2;
    }
    readonly ref struct OnlyHere { public readonly Span<int> Values; public OnlyHere(Span<int> values) => Values = values; public int First() => Values[0]; }
    record struct Point<T>(T X, T Y) where T : struct;
    abstract class Base { public abstract Base Covariant(); protected internal virtual void Virtual() { } }
    class Derived : Base { public override Derived Covariant() => this; protected internal override void Virtual() => base.Virtual(); }
    class Ключ_Ξ<Тип> { public Тип Значение; public Тип получить_é(Тип другой) => другой; public int @class(int @int) => @int; }
    class Many<A, B, C, D, E, F, G, H, I> { public (A, B, I) Get() => default; }
}

static class Program
{
    static string Formal(string letters, int index) =>
        index < letters.Length ? letters.Substring(index, 1) : letters[0] + index.ToString();

    // What is in a signature has its formal letters; what was instantiated has its arguments.
    static string Name(Type type)
    {
        if (type.IsByRef) return "ref " + Name(type.GetElementType());
        if (type.IsPointer) return Name(type.GetElementType()) + "*";
        if (type.IsArray) return Name(type.GetElementType()) + "[" + new string(',', type.GetArrayRank() - 1) + "]";
        if (type.IsGenericMethodParameter) return Formal("MNOPQRS", type.GenericParameterPosition);
        if (type.IsGenericParameter) return Formal("TUVWXYZ", type.GenericParameterPosition);
        if (type.IsFunctionPointer)
            return Name(type.GetFunctionPointerReturnType()) + "(" + string.Join(", ", type.GetFunctionPointerParameterTypes().Select(Name)) + ")*";
        var levels = new List<Type>();
        for (Type level = type; level != null; level = level.DeclaringType) levels.Insert(0, level);
        var arguments = type.GetGenericArguments();
        string name = type.Namespace == null ? "" : type.Namespace + ".";
        int used = 0;
        foreach (Type level in levels)
        {
            if (level != levels[0]) name += ".";
            name += level.Name.Split('`')[0];
            int count = level.Name.Contains('`') ? int.Parse(level.Name.Split('`')[1]) : 0;
            if (count == 0) continue;
            var texts = Enumerable.Range(used, count).Select(i => Formal("TUVWXYZ", i) + "=" + Name(arguments[i]));
            name += "<" + string.Join(", ", texts) + ">";
            used += count;
        }
        return name;
    }

    // Signatures are the definition's.
    static void Method(MethodBase method)
    {
        MethodBase definition = method.Module.ResolveMethod(method.MetadataToken);
        string name = Name(Shared(method.DeclaringType)) + "::" + method.Name;
        if (method.IsGenericMethod)
            name += "<" + string.Join(", ", method.GetGenericArguments().Select((type, i) => Formal("MNOPQRS", i) + "=" + Name(Canonical(type)))) + ">";
        string returns = definition is MethodInfo info ? Name(info.ReturnType) : "System.Void";
        string parameters = string.Join(", ", definition.GetParameters().Select(p => Name(p.ParameterType)));
        Console.WriteLine($"method {name}|{returns}|({parameters})");
        var types = method.DeclaringType.GetGenericArguments();
        if (method.IsGenericMethod) types = types.Concat(method.GetGenericArguments()).ToArray();
        if (types.Length == 0) RuntimeHelpers.PrepareMethod(method.MethodHandle);
        else RuntimeHelpers.PrepareMethod(definition.MethodHandle, types.Select(type => type.TypeHandle).ToArray());
    }

    // Code for classes is that for System.__Canon.
    static Type Shared(Type type)
    {
        if (type.IsConstructedGenericType)
            return type.GetGenericTypeDefinition().MakeGenericType(type.GetGenericArguments().Select(Canonical).ToArray());
        return type;
    }
    static readonly Type Canon = typeof(object).Assembly.GetType("System.__Canon");
    static Type Canonical(Type type) => type.IsValueType ? Shared(type) : Canon;

    static readonly Type[] Arguments = { typeof(int), typeof(string), typeof(Names.Color), typeof(Names.Pair<long, string>), typeof(List<int>) };
    static Type[] Fill(int count) => Enumerable.Range(0, count).Select(i => Arguments[i % Arguments.Length]).ToArray();

    // What the runtime does not prepare when it is asked to.
    static void Call()
    {
        var any = new Names.Explicit();
        ((Names.IAny)any).Do();
        ((IEquatable<Names.Explicit>)any).Equals(any);
        var person = new Names.Person("", 1);
        (person with { Age = 2 }).Equals(person);
        IEnumerable<(int, string)> pairs = new Names.Locals<int>().Yield(1, "");
        foreach (var _ in pairs) { }
        System.Collections.IEnumerator plain = ((System.Collections.IEnumerable)pairs).GetEnumerator();
        while (plain.MoveNext()) _ = plain.Current;
        try { plain.Reset(); }
        catch (NotSupportedException) { }
    }

    static void Main()
    {
        Call();
        const BindingFlags all = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;
        foreach (Type defined in typeof(Names.Outer).Assembly.GetTypes())
        {
            if (!(defined.Namespace ?? "").StartsWith("Names")) continue;
            Type type = defined.IsGenericTypeDefinition ? defined.MakeGenericType(Fill(defined.GetGenericArguments().Length)) : defined;
            RuntimeHelpers.RunClassConstructor(type.TypeHandle);
            Console.WriteLine("class " + Name(type));
            if (type.IsInterface || typeof(Delegate).IsAssignableFrom(type)) continue;
            foreach (MethodBase method in type.GetMethods(all).Cast<MethodBase>().Concat(type.GetConstructors(all)))
            {
                if (method.IsAbstract) continue;
                var closed = method is MethodInfo info && method.IsGenericMethodDefinition ? info.MakeGenericMethod(Fill(method.GetGenericArguments().Length)) : method;
                Method(closed);
            }
        }
    }
}
