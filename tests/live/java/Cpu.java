// SPDX-License-Identifier: Apache-2.0
import java.lang.management.ManagementFactory;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;

/** Threads that compute, sleep, wait for a lock and read from a socket; each prints its CPU time. */
class Cpu {
  static final long COMPUTES = 600_000_000L; // nanoseconds of CPU
  static final CountDownLatch DONE = new CountDownLatch(1);
  static final Object LOCK = new Object();
  static volatile long sink;

  interface Work {
    void run() throws Exception;
  }

  static long used() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  static void hash() {
    for (int i = 0; i < 100_000; ++i) sink = sink * 31 + i;
  }

  static void compute() {
    while (used() < COMPUTES) hash();
    DONE.countDown();
  }

  static void rest() throws Exception {
    while (DONE.getCount() != 0) Thread.sleep(50); // wait: a thread that sleeps is recorded
  }

  static void lock() {
    synchronized (LOCK) {
      sink += 1;
    }
  }

  static Thread start(String name, Work work) {
    Thread thread = new Thread(() -> {
      try {
        work.run();
      } catch (Exception e) {
        throw new RuntimeException(e);
      }
      System.out.println(name + " " + used());
    }, name);
    thread.start();
    return thread;
  }

  static void read(ServerSocket server) throws Exception {
    try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
      socket.getInputStream().read();
    }
  }

  public static void main(String[] arguments) throws Exception {
    used();
    try (ServerSocket server = new ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
      Thread locks;
      Thread reads = start("reads", () -> read(server));
      Socket peer = server.accept();
      Thread sleeps;
      synchronized (LOCK) {
        locks = start("locks", Cpu::lock);
        sleeps = start("sleeps", Cpu::rest);
        start("computes", Cpu::compute).join();
      }
      peer.close();
      for (Thread thread : new Thread[] {locks, reads, sleeps}) thread.join();
    }
  }
}
