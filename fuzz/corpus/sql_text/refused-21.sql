SELECT sqlite_log(1, 'x')
