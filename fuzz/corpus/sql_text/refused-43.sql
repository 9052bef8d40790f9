DELETE FROM sqlite_master
