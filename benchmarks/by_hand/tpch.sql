--@ q1
SELECT l_returnflag, l_linestatus, sum(quantity) AS sum_qty, sum(price) AS sum_base_price,
  sum(discounted) AS sum_disc_price, sum(charge) AS sum_charge, sum(quantity) / sum(items) AS avg_qty,
  sum(price) / sum(items) AS avg_price, sum(viewgate_sum_2) / sum(items) AS avg_disc, sum(items) AS count_order
FROM shipped__storage WHERE l_shipdate <= DATE '1998-09-02'
GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus
--@ q2
SELECT s_acctbal, s_name, n_name, p_partkey, p_mfgr, s_address, s_phone, s_comment
FROM part JOIN cheapest__storage c ON c.ps_partkey = p_partkey AND c.r_name = 'EUROPE'
  JOIN partsupp ps ON ps.ps_partkey = p_partkey AND ps_supplycost = c.cost JOIN supplier ON s_suppkey = ps_suppkey
  JOIN nation ON s_nationkey = n_nationkey JOIN region r ON n_regionkey = r_regionkey AND r.r_name = 'EUROPE'
WHERE p_size = 15 AND p_type LIKE '%BRASS'
ORDER BY s_acctbal DESC, n_name, s_name, p_partkey LIMIT 100
--@ q3
SELECT l_orderkey, sum(revenue) AS revenue, o_orderdate, o_shippriority FROM order_revenue__storage
WHERE c_mktsegment = 'BUILDING' AND o_orderdate < DATE '1995-03-15' AND l_shipdate > DATE '1995-03-15'
GROUP BY l_orderkey, o_orderdate, o_shippriority ORDER BY revenue DESC, o_orderdate LIMIT 10
--@ q4
SELECT o_orderpriority, count(*) AS order_count FROM late_orders__storage
WHERE o_orderdate >= DATE '1993-07-01' AND o_orderdate < DATE '1993-10-01'
GROUP BY o_orderpriority ORDER BY o_orderpriority
--@ q5
SELECT n_name, sum(revenue) AS revenue FROM local_suppliers__storage
WHERE r_name = 'ASIA' AND o_orderdate >= DATE '1994-01-01' AND o_orderdate < DATE '1995-01-01'
GROUP BY n_name ORDER BY revenue DESC
--@ q6
SELECT sum(given) AS revenue FROM discounts__storage
WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07
  AND l_quantity < 24
--@ q7
SELECT supp_nation, cust_nation, year(l_shipdate) AS l_year, sum(volume) AS revenue FROM trade__storage
WHERE ((supp_nation = 'FRANCE' AND cust_nation = 'GERMANY') OR (supp_nation = 'GERMANY' AND cust_nation = 'FRANCE'))
  AND l_shipdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31'
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
--@ q8
SELECT year(o_orderdate) AS o_year, sum(if(nation = 'BRAZIL', volume, 0)) / sum(volume) AS mkt_share
FROM market__storage
WHERE r_name = 'AMERICA' AND o_orderdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31'
  AND p_type = 'ECONOMY ANODIZED STEEL'
GROUP BY 1 ORDER BY 1
--@ q9
SELECT n_name AS nation, year(o_orderdate) AS o_year, sum(amount) AS sum_profit FROM part_profit__storage
WHERE p_name LIKE '%green%' GROUP BY 1, 2 ORDER BY 1, 2 DESC
--@ q10
SELECT c_custkey, c_name, r.revenue, c_acctbal, n_name, c_address, c_phone, c_comment
FROM (SELECT c_custkey AS custkey, sum(revenue) AS revenue FROM order_revenue__storage
  WHERE o_orderdate >= DATE '1993-10-01' AND o_orderdate < DATE '1994-01-01' AND l_returnflag = 'R'
  GROUP BY c_custkey) AS r JOIN customer ON c_custkey = r.custkey JOIN nation ON c_nationkey = n_nationkey
ORDER BY r.revenue DESC, c_custkey LIMIT 20
--@ q11
SELECT ps_partkey, worth AS value FROM stock__storage
WHERE n_name = 'GERMANY' AND worth > (SELECT sum(worth) * 0.0001 FROM stock__storage WHERE n_name = 'GERMANY')
ORDER BY value DESC, ps_partkey
--@ q12
SELECT l_shipmode, sum(if(o_orderpriority IN ('1-URGENT', '2-HIGH'), items, 0)) AS high_line_count,
  sum(if(o_orderpriority IN ('1-URGENT', '2-HIGH'), 0, items)) AS low_line_count
