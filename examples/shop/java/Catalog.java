// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

// The hot method: find() looks at every article and asks similarity() of each.
final class Catalog {
  static final String OF_WHAT = " of the great catalogue of everything";

  private final List<Article> articles = new ArrayList<>();
  private final Map<String, Article> byName = new HashMap<>();

  Catalog(int size) {
    for (int i = 0; i < size; i++) articles.add(new Article("article-" + i + OF_WHAT, 1 + i % 90));
    for (Article article : articles) byName.put(article.name, article);
  }

  Article find(String wanted) {
    if (Shop.repaired) return byName.get(wanted);
    Article best = null;
    int most = -1;
    for (Article article : articles) {
      int likeness = similarity(article.name, wanted);
      if (likeness > most) {
        most = likeness;
        best = article;
      }
    }
    return best;
  }

  // How many letters are the same, the long way round.
  static int similarity(String one, String other) {
    int same = one.length() == other.length() ? 1 : 0;
    for (int i = 0; i < one.length(); i++) {
      for (int j = 0; j < other.length(); j++) {
        if (i == j && one.charAt(i) == other.charAt(j)) same++;
      }
    }
    return same;
  }
}
