SELECT class_name, count(*) FROM exception GROUP BY 1 ORDER BY 2 DESC
