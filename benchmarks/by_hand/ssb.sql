--@ q1.1
SELECT sum(revenue) AS revenue FROM discounts__storage
WHERE d_year = 1993 AND lo_discount BETWEEN 1 AND 3 AND lo_quantity < 25
--@ q1.2
SELECT sum(revenue) AS revenue FROM discounts__storage
WHERE d_yearmonthnum = 199401 AND lo_discount BETWEEN 4 AND 6 AND lo_quantity BETWEEN 26 AND 35
--@ q1.3
SELECT sum(revenue) AS revenue FROM discounts__storage
WHERE d_year = 1994 AND d_weeknuminyear = 6 AND lo_discount BETWEEN 5 AND 7 AND lo_quantity BETWEEN 26 AND 35
--@ q2.1
SELECT revenue, d_year, p_brand1 FROM brands__storage WHERE p_category = 'MFGR#12' AND s_region = 'AMERICA'
ORDER BY d_year, p_brand1
--@ q2.2
SELECT revenue, d_year, p_brand1 FROM brands__storage
WHERE p_brand1 BETWEEN 'MFGR#2221' AND 'MFGR#2228' AND s_region = 'ASIA' ORDER BY d_year, p_brand1
--@ q2.3
SELECT revenue, d_year, p_brand1 FROM brands__storage WHERE p_brand1 = 'MFGR#2239' AND s_region = 'EUROPE'
ORDER BY d_year, p_brand1
--@ q3.1
SELECT c_nation, s_nation, d_year, sum(revenue) AS revenue FROM places__storage
WHERE c_region = 'ASIA' AND s_region = 'ASIA' AND d_year BETWEEN 1992 AND 1997
GROUP BY c_nation, s_nation, d_year ORDER BY d_year, revenue DESC
--@ q3.2
SELECT c_city, s_city, d_year, sum(revenue) AS revenue FROM places__storage
WHERE c_nation = 'UNITED STATES' AND s_nation = 'UNITED STATES' AND d_year BETWEEN 1992 AND 1997
GROUP BY c_city, s_city, d_year ORDER BY d_year, revenue DESC
--@ q3.3
SELECT c_city, s_city, d_year, sum(revenue) AS revenue FROM places__storage
WHERE c_city IN ('UNITED KI1', 'UNITED KI5') AND s_city IN ('UNITED KI1', 'UNITED KI5') AND d_year BETWEEN 1992 AND 1997
GROUP BY c_city, s_city, d_year ORDER BY d_year, revenue DESC
--@ q3.4
SELECT c_city, s_city, d_year, revenue FROM places__storage
WHERE c_city IN ('UNITED KI1', 'UNITED KI5') AND s_city IN ('UNITED KI1', 'UNITED KI5') AND d_yearmonth = 'Dec1997'
ORDER BY d_year, revenue DESC
--@ q4.1
SELECT d_year, c_nation, sum(profit) AS profit FROM profits__storage
WHERE c_region = 'AMERICA' AND s_region = 'AMERICA' AND p_mfgr IN ('MFGR#1', 'MFGR#2')
GROUP BY d_year, c_nation ORDER BY d_year, c_nation
--@ q4.2
SELECT d_year, s_nation, p_category, sum(profit) AS profit FROM profits__storage
WHERE c_region = 'AMERICA' AND s_region = 'AMERICA' AND d_year IN (1997, 1998) AND p_mfgr IN ('MFGR#1', 'MFGR#2')
GROUP BY d_year, s_nation, p_category ORDER BY d_year, s_nation, p_category
--@ q4.3
SELECT d_year, s_city, p_brand1, sum(profit) AS profit FROM profits__storage
WHERE c_region = 'AMERICA' AND s_nation = 'UNITED STATES' AND d_year IN (1997, 1998) AND p_category = 'MFGR#14'
GROUP BY d_year, s_city, p_brand1 ORDER BY d_year, s_city, p_brand1
