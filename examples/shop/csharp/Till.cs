// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections.Generic;
using System.Threading;

sealed class Order
{
    public readonly int Day;
    public readonly Article Article;
    public readonly string Amount;
    // What the printer will need.
    public readonly byte[] Receipt = new byte[2048];

    public Order(int day, Article article, string amount)
    {
        Day = day;
        Article = article;
        Amount = amount;
    }
}

// One till for all customers: the lock convoy. It keeps every order for ever: the leak. It finds out
// that an amount is no number by catching what Parse() throws: the exception storm.
sealed class Till
{
    readonly List<Order> orders = new List<Order>();
    readonly object gate = new object();

    public int Sold { get; private set; }
    public int Refused { get; private set; }

    public void Pay(Order order)
    {
        lock (gate)
        {
            if (!Shop.Repaired) orders.Add(order);
            int amount = AmountOf(order);
            if (amount < 0) Refused++;
            else Sold += amount;
            if (!Shop.Repaired) Print();
        }
        if (Shop.Repaired) Print();
    }

    // The printer is slow, and the till waits for it with its lock held.
    static void Print()
    {
        Thread.Sleep(1);
    }

    static int AmountOf(Order order)
    {
        if (Shop.Repaired && !char.IsDigit(order.Amount[0])) return -1;
        for (int attempt = 0; attempt < 5; attempt++)
        {
            try
            {
                return int.Parse(order.Amount);
            }
            catch (FormatException)
            {
                // Try again: perhaps it goes away.
            }
        }
        return -1;
    }

    public void Close()
    {
        lock (gate) GC.Collect();
    }
}
