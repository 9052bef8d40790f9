SELECT fts3_tokenizer('simple')
