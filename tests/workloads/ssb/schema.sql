-- Star Schema Benchmark: one fact table and four dimensions, and one view for each of its four flights of queries.
CREATE TABLE dates (
  d_datekey INT PRIMARY KEY, d_date STRING, d_dayofweek STRING, d_month STRING, d_year INT NOT NULL,
  d_yearmonthnum INT NOT NULL, d_yearmonth STRING NOT NULL, d_weeknuminyear INT NOT NULL
);
CREATE TABLE customer (
  c_custkey INT PRIMARY KEY, c_name STRING, c_city STRING NOT NULL, c_nation STRING NOT NULL, c_region STRING NOT NULL,
  c_mktsegment STRING
);
CREATE TABLE supplier (
  s_suppkey INT PRIMARY KEY, s_name STRING, s_city STRING NOT NULL, s_nation STRING NOT NULL, s_region STRING NOT NULL
);
CREATE TABLE part (
  p_partkey INT PRIMARY KEY, p_name STRING, p_mfgr STRING NOT NULL, p_category STRING NOT NULL, p_brand1 STRING NOT NULL
);
CREATE TABLE lineorder (
  lo_orderkey BIGINT NOT NULL, lo_linenumber INT NOT NULL,
  lo_custkey INT NOT NULL REFERENCES customer, lo_partkey INT NOT NULL REFERENCES part,
  lo_suppkey INT NOT NULL REFERENCES supplier, lo_orderdate INT NOT NULL REFERENCES dates,
  lo_quantity INT NOT NULL, lo_extendedprice INT NOT NULL, lo_discount INT NOT NULL, lo_revenue INT NOT NULL,
  lo_supplycost INT NOT NULL, PRIMARY KEY (lo_orderkey, lo_linenumber)
);

-- Flight 1: what other discounts would have brought, by time, discount and quantity.
CREATE MATERIALIZED VIEW discounts AS
SELECT d_year, d_yearmonthnum, d_weeknuminyear, lo_discount, lo_quantity, sum(lo_extendedprice * lo_discount) AS revenue
FROM lineorder JOIN dates ON lo_orderdate = d_datekey
GROUP BY d_year, d_yearmonthnum, d_weeknuminyear, lo_discount, lo_quantity;

-- Flight 2: revenue by brand and the suppliers' region.
CREATE MATERIALIZED VIEW brands AS
SELECT d_year, p_category, p_brand1, s_region, sum(lo_revenue) AS revenue
FROM lineorder JOIN dates ON lo_orderdate = d_datekey JOIN part ON lo_partkey = p_partkey
  JOIN supplier ON lo_suppkey = s_suppkey
GROUP BY d_year, p_category, p_brand1, s_region;

-- Flight 3: revenue between places.
CREATE MATERIALIZED VIEW places AS
SELECT c_region, c_nation, c_city, s_region, s_nation, s_city, d_year, d_yearmonth, sum(lo_revenue) AS revenue
FROM lineorder JOIN customer ON lo_custkey = c_custkey JOIN supplier ON lo_suppkey = s_suppkey
  JOIN dates ON lo_orderdate = d_datekey
GROUP BY c_region, c_nation, c_city, s_region, s_nation, s_city, d_year, d_yearmonth;

-- Flight 4: profit.
CREATE MATERIALIZED VIEW profits AS
SELECT d_year, c_region, c_nation, s_region, s_nation, s_city, p_mfgr, p_category, p_brand1,
  sum(lo_revenue - lo_supplycost) AS profit
FROM lineorder JOIN dates ON lo_orderdate = d_datekey JOIN customer ON lo_custkey = c_custkey
  JOIN supplier ON lo_suppkey = s_suppkey JOIN part ON lo_partkey = p_partkey
GROUP BY d_year, c_region, c_nation, s_region, s_nation, s_city, p_mfgr, p_category, p_brand1;
