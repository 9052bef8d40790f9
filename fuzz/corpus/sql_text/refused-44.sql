UPDATE sqlite_schema SET sql = 'x'
