-- Nine views that answer all 22 queries together with three of schema.sql: late_shipments, offers and containers.
-- The numbers say which queries a view answers.
-- 1, 6
CREATE MATERIALIZED VIEW shipped AS
SELECT l_returnflag, l_linestatus, l_shipdate, l_discount, l_quantity, sum(l_extendedprice) AS price,
  sum(l_extendedprice * (1 - l_discount)) AS discounted,
  sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS charge,
  sum(l_extendedprice * l_discount) AS given, count(*) AS items
FROM lineitem GROUP BY l_returnflag, l_linestatus, l_shipdate, l_discount, l_quantity;
-- 2, 11
CREATE MATERIALIZED VIEW stock AS
SELECT ps_partkey, n_name, r_name, min(ps_supplycost) AS cost, sum(ps_supplycost * ps_availqty) AS worth
FROM partsupp JOIN supplier ON s_suppkey = ps_suppkey JOIN nation ON s_nationkey = n_nationkey
  JOIN region ON n_regionkey = r_regionkey
GROUP BY ps_partkey, n_name, r_name;
-- 3, 10, 18
CREATE MATERIALIZED VIEW order_revenue AS
SELECT o_orderkey, o_orderdate, o_shippriority, c_custkey, c_mktsegment, l_shipdate, l_returnflag,
  sum(l_extendedprice * (1 - l_discount)) AS revenue, sum(l_quantity) AS quantity
FROM customer JOIN orders ON c_custkey = o_custkey JOIN lineitem ON l_orderkey = o_orderkey
GROUP BY o_orderkey, o_orderdate, o_shippriority, c_custkey, c_mktsegment, l_shipdate, l_returnflag;
-- 4, 21
CREATE MATERIALIZED VIEW deliveries AS
SELECT l_orderkey, l_suppkey, l_receiptdate > l_commitdate AS late, count(*) AS items
FROM lineitem GROUP BY l_orderkey, l_suppkey, l_receiptdate > l_commitdate;
-- 5, 7, 8
CREATE MATERIALIZED VIEW trade AS
SELECT s_nationkey, c_nationkey, p_type, year(o_orderdate) AS ordered, year(l_shipdate) AS shipped,
  sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM part JOIN lineitem ON p_partkey = l_partkey JOIN supplier ON s_suppkey = l_suppkey
  JOIN orders ON l_orderkey = o_orderkey JOIN customer ON o_custkey = c_custkey
GROUP BY s_nationkey, c_nationkey, p_type, year(o_orderdate), year(l_shipdate);
-- 9
CREATE MATERIALIZED VIEW part_profit AS
SELECT l_partkey, n_name, year(o_orderdate) AS ordered,
  sum(l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity) AS profit
FROM lineitem JOIN partsupp ON ps_suppkey = l_suppkey AND ps_partkey = l_partkey JOIN orders ON o_orderkey = l_orderkey
  JOIN supplier ON s_suppkey = l_suppkey JOIN nation ON s_nationkey = n_nationkey
GROUP BY l_partkey, n_name, year(o_orderdate);
-- 13, 22: a flag for each pair of words in a comment.
CREATE MATERIALIZED VIEW customer_orders AS
SELECT o_custkey,
  o_comment LIKE '%special%packages%' AS special_packages, o_comment LIKE '%special%requests%' AS special_requests,
  o_comment LIKE '%special%accounts%' AS special_accounts, o_comment LIKE '%special%deposits%' AS special_deposits,
  o_comment LIKE '%pending%packages%' AS pending_packages, o_comment LIKE '%pending%requests%' AS pending_requests,
  o_comment LIKE '%pending%accounts%' AS pending_accounts, o_comment LIKE '%pending%deposits%' AS pending_deposits,
  o_comment LIKE '%unusual%packages%' AS unusual_packages, o_comment LIKE '%unusual%requests%' AS unusual_requests,
  o_comment LIKE '%unusual%accounts%' AS unusual_accounts, o_comment LIKE '%unusual%deposits%' AS unusual_deposits,
  o_comment LIKE '%express%packages%' AS express_packages, o_comment LIKE '%express%requests%' AS express_requests,
  o_comment LIKE '%express%accounts%' AS express_accounts, o_comment LIKE '%express%deposits%' AS express_deposits,
  count(*) AS orders
FROM orders
GROUP BY o_custkey,
  o_comment LIKE '%special%packages%', o_comment LIKE '%special%requests%',
  o_comment LIKE '%special%accounts%', o_comment LIKE '%special%deposits%',
  o_comment LIKE '%pending%packages%', o_comment LIKE '%pending%requests%',
  o_comment LIKE '%pending%accounts%', o_comment LIKE '%pending%deposits%',
  o_comment LIKE '%unusual%packages%', o_comment LIKE '%unusual%requests%',
  o_comment LIKE '%unusual%accounts%', o_comment LIKE '%unusual%deposits%',
  o_comment LIKE '%express%packages%', o_comment LIKE '%express%requests%',
  o_comment LIKE '%express%accounts%', o_comment LIKE '%express%deposits%';
-- 14
CREATE MATERIALIZED VIEW part_types AS
SELECT p_type, date_trunc('month', l_shipdate) AS month, sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM lineitem JOIN part ON l_partkey = p_partkey GROUP BY p_type, date_trunc('month', l_shipdate);
-- 15, 17, 20
CREATE MATERIALIZED VIEW supplied AS
SELECT l_partkey, l_suppkey, timeseries(l_shipdate, 'month') AS month, sum(l_quantity) AS quantity,
  count(l_quantity) AS items, sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM lineitem GROUP BY l_partkey, l_suppkey, timeseries(l_shipdate, 'month')
