// SPDX-License-Identifier: Apache-2.0
// Starts so many programs like itself, which start none, and waits for them. A child lives until its
// input ends.
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

public class Parent {
    public static void main(String[] arguments) throws IOException, InterruptedException {
        int children = Integer.parseInt(arguments[0]);
        List<Process> started = new ArrayList<>();
        for (int i = 0; i < children; i++)
            started.add(new ProcessBuilder(ProcessHandle.current().info().command().get(), "-cp",
                    arguments[1], "Parent", "0", arguments[1])
                    .redirectError(ProcessBuilder.Redirect.INHERIT).start());
        if (children == 0) while (System.in.read() >= 0) continue;
        else Thread.sleep(1000);  // wait: lasts
        for (Process one : started) {
            one.getOutputStream().close();
            one.waitFor();
        }
        System.out.println("done " + children);
    }
}
