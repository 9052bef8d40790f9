// SPDX-License-Identifier: Apache-2.0
/** Runs out of stack and catches it, again and again. */
public class Deep {
  static void down() {
    down();
  }

  public static void main(String[] arguments) {
    int rounds = Integer.parseInt(arguments[0]);
    int caught = 0;
    for (int i = 0; i < rounds; ++i) {
      try {
        down();
      } catch (StackOverflowError full) {
        ++caught;
      }
    }
    System.out.println(caught);
  }
}
