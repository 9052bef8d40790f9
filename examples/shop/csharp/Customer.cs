// SPDX-License-Identifier: Apache-2.0
// Looks for a few things and buys them.
sealed class Customer
{
    const int Purchases = 10;

    readonly int day, number;
    readonly Catalog catalog;
    readonly Till till;

    public Customer(int day, int number, Catalog catalog, Till till)
    {
        this.day = day;
        this.number = number;
        this.catalog = catalog;
        this.till = till;
    }

    public void Run()
    {
        for (int i = 0; i < Purchases; i++)
        {
            string wanted = "article-" + (day * 7 + number * 31 + i * 13) % 400 + Catalog.OfWhat;
            Article article = catalog.Find(wanted);
            till.Pay(new Order(day, article, Amount(i)));
        }
    }

    // Every third customer types nonsense.
    string Amount(int purchase)
    {
        return (number + purchase) % 3 == 0 ? "a few" : (1 + purchase % 4).ToString();
    }
}
