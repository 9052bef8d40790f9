SELECT * FROM sqlite_stmt
