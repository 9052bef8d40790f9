INSERT INTO sqlite_master VALUES (1, 2, 3, 4, 5)
