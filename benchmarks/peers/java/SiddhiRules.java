import io.siddhi.core.SiddhiAppRuntime;
import io.siddhi.core.SiddhiManager;
import io.siddhi.core.event.Event;
import io.siddhi.core.query.output.callback.QueryCallback;
import io.siddhi.core.stream.input.InputHandler;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.FileReader;
import java.io.FileWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The rules as queries of Siddhi: `java SiddhiRules RULE,RULE FILE ANSWERS`, without answers if that is -.
 *
 * Each line of the input is a turn: the file from its begin to its end in a new application, whose time is that of the
 * events (playback). The file has the layout that `data.py` writes, and is read for that layout alone. Windows and
 * absences of Siddhi end before their last millisecond, so that each is one longer.
 */
public final class SiddhiRules {
  private static final String STREAMS =
      "@app:playback define stream Temp(sensor string, area string, value double, ts long);"
          + "define stream Smoke(area string, ts long); define stream Sent(id string, ts long);"
          + "define stream Approved(id string, ts long); define stream Back(id string, ts long);"
          + "define stream Submitted(id string, amount double, ts long); define stream Tick(ts long);";
  private static final long DAY = 86_400_000L;
  private static final Map<String, String> RULES = new LinkedHashMap<>();

  static {
    RULES.put(
        "join",
        "from Temp[value > 40.0] insert into Hot; @info(name = 'join') from Hot as t unidirectional"
            + " join Smoke#window.time(60001) as s on s.area == t.area and s.ts < t.ts"
            + " select s.ts as begin, t.ts as end, s.area as place insert into Fire;");
    RULES.put(
        "absence",
        "@info(name = 'absence') from every h=Temp[value > 40.0] -> not Temp[sensor == h.sensor] for 12001 milliseconds"
            + " select h.ts as begin, h.ts + 12000L as end, h.sensor as place insert into Burnt;");
    RULES.put(
        "average",
        "@info(name = 'average') from Temp#window.time(60001) select ts - 60000L as begin, ts as end, sensor as place,"
            + " (sum(value) - value) / (count() - 1) as mean, count() as readings group by sensor"
            + " having readings > 1 insert into Average;");
    RULES.put(
        "approved",
        "@info(name = 'approved') from Approved as a unidirectional join Sent#window.time("
            + (30 * DAY + 1)
            + "L) as s on s.id == a.id and s.ts < a.ts select s.ts as begin, a.ts as end, s.id as place insert into Good;");
    RULES.put(
        "unanswered",
        "@info(name = 'unanswered') from every s=Sent -> not Back[id == s.id] for "
            + (14 * DAY + 1)
            + " milliseconds select s.ts as begin, s.ts + "
            + 14 * DAY
            + "L as end, s.id as place insert into Silent;");
    RULES.put(
        "amounts",
        "@info(name = 'amounts') from Submitted#window.time(3600001) select ts - 3600000L as begin, ts as end,"
            + " id as place, (sum(amount) - amount) / (count() - 1) as mean, count() as others"
            + " having others > 1 insert into Amounts;");
  }

  private static long found;
  private static Writer out;

  private SiddhiRules() {}

  public static void main(String[] arguments) throws Exception {
    String[] rules = arguments[0].split(",");
    try (BufferedReader turns = new BufferedReader(new InputStreamReader(System.in))) {
      System.out.println("{\"ready\": true}");
      while (turns.readLine() != null) {
        System.out.println("{\"count\": " + turn(rules, arguments[1], arguments[2]) + "}");
      }
    }
    System.exit(0);
  }

  private static long turn(String[] rules, String file, String answers) throws Exception {
    found = 0;
    out = answers.equals("-") ? null : new BufferedWriter(new FileWriter(answers), 1 << 20);
    StringBuilder application = new StringBuilder(STREAMS);
    for (String rule : rules) {
      application.append(RULES.get(rule));
    }
    SiddhiManager manager = new SiddhiManager();
    SiddhiAppRuntime runtime = manager.createSiddhiAppRuntime(application.toString());
    for (String rule : rules) {
      runtime.addCallback(rule, new Answers());
    }
    runtime.start();
    read(runtime, file);
    runtime.shutdown();
    manager.shutdown();
    if (out != null) {
      out.close();
    }
    return found;
  }

  private static void read(SiddhiAppRuntime runtime, String file) throws Exception {
    InputHandler temp = runtime.getInputHandler("Temp");
    InputHandler smoke = runtime.getInputHandler("Smoke");
    InputHandler sent = runtime.getInputHandler("Sent");
    InputHandler approved = runtime.getInputHandler("Approved");
    InputHandler back = runtime.getInputHandler("Back");
    InputHandler submitted = runtime.getInputHandler("Submitted");
    long last = 0;
    try (BufferedReader lines = new BufferedReader(new FileReader(file), 1 << 20)) {
      for (String line; (line = lines.readLine()) != null; ) {
        long at = Long.parseLong(line.substring(line.indexOf("\"ts\":") + 5, line.length() - 1));
        last = at;
        switch (text(line, "type")) {
          case "temp":
            temp.send(at, new Object[] {text(line, "sensor"), text(line, "area"), number(line, "value"), at});
            break;
          case "smoke":
            smoke.send(at, new Object[] {text(line, "area"), at});
            break;
          case "O_SENT":
            sent.send(at, new Object[] {text(line, "case"), at});
            break;
          case "A_APPROVED":
            approved.send(at, new Object[] {text(line, "case"), at});
            break;
          case "O_SENT_BACK":
            back.send(at, new Object[] {text(line, "case"), at});
            break;
          case "A_SUBMITTED":
            submitted.send(at, new Object[] {text(line, "case"), number(line, "amount"), at});
            break;
          default: // nobody asks for it
        }
      }
    }
    long end = last + 15 * DAY; // lets all absences end
    runtime.getInputHandler("Tick").send(end, new Object[] {end});
  }

  private static String text(String line, String name) {
    String key = "\"" + name + "\":\"";
    int first = line.indexOf(key) + key.length();
    return line.substring(first, line.indexOf('"', first));
  }

  private static double number(String line, String name) {
    String key = "\"" + name + "\":";
    int first = line.indexOf(key) + key.length();
    return Double.parseDouble(line.substring(first, line.indexOf(',', first)));
  }

  private static final class Answers extends QueryCallback {
    @Override
    public void receive(long timestamp, Event[] arrived, Event[] expired) {
      if (arrived == null) {
        return;
      }
      found += arrived.length;
      if (out == null) {
        return;
      }
      try {
        for (Event event : arrived) {
          Object[] data = event.getData();
          out.write("{\"begin\":" + data[0] + ",\"end\":" + data[1] + ",\"place\":\"" + data[2] + "\"");
          out.write(data.length > 3 ? ",\"value\":" + data[3] + "}\n" : "}\n");
        }
      } catch (IOException error) {
        throw new java.io.UncheckedIOException(error);
      }
    }
  }
}
