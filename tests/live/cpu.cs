// SPDX-License-Identifier: Apache-2.0
// Threads that compute, sleep, wait for a lock and read from a socket; each prints its CPU time, as
// the kernel counts it.
using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Threading;

static class Cpu {
  const long Computes = 600000000;  // nanoseconds of CPU; mcs misreads 600_000_000
  static readonly object Lock = new object();
  static volatile bool done;
  static volatile int sink;

  static long Used() {
    return long.Parse(File.ReadAllText("/proc/thread-self/schedstat").Split(' ')[0]);
  }

  static void Hash() {
    for (int i = 0; i < 3000000; ++i) sink = sink * 31 + i;
  }

  static void Compute() {
    while (Used() < Computes) Hash();
    done = true;
  }

  static void Sleep() {
    while (!done) Thread.Sleep(50);  // wait: a thread that sleeps is recorded
  }

  static void Enter() {
    lock (Lock) sink += 1;
  }

  static void Read(int port) {
    using (var socket = new TcpClient("127.0.0.1", port)) socket.GetStream().ReadByte();
  }

  static Thread Start(string name, Action work) {
    var thread = new Thread(() => {
      work();
      Console.WriteLine(name + " " + Used());
    });
    thread.Name = name;
    thread.Start();
    return thread;
  }

  static void Main() {
    var server = new TcpListener(IPAddress.Loopback, 0);
    server.Start();
    int port = ((IPEndPoint)server.LocalEndpoint).Port;
    Thread reads = Start("reads", () => Read(port));
    TcpClient peer = server.AcceptTcpClient();
    Thread locks, sleeps;
    lock (Lock) {
      locks = Start("locks", Enter);
      sleeps = Start("sleeps", Sleep);
      Start("computes", Compute).Join();
    }
    peer.Close();
    foreach (Thread thread in new[] { locks, reads, sleeps }) thread.Join();
  }
}
