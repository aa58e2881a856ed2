package viewgate.peers;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.ConventionTraitDef;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptMaterialization;
import org.apache.calcite.plan.RelOptMaterializations;
import org.apache.calcite.plan.RelOptRule;
import org.apache.calcite.plan.hep.HepMatchOrder;
import org.apache.calcite.plan.hep.HepPlanner;
import org.apache.calcite.plan.hep.HepProgram;
import org.apache.calcite.plan.hep.HepProgramBuilder;
import org.apache.calcite.plan.volcano.VolcanoPlanner;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.rules.CoreRules;
import org.apache.calcite.rel.rules.materialize.MaterializedViewRules;
import org.apache.calcite.sql2rel.RelDecorrelator;
import org.apache.calcite.tools.RelBuilder;
import org.apache.calcite.rel.core.RelFactories;

/** The ways in which Calcite reads a plan from views. */
enum Way {
  /** The structural rules alone in the cost-based planner, as Hive runs them. */
  RULES {
    @Override List<RelNode> rewritten(RelOptCluster cluster, RelNode plan, List<RelOptMaterialization> views) {
      VolcanoPlanner planner = (VolcanoPlanner) cluster.getPlanner();
      planner.clear();
      planner.addRelTraitDef(ConventionTraitDef.INSTANCE);
      planner.setNoneConventionHasInfiniteCost(false);
      STRUCTURAL.forEach(planner::addRule);
      views.forEach(planner::addMaterialization);
      planner.setRoot(planner.changeTraits(plan, plan.getTraitSet().replace(Convention.NONE)));
      return List.of(planner.findBestExp());
    }
  },

  /** The structural rules in one pass from the top, each place taking the best of what the rules find for it. */
  ONE_PASS {
    @Override List<RelNode> rewritten(RelOptCluster cluster, RelNode plan, List<RelOptMaterialization> views) {
      HepPlanner planner = new HepPlanner(ONCE);
      views.forEach(planner::addMaterialization);
      planner.setRoot(plan);
      return List.of(planner.findBestExp());
    }
  },

  /** The substitution of subtrees that are unified with a view's. */
  SUBSTITUTION {
    @Override List<RelNode> rewritten(RelOptCluster cluster, RelNode plan, List<RelOptMaterialization> views) {
      List<RelNode> found = new ArrayList<>();
      RelOptMaterializations.useMaterializedViews(plan, views).forEach(pair -> found.add(pair.left));
      return found;
    }
  };

  private static final List<RelOptRule> STRUCTURAL = List.of(
      MaterializedViewRules.PROJECT_FILTER, MaterializedViewRules.FILTER, MaterializedViewRules.PROJECT_JOIN,
      MaterializedViewRules.JOIN, MaterializedViewRules.PROJECT_AGGREGATE, MaterializedViewRules.AGGREGATE);

  private static final HepProgram ONCE = new HepProgramBuilder()
      .addMatchOrder(HepMatchOrder.TOP_DOWN).addRuleCollection(STRUCTURAL).build();

  private static final HepProgram WITHOUT_SUBQUERIES = new HepProgramBuilder().addRuleCollection(List.of(
      CoreRules.FILTER_SUB_QUERY_TO_CORRELATE, CoreRules.PROJECT_SUB_QUERY_TO_CORRELATE,
      CoreRules.JOIN_SUB_QUERY_TO_CORRELATE)).build();

  private static final HepProgram NORMAL = new HepProgramBuilder().addRuleCollection(List.of(
      CoreRules.AGGREGATE_REDUCE_FUNCTIONS, CoreRules.FILTER_INTO_JOIN, CoreRules.FILTER_MERGE,
      CoreRules.PROJECT_MERGE, CoreRules.PROJECT_REMOVE, CoreRules.AGGREGATE_PROJECT_MERGE)).build();

  /** The plans from views; those that use none are left in for the caller to tell. */
  abstract List<RelNode> rewritten(RelOptCluster cluster, RelNode plan, List<RelOptMaterialization> views);

  /** A plan without correlations and with its parts in the places where the rules look for them. */
  static RelNode normal(RelNode plan) {
    RelNode flat = run(WITHOUT_SUBQUERIES, plan);
    RelBuilder builder = RelFactories.LOGICAL_BUILDER.create(flat.getCluster(), null);
    return run(NORMAL, RelDecorrelator.decorrelateQuery(flat, builder));
  }

  private static RelNode run(HepProgram program, RelNode plan) {
    HepPlanner planner = new HepPlanner(program);
    planner.setRoot(plan);
    return planner.findBestExp();
  }
}
