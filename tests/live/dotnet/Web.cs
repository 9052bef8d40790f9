// SPDX-License-Identifier: Apache-2.0
// A small web server, which ends with its input: it says where it serves.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

static class Web
{
    sealed class Refused : Exception
    {
        public Refused(int number) : base("refused " + number) { }
    }
    record Item(int Number, string Name, List<int> Divisors);

    static readonly Queue<byte[]> Kept = new();

    static async Task<Item> Describe(int number)
    {
        await Task.Yield();
        return new Item(number, "item " + number, Enumerable.Range(1, number).Where(n => number % n == 0).ToList());
    }
    static int Refuse(int number) => number >= 0 ? throw new Refused(number) : number;

    // Lives for a while, so that all generations have something to do.
    static string Keep(int size)
    {
        lock (Kept)
        {
            for (int i = 0; i < 16; ++i) Kept.Enqueue(new byte[size + i]);
            while (Kept.Count > 4000) Kept.Dequeue();
        }
        return "kept " + size;
    }
    static async Task Guard(HttpContext context, RequestDelegate next)
    {
        try { await next(context); }
        catch (Refused refused)
        {
            context.Response.StatusCode = 418;
            await context.Response.WriteAsync(refused.Message);
        }
    }
    static void Main()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        var app = builder.Build();
        app.Use(Guard);
        app.MapGet("/text/{number}", (int number) => "number " + number);
        app.MapGet("/item/{number}", (int number) => Describe(number));
        app.MapGet("/keep/{size}", (int size) => Keep(size));
        app.MapGet("/refuse/{number}", (int number) => "not " + Refuse(number));
        app.Start();
        Console.WriteLine(app.Urls.First());
        Console.In.ReadToEnd();
        app.StopAsync().GetAwaiter().GetResult();
    }
}
