// SPDX-License-Identifier: Apache-2.0
// A servlet container with a web application: the port it serves, then, when its input ends and all
// is shut down, the names of its threads.
import java.io.File;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

public class Serves {
    public static void main(String[] args) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(args[0]);
        Connector connector = new Connector();
        connector.setPort(0);
        tomcat.setConnector(connector);
        new File(args[0], "webapps").mkdirs();
        tomcat.addWebapp("/examples", args[1]);
        tomcat.start();
        System.out.println(connector.getLocalPort());
        while (System.in.read() >= 0) {
        }
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            System.out.println(thread.getName());
        }
        tomcat.stop();
        tomcat.destroy();
    }
}
