SELECT name, count(*) FROM slice WHERE how = 'unwind' GROUP BY 1 ORDER BY 2 DESC
