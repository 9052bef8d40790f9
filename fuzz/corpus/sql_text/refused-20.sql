SELECT sqlite_compileoption_get(1)
