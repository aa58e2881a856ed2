{{ config(materialized='table') }}
SELECT country, sum(quantity) AS quantity, count(*) AS orders FROM demo.sales GROUP BY country
