SELECT utid, sum(dur) FROM slice WHERE depth = 0 GROUP BY 1
