SELECT randomblob(10)
