// SPDX-License-Identifier: Apache-2.0
// A thread holds a monitor until all others wait for it: known numbers of contentions, and waits.
import java.lang.reflect.Method;

public class Contend {
  static class Door {}

  static class Bell {}

  static final Door DOOR = new Door();
  static final Bell BELL = new Bell();
  static int entered;

  static void enter() {
    synchronized (DOOR) {
      ++entered;
    }
  }

  static void sleepUntil(Thread thread, Thread.State state) throws InterruptedException {
    while (thread.getState() != state) Thread.sleep(1);  // wait: for a state
  }

  // Virtual threads without naming what older JDKs do not have.
  static Thread start(boolean virtual, String name, Runnable work) throws Exception {
    if (!virtual) {
      Thread thread = new Thread(work, name);
      thread.start();
      return thread;
    }
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    Class<?> type = Class.forName("java.lang.Thread$Builder");
    builder = type.getMethod("name", String.class).invoke(builder, name);
    Method start = type.getMethod("start", Runnable.class);
    return (Thread) start.invoke(builder, work);
  }

  // A thread is blocked shortly before that is told: who holds the door is asked for then.
  static void contend(boolean virtual, int round, int count) throws Exception {
    Thread[] threads = new Thread[count];
    synchronized (DOOR) {
      for (int i = 0; i < count; ++i)
        threads[i] = start(virtual, "enters-" + round + "-" + i, Contend::enter);
      for (Thread thread : threads) sleepUntil(thread, Thread.State.BLOCKED);
      Thread.sleep(20);  // wait: who holds it is asked for after the state
    }
    for (Thread thread : threads) thread.join();
  }

  static void await(long timeout) {
    synchronized (BELL) {
      try {
        BELL.wait(timeout);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  static void ring(boolean virtual) throws Exception {
    Thread thread = start(virtual, "waits", () -> await(60_000));
    sleepUntil(thread, Thread.State.TIMED_WAITING);
    synchronized (BELL) {
      BELL.notifyAll();
    }
    thread.join();
    thread = start(virtual, "gives-up", () -> await(5));
    thread.join();
  }

  public static void main(String[] arguments) throws Exception {
    boolean virtual = arguments[0].equals("virtual");
    int rounds = Integer.parseInt(arguments[1]);
    for (int round = 0; round < rounds; ++round)
      contend(virtual, round, Integer.parseInt(arguments[2]));
    ring(virtual);
    System.out.println(entered);
  }
}
