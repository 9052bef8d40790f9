SELECT * FROM trace_info
