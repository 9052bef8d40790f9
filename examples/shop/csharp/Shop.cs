// SPDX-License-Identifier: Apache-2.0
// A small shop with four faults to find: docs/tutorial.md. The amount of work is told by the first
// argument (days, default 20) and is the same every time. With a second one, `repaired`, none of the
// faults is there.
using System;
using System.Collections.Generic;
using System.Threading;

static class Shop
{
    const int Customers = 4;
    public static bool Repaired;
    static readonly Till till = new Till();

    static void Main(string[] args)
    {
        int days = args.Length > 0 ? int.Parse(args[0]) : 20;
        Repaired = args.Length > 1 && args[1] == "repaired";
        var catalog = new Catalog(400);
        for (int day = 0; day < days; day++)
        {
            OpenFor(day, catalog);
            till.Close();
        }
        Console.WriteLine("{0} days, {1} sold, {2} refused", days, till.Sold, till.Refused);
    }

    static void OpenFor(int day, Catalog catalog)
    {
        var customers = new List<Thread>();
        for (int i = 0; i < Customers; i++)
        {
            var customer = new Customer(day, i, catalog, till);
            customers.Add(new Thread(customer.Run) { Name = "customer-" + i });
            customers[i].Start();
        }
        foreach (Thread customer in customers) customer.Join();
    }
}
