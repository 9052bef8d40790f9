// SPDX-License-Identifier: Apache-2.0
/** Throws, allocates and waits below as many calls as it is told. */
class Depths {
  static Object sink;

  static void down(int calls) throws InterruptedException {
    if (calls > 1) {
      down(calls - 1);
      return;
    }
    try {
      throw new IllegalStateException();
    } catch (IllegalStateException e) {
      sink = e;
    }
    sink = new byte[1 << 20];
    synchronized (Depths.class) {
      Depths.class.wait(1);
    }
  }

  public static void main(String[] arguments) throws InterruptedException {
    down(Integer.parseInt(arguments[0]));
  }
}
