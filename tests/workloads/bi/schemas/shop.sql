-- A shop: sales by line, and whom and what they are of.
CREATE TABLE calendar (
  cal_date DATE PRIMARY KEY, cal_year INT NOT NULL, cal_quarter INT NOT NULL, cal_month INT NOT NULL,
  month_name STRING NOT NULL, is_holiday BOOLEAN NOT NULL
);
CREATE TABLE customers (
  customer_id INT PRIMARY KEY, customer_name STRING NOT NULL, city STRING, region STRING NOT NULL, segment STRING,
  created_on DATE
);
CREATE TABLE products (
  product_id INT PRIMARY KEY, product_name STRING NOT NULL, category STRING NOT NULL, subcategory STRING, brand STRING,
  list_price DECIMAL(10,2)
);
CREATE TABLE sales (
  sale_id BIGINT PRIMARY KEY, order_id BIGINT NOT NULL, order_date DATE NOT NULL REFERENCES calendar, ship_date DATE,
  customer_id INT NOT NULL REFERENCES customers, product_id INT NOT NULL REFERENCES products, channel STRING,
  quantity INT NOT NULL, amount DECIMAL(12,2), cost DECIMAL(12,2), discount DOUBLE, returned BOOLEAN
);

-- Sales by day, region and category: the summary behind most sheets.
CREATE MATERIALIZED VIEW sales_day AS
SELECT s.order_date, s.channel, c.region, c.segment, p.category, p.subcategory, sum(s.amount) AS amount,
  count(s.amount) AS amounts, sum(s.cost) AS cost, sum(s.amount - s.cost) AS profit, sum(s.quantity) AS quantity,
  sum(s.discount) AS discount, min(s.amount) AS smallest, max(s.amount) AS largest, count(*) AS lines
FROM sales s JOIN customers c ON s.customer_id = c.customer_id JOIN products p ON s.product_id = p.product_id
GROUP BY s.order_date, s.channel, c.region, c.segment, p.category, p.subcategory;

-- Products by month.
CREATE MATERIALIZED VIEW sales_product_month AS
SELECT trunc(s.order_date, 'MM') AS month, s.product_id, p.product_name, p.brand, p.category, sum(s.amount) AS amount,
  count(s.amount) AS amounts, sum(s.cost) AS cost, sum(s.quantity) AS quantity, count(*) AS lines
FROM sales s JOIN products p ON s.product_id = p.product_id
GROUP BY trunc(s.order_date, 'MM'), s.product_id, p.product_name, p.brand, p.category;

-- Customers by day.
CREATE MATERIALIZED VIEW sales_customer_day AS
SELECT s.customer_id, s.order_date, sum(s.amount) AS amount, count(s.amount) AS amounts, sum(s.quantity) AS quantity,
  count(*) AS lines
FROM sales s GROUP BY s.customer_id, s.order_date;

-- Orders: their lines are summed.
CREATE MATERIALIZED VIEW order_totals AS
SELECT order_id, order_date, customer_id, channel, sum(amount) AS amount, sum(quantity) AS quantity, count(*) AS lines
FROM sales GROUP BY order_id, order_date, customer_id, channel;

-- How long it takes to ship.
CREATE MATERIALIZED VIEW shipping_day AS
SELECT order_date, ship_date, returned, count(*) AS lines, sum(quantity) AS quantity, sum(amount) AS amount
FROM sales GROUP BY order_date, ship_date, returned;

-- Rows to look at: what was sold online.
CREATE MATERIALIZED VIEW online_sales AS
SELECT s.sale_id, s.order_id, s.order_date, s.ship_date, s.customer_id, c.customer_name, c.region, s.product_id,
  p.product_name, p.category, p.subcategory, s.quantity, s.amount, s.cost, s.returned
FROM sales s JOIN customers c ON s.customer_id = c.customer_id JOIN products p ON s.product_id = p.product_id
WHERE s.channel = 'online';
