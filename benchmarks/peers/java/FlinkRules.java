import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.FileWriter;
import java.io.InputStreamReader;
import java.io.Writer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;

/**
 * The rules as SQL of Flink over streams: `java FlinkRules RULE,RULE FOLDER ANSWERS`, without answers if that is -.
 *
 * The folder has two files, each in the order of time, as two partitions of a stream would be; each has a reader. Each
 * line of the input is a turn: a job in a cluster of its own within this process. The watermark is a millisecond behind
 * the latest event: a row whose time equals the watermark would be late.
 */
public final class FlinkRules {
  private static final String EVENTS =
      "CREATE TABLE events (type STRING, sensor STRING, area STRING, `value` DOUBLE, `case` STRING, amount DOUBLE,"
          + " ts BIGINT, rt AS TO_TIMESTAMP_LTZ(ts, 3), WATERMARK FOR rt AS rt - INTERVAL '0.001' SECOND)"
          + " WITH ('connector' = 'filesystem', 'path' = 'file://%s', 'format' = 'json')";
  private static final Map<String, String> RULES = new LinkedHashMap<>();

  static {
    RULES.put(
        "join",
        "SELECT s.ts, t.ts, s.area FROM (SELECT area, ts, rt FROM events WHERE type = 'smoke') s"
            + " JOIN (SELECT area, ts, rt FROM events WHERE type = 'temp' AND `value` > 40) t ON s.area = t.area"
            + " AND t.rt BETWEEN s.rt + INTERVAL '0.001' SECOND AND s.rt + INTERVAL '1' MINUTE");
    RULES.put(
        "absence",
        "SELECT h.ts, h.ts + 12000, h.sensor FROM"
            + " (SELECT sensor, ts, rt FROM events WHERE type = 'temp' AND `value` > 40) h"
            + " LEFT JOIN (SELECT sensor, ts, rt FROM events WHERE type = 'temp') t ON h.sensor = t.sensor"
            + " AND t.rt BETWEEN h.rt + INTERVAL '0.001' SECOND AND h.rt + INTERVAL '12' SECOND"
            + " WHERE t.sensor IS NULL");
    RULES.put(
        "average",
        "SELECT ts - 60000, ts, sensor, (total - `value`) / (readings - 1) FROM ("
            + " SELECT ts, sensor, `value`, SUM(`value`) OVER w AS total, COUNT(*) OVER w AS readings"
            + " FROM events WHERE type = 'temp' WINDOW w AS"
            + " (PARTITION BY sensor ORDER BY rt RANGE BETWEEN INTERVAL '60' SECOND PRECEDING AND CURRENT ROW))"
            + " WHERE readings > 1");
    RULES.put(
        "approved",
        "SELECT s.ts, a.ts, s.`case` FROM (SELECT `case`, ts, rt FROM events WHERE type = 'O_SENT') s"
            + " JOIN (SELECT `case`, ts, rt FROM events WHERE type = 'A_APPROVED') a ON s.`case` = a.`case`"
            + " AND a.rt BETWEEN s.rt + INTERVAL '0.001' SECOND AND s.rt + INTERVAL '30' DAY");
    RULES.put(
        "unanswered",
        "SELECT s.ts, s.ts + 1209600000, s.`case` FROM (SELECT `case`, ts, rt FROM events WHERE type = 'O_SENT') s"
            + " LEFT JOIN (SELECT `case`, ts, rt FROM events WHERE type = 'O_SENT_BACK') b ON s.`case` = b.`case`"
            + " AND b.rt BETWEEN s.rt AND s.rt + INTERVAL '14' DAY WHERE b.`case` IS NULL");
    RULES.put(
        "amounts",
        "SELECT ts - 3600000, ts, `case`, (total - amount) / (others - 1) FROM ("
            + " SELECT ts, `case`, amount, SUM(amount) OVER w AS total, COUNT(*) OVER w AS others"
            + " FROM events WHERE type = 'A_SUBMITTED' WINDOW w AS"
            + " (ORDER BY rt RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW)) WHERE others > 1");
  }

  private FlinkRules() {}

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

  private static long turn(String[] rules, String folder, String answers) throws Exception {
    Configuration settings = new Configuration();
    settings.setString("pipeline.object-reuse", "true");
    settings.setString("rest.port", "0");
    settings.setString("taskmanager.numberOfTaskSlots", "2");
    settings.setString("table.local-time-zone", "UTC");
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment(settings);
    environment.setParallelism(2);
    StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
    tables.executeSql(String.format(EVENTS, folder));
    for (String rule : rules) {
      String path = answers.equals("-") ? null : answers + "." + rule;
      tables
          .toDataStream(tables.sqlQuery(RULES.get(rule)))
          .map(new Answers(path))
          .sinkTo(new DiscardingSink<>());
    }
    return environment.execute().<Long>getAccumulatorResult("answers");
  }

  /** Counts the rows, and writes them to a file of its own, as JSON lines. */
  private static final class Answers extends RichMapFunction<Row, Long> {
    private static final String[] NAMES = {"begin", "end", "place", "value"};
    private final String path;
    private final LongCounter count = new LongCounter();
    private transient Writer out;

    Answers(String path) {
      this.path = path;
    }

    @Override
    public void open(OpenContext context) throws Exception {
      getRuntimeContext().addAccumulator("answers", count);
      if (path != null) {
        int number = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
        out = new BufferedWriter(new FileWriter(path + "." + number), 1 << 20);
      }
    }

    @Override
    public Long map(Row row) throws Exception {
      count.add(1L);
      if (out != null) {
        for (int place = 0; place < row.getArity(); place++) {
          Object value = row.getField(place);
          out.write((place == 0 ? "{\"" : ",\"") + NAMES[place] + "\":");
          out.write(value instanceof String ? "\"" + value + "\"" : String.valueOf(value));
        }
        out.write("}\n");
      }
      return 1L;
    }

    @Override
    public void close() throws Exception {
      if (out != null) {
        out.close();
      }
    }
  }
}
