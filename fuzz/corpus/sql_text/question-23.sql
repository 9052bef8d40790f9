SELECT ts, class_name, size FROM alloc ORDER BY size DESC LIMIT 10
