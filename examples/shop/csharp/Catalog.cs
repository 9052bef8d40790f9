// SPDX-License-Identifier: Apache-2.0
using System.Collections.Generic;
using System.Runtime.CompilerServices;

sealed class Article
{
    public readonly string Name;
    public readonly int Price;

    public Article(string name, int price)
    {
        Name = name;
        Price = price;
    }
}

// The hot method: Find() looks at every article and asks Similarity() of each.
sealed class Catalog
{
    public const string OfWhat = " of the great catalogue of everything";

    readonly List<Article> articles = new List<Article>();
    readonly Dictionary<string, Article> byName = new Dictionary<string, Article>();

    public Catalog(int size)
    {
        for (int i = 0; i < size; i++) articles.Add(new Article("article-" + i + OfWhat, 1 + i % 90));
        foreach (Article article in articles) byName[article.Name] = article;
    }

    public Article Find(string wanted)
    {
        if (Shop.Repaired) return byName[wanted];
        Article best = null;
        int most = -1;
        foreach (Article article in articles)
        {
            int likeness = Similarity(article.Name, wanted);
            if (likeness <= most) continue;
            most = likeness;
            best = article;
        }
        return best;
    }

    // How many letters are the same, the long way round.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Similarity(string one, string other)
    {
        int same = one.Length == other.Length ? 1 : 0;
        for (int i = 0; i < one.Length; i++)
            for (int j = 0; j < other.Length; j++)
                if (i == j && one[i] == other[j]) same++;
        return same;
    }
}
