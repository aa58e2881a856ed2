package viewgate.peers;

import static java.util.stream.Collectors.toMap;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.calcite.config.CalciteConnectionConfigImpl;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.jdbc.JavaTypeFactoryImpl;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptMaterialization;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.prepare.CalciteCatalogReader;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelReferentialConstraint;
import org.apache.calcite.rel.RelReferentialConstraintImpl;
import org.apache.calcite.rel.logical.LogicalTableScan;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeSystemImpl;
import org.apache.calcite.schema.Statistic;
import org.apache.calcite.schema.Statistics;
import org.apache.calcite.schema.impl.AbstractTable;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.validate.SqlConformanceEnum;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.apache.calcite.sql2rel.SqlToRelConverter;
import org.apache.calcite.sql2rel.StandardConvertletTable;
import org.apache.calcite.avatica.util.Casing;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.calcite.util.mapping.IntPair;

/** The tables with their keys, and the plans of views and queries over them. */
final class Catalog {

  /** Decimals of 38 digits, as in Spark; Calcite's own default is 19. */
  private static final class Decimals extends RelDataTypeSystemImpl {
    @Override public int getMaxPrecision(SqlTypeName name) {
      return name == SqlTypeName.DECIMAL ? 38 : super.getMaxPrecision(name);
    }

    @Override public int getMaxScale(SqlTypeName name) {
      return name == SqlTypeName.DECIMAL ? 38 : super.getMaxScale(name);
    }
  }

  private static final SqlParser.Config PARSER = SqlParser.config()
      .withUnquotedCasing(Casing.UNCHANGED).withCaseSensitive(false).withConformance(SqlConformanceEnum.BABEL);

  final JavaTypeFactoryImpl types = new JavaTypeFactoryImpl(new Decimals());
  private final CalciteSchema root = CalciteSchema.createRootSchema(false, false);
  private final CalciteCatalogReader reader;

  Catalog(World world) {
    Map<String, World.TableOf> byName = world.tables().stream().collect(toMap(World.TableOf::name, t -> t));
    for (World.TableOf table : world.tables()) {
      root.add(table.name(), tableOf(rowType(table), statistic(table, byName)));
    }
    Properties insensitive = new Properties();
    insensitive.setProperty("caseSensitive", "false");
    reader = new CalciteCatalogReader(root, List.of(), types, new CalciteConnectionConfigImpl(insensitive));
  }

  /** The plan of a text as the converter makes it. */
  RelNode plan(RelOptCluster cluster, String sql) {
    SqlValidator validator = SqlValidatorUtil.newValidator(SqlStdOperatorTable.instance(), reader, types,
        SqlValidator.Config.DEFAULT.withConformance(SqlConformanceEnum.BABEL));
    SqlToRelConverter converter = new SqlToRelConverter((type, query, schema, view) -> {
      throw new UnsupportedOperationException("there are no plain views");
    }, validator, reader, cluster, StandardConvertletTable.INSTANCE,
        SqlToRelConverter.config().withExpand(false).withTrimUnusedFields(true));
    RelNode converted = converter.convertQuery(parsed(sql), true, true).rel;
    return converter.trimUnusedFields(true, converted);
  }

  /** A view: its plan, and the scan of the table that holds its rows. */
  RelOptMaterialization view(RelOptCluster cluster, World.ViewOf view, RelNode plan) {
    root.add(view.name(), tableOf(plan.getRowType(), Statistics.of(view.rows(), List.of())));
    RelOptTable storage = reader.getTable(List.of(view.name()));
    return new RelOptMaterialization(LogicalTableScan.create(cluster, storage, List.of()), plan, null, List.of(view.name()));
  }

  private static SqlNode parsed(String sql) {
    try {
      return SqlParser.create(sql, PARSER).parseQuery();
    } catch (SqlParseException error) {
      throw new IllegalArgumentException(error);
    }
  }

  private static AbstractTable tableOf(RelDataType type, Statistic statistic) {
    return new AbstractTable() {
      @Override public RelDataType getRowType(RelDataTypeFactory factory) {
        return type;
      }

      @Override public Statistic getStatistic() {
        return statistic;
      }
    };
  }

  private RelDataType rowType(World.TableOf table) {
    Map<String, RelDataType> columns = new LinkedHashMap<>();
    for (World.ColumnOf column : table.columns()) {
      columns.put(column.name(), types.createTypeWithNullability(typeOf(column.type()), column.nullable()));
    }
    return types.createStructType(List.copyOf(columns.values()), List.copyOf(columns.keySet()));
  }

  private RelDataType typeOf(String name) {
    if (name.startsWith("decimal(")) {
      String[] digits = name.substring(8, name.length() - 1).split(",");
      return types.createSqlType(SqlTypeName.DECIMAL, Integer.parseInt(digits[0].trim()), Integer.parseInt(digits[1].trim()));
    }
    return switch (name) {
      case "int" -> types.createSqlType(SqlTypeName.INTEGER);
      case "bigint" -> types.createSqlType(SqlTypeName.BIGINT);
      case "date" -> types.createSqlType(SqlTypeName.DATE);
      case "string" -> types.createSqlType(SqlTypeName.VARCHAR);
      default -> throw new IllegalArgumentException("no type " + name);
    };
  }

  private static Statistic statistic(World.TableOf table, Map<String, World.TableOf> byName) {
    List<RelReferentialConstraint> foreign = new ArrayList<>();
    for (World.ForeignKeyOf key : table.foreignKeys()) {
      foreign.add(RelReferentialConstraintImpl.of(List.of(table.name()), List.of(key.table()),
          IntPair.zip(positions(table, key.columns()), positions(byName.get(key.table()), key.references()))));
    }
    return Statistics.of(table.rows(), List.of(ImmutableBitSet.of(positions(table, table.primaryKey()))), foreign, List.of());
  }

  private static List<Integer> positions(World.TableOf table, List<String> names) {
    List<String> columns = table.columns().stream().map(World.ColumnOf::name).toList();
    return names.stream().map(columns::indexOf).toList();
  }
}
