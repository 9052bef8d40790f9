SELECT utid, depth, name FROM open_calls(trace_start() + ns('200ms'), NULL) ORDER BY 1, 2
