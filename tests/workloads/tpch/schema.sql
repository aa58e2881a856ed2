-- TPC-H: eight tables, and views by what a report asks for rather than one for each query; the numbers say which
-- queries a view has in mind.
CREATE TABLE region (r_regionkey INT PRIMARY KEY, r_name STRING NOT NULL, r_comment STRING);
CREATE TABLE nation (
  n_nationkey INT PRIMARY KEY, n_name STRING NOT NULL, n_regionkey INT NOT NULL REFERENCES region, n_comment STRING
);
CREATE TABLE supplier (
  s_suppkey INT PRIMARY KEY, s_name STRING NOT NULL, s_address STRING NOT NULL,
  s_nationkey INT NOT NULL REFERENCES nation, s_phone STRING NOT NULL, s_acctbal DECIMAL(15,2) NOT NULL,
  s_comment STRING NOT NULL
);
CREATE TABLE customer (
  c_custkey INT PRIMARY KEY, c_name STRING NOT NULL, c_address STRING NOT NULL,
  c_nationkey INT NOT NULL REFERENCES nation, c_phone STRING NOT NULL, c_acctbal DECIMAL(15,2) NOT NULL,
  c_mktsegment STRING NOT NULL, c_comment STRING NOT NULL
);
CREATE TABLE part (
  p_partkey INT PRIMARY KEY, p_name STRING NOT NULL, p_mfgr STRING NOT NULL, p_brand STRING NOT NULL,
  p_type STRING NOT NULL, p_size INT NOT NULL, p_container STRING NOT NULL, p_retailprice DECIMAL(15,2) NOT NULL,
  p_comment STRING NOT NULL
);
CREATE TABLE partsupp (
  ps_partkey INT NOT NULL REFERENCES part, ps_suppkey INT NOT NULL REFERENCES supplier, ps_availqty INT NOT NULL,
  ps_supplycost DECIMAL(15,2) NOT NULL, ps_comment STRING NOT NULL, PRIMARY KEY (ps_partkey, ps_suppkey)
);
CREATE TABLE orders (
  o_orderkey INT PRIMARY KEY, o_custkey INT NOT NULL REFERENCES customer, o_orderstatus STRING NOT NULL,
  o_totalprice DECIMAL(15,2) NOT NULL, o_orderdate DATE NOT NULL, o_orderpriority STRING NOT NULL,
  o_clerk STRING NOT NULL, o_shippriority INT NOT NULL, o_comment STRING NOT NULL
);
CREATE TABLE lineitem (
  l_orderkey INT NOT NULL REFERENCES orders, l_partkey INT NOT NULL REFERENCES part,
  l_suppkey INT NOT NULL REFERENCES supplier, l_linenumber INT NOT NULL, l_quantity DECIMAL(15,2) NOT NULL,
  l_extendedprice DECIMAL(15,2) NOT NULL, l_discount DECIMAL(15,2) NOT NULL, l_tax DECIMAL(15,2) NOT NULL,
  l_returnflag STRING NOT NULL, l_linestatus STRING NOT NULL, l_shipdate DATE NOT NULL, l_commitdate DATE NOT NULL,
  l_receiptdate DATE NOT NULL, l_shipinstruct STRING NOT NULL, l_shipmode STRING NOT NULL, l_comment STRING NOT NULL,
  PRIMARY KEY (l_orderkey, l_linenumber), FOREIGN KEY (l_partkey, l_suppkey) REFERENCES partsupp
);

-- 1
CREATE MATERIALIZED VIEW shipped AS
SELECT l_returnflag, l_linestatus, l_shipdate, sum(l_quantity) AS quantity, sum(l_extendedprice) AS price,
  sum(l_extendedprice * (1 - l_discount)) AS discounted, sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS charge,
  avg(l_quantity) AS mean_quantity, avg(l_extendedprice) AS mean_price, avg(l_discount) AS mean_discount, count(*) AS items
FROM lineitem GROUP BY l_returnflag, l_linestatus, l_shipdate;
-- 6
CREATE MATERIALIZED VIEW discounts AS
SELECT l_shipdate, l_discount, l_quantity, sum(l_extendedprice * l_discount) AS given
FROM lineitem GROUP BY l_shipdate, l_discount, l_quantity;
-- 2
CREATE MATERIALIZED VIEW cheapest AS
SELECT ps_partkey, r_name, min(ps_supplycost) AS cost
FROM partsupp JOIN supplier ON s_suppkey = ps_suppkey JOIN nation ON s_nationkey = n_nationkey
  JOIN region ON n_regionkey = r_regionkey
GROUP BY ps_partkey, r_name;
-- 3, 10
CREATE MATERIALIZED VIEW order_revenue AS
SELECT l_orderkey, o_orderdate, o_shippriority, c_mktsegment, l_shipdate, l_returnflag, c_custkey, c_nationkey,
  sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM customer JOIN orders ON c_custkey = o_custkey JOIN lineitem ON l_orderkey = o_orderkey
