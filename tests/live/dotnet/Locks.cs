// SPDX-License-Identifier: Apache-2.0
// Five times one thread waits for a lock that another holds; then many small objects.
using System.Threading;

static class Locks
{
    sealed class Thing { public long A, B; }
    static readonly object gate = new();
    static object kept;

    static void Enter() { lock (gate) { } }

    static void Main()
    {
        for (int i = 0; i < 5; i++)
        {
            var thread = new Thread(Enter) { Name = "waits" };
            lock (gate)
            {
                thread.Start();
                while (thread.ThreadState != ThreadState.WaitSleepJoin) Thread.Sleep(1);  // wait: for a state
                // In that state it may still be spinning.
                Thread.Sleep(100);  // wait: longer than it spins
            }
            thread.Join();
        }
        for (int i = 0; i < 2_000_000; i++) kept = new Thing();
    }
}
