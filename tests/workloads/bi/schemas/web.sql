-- Events of a web site, some of them by visitors who are not known.
CREATE TABLE pages (page_id INT PRIMARY KEY, path STRING NOT NULL, section STRING NOT NULL, title STRING);
CREATE TABLE visitors (visitor_id BIGINT PRIMARY KEY, home_country STRING, signup_date DATE, plan STRING NOT NULL);
CREATE TABLE web_events (
  event_id BIGINT PRIMARY KEY, event_time TIMESTAMP NOT NULL, visitor_id BIGINT REFERENCES visitors,
  page_id INT NOT NULL REFERENCES pages, event_type STRING NOT NULL, device STRING, browser STRING, country STRING,
  referrer STRING, duration_ms INT, bytes BIGINT, is_bot BOOLEAN NOT NULL, revenue DECIMAL(10,2)
);

-- The live dashboard.
CREATE MATERIALIZED VIEW events_minute AS
SELECT date_trunc('minute', event_time) AS minute, event_type, device, count(*) AS events, sum(bytes) AS bytes,
  sum(duration_ms) AS duration_ms, count(duration_ms) AS durations, sum(revenue) AS revenue, max(event_time) AS last_time
FROM web_events GROUP BY date_trunc('minute', event_time), event_type, device;

-- Most of the charts.
CREATE MATERIALIZED VIEW events_hour AS
SELECT date_trunc('hour', event_time) AS hour, event_type, device, browser, country, is_bot, count(*) AS events,
  sum(bytes) AS bytes, count(bytes) AS sizes, sum(duration_ms) AS duration_ms, count(duration_ms) AS durations,
  min(duration_ms) AS shortest, max(duration_ms) AS longest, sum(revenue) AS revenue, count(revenue) AS payments
FROM web_events GROUP BY date_trunc('hour', event_time), event_type, device, browser, country, is_bot;

-- What is read.
CREATE MATERIALIZED VIEW pages_day AS
SELECT CAST(e.event_time AS DATE) AS day, e.event_type, e.page_id, p.path, p.section, count(*) AS events,
  sum(e.duration_ms) AS duration_ms, count(e.duration_ms) AS durations, sum(e.revenue) AS revenue
FROM web_events e JOIN pages p ON e.page_id = p.page_id
GROUP BY CAST(e.event_time AS DATE), e.event_type, e.page_id, p.path, p.section;

-- How many visitors, of any range of days.
CREATE MATERIALIZED VIEW visitors_day AS
SELECT CAST(event_time AS DATE) AS day, country, device, bitmap_bucket_number(visitor_id) AS bucket,
  bitmap_construct_agg(bitmap_bit_position(visitor_id)) AS visitors, count(*) AS events, sum(revenue) AS revenue
FROM web_events GROUP BY CAST(event_time AS DATE), country, device, bitmap_bucket_number(visitor_id);

-- One row for each visitor.
CREATE MATERIALIZED VIEW visitor_totals AS
SELECT e.visitor_id, v.plan, v.home_country, min(e.event_time) AS first_time, max(e.event_time) AS last_time,
  count(*) AS events, sum(e.revenue) AS revenue
FROM web_events e JOIN visitors v ON e.visitor_id = v.visitor_id
GROUP BY e.visitor_id, v.plan, v.home_country;

-- Rows to look at: the purchases.
CREATE MATERIALIZED VIEW purchases AS
SELECT e.event_id, e.event_time, e.visitor_id, e.page_id, p.path, p.section, e.device, e.country, e.revenue, e.duration_ms
FROM web_events e JOIN pages p ON e.page_id = p.page_id WHERE e.event_type = 'purchase';
