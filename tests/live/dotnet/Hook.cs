// SPDX-License-Identifier: Apache-2.0
// Within any program (DOTNET_STARTUP_HOOKS): the exceptions thrown in it, its collections and the
// bytes of its objects, into the file that TOLD names.
using System;
using System.IO;

static class StartupHook
{
    static void Tell()
    {
        Count.Set("bytes", "allocated", GC.GetTotalAllocatedBytes(true));
        for (int i = 0; i <= GC.MaxGeneration; ++i)
            Count.Set("collections", "of " + i, GC.CollectionCount(i));
        using var file = new StreamWriter(Environment.GetEnvironmentVariable("TOLD"));
        Console.SetOut(file);
        Count.Print();
    }
    public static void Initialize()
    {
        AppDomain.CurrentDomain.FirstChanceException += (_, fault) =>
            Count.One("throw", fault.Exception.GetType().FullName.Replace('+', '.'));
        AppDomain.CurrentDomain.ProcessExit += (_, _) => Tell();
    }
}
