// SPDX-License-Identifier: Apache-2.0
// What a program says of its own calls, to be compared with what was recorded. Not recorded itself.
import java.util.ArrayList;
import java.util.List;

final class Log {
  private static final ThreadLocal<List<String>> LINES = ThreadLocal.withInitial(ArrayList::new);

  private Log() {}

  static void in(String method) {
    LINES.get().add("enter " + method);
  }

  // Before the constructor of a super class.
  static int in(String method, int value) {
    in(method);
    return value;
  }

  static void out(String method) {
    LINES.get().add("leave " + method);
  }

  static void print() {
    StringBuilder text = new StringBuilder();
    for (String line : LINES.get()) text.append(line).append('\n');
    System.out.print(text);
  }
}
