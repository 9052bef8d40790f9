// SPDX-License-Identifier: Apache-2.0
// A class for compilers, made as often as is wanted, NUMBER being another one each time.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
namespace Made.Part {
    public interface IItemNUMBER<T> { T Next(T value); int Count { get; } }
    public struct PairNUMBER { public int X; public long Y; public override string ToString() { return X + ":" + Y; } }
    public class ItemNUMBER : IItemNUMBER<int> {
        readonly Dictionary<string, List<int>> table = new Dictionary<string, List<int>>();
        public event Action<int> Changed;
        public int Count { get { return table.Count; } }
        public int Next(int value) {
            int local = value * NUMBER;
            Func<int, int> add = x => x + local + Count;
            try {
                checked { local += add(value); }
                if (Changed != null) Changed(local);
            } catch (OverflowException e) when (e.Message.Length > NUMBER) {
                local = 0;
            } finally { table["k" + local] = new List<int> { value, local, NUMBER }; }
            switch (local % 5) {
                case 0: return local;
                case 1: goto case 0;
                default: return Sum(Evens(value).Select(x => x * 2).Where(x => x > NUMBER % 7));
            }
        }
        public static int Sum(IEnumerable<int> values) { int sum = 0; foreach (var v in values) sum += v; return sum; }
        public IEnumerable<int> Evens(int to) { for (int i = 0; i < to; i += 2) yield return i + Count; }
        public async Task<string> Later(int time) {
            await Task.Delay(time);
            var found = from pair in table where pair.Value.Count > NUMBER % 3 orderby pair.Key select pair.Key;
            return string.Join(",", found.ToArray()) + new PairNUMBER { X = time, Y = NUMBER };
        }
        public T Most<T>(IEnumerable<T> of) where T : IComparable<T> {
            T most = default(T);
            foreach (var one in of) if (one.CompareTo(most) > 0) most = one;
            return most;
        }
    }
}
