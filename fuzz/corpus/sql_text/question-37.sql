SELECT e.ts, stack_text(e.path_id, ' < ') FROM exception e ORDER BY e.ts LIMIT 20