GROUP BY l_orderkey, o_orderdate, o_shippriority, c_mktsegment, l_shipdate, l_returnflag, c_custkey, c_nationkey;
-- 4
CREATE MATERIALIZED VIEW late_orders AS
SELECT o_orderkey, o_orderdate, o_orderpriority FROM orders
WHERE EXISTS (SELECT * FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate);
-- 5
CREATE MATERIALIZED VIEW local_suppliers AS
SELECT n_name, r_name, o_orderdate, sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM customer JOIN orders ON c_custkey = o_custkey JOIN lineitem ON l_orderkey = o_orderkey
  JOIN supplier ON l_suppkey = s_suppkey AND c_nationkey = s_nationkey JOIN nation ON s_nationkey = n_nationkey
  JOIN region ON n_regionkey = r_regionkey
GROUP BY n_name, r_name, o_orderdate;
-- 7
CREATE MATERIALIZED VIEW trade AS
SELECT n1.n_name AS supp_nation, n2.n_name AS cust_nation, l_shipdate, sum(l_extendedprice * (1 - l_discount)) AS volume
FROM supplier JOIN lineitem ON s_suppkey = l_suppkey JOIN orders ON o_orderkey = l_orderkey
  JOIN customer ON c_custkey = o_custkey JOIN nation n1 ON s_nationkey = n1.n_nationkey
  JOIN nation n2 ON c_nationkey = n2.n_nationkey
GROUP BY n1.n_name, n2.n_name, l_shipdate;
-- 8
CREATE MATERIALIZED VIEW market AS
SELECT o_orderdate, r_name, n2.n_name AS nation, p_type, sum(l_extendedprice * (1 - l_discount)) AS volume
FROM part JOIN lineitem ON p_partkey = l_partkey JOIN supplier ON s_suppkey = l_suppkey
  JOIN orders ON l_orderkey = o_orderkey JOIN customer ON o_custkey = c_custkey
  JOIN nation n1 ON c_nationkey = n1.n_nationkey JOIN region ON n1.n_regionkey = r_regionkey
  JOIN nation n2 ON s_nationkey = n2.n_nationkey
GROUP BY o_orderdate, r_name, n2.n_name, p_type;
-- 9
CREATE MATERIALIZED VIEW part_profit AS
SELECT n_name, o_orderdate, p_name, sum(l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity) AS amount
FROM part JOIN lineitem ON p_partkey = l_partkey JOIN supplier ON s_suppkey = l_suppkey
  JOIN partsupp ON ps_suppkey = l_suppkey AND ps_partkey = l_partkey JOIN orders ON o_orderkey = l_orderkey
  JOIN nation ON s_nationkey = n_nationkey
GROUP BY n_name, o_orderdate, p_name;
-- 11
CREATE MATERIALIZED VIEW stock AS
SELECT ps_partkey, n_name, sum(ps_supplycost * ps_availqty) AS worth
FROM partsupp JOIN supplier ON ps_suppkey = s_suppkey JOIN nation ON s_nationkey = n_nationkey
GROUP BY ps_partkey, n_name;
-- 12
CREATE MATERIALIZED VIEW late_shipments AS
SELECT l_shipmode, o_orderpriority, l_receiptdate, count(*) AS items
FROM orders JOIN lineitem ON o_orderkey = l_orderkey
WHERE l_commitdate < l_receiptdate AND l_shipdate < l_commitdate
GROUP BY l_shipmode, o_orderpriority, l_receiptdate;
-- 13
CREATE MATERIALIZED VIEW customer_orders AS
SELECT c_custkey, count(o_orderkey) AS orders
FROM customer LEFT JOIN orders ON c_custkey = o_custkey AND o_comment NOT LIKE '%special%requests%'
GROUP BY c_custkey;
-- 14
CREATE MATERIALIZED VIEW part_types AS
SELECT p_type, l_shipdate, sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM lineitem JOIN part ON l_partkey = p_partkey GROUP BY p_type, l_shipdate;
-- 15
CREATE MATERIALIZED VIEW supplier_revenue AS
SELECT l_suppkey, l_shipdate, sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM lineitem GROUP BY l_suppkey, l_shipdate;
-- 16
CREATE MATERIALIZED VIEW offers AS
SELECT p_brand, p_type, p_size, ps_suppkey, count(*) AS parts
FROM partsupp JOIN part ON p_partkey = ps_partkey GROUP BY p_brand, p_type, p_size, ps_suppkey;
-- 17
CREATE MATERIALIZED VIEW part_quantities AS
SELECT l_partkey, avg(l_quantity) AS mean, sum(l_quantity) AS total FROM lineitem GROUP BY l_partkey;
-- 18
CREATE MATERIALIZED VIEW order_quantities AS
SELECT l_orderkey, sum(l_quantity) AS quantity FROM lineitem GROUP BY l_orderkey;
-- 19
CREATE MATERIALIZED VIEW containers AS
SELECT p_brand, p_container, p_size, l_quantity, l_shipmode, l_shipinstruct,
  sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM lineitem JOIN part ON p_partkey = l_partkey
GROUP BY p_brand, p_container, p_size, l_quantity, l_shipmode, l_shipinstruct;
-- 20
CREATE MATERIALIZED VIEW supplied AS
SELECT l_partkey, l_suppkey, l_shipdate, sum(l_quantity) AS quantity
FROM lineitem GROUP BY l_partkey, l_suppkey, l_shipdate;
-- 22
CREATE MATERIALIZED VIEW country_codes AS
SELECT substring(c_phone, 1, 2) AS code, c_acctbal, count(*) AS customers FROM customer
GROUP BY substring(c_phone, 1, 2), c_acctbal
