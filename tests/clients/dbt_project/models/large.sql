{{ config(materialized='view') }}
SELECT * FROM {{ ref('by_country') }} WHERE orders > 1000
