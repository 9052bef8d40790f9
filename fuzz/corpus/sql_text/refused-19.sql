SELECT sqlite_version()