FROM late_shipments__storage
WHERE l_shipmode IN ('MAIL', 'SHIP') AND l_receiptdate >= DATE '1994-01-01' AND l_receiptdate < DATE '1995-01-01'
GROUP BY l_shipmode ORDER BY l_shipmode
--@ q13
SELECT orders AS c_count, count(*) AS custdist FROM customer_orders__storage
GROUP BY orders ORDER BY custdist DESC, c_count DESC
--@ q14
SELECT 100.00 * sum(if(p_type LIKE 'PROMO%', revenue, 0)) / sum(revenue) AS promo_revenue FROM part_types__storage
WHERE l_shipdate >= DATE '1995-09-01' AND l_shipdate < DATE '1995-10-01'
--@ q15
WITH quarter AS (SELECT l_suppkey, sum(revenue) AS total_revenue FROM supplier_revenue__storage
  WHERE l_shipdate >= DATE '1996-01-01' AND l_shipdate < DATE '1996-04-01' GROUP BY l_suppkey)
SELECT s_suppkey, s_name, s_address, s_phone, total_revenue FROM quarter JOIN supplier ON s_suppkey = l_suppkey
WHERE total_revenue = (SELECT max(total_revenue) FROM quarter) ORDER BY s_suppkey
--@ q16
SELECT p_brand, p_type, p_size, count(DISTINCT ps_suppkey) AS supplier_cnt
FROM offers__storage LEFT ANTI JOIN supplier ON s_suppkey = ps_suppkey AND s_comment LIKE '%Customer%Complaints%'
WHERE p_brand <> 'Brand#45' AND p_type NOT LIKE 'MEDIUM POLISHED%' AND p_size IN (49, 14, 23, 45, 19, 3, 36, 9)
GROUP BY p_brand, p_type, p_size ORDER BY supplier_cnt DESC, p_brand, p_type, p_size
--@ q17
SELECT sum(l_extendedprice) / 7.0 AS avg_yearly
FROM lineitem l JOIN part ON p_partkey = l.l_partkey JOIN part_quantities__storage q ON q.l_partkey = p_partkey
WHERE p_brand = 'Brand#23' AND p_container = 'MED BOX' AND l_quantity < 0.2 * q.mean
--@ q18
SELECT c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, q.quantity
FROM order_quantities__storage q JOIN orders ON o_orderkey = q.l_orderkey JOIN customer ON c_custkey = o_custkey
WHERE q.quantity > 300 ORDER BY o_totalprice DESC, o_orderdate, o_orderkey LIMIT 100
--@ q19
SELECT sum(revenue) AS revenue FROM containers__storage
WHERE l_shipmode IN ('AIR', 'AIR REG') AND l_shipinstruct = 'DELIVER IN PERSON' AND (
  (p_brand = 'Brand#12' AND p_container IN ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG') AND l_quantity BETWEEN 1 AND 11
    AND p_size BETWEEN 1 AND 5)
  OR (p_brand = 'Brand#23' AND p_container IN ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK')
    AND l_quantity BETWEEN 10 AND 20 AND p_size BETWEEN 1 AND 10)
  OR (p_brand = 'Brand#34' AND p_container IN ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG')
    AND l_quantity BETWEEN 20 AND 30 AND p_size BETWEEN 1 AND 15))
--@ q20
WITH shipped_in_year AS (SELECT l_partkey, l_suppkey, sum(quantity) AS quantity FROM supplied__storage
  WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01' GROUP BY l_partkey, l_suppkey)
SELECT s_name, s_address FROM supplier JOIN nation ON s_nationkey = n_nationkey
WHERE n_name = 'CANADA' AND s_suppkey IN (
  SELECT ps_suppkey FROM partsupp JOIN part ON p_partkey = ps_partkey
    JOIN shipped_in_year ON l_partkey = ps_partkey AND l_suppkey = ps_suppkey
  WHERE p_name LIKE 'forest%' AND ps_availqty > 0.5 * quantity)
ORDER BY s_name
--@ q22
WITH mean AS (SELECT sum(c_acctbal * customers) / sum(customers) AS balance FROM country_codes__storage
  WHERE c_acctbal > 0 AND code IN ('13', '31', '23', '29', '30', '18', '17'))
SELECT substring(c_phone, 1, 2) AS cntrycode, count(*) AS numcust, sum(c_acctbal) AS totacctbal
FROM customer LEFT ANTI JOIN orders ON o_custkey = c_custkey
WHERE substring(c_phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17') AND c_acctbal > (SELECT balance FROM mean)
GROUP BY 1 ORDER BY 1
