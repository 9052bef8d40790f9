PRAGMA temp_store_directory = '/tmp'
