SELECT utid, max(depth) FROM slice GROUP BY 1
