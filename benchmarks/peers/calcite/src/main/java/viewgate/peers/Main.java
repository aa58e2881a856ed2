package viewgate.peers;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.calcite.plan.ConventionTraitDef;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptMaterialization;
import org.apache.calcite.plan.volcano.VolcanoPlanner;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelVisitor;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.metadata.JaninoRelMetadataProvider;
import org.apache.calcite.rel.metadata.RelMetadataQueryBase;
import org.apache.calcite.rex.RexBuilder;

/**
 * Rewrites each query over the first so many views in each way, and prints one JSON object a line: the views used, the
 * median time, the limit that it passed, or the error. What fails is done once more without foreign keys.
 */
public final class Main {
  /** The processor time of the thread: other programs do not count, nor do the compiler and the collector. */
  private static final ThreadMXBean TIMES = ManagementFactory.getThreadMXBean();
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long RUNS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int MOST = 11;
  private static final int WARM_UP = 20;
  // With few views, however many are measured: with thousands a round of warming up takes minutes.
  private static final int FEW = 10;

  private final RelOptCluster cluster;
  private final Catalog catalog;
  private final List<RelOptMaterialization> views = new ArrayList<>();
  private final Set<String> names = new TreeSet<>();
  private final double limit;
  private final Main withoutForeignKeys;

  private Main(World world, int many, double limit) {
    this.limit = limit;
    withoutForeignKeys = world.hasForeignKeys() ? new Main(world.withoutForeignKeys(), many, limit) : null;
    catalog = new Catalog(world);
    VolcanoPlanner planner = new VolcanoPlanner();
    planner.addRelTraitDef(ConventionTraitDef.INSTANCE);
    cluster = RelOptCluster.create(planner, new RexBuilder(catalog.types));
    for (World.ViewOf view : world.views().subList(0, many)) {
      views.add(catalog.view(cluster, view, Way.normal(catalog.plan(cluster, view.sql()))));
      names.add(view.name());
    }
  }

  /** Arguments: the world's file, the seconds that a query may take, and numbers of views. */
  public static void main(String[] arguments) throws IOException {
    World world = JSON.readValue(new File(arguments[0]), World.class);
    double limit = Double.parseDouble(arguments[1]);
    Main warm = new Main(world, FEW, limit);
    for (int round = 0; round < WARM_UP; round++) {
      warm.all(world.queries(), 1);
    }
    for (String many : List.of(arguments).subList(2, arguments.length)) {
      int number = Integer.parseInt(many);
      new Main(world, number, limit).all(world.queries(), MOST).forEach(line -> System.out.println(text(line)));
    }
    System.exit(0);
  }

  private List<Map<String, Object>> all(List<World.QueryOf> queries, int runs) {
    List<Map<String, Object>> lines = new ArrayList<>();
    for (Way way : Way.values()) {
      for (World.QueryOf query : queries) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("views", views.size());
        line.put("way", way.name().toLowerCase());
        line.put("query", query.name());
        lines.add(line);
        measured(line, way, query.sql(), runs);
        if (line.containsKey("error")) {
          line.put("failed", line.remove("error"));
          withoutForeignKeys.measured(line, way, query.sql(), runs);
        }
      }
    }
    return lines;
  }

  /** Fill in the line; what takes too long is stopped. */
  private void measured(Map<String, Object> line, Way way, String sql, int runs) {
    Thread worker = new Thread(null, () -> {
      RelMetadataQueryBase.THREAD_PROVIDERS.set(JaninoRelMetadataProvider.of(cluster.getMetadataProvider()));
      try {
        run(line, way, sql, runs);
      } catch (ThreadDeath stopped) {
        line.put("late", limit);
      } catch (RuntimeException | Error error) {
        line.put("error", String.valueOf(error).lines().findFirst().orElse(""));
      }
    }, "query", 1L << 28);
    worker.start();
    try {
      worker.join((long) (limit * 1000));
      if (worker.isAlive()) {
        stop(worker);
      }
      worker.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Not all of Calcite asks whether it should stop, and what goes on would take the next query's time. */
  @SuppressWarnings({"deprecation", "removal"})
  private static void stop(Thread worker) {
    worker.stop();
  }

  private Set<String> used(Way way, String sql) {
    return rewritten(way, sql).stream().map(this::scanned).filter(found -> !found.isEmpty()).findFirst().orElse(Set.of());
  }

  private List<RelNode> rewritten(Way way, String sql) {
    cluster.invalidateMetadataQuery();
    return way.rewritten(cluster, Way.normal(catalog.plan(cluster, sql)), views);
  }

  /** The views used, and the median of the runs after the first; a first one of more than their time counts itself. */
  private void run(Map<String, Object> line, Way way, String sql, int most) {
    long first = TIMES.getCurrentThreadCpuTime();
    line.put("used", used(way, sql));
    List<Long> times = new ArrayList<>();
    long spent = TIMES.getCurrentThreadCpuTime() - first;
    if (spent > RUNS) {
      times.add(spent);
    }
    while (times.isEmpty() || spent < RUNS && times.size() < most) {
      long started = TIMES.getCurrentThreadCpuTime();
      rewritten(way, sql);
      times.add(TIMES.getCurrentThreadCpuTime() - started);
      spent += times.get(times.size() - 1);
    }
    line.put("ms", times.stream().sorted().toList().get(times.size() / 2) / 1e6);
  }

  private Set<String> scanned(RelNode plan) {
    Set<String> found = new TreeSet<>();
    new RelVisitor() {
      @Override public void visit(RelNode node, int ordinal, RelNode parent) {
        if (node instanceof TableScan) {
          found.add(node.getTable().getQualifiedName().stream().collect(Collectors.joining(".")));
        }
        super.visit(node, ordinal, parent);
      }
    }.go(plan);
    found.retainAll(names);
    return found;
  }

  private static String text(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (IOException error) {
      throw new IllegalStateException(error);
    }
  }
}
