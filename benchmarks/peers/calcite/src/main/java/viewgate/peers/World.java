package viewgate.peers;

import java.util.List;

/** Tables, views and queries, as the benchmark's Python part writes them. */
record World(List<TableOf> tables, List<ViewOf> views, List<QueryOf> queries) {

  record ColumnOf(String name, String type, boolean nullable) {}

  record ForeignKeyOf(List<String> columns, String table, List<String> references) {}

  record TableOf(String name, double rows, List<ColumnOf> columns, List<String> primaryKey, List<ForeignKeyOf> foreignKeys) {
    TableOf withoutForeignKeys() {
      return new TableOf(name, rows, columns, primaryKey, List.of());
    }
  }

  record ViewOf(String name, double rows, String sql) {}

  record QueryOf(String name, String sql) {}

  boolean hasForeignKeys() {
    return tables.stream().anyMatch(table -> !table.foreignKeys().isEmpty());
  }

  World withoutForeignKeys() {
    return new World(tables.stream().map(TableOf::withoutForeignKeys).toList(), views, queries);
  }
}
