// SPDX-License-Identifier: Apache-2.0
// A program whose classes are named like .NET's own, and tells how much of .NET it has loaded.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Microsoft.Mine {
  class Tool {
    public static int Turn(int n) => n < 2 ? n : Turn(n - 1) + Turn(n - 2);
  }
}

namespace System.Mine {
  class Box {
    public static int Twice(int n) => 2 * n;
  }
}

class Framework {
  static void Main() {
    int sum = Enumerable.Range(0, 100).Select(System.Mine.Box.Twice).Sum();
    Console.WriteLine($"{Microsoft.Mine.Tool.Turn(10) + sum}");
    string folder = Path.GetFullPath(Path.Combine(typeof(object).Assembly.Location, "../../.."));
    Console.WriteLine($"folder {folder}/");
    var own = AppDomain.CurrentDomain.GetAssemblies().Where(a => a.Location.StartsWith(folder));
    Console.WriteLine($"modules {own.Count()}");
  }
}
