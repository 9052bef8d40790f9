VACUUM INTO 'copy.db'
