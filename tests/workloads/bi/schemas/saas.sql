-- Software that is rented out: accounts, what they subscribe to, pay for and use.
CREATE TABLE accounts (
  account_id INT PRIMARY KEY, account_name STRING NOT NULL, industry STRING, country STRING, owner_name STRING,
  created_at TIMESTAMP NOT NULL
);
CREATE TABLE plans (
  plan_id INT PRIMARY KEY, plan_name STRING NOT NULL, tier STRING NOT NULL, monthly_price DECIMAL(8,2) NOT NULL
);
CREATE TABLE subscriptions (
  subscription_id INT PRIMARY KEY, account_id INT NOT NULL REFERENCES accounts, plan_id INT NOT NULL REFERENCES plans,
  started_on DATE NOT NULL, ended_on DATE, seats INT NOT NULL, status STRING NOT NULL
);
CREATE TABLE invoices (
  invoice_id BIGINT PRIMARY KEY, subscription_id INT NOT NULL REFERENCES subscriptions,
  account_id INT NOT NULL REFERENCES accounts, issued_at TIMESTAMP NOT NULL, paid_at TIMESTAMP,
  amount DECIMAL(12,2) NOT NULL, tax DECIMAL(12,2), currency STRING NOT NULL, status STRING NOT NULL
);
CREATE TABLE feature_usage (
  usage_day DATE NOT NULL, account_id INT NOT NULL REFERENCES accounts, feature STRING NOT NULL, calls BIGINT NOT NULL,
  seconds DOUBLE
);

CREATE MATERIALIZED VIEW invoices_day AS
SELECT date_trunc('day', issued_at) AS day, currency, status, sum(amount) AS amount, sum(tax) AS tax,
  count(tax) AS taxed, count(*) AS invoices, max(amount) AS largest, count(paid_at) AS paid
FROM invoices GROUP BY date_trunc('day', issued_at), currency, status;

CREATE MATERIALIZED VIEW revenue_month AS
SELECT date_trunc('month', i.issued_at) AS month, a.industry, a.country, p.tier, p.plan_name, i.currency, i.status,
  sum(i.amount) AS amount, sum(i.tax) AS tax, count(*) AS invoices
FROM invoices i JOIN subscriptions s ON i.subscription_id = s.subscription_id JOIN plans p ON s.plan_id = p.plan_id
  JOIN accounts a ON i.account_id = a.account_id
GROUP BY date_trunc('month', i.issued_at), a.industry, a.country, p.tier, p.plan_name, i.currency, i.status;

CREATE MATERIALIZED VIEW account_month AS
SELECT date_trunc('month', issued_at) AS month, account_id, status, sum(amount) AS amount, count(*) AS invoices
FROM invoices GROUP BY date_trunc('month', issued_at), account_id, status;

CREATE MATERIALIZED VIEW usage_by_day AS
SELECT u.usage_day, u.feature, a.industry, a.country, sum(u.calls) AS calls, max(u.calls) AS most_calls,
  sum(u.seconds) AS seconds, count(u.seconds) AS timed, count(*) AS entries
FROM feature_usage u JOIN accounts a ON u.account_id = a.account_id
GROUP BY u.usage_day, u.feature, a.industry, a.country;

CREATE MATERIALIZED VIEW usage_by_account AS
SELECT usage_day, account_id, sum(calls) AS calls, count(*) AS entries FROM feature_usage GROUP BY usage_day, account_id;

CREATE MATERIALIZED VIEW seats_month AS
SELECT trunc(s.started_on, 'MM') AS month, s.status, p.tier, p.plan_name, count(*) AS subscriptions,
  sum(s.seats) AS seats, sum(s.seats * p.monthly_price) AS recurring, count(s.ended_on) AS ended
FROM subscriptions s JOIN plans p ON s.plan_id = p.plan_id
GROUP BY trunc(s.started_on, 'MM'), s.status, p.tier, p.plan_name;

CREATE MATERIALIZED VIEW accounts_month AS
SELECT date_trunc('month', created_at) AS month, country, industry, count(*) AS accounts
FROM accounts GROUP BY date_trunc('month', created_at), country, industry;
