// SPDX-License-Identifier: Apache-2.0
// Code that is made at run time, and code that is unloaded again.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq.Expressions;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace Truth
{
    public static class Made
    {
        static int called;
        public static void Called()
        {
            Count.Here();
            if (++called % 10 != 0) return;
            try { throw new InvalidOperationException(); }
            catch (InvalidOperationException) { }
        }
        static readonly MethodInfo Target = typeof(Made).GetMethod(nameof(Called));

        static void Dynamic(int rounds)
        {
            for (int made = 0; made < 5; made++)
            {
                var method = new DynamicMethod("Dynamic" + made, null, Type.EmptyTypes, typeof(Made).Module, true);
                Body(method.GetILGenerator(), Target);
                var action = method.CreateDelegate<Action>();
                for (int i = 0; i < rounds; i++) action();
                Count.Set("dynamic", "<dynamic>::Dynamic" + made, rounds);
            }
        }

        // Behind a call that is its last act, no frame would be left.
        static void Body(ILGenerator code, MethodInfo called)
        {
            code.Emit(OpCodes.Call, called);
            code.Emit(OpCodes.Nop);
            code.Emit(OpCodes.Ret);
        }

        static void Assembly(int rounds, AssemblyBuilderAccess access, string name)
        {
            var assembly = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName(name), access);
            TypeBuilder type = assembly.DefineDynamicModule(name).DefineType("Truth." + name, TypeAttributes.Public);
            Body(type.DefineMethod("Run", MethodAttributes.Public | MethodAttributes.Static).GetILGenerator(), Target);
            MethodInfo run = type.CreateType().GetMethod("Run");
            var action = run.CreateDelegate<Action>();
            for (int i = 0; i < rounds; i++) action();
            Count.Set("call", "Truth." + name + "::Run", rounds);
        }

        static void Compiled(int rounds)
        {
            Expression body = Expression.Block(Expression.Call(Target), Expression.Constant(1));
            Func<int> action = Expression.Lambda<Func<int>>(body, "Expressed", null).Compile();
            for (int i = 0; i < rounds; i++) action();
            Count.Set("dynamic", "<dynamic>::Expressed", rounds);
        }

        public static void Run(int rounds)
        {
            Dynamic(rounds);
            Assembly(rounds, AssemblyBuilderAccess.Run, "Emitted");
            Assembly(rounds, AssemblyBuilderAccess.RunAndCollect, "Collectible");
            Compiled(rounds);
        }
    }

    // An assembly per round, each with names of its own, loaded, used and unloaded.
    static class Unload
    {
        static MemoryStream Plugin(int round)
        {
            var assembly = new PersistedAssemblyBuilder(new AssemblyName("Plugin" + round), typeof(object).Assembly);
            ModuleBuilder module = assembly.DefineDynamicModule("Plugin" + round);
            TypeBuilder type = module.DefineType("Truth.Type" + round, TypeAttributes.Public);
            type.DefineMethod("Run" + round, MethodAttributes.Public | MethodAttributes.Static).GetILGenerator().Emit(OpCodes.Ret);
            type.DefineDefaultConstructor(MethodAttributes.Public);
            TypeBuilder value = module.DefineType("Truth.Value" + round, TypeAttributes.Public | TypeAttributes.Sealed, typeof(ValueType));
            value.DefineField("Field", typeof(long), FieldAttributes.Public);
            value.CreateType();
            type.CreateType();
            var stream = new MemoryStream();
            assembly.Save(stream);
            stream.Position = 0;
            return stream;
        }

        static object Walk<V>(int times)
        {
            Count.One("call", "Truth.Unload::Walk<M=" + typeof(V) + ">");
            object kept = null;
            for (int i = 0; i < times; i++) kept = new V[i];
            return kept;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static WeakReference Use(int round)
        {
            var context = new AssemblyLoadContext("context" + round, isCollectible: true);
            Assembly assembly = context.LoadFromStream(Plugin(round));
            Type type = assembly.GetType("Truth.Type" + round);
            var run = type.GetMethod("Run" + round).CreateDelegate<Action>();
            int times = 10 + round;
            for (int i = 0; i < times; i++) run();
            for (int i = 0; i < times; i++) Activator.CreateInstance(type);
            Type value = assembly.GetType("Truth.Value" + round);
            typeof(Unload).GetMethod("Walk", BindingFlags.NonPublic | BindingFlags.Static).MakeGenericMethod(value).Invoke(null, new object[] { times });
            Count.Set("call", "Truth.Type" + round + "::Run" + round, times);
            Count.Set("call", "Truth.Type" + round + "::.ctor", times);
            Count.Set("object", "Truth.Type" + round, times);
            Count.Set("object", "Truth.Value" + round + "[]", times);
            context.Unload();
            return new WeakReference(context);
        }

        static void Collect()
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        // What was loaded last goes some collections after its context.
        public static void Run(int rounds)
        {
            for (int round = 0; round < rounds; round++)
            {
                WeakReference context = Use(round);
                for (int i = 0; context.IsAlive && i < 20; i++) Collect();
                if (context.IsAlive) Count.One("wrong", "context-lives");
            }
            for (int i = 0; i < 10; i++) Collect();
        }
    }
}
