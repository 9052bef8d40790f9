SELECT status, sum(dur) FROM thread_state WHERE utid = 1 GROUP BY 1
